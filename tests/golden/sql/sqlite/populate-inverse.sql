-- api::person.person: fields=id&populate[books][fields]=title&populate[edited][count]=true

-- page
SELECT t1.id, t1.document_id
FROM persons AS t1 ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 25, 0

-- count
SELECT count(*) AS count_1
FROM persons AS t1;
-- values: 

-- api::book.book
SELECT t2.person_id, t1.id, t1.document_id, t1.title
FROM books_author_lnk AS t2 JOIN books AS t1 ON t1.id = t2.book_id
WHERE t2.person_id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND t1.published_at IS NOT NULL ORDER BY t2.book_ord, t2.id;
-- values: (parents)

-- api::book.book
SELECT t2.person_id, count(*) AS count_1
FROM books_editors_lnk AS t2 JOIN books AS t1 ON t1.id = t2.book_id
WHERE t2.person_id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND t1.published_at IS NOT NULL GROUP BY t2.person_id;
-- values: (parents)
