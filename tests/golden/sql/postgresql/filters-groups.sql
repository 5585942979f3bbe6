-- api::book.book: fields=id&filters[$or][0][title]=a&filters[$or][1][$not][rating]=1&filters[$or][1][$not][lent]=true&filters[$and][0][title][$ne][0]=b&filters[$and][0][title][$ne][1]=c

-- page
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND (t1.title = $2 OR t1.rating != $3 OR t1.lent != $4) AND (t1.title != $5 OR t1.title != $6) ORDER BY t1.id
 LIMIT $7 OFFSET $8;
-- values: 'en', 'a', 1, True, 'b', 'c', 25, 0

-- page in the order of ids
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE CASE WHEN (t1.published_at IS NOT NULL) THEN true ELSE false END AND CASE WHEN (t1.locale = $1) THEN true ELSE false END AND (t1.title = $2 OR t1.rating != $3 OR t1.lent != $4) AND (t1.title != $5 OR t1.title != $6) ORDER BY t1.id
 LIMIT $7 OFFSET $8;
-- values: 'en', 'a', 1, True, 'b', 'c', 25, 0

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND (t1.title = $2 OR t1.rating != $3 OR t1.lent != $4) AND (t1.title != $5 OR t1.title != $6) ORDER BY t1.id
 LIMIT $7 OFFSET $8;
-- values: 'en', 'a', 1, True, 'b', 'c', 25, 0

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND (t1.title = $2 OR t1.rating != $3 OR t1.lent != $4) AND (t1.title != $5 OR t1.title != $6) ORDER BY t1.id DESC
 LIMIT $7 OFFSET $8;
-- values: 'en', 'a', 1, True, 'b', 'c', 25, 0

-- rows
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.id = ANY ($1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = $1 AND (t1.title = $2 OR t1.rating != $3 OR t1.lent != $4) AND (t1.title != $5 OR t1.title != $6);
-- values: 'en', 'a', 1, True, 'b', 'c'
