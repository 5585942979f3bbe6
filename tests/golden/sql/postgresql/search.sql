-- api::book.book: fields=id&_q=10%25

-- page
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND (lower(CAST(t1.id AS VARCHAR)) LIKE lower($2) ESCAPE '\' OR lower(t1.document_id) LIKE lower($3) ESCAPE '\' OR lower(t1.title) LIKE lower($4) ESCAPE '\' OR lower(t1.summary) LIKE lower($5) ESCAPE '\' OR lower(t1.body) LIKE lower($6) ESCAPE '\' OR lower(t1.slug) LIKE lower($7) ESCAPE '\' OR lower(t1.contact) LIKE lower($8) ESCAPE '\' OR lower(t1.kind) LIKE lower($9) ESCAPE '\' OR lower(t1.locale) LIKE lower($10) ESCAPE '\') ORDER BY t1.id
 LIMIT $11 OFFSET $12;
-- values: 'en', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', 25, 0

-- page in the order of ids
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE CASE WHEN (t1.published_at IS NOT NULL) THEN true ELSE false END AND CASE WHEN (t1.locale = $1) THEN true ELSE false END AND (lower(CAST(t1.id AS VARCHAR)) LIKE lower($2) ESCAPE '\' OR lower(t1.document_id) LIKE lower($3) ESCAPE '\' OR lower(t1.title) LIKE lower($4) ESCAPE '\' OR lower(t1.summary) LIKE lower($5) ESCAPE '\' OR lower(t1.body) LIKE lower($6) ESCAPE '\' OR lower(t1.slug) LIKE lower($7) ESCAPE '\' OR lower(t1.contact) LIKE lower($8) ESCAPE '\' OR lower(t1.kind) LIKE lower($9) ESCAPE '\' OR lower(t1.locale) LIKE lower($10) ESCAPE '\') ORDER BY t1.id
 LIMIT $11 OFFSET $12;
-- values: 'en', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', 25, 0

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND (lower(CAST(t1.id AS VARCHAR)) LIKE lower($2) ESCAPE '\' OR lower(t1.document_id) LIKE lower($3) ESCAPE '\' OR lower(t1.title) LIKE lower($4) ESCAPE '\' OR lower(t1.summary) LIKE lower($5) ESCAPE '\' OR lower(t1.body) LIKE lower($6) ESCAPE '\' OR lower(t1.slug) LIKE lower($7) ESCAPE '\' OR lower(t1.contact) LIKE lower($8) ESCAPE '\' OR lower(t1.kind) LIKE lower($9) ESCAPE '\' OR lower(t1.locale) LIKE lower($10) ESCAPE '\') ORDER BY t1.id
 LIMIT $11 OFFSET $12;
-- values: 'en', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', 25, 0

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND (lower(CAST(t1.id AS VARCHAR)) LIKE lower($2) ESCAPE '\' OR lower(t1.document_id) LIKE lower($3) ESCAPE '\' OR lower(t1.title) LIKE lower($4) ESCAPE '\' OR lower(t1.summary) LIKE lower($5) ESCAPE '\' OR lower(t1.body) LIKE lower($6) ESCAPE '\' OR lower(t1.slug) LIKE lower($7) ESCAPE '\' OR lower(t1.contact) LIKE lower($8) ESCAPE '\' OR lower(t1.kind) LIKE lower($9) ESCAPE '\' OR lower(t1.locale) LIKE lower($10) ESCAPE '\') ORDER BY t1.id DESC
 LIMIT $11 OFFSET $12;
-- values: 'en', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', 25, 0

-- rows
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.id = ANY ($1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND (lower(CAST(t1.id AS VARCHAR)) LIKE lower($2) ESCAPE '\' OR lower(t1.document_id) LIKE lower($3) ESCAPE '\' OR lower(t1.title) LIKE lower($4) ESCAPE '\' OR lower(t1.summary) LIKE lower($5) ESCAPE '\' OR lower(t1.body) LIKE lower($6) ESCAPE '\' OR lower(t1.slug) LIKE lower($7) ESCAPE '\' OR lower(t1.contact) LIKE lower($8) ESCAPE '\' OR lower(t1.kind) LIKE lower($9) ESCAPE '\' OR lower(t1.locale) LIKE lower($10) ESCAPE '\');
-- values: 'en', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%'
