-- api::book.book: fields=id&filters[$or][0][title]=a&filters[$or][1][$not][rating]=1&filters[$or][1][$not][lent]=true&filters[$and][0][title][$ne][0]=b&filters[$and][0][title][$ne][1]=c

-- page
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND (t1.title = ? OR t1.rating != ? OR t1.lent != ?) AND (t1.title != ? OR t1.title != ?) ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 'a', 1, 1, 'b', 'c', 25, 0

-- page in the order of ids
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE (+ (t1.published_at IS NOT NULL)) AND (+ (t1.locale = ?)) AND (t1.title = ? OR t1.rating != ? OR t1.lent != ?) AND (t1.title != ? OR t1.title != ?) ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 'a', 1, 1, 'b', 'c', 25, 0

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND (t1.title = ? OR t1.rating != ? OR t1.lent != ?) AND (t1.title != ? OR t1.title != ?) ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 'a', 1, 1, 'b', 'c', 25, 0

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND (t1.title = ? OR t1.rating != ? OR t1.lent != ?) AND (t1.title != ? OR t1.title != ?) ORDER BY t1.id DESC
 LIMIT ? OFFSET ?;
-- values: 'en', 'a', 1, 1, 'b', 'c', 25, 0

-- rows
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND (t1.title = ? OR t1.rating != ? OR t1.lent != ?) AND (t1.title != ? OR t1.title != ?);
-- values: 'en', 'a', 1, 1, 'b', 'c'
