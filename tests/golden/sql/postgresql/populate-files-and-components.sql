-- api::book.book: fields=id&populate[cover][fields]=url&populate[links][populate][to][fields]=title&populate[sections][on][shared.quote][populate]=by&populate[seo][count]=true

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
SELECT CAST(0 AS BIGINT) AS "0", CAST(t2."order" AS DOUBLE PRECISION) AS "order", CAST(t2.id AS BIGINT) AS id, CAST(t2.related_id AS BIGINT) AS related_id, CAST(t1.id AS BIGINT) AS id__1, CAST(t1.document_id AS TEXT) AS document_id, CAST(t1.url AS TEXT) AS url
FROM files_related_mph AS t2 JOIN files AS t1 ON t1.id = t2.file_id
WHERE (t2.related_id = ANY ($1)) AND t2.related_type = $2 AND t2.field = $3 UNION ALL SELECT CAST(1 AS BIGINT) AS "1", CAST(t4."order" AS DOUBLE PRECISION) AS "order", CAST(t4.id AS BIGINT) AS id, CAST(t4.entity_id AS BIGINT) AS entity_id, CAST(t3.id AS BIGINT) AS id__2, CAST(t3.label AS TEXT) AS label, CAST(t3.url AS TEXT) AS url
FROM books_cmps AS t4 JOIN components_shared_link AS t3 ON t3.id = t4.cmp_id
WHERE (t4.entity_id = ANY ($1)) AND t4.field = $4 AND t4.component_type = $5 UNION ALL SELECT CAST(2 AS BIGINT) AS "2", CAST(NULL AS DOUBLE PRECISION) AS anon_1, CAST(NULL AS BIGINT) AS anon__1, CAST(t6.entity_id AS BIGINT) AS entity_id, CAST(count(*) AS BIGINT) AS count_1, CAST(NULL AS TEXT) AS anon__2, CAST(NULL AS TEXT) AS anon__3
FROM books_cmps AS t6 JOIN components_shared_seo AS t5 ON t5.id = t6.cmp_id
WHERE (t6.entity_id = ANY ($1)) AND t6.field = $6 AND t6.component_type = $7 GROUP BY t6.entity_id UNION ALL SELECT CAST(3 AS BIGINT) AS "3", CAST(t8."order" AS DOUBLE PRECISION) AS "order", CAST(t8.id AS BIGINT) AS id, CAST(t8.entity_id AS BIGINT) AS entity_id, CAST(t7.id AS BIGINT) AS id__3, CAST(t7.text AS TEXT) AS text, CAST(NULL AS TEXT) AS anon_1
FROM books_cmps AS t8 JOIN components_shared_quote AS t7 ON t7.id = t8.cmp_id
WHERE (t8.entity_id = ANY ($1)) AND t8.field = $8 AND t8.component_type = $9 ORDER BY 1, 2, 3;
-- values: (parents by 0), 'api::book.book', 'cover', 'links', 'shared.link', 'seo', 'shared.seo', 'sections', 'shared.quote'

-- shared.link > api::book.book
SELECT t2.link_id, t1.id, t1.document_id, t1.title
FROM components_shared_link_to_lnk AS t2 JOIN books AS t1 ON t1.id = t2.book_id
WHERE (t2.link_id = ANY ($1)) AND t1.published_at IS NOT NULL ORDER BY t2.id;
-- values: (parents)

-- shared.quote > api::person.person
SELECT t2.quote_id, t1.id, t1.document_id, t1.name, t1.age, t1.created_at, t1.updated_at, t1.published_at
FROM components_shared_quote_by_lnk AS t2 JOIN persons AS t1 ON t1.id = t2.person_id
WHERE t2.quote_id = ANY ($1) ORDER BY t2.id;
-- values: (parents)
