-- api::book.book: fields=id&publicationFilter=modified&status=draft&locale=en&locale=fr

-- page
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.published_at IS NULL AND (t1.locale = ANY ($1)) AND (EXISTS (SELECT 1
FROM books AS t2
WHERE t2.document_id = t1.document_id AND t2.locale IS NOT DISTINCT FROM t1.locale AND t2.published_at IS NOT NULL AND t1.updated_at > t2.updated_at)) ORDER BY t1.id
 LIMIT $2 OFFSET $3;
-- values: ('en', 'fr'), 25, 0

-- page in the order of ids
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE CASE WHEN (t1.published_at IS NULL) THEN true ELSE false END AND CASE WHEN (t1.locale = ANY ($1)) THEN true ELSE false END AND (EXISTS (SELECT 1
FROM books AS t2
WHERE t2.document_id = t1.document_id AND t2.locale IS NOT DISTINCT FROM t1.locale AND t2.published_at IS NOT NULL AND t1.updated_at > t2.updated_at)) ORDER BY t1.id
 LIMIT $2 OFFSET $3;
-- values: ('en', 'fr'), 25, 0

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NULL AND (t1.locale = ANY ($1)) AND (EXISTS (SELECT 1
FROM books AS t2
WHERE t2.document_id = t1.document_id AND t2.locale IS NOT DISTINCT FROM t1.locale AND t2.published_at IS NOT NULL AND t1.updated_at > t2.updated_at)) ORDER BY t1.id
 LIMIT $2 OFFSET $3;
-- values: ('en', 'fr'), 25, 0

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NULL AND (t1.locale = ANY ($1)) AND (EXISTS (SELECT 1
FROM books AS t2
WHERE t2.document_id = t1.document_id AND t2.locale IS NOT DISTINCT FROM t1.locale AND t2.published_at IS NOT NULL AND t1.updated_at > t2.updated_at)) ORDER BY t1.id DESC
 LIMIT $2 OFFSET $3;
-- values: ('en', 'fr'), 25, 0

-- rows
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.id = ANY ($1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NULL AND (t1.locale = ANY ($1)) AND (EXISTS (SELECT 1
FROM books AS t2
WHERE t2.document_id = t1.document_id AND t2.locale IS NOT DISTINCT FROM t1.locale AND t2.published_at IS NOT NULL AND t1.updated_at > t2.updated_at));
-- values: ('en', 'fr')
