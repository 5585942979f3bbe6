-- api::book.book: fields=id&populate[author][fields]=name&populate[prequel][fields]=title&populate[tags][fields]=label&populate[tags][sort]=label&populate[tags][filters][label][$ne]=x&populate[localizations][fields]=title

-- page
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 25, 0

-- page in the order of ids
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE (+ (t1.published_at IS NOT NULL)) AND (+ (t1.locale = ?)) ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 25, 0

-- keys, collected
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? ORDER BY + t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 25, 0

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 25, 0

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? ORDER BY t1.id DESC
 LIMIT ? OFFSET ?;
-- values: 'en', 25, 0

-- rows
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ?;
-- values: 'en'

-- api::person.person
SELECT t2.book_id, t1.id, t1.document_id, t1.name
FROM books_author_lnk AS t2 JOIN persons AS t1 ON t1.id = t2.person_id
WHERE t2.book_id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) ORDER BY t2.id;
-- values: (parents)

-- api::book.book
SELECT t2.inv_book_id, t1.id, t1.document_id, t1.title
FROM books_sequel_lnk AS t2 JOIN books AS t1 ON t1.id = t2.book_id
WHERE t2.inv_book_id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND t1.published_at IS NOT NULL ORDER BY t2.id;
-- values: (parents)

-- api::tag.tag
SELECT t2.book_id, t1.label, t1.id, t1.document_id
FROM books_tags_lnk AS t2 JOIN tags AS t1 ON t1.id = t2.tag_id
WHERE t2.book_id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND t1.label != ? ORDER BY t1.label ASC, t2.tag_ord, t2.id;
-- values: (parents), 'x'

-- api::book.book
SELECT t1.document_id, t1.id, t1.document_id AS document_id_1, t1.title
FROM books AS t1
WHERE t1.document_id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND t1.published_at IS NOT NULL ORDER BY t1.locale, t1.id;
-- values: (parents)
