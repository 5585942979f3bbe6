-- api::book.book: fields=title&pagination[start]=100

-- page
SELECT t1.id, t1.document_id, t1.title
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 25, 100

-- page in the order of ids
SELECT t1.id, t1.document_id, t1.title
FROM books AS t1
WHERE (+ (t1.published_at IS NOT NULL)) AND (+ (t1.locale = ?)) ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 25, 100

-- keys, collected
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? ORDER BY + t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 25, 100

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 25, 100

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? ORDER BY t1.id DESC
 LIMIT ? OFFSET ?;
-- values: 'en', 25, 100

-- rows
SELECT t1.id, t1.document_id, t1.title
FROM books AS t1
WHERE t1.id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ?;
-- values: 'en'
