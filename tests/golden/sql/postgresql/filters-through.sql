-- api::book.book: fields=id&filters[author][name]=a&filters[tags][label][$null]=true&filters[seo][image][name]=b&filters[sequel][$null]=true&filters[links][to][$notNull]=true&filters[localizations][locale]=fr

-- page
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND t1.id IN (SELECT t3.book_id
FROM books_author_lnk AS t3
WHERE t3.book_id IS NOT NULL AND t3.person_id IN (SELECT t2.id
FROM persons AS t2
WHERE t2.name = $2)) AND (t1.id IN (SELECT t5.book_id
FROM books_tags_lnk AS t5 JOIN tags AS t4 ON t4.id = t5.tag_id
WHERE t5.book_id IS NOT NULL AND t4.label IS NULL) OR t1.id IS NULL OR (t1.id NOT IN (SELECT t7.book_id
FROM books_tags_lnk AS t7 JOIN tags AS t6 ON t6.id = t7.tag_id
WHERE t7.book_id IS NOT NULL))) AND t1.id IN (SELECT t9.entity_id
FROM books_cmps AS t9 JOIN components_shared_seo AS t8 ON t8.id = t9.cmp_id
WHERE t9.entity_id IS NOT NULL AND t9.field = $3 AND t9.component_type = $4 AND t8.id IN (SELECT t11.related_id
FROM files_related_mph AS t11
WHERE t11.related_id IS NOT NULL AND t11.related_type = $5 AND t11.field = $6 AND t11.file_id IN (SELECT t10.id
FROM files AS t10
WHERE t10.name = $7))) AND (t1.id IS NULL OR (t1.id NOT IN (SELECT t13.book_id
FROM books_sequel_lnk AS t13 JOIN books AS t12 ON t12.id = t13.inv_book_id
WHERE t13.book_id IS NOT NULL))) AND t1.id IN (SELECT t15.entity_id
FROM books_cmps AS t15 JOIN components_shared_link AS t14 ON t14.id = t15.cmp_id
WHERE t15.entity_id IS NOT NULL AND t15.field = $8 AND t15.component_type = $9 AND t14.id IN (SELECT t17.link_id
FROM components_shared_link_to_lnk AS t17 JOIN books AS t16 ON t16.id = t17.book_id
WHERE t17.link_id IS NOT NULL)) AND t1.document_id IN (SELECT t18.document_id
FROM books AS t18
WHERE t18.document_id IS NOT NULL AND t18.locale = $10) ORDER BY t1.id
 LIMIT $11 OFFSET $12;
-- values: 'en', 'a', 'seo', 'shared.seo', 'shared.seo', 'image', 'b', 'links', 'shared.link', 'fr', 25, 0

-- page in the order of ids
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE CASE WHEN (t1.published_at IS NOT NULL) THEN true ELSE false END AND CASE WHEN (t1.locale = $1) THEN true ELSE false END AND t1.id IN (SELECT t3.book_id
FROM books_author_lnk AS t3
WHERE t3.book_id IS NOT NULL AND t3.person_id IN (SELECT t2.id
FROM persons AS t2
WHERE t2.name = $2)) AND (t1.id IN (SELECT t5.book_id
FROM books_tags_lnk AS t5 JOIN tags AS t4 ON t4.id = t5.tag_id
WHERE t5.book_id IS NOT NULL AND t4.label IS NULL) OR t1.id IS NULL OR (t1.id NOT IN (SELECT t7.book_id
FROM books_tags_lnk AS t7 JOIN tags AS t6 ON t6.id = t7.tag_id
WHERE t7.book_id IS NOT NULL))) AND t1.id IN (SELECT t9.entity_id
FROM books_cmps AS t9 JOIN components_shared_seo AS t8 ON t8.id = t9.cmp_id
WHERE t9.entity_id IS NOT NULL AND t9.field = $3 AND t9.component_type = $4 AND t8.id IN (SELECT t11.related_id
FROM files_related_mph AS t11
WHERE t11.related_id IS NOT NULL AND t11.related_type = $5 AND t11.field = $6 AND t11.file_id IN (SELECT t10.id
FROM files AS t10
WHERE t10.name = $7))) AND (t1.id IS NULL OR (t1.id NOT IN (SELECT t13.book_id
FROM books_sequel_lnk AS t13 JOIN books AS t12 ON t12.id = t13.inv_book_id
WHERE t13.book_id IS NOT NULL))) AND t1.id IN (SELECT t15.entity_id
FROM books_cmps AS t15 JOIN components_shared_link AS t14 ON t14.id = t15.cmp_id
WHERE t15.entity_id IS NOT NULL AND t15.field = $8 AND t15.component_type = $9 AND t14.id IN (SELECT t17.link_id
FROM components_shared_link_to_lnk AS t17 JOIN books AS t16 ON t16.id = t17.book_id
WHERE t17.link_id IS NOT NULL)) AND t1.document_id IN (SELECT t18.document_id
FROM books AS t18
WHERE t18.document_id IS NOT NULL AND t18.locale = $10) ORDER BY t1.id
 LIMIT $11 OFFSET $12;
