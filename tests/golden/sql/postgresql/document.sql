-- api::book.book: fields=title&populate=author&status=draft

-- page
SELECT t1.id, t1.document_id, t1.title
FROM books AS t1
WHERE t1.document_id = $1 AND t1.published_at IS NULL AND t1.locale = $2 ORDER BY t1.locale, t1.published_at, t1.id
 LIMIT $3 OFFSET $4;
-- values: 'abc', 'en', 1, 0

-- api::person.person
SELECT t2.book_id, t1.id, t1.document_id, t1.name, t1.age, t1.created_at, t1.updated_at, t1.published_at
FROM books_author_lnk AS t2 JOIN persons AS t1 ON t1.id = t2.person_id
WHERE t2.book_id = ANY ($1) ORDER BY t2.id;
-- values: (parents)
