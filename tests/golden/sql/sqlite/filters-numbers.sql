-- api::book.book: fields=id&filters[rating][$between]=1&filters[rating][$between]=5&filters[price][$gt]=1.5&filters[copies][$ne]=7&filters[lent]=true&filters[happens][$lte]=2024-05-21&filters[kind][$in]=novel&filters[kind][$in]=poem&filters[weight][$null]=true

-- page
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND t1.rating BETWEEN ? AND ? AND t1.price > ? AND t1.copies != ? AND t1.lent = ? AND t1.happens <= ? AND t1.kind IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND t1.weight IS NULL ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 1, 5, 1.5, 7, 1, 1716249600000, '["novel","poem"]', 25, 0

-- page in the order of ids
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE (+ (t1.published_at IS NOT NULL)) AND (+ (t1.locale = ?)) AND t1.rating BETWEEN ? AND ? AND t1.price > ? AND t1.copies != ? AND t1.lent = ? AND t1.happens <= ? AND t1.kind IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND t1.weight IS NULL ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 1, 5, 1.5, 7, 1, 1716249600000, '["novel","poem"]', 25, 0

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND t1.rating BETWEEN ? AND ? AND t1.price > ? AND t1.copies != ? AND t1.lent = ? AND t1.happens <= ? AND t1.kind IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND t1.weight IS NULL ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 1, 5, 1.5, 7, 1, 1716249600000, '["novel","poem"]', 25, 0

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND t1.rating BETWEEN ? AND ? AND t1.price > ? AND t1.copies != ? AND t1.lent = ? AND t1.happens <= ? AND t1.kind IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND t1.weight IS NULL ORDER BY t1.id DESC
 LIMIT ? OFFSET ?;
-- values: 'en', 1, 5, 1.5, 7, 1, 1716249600000, '["novel","poem"]', 25, 0

-- rows
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND t1.rating BETWEEN ? AND ? AND t1.price > ? AND t1.copies != ? AND t1.lent = ? AND t1.happens <= ? AND t1.kind IN (SELECT anon_1.value
FROM json_each(?) AS anon_1) AND t1.weight IS NULL;
-- values: 'en', 1, 5, 1.5, 7, 1, 1716249600000, '["novel","poem"]'
