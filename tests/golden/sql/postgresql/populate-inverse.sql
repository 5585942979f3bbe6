-- api::person.person: fields=id&populate[books][fields]=title&populate[edited][count]=true

-- page
SELECT t1.id, t1.document_id
FROM persons AS t1 ORDER BY t1.id
 LIMIT $1 OFFSET $2;
-- values: 25, 0

-- count
SELECT count(*) AS count_1
FROM persons AS t1;
-- values: 

-- together
SELECT CAST(0 AS BIGINT) AS "0", CAST(t2.book_ord AS DOUBLE PRECISION) AS book_ord, CAST(t2.id AS BIGINT) AS id, CAST(t2.person_id AS BIGINT) AS person_id, CAST(t1.id AS BIGINT) AS id__1, CAST(t1.document_id AS TEXT) AS document_id, CAST(t1.title AS TEXT) AS title
FROM books_author_lnk AS t2 JOIN books AS t1 ON t1.id = t2.book_id
WHERE (t2.person_id = ANY ($1)) AND t1.published_at IS NOT NULL UNION ALL SELECT CAST(1 AS BIGINT) AS "1", CAST(NULL AS DOUBLE PRECISION) AS anon_1, CAST(NULL AS BIGINT) AS anon__1, CAST(t4.person_id AS BIGINT) AS person_id, CAST(count(*) AS BIGINT) AS count_1, CAST(NULL AS TEXT) AS anon__2, CAST(NULL AS TEXT) AS anon__3
FROM books_editors_lnk AS t4 JOIN books AS t3 ON t3.id = t4.book_id
WHERE (t4.person_id = ANY ($1)) AND t3.published_at IS NOT NULL GROUP BY t4.person_id ORDER BY 1, 2, 3;
-- values: (parents by 0)
