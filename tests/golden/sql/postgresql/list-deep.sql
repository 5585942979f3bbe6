-- api::book.book: fields=title&pagination[start]=100

-- page
SELECT t1.id, t1.document_id, t1.title
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 ORDER BY t1.id
 LIMIT $2 OFFSET $3;
-- values: 'en', 25, 100

-- page in the order of ids
SELECT t1.id, t1.document_id, t1.title
FROM books AS t1
WHERE CASE WHEN (t1.published_at IS NOT NULL) THEN true ELSE false END AND CASE WHEN (t1.locale = $1) THEN true ELSE false END ORDER BY t1.id
 LIMIT $2 OFFSET $3;
-- values: 'en', 25, 100

-- keys, collected
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 ORDER BY t1.id
 LIMIT $2 OFFSET $3;
-- values: 'en', 25, 100

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 ORDER BY t1.id
 LIMIT $2 OFFSET $3;
-- values: 'en', 25, 100

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 ORDER BY t1.id DESC
 LIMIT $2 OFFSET $3;
-- values: 'en', 25, 100

-- rows
SELECT t1.id, t1.document_id, t1.title
FROM books AS t1
WHERE t1.id = ANY ($1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1;
-- values: 'en'
