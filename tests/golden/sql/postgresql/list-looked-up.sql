-- api::book.book: fields=title&filters[slug]=a&sort=rating

-- page
SELECT t1.id, t1.document_id, t1.title
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND t1.slug = $2 ORDER BY t1.rating ASC, t1.id
 LIMIT $3 OFFSET $4;
-- values: 'en', 'a', 25, 0

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND t1.slug = $2;
-- values: 'en', 'a'
