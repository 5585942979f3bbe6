-- api::book.book: fields=id&populate[cover][fields]=url&populate[links][populate][to][fields]=title&populate[sections][on][shared.quote][populate]=by&populate[seo][count]=true

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

-- plugin::upload.file
SELECT t2.related_id, t1.id, t1.document_id, t1.url
FROM files_related_mph AS t2 JOIN files AS t1 ON t1.id = t2.file_id
WHERE t2.related_id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND t2.related_type = ? AND t2.field = ? ORDER BY t2."order", t2.id;
-- values: (parents), 'api::book.book', 'cover'

-- shared.link
SELECT t2.entity_id, t1.id, t1.label, t1.url
FROM books_cmps AS t2 JOIN components_shared_link AS t1 ON t1.id = t2.cmp_id
WHERE t2.entity_id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND (+ t2.field) = ? AND (+ t2.component_type) = ? ORDER BY t2."order", t2.id;
-- values: (parents), 'links', 'shared.link'

-- shared.link > api::book.book
SELECT t2.link_id, t1.id, t1.document_id, t1.title
FROM components_shared_link_to_lnk AS t2 JOIN books AS t1 ON t1.id = t2.book_id
WHERE t2.link_id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND t1.published_at IS NOT NULL ORDER BY t2.id;
-- values: (parents)

-- shared.seo
SELECT t2.entity_id, count(*) AS count_1
FROM books_cmps AS t2 JOIN components_shared_seo AS t1 ON t1.id = t2.cmp_id
WHERE t2.entity_id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND (+ t2.field) = ? AND (+ t2.component_type) = ? GROUP BY t2.entity_id;
-- values: (parents), 'seo', 'shared.seo'

-- shared.quote
SELECT t2.entity_id, t2."order", t2.id, t1.id AS id_1, t1.text
FROM books_cmps AS t2 JOIN components_shared_quote AS t1 ON t1.id = t2.cmp_id
WHERE t2.entity_id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND (+ t2.field) = ? AND (+ t2.component_type) = ? ORDER BY t2."order", t2.id;
-- values: (parents), 'sections', 'shared.quote'

-- shared.quote > api::person.person
SELECT t2.quote_id, t1.id, t1.document_id, t1.name, t1.age, t1.created_at, t1.updated_at, t1.published_at
FROM components_shared_quote_by_lnk AS t2 JOIN persons AS t1 ON t1.id = t2.person_id
WHERE t2.quote_id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) ORDER BY t2.id;
-- values: (parents)
