-- api::book.book: fields=id&publicationFilter=modified&status=draft&locale=en&locale=fr

-- page
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.published_at IS NULL AND t1.locale IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND (EXISTS (SELECT 1
FROM books AS t2
WHERE t2.document_id = t1.document_id AND t2.locale IS t1.locale AND t2.published_at IS NOT NULL AND t1.updated_at > t2.updated_at)) ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: '["en","fr"]', 25, 0

-- page in the order of ids
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE (+ (t1.published_at IS NULL)) AND (+ (t1.locale IN (SELECT anon_1.value
FROM json_each(?) AS anon_1))) AND (EXISTS (SELECT 1
FROM books AS t2
WHERE t2.document_id = t1.document_id AND t2.locale IS t1.locale AND t2.published_at IS NOT NULL AND t1.updated_at > t2.updated_at)) ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: '["en","fr"]', 25, 0

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NULL AND t1.locale IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND (EXISTS (SELECT 1
FROM books AS t2
WHERE t2.document_id = t1.document_id AND t2.locale IS t1.locale AND t2.published_at IS NOT NULL AND t1.updated_at > t2.updated_at)) ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: '["en","fr"]', 25, 0

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NULL AND t1.locale IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND (EXISTS (SELECT 1
FROM books AS t2
WHERE t2.document_id = t1.document_id AND t2.locale IS t1.locale AND t2.published_at IS NOT NULL AND t1.updated_at > t2.updated_at)) ORDER BY t1.id DESC
 LIMIT ? OFFSET ?;
-- values: '["en","fr"]', 25, 0

-- rows
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NULL AND t1.locale IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND (EXISTS (SELECT 1
FROM books AS t2
WHERE t2.document_id = t1.document_id AND t2.locale IS t1.locale AND t2.published_at IS NOT NULL AND t1.updated_at > t2.updated_at));
-- values: '["en","fr"]'