-- values: 'en', 'a', 'seo', 'shared.seo', 'shared.seo', 'image', 'b', 'links', 'shared.link', 'fr', 25, 0

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND t1.id IN (SELECT t3.book_id
FROM books_author_lnk AS t3
WHERE t3.book_id IS NOT NULL AND t3.person_id IN (SELECT t2.id
FROM persons AS t2
WHERE t2.name = $2)) AND (t1.id IN (SELECT t5.book_id
FROM books_tags_lnk AS t5 JOIN tags AS t4 ON t4.id = t5.tag_id
WHERE t5.book_id IS NOT NULL AND t4.label IS NULL) OR t1.id IS NULL OR (t1.id NOT IN (SELECT t7.book_id
FROM books_tags_lnk AS t7 JOIN tags AS t6 ON t6.id = t7.tag_id
WHERE t7.book_id IS NOT NULL))) AND t1.id IN (SELECT t9.entity_id
FROM books_cmps AS t9 JOIN components_shared_seo AS t8 ON t8.id = t9.cmp_id
WHERE t9.entity_id IS NOT NULL AND t9.field = $3 AND t9.component_type = $4 AND t8.id IN (SELECT t11.related_id
FROM files_related_mph AS t11
WHERE t11.related_id IS NOT NULL AND t11.related_type = $5 AND t11.field = $6 AND t11.file_id IN (SELECT t10.id
FROM files AS t10
WHERE t10.name = $7))) AND (t1.id IS NULL OR (t1.id NOT IN (SELECT t13.book_id
FROM books_sequel_lnk AS t13 JOIN books AS t12 ON t12.id = t13.inv_book_id
WHERE t13.book_id IS NOT NULL))) AND t1.id IN (SELECT t15.entity_id
FROM books_cmps AS t15 JOIN components_shared_link AS t14 ON t14.id = t15.cmp_id
WHERE t15.entity_id IS NOT NULL AND t15.field = $8 AND t15.component_type = $9 AND t14.id IN (SELECT t17.link_id
FROM components_shared_link_to_lnk AS t17 JOIN books AS t16 ON t16.id = t17.book_id
WHERE t17.link_id IS NOT NULL)) AND t1.document_id IN (SELECT t18.document_id
FROM books AS t18
WHERE t18.document_id IS NOT NULL AND t18.locale = $10) ORDER BY t1.id
 LIMIT $11 OFFSET $12;
