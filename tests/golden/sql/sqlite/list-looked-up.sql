-- api::book.book: fields=title&filters[slug]=a&sort=rating

-- page
SELECT t1.id, t1.document_id, t1.title
FROM books AS t1
WHERE (+ t1.published_at) IS NOT NULL AND (+ t1.locale) = ? AND t1.slug = ? ORDER BY t1.rating ASC, t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 'a', 25, 0

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE (+ t1.published_at) IS NOT NULL AND (+ t1.locale) = ? AND t1.slug = ?;
-- values: 'en', 'a'
