-- api::book.book: fields=id&populate[author][fields]=name&populate[prequel][fields]=title&populate[tags][fields]=label&populate[tags][sort]=label&populate[tags][filters][label][$ne]=x&populate[localizations][fields]=title

-- page
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 ORDER BY t1.id
 LIMIT $2 OFFSET $3;
-- values: 'en', 25, 0

-- page in the order of ids
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE CASE WHEN (t1.published_at IS NOT NULL) THEN true ELSE false END AND CASE WHEN (t1.locale = $1) THEN true ELSE false END ORDER BY t1.id
 LIMIT $2 OFFSET $3;
-- values: 'en', 25, 0

-- keys, collected
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 ORDER BY t1.id
 LIMIT $2 OFFSET $3;
-- values: 'en', 25, 0

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 ORDER BY t1.id
 LIMIT $2 OFFSET $3;
-- values: 'en', 25, 0

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 ORDER BY t1.id DESC
 LIMIT $2 OFFSET $3;
-- values: 'en', 25, 0

-- rows
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.id = ANY ($1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1;
-- values: 'en'

-- together
SELECT CAST(0 AS BIGINT) AS "0", CAST(NULL AS DOUBLE PRECISION) AS anon_1, CAST(t2.id AS BIGINT) AS id, CAST(t2.book_id AS BIGINT) AS book_id, CAST(t1.id AS BIGINT) AS id__1, CAST(t1.document_id AS TEXT) AS document_id, CAST(t1.name AS TEXT) AS name, CAST(NULL AS TEXT) AS anon__1
FROM books_author_lnk AS t2 JOIN persons AS t1 ON t1.id = t2.person_id
WHERE t2.book_id = ANY ($1) UNION ALL SELECT CAST(1 AS BIGINT) AS "1", CAST(NULL AS DOUBLE PRECISION) AS anon_1, CAST(t4.id AS BIGINT) AS id, CAST(t4.inv_book_id AS BIGINT) AS inv_book_id, CAST(t3.id AS BIGINT) AS id__2, CAST(t3.document_id AS TEXT) AS document_id, CAST(t3.title AS TEXT) AS title, CAST(NULL AS TEXT) AS anon__2
FROM books_sequel_lnk AS t4 JOIN books AS t3 ON t3.id = t4.book_id
WHERE (t4.inv_book_id = ANY ($1)) AND t3.published_at IS NOT NULL UNION ALL SELECT CAST(2 AS BIGINT) AS "2", CAST(NULL AS DOUBLE PRECISION) AS anon_1, CAST(t5.id AS BIGINT) AS id, CAST(t5.id AS BIGINT) AS id__3, CAST(NULL AS BIGINT) AS anon__3, CAST(t5.document_id AS TEXT) AS document_id, CAST(t5.document_id AS TEXT) AS document_id__1, CAST(t5.title AS TEXT) AS title
FROM books AS t5
WHERE (t5.document_id = ANY ($2)) AND t5.published_at IS NOT NULL ORDER BY 1, 2, 3;
-- values: (parents by 0), (parents by 1)

-- api::tag.tag
SELECT t2.book_id, t1.label, t1.id, t1.document_id
FROM books_tags_lnk AS t2 JOIN tags AS t1 ON t1.id = t2.tag_id
WHERE (t2.book_id = ANY ($1)) AND t1.label != $2 ORDER BY t1.label ASC, t2.tag_ord, t2.id;
-- values: (parents), 'x'
