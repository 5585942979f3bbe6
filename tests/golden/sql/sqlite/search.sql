-- api::book.book: fields=id&_q=10%25

-- page
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND (lower(t1.id) LIKE lower(?) ESCAPE '\' OR lower(t1.document_id) LIKE lower(?) ESCAPE '\' OR lower(t1.title) LIKE lower(?) ESCAPE '\' OR lower(t1.summary) LIKE lower(?) ESCAPE '\' OR lower(t1.body) LIKE lower(?) ESCAPE '\' OR lower(t1.slug) LIKE lower(?) ESCAPE '\' OR lower(t1.contact) LIKE lower(?) ESCAPE '\' OR lower(t1.kind) LIKE lower(?) ESCAPE '\' OR lower(t1.locale) LIKE lower(?) ESCAPE '\') ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', 25, 0

-- page in the order of ids
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE (+ (t1.published_at IS NOT NULL)) AND (+ (t1.locale = ?)) AND (lower(t1.id) LIKE lower(?) ESCAPE '\' OR lower(t1.document_id) LIKE lower(?) ESCAPE '\' OR lower(t1.title) LIKE lower(?) ESCAPE '\' OR lower(t1.summary) LIKE lower(?) ESCAPE '\' OR lower(t1.body) LIKE lower(?) ESCAPE '\' OR lower(t1.slug) LIKE lower(?) ESCAPE '\' OR lower(t1.contact) LIKE lower(?) ESCAPE '\' OR lower(t1.kind) LIKE lower(?) ESCAPE '\' OR lower(t1.locale) LIKE lower(?) ESCAPE '\') ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', 25, 0

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND (lower(t1.id) LIKE lower(?) ESCAPE '\' OR lower(t1.document_id) LIKE lower(?) ESCAPE '\' OR lower(t1.title) LIKE lower(?) ESCAPE '\' OR lower(t1.summary) LIKE lower(?) ESCAPE '\' OR lower(t1.body) LIKE lower(?) ESCAPE '\' OR lower(t1.slug) LIKE lower(?) ESCAPE '\' OR lower(t1.contact) LIKE lower(?) ESCAPE '\' OR lower(t1.kind) LIKE lower(?) ESCAPE '\' OR lower(t1.locale) LIKE lower(?) ESCAPE '\') ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', 25, 0

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND (lower(t1.id) LIKE lower(?) ESCAPE '\' OR lower(t1.document_id) LIKE lower(?) ESCAPE '\' OR lower(t1.title) LIKE lower(?) ESCAPE '\' OR lower(t1.summary) LIKE lower(?) ESCAPE '\' OR lower(t1.body) LIKE lower(?) ESCAPE '\' OR lower(t1.slug) LIKE lower(?) ESCAPE '\' OR lower(t1.contact) LIKE lower(?) ESCAPE '\' OR lower(t1.kind) LIKE lower(?) ESCAPE '\' OR lower(t1.locale) LIKE lower(?) ESCAPE '\') ORDER BY t1.id DESC
 LIMIT ? OFFSET ?;
-- values: 'en', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', 25, 0

-- rows
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND (lower(t1.id) LIKE lower(?) ESCAPE '\' OR lower(t1.document_id) LIKE lower(?) ESCAPE '\' OR lower(t1.title) LIKE lower(?) ESCAPE '\' OR lower(t1.summary) LIKE lower(?) ESCAPE '\' OR lower(t1.body) LIKE lower(?) ESCAPE '\' OR lower(t1.slug) LIKE lower(?) ESCAPE '\' OR lower(t1.contact) LIKE lower(?) ESCAPE '\' OR lower(t1.kind) LIKE lower(?) ESCAPE '\' OR lower(t1.locale) LIKE lower(?) ESCAPE '\');
-- values: 'en', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%', '%10\\%%'
