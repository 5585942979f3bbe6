-- api::book.book: fields=title&sort=id:desc

-- page
SELECT t1.id, t1.document_id, t1.title
FROM books AS t1
WHERE t1.locale = ? AND t1.published_at IS NOT NULL ORDER BY t1.id DESC, t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 25, 0

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.locale = ? AND t1.published_at IS NOT NULL;
-- values: 'en'