-- values: 'en', 'a', 'seo', 'shared.seo', 'shared.seo', 'image', 'b', 'links', 'shared.link', 'fr', 25, 0

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND t1.id IN (SELECT t3.book_id
FROM books_author_lnk AS t3
WHERE t3.book_id IS NOT NULL AND t3.person_id IN (SELECT t2.id
FROM persons AS t2
WHERE t2.name = $2)) AND (t1.id IN (SELECT t5.book_id
FROM books_tags_lnk AS t5 JOIN tags AS t4 ON t4.id = t5.tag_id
WHERE t5.book_id IS NOT NULL AND t4.label IS NULL) OR t1.id IS NULL OR (t1.id NOT IN (SELECT t7.book_id
FROM books_tags_lnk AS t7 JOIN tags AS t6 ON t6.id = t7.tag_id
WHERE t7.book_id IS NOT NULL))) AND t1.id IN (SELECT t9.entity_id
FROM books_cmps AS t9 JOIN components_shared_seo AS t8 ON t8.id = t9.cmp_id
WHERE t9.entity_id IS NOT NULL AND t9.field = $3 AND t9.component_type = $4 AND t8.id IN (SELECT t11.related_id
FROM files_related_mph AS t11
WHERE t11.related_id IS NOT NULL AND t11.related_type = $5 AND t11.field = $6 AND t11.file_id IN (SELECT t10.id
FROM files AS t10
WHERE t10.name = $7))) AND (t1.id IS NULL OR (t1.id NOT IN (SELECT t13.book_id
FROM books_sequel_lnk AS t13 JOIN books AS t12 ON t12.id = t13.inv_book_id
WHERE t13.book_id IS NOT NULL))) AND t1.id IN (SELECT t15.entity_id
FROM books_cmps AS t15 JOIN components_shared_link AS t14 ON t14.id = t15.cmp_id
WHERE t15.entity_id IS NOT NULL AND t15.field = $8 AND t15.component_type = $9 AND t14.id IN (SELECT t17.link_id
FROM components_shared_link_to_lnk AS t17 JOIN books AS t16 ON t16.id = t17.book_id
WHERE t17.link_id IS NOT NULL)) AND t1.document_id IN (SELECT t18.document_id
FROM books AS t18
WHERE t18.document_id IS NOT NULL AND t18.locale = $10) ORDER BY t1.id DESC
 LIMIT $11 OFFSET $12;
-- values: 'en', 'a', 'seo', 'shared.seo', 'shared.seo', 'image', 'b', 'links', 'shared.link', 'fr', 25, 0

-- rows
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.id = ANY ($1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND t1.id IN (SELECT t3.book_id
FROM books_author_lnk AS t3
WHERE t3.book_id IS NOT NULL AND t3.person_id IN (SELECT t2.id
FROM persons AS t2
WHERE t2.name = $2)) AND (t1.id IN (SELECT t5.book_id
FROM books_tags_lnk AS t5 JOIN tags AS t4 ON t4.id = t5.tag_id
WHERE t5.book_id IS NOT NULL AND t4.label IS NULL) OR t1.id IS NULL OR (t1.id NOT IN (SELECT t7.book_id
FROM books_tags_lnk AS t7 JOIN tags AS t6 ON t6.id = t7.tag_id
WHERE t7.book_id IS NOT NULL))) AND t1.id IN (SELECT t9.entity_id
FROM books_cmps AS t9 JOIN components_shared_seo AS t8 ON t8.id = t9.cmp_id
WHERE t9.entity_id IS NOT NULL AND t9.field = $3 AND t9.component_type = $4 AND t8.id IN (SELECT t11.related_id
FROM files_related_mph AS t11
WHERE t11.related_id IS NOT NULL AND t11.related_type = $5 AND t11.field = $6 AND t11.file_id IN (SELECT t10.id
FROM files AS t10
WHERE t10.name = $7))) AND (t1.id IS NULL OR (t1.id NOT IN (SELECT t13.book_id
FROM books_sequel_lnk AS t13 JOIN books AS t12 ON t12.id = t13.inv_book_id
WHERE t13.book_id IS NOT NULL))) AND t1.id IN (SELECT t15.entity_id
FROM books_cmps AS t15 JOIN components_shared_link AS t14 ON t14.id = t15.cmp_id
WHERE t15.entity_id IS NOT NULL AND t15.field = $8 AND t15.component_type = $9 AND t14.id IN (SELECT t17.link_id
FROM components_shared_link_to_lnk AS t17 JOIN books AS t16 ON t16.id = t17.book_id
WHERE t17.link_id IS NOT NULL)) AND t1.document_id IN (SELECT t18.document_id
FROM books AS t18
WHERE t18.document_id IS NOT NULL AND t18.locale = $10);
-- values: 'en', 'a', 'seo', 'shared.seo', 'shared.seo', 'image', 'b', 'links', 'shared.link', 'fr'
