-- api::book.book: fields=id&filters[rating][$between]=1&filters[rating][$between]=5&filters[price][$gt]=1.5&filters[copies][$ne]=7&filters[lent]=true&filters[happens][$lte]=2024-05-21&filters[kind][$in]=novel&filters[kind][$in]=poem&filters[weight][$null]=true

-- page
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND t1.rating BETWEEN $2 AND $3 AND t1.price > $4 AND t1.copies != $5 AND t1.lent = $6 AND t1.happens <= $7 AND (t1.kind = ANY ($8)) AND t1.weight IS NULL ORDER BY t1.id
 LIMIT $9 OFFSET $10;
-- values: 'en', 1, 5, '1.5', 7, True, 769564800000000, ('novel', 'poem'), 25, 0

-- page in the order of ids
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE CASE WHEN (t1.published_at IS NOT NULL) THEN true ELSE false END AND CASE WHEN (t1.locale = $1) THEN true ELSE false END AND t1.rating BETWEEN $2 AND $3 AND t1.price > $4 AND t1.copies != $5 AND t1.lent = $6 AND t1.happens <= $7 AND (t1.kind = ANY ($8)) AND t1.weight IS NULL ORDER BY t1.id
 LIMIT $9 OFFSET $10;
-- values: 'en', 1, 5, '1.5', 7, True, 769564800000000, ('novel', 'poem'), 25, 0

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND t1.rating BETWEEN $2 AND $3 AND t1.price > $4 AND t1.copies != $5 AND t1.lent = $6 AND t1.happens <= $7 AND (t1.kind = ANY ($8)) AND t1.weight IS NULL ORDER BY t1.id
 LIMIT $9 OFFSET $10;
-- values: 'en', 1, 5, '1.5', 7, True, 769564800000000, ('novel', 'poem'), 25, 0

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND t1.rating BETWEEN $2 AND $3 AND t1.price > $4 AND t1.copies != $5 AND t1.lent = $6 AND t1.happens <= $7 AND (t1.kind = ANY ($8)) AND t1.weight IS NULL ORDER BY t1.id DESC
 LIMIT $9 OFFSET $10;
-- values: 'en', 1, 5, '1.5', 7, True, 769564800000000, ('novel', 'poem'), 25, 0

-- rows
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.id = ANY ($1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND t1.rating BETWEEN $2 AND $3 AND t1.price > $4 AND t1.copies != $5 AND t1.lent = $6 AND t1.happens <= $7 AND (t1.kind = ANY ($8)) AND t1.weight IS NULL;
-- values: 'en', 1, 5, '1.5', 7, True, 769564800000000, ('novel', 'poem')
