-- api::book.book: fields=id&filters[title][$contains]=50%25_off&filters[slug][$startsWith]=a&filters[slug][$endsWithi]=B&filters[contact][$eqi]=A&filters[rating][$contains]=1&filters[price][$eqi]=1.0&filters[summary][$notContainsi]=x

-- page
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND t1.title LIKE ? ESCAPE '\' AND t1.slug LIKE ? ESCAPE '\' AND lower(t1.slug) LIKE lower(?) ESCAPE '\' AND lower(t1.contact) = lower(?) AND t1.rating LIKE ? ESCAPE '\' AND lower(CASE WHEN (t1.price IS NOT NULL) THEN printf('%!.15g', t1.price) END) = lower(?) AND lower(t1.summary) NOT LIKE lower(?) ESCAPE '\' ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', '%50\\%\\_off%', 'a%', '%B', 'A', '%1%', '1.0', '%x%', 25, 0

-- page in the order of ids
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE (+ (t1.published_at IS NOT NULL)) AND (+ (t1.locale = ?)) AND t1.title LIKE ? ESCAPE '\' AND t1.slug LIKE ? ESCAPE '\' AND lower(t1.slug) LIKE lower(?) ESCAPE '\' AND lower(t1.contact) = lower(?) AND t1.rating LIKE ? ESCAPE '\' AND lower(CASE WHEN (t1.price IS NOT NULL) THEN printf('%!.15g', t1.price) END) = lower(?) AND lower(t1.summary) NOT LIKE lower(?) ESCAPE '\' ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', '%50\\%\\_off%', 'a%', '%B', 'A', '%1%', '1.0', '%x%', 25, 0

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND t1.title LIKE ? ESCAPE '\' AND t1.slug LIKE ? ESCAPE '\' AND lower(t1.slug) LIKE lower(?) ESCAPE '\' AND lower(t1.contact) = lower(?) AND t1.rating LIKE ? ESCAPE '\' AND lower(CASE WHEN (t1.price IS NOT NULL) THEN printf('%!.15g', t1.price) END) = lower(?) AND lower(t1.summary) NOT LIKE lower(?) ESCAPE '\' ORDER BY t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', '%50\\%\\_off%', 'a%', '%B', 'A', '%1%', '1.0', '%x%', 25, 0

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND t1.title LIKE ? ESCAPE '\' AND t1.slug LIKE ? ESCAPE '\' AND lower(t1.slug) LIKE lower(?) ESCAPE '\' AND lower(t1.contact) = lower(?) AND t1.rating LIKE ? ESCAPE '\' AND lower(CASE WHEN (t1.price IS NOT NULL) THEN printf('%!.15g', t1.price) END) = lower(?) AND lower(t1.summary) NOT LIKE lower(?) ESCAPE '\' ORDER BY t1.id DESC
 LIMIT ? OFFSET ?;
-- values: 'en', '%50\\%\\_off%', 'a%', '%B', 'A', '%1%', '1.0', '%x%', 25, 0

-- rows
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.id IN (SELECT anon_1.value
FROM json_each(?) AS anon_1);
-- values: (parents)

-- count
SELECT count(*) AS count_1
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? AND t1.title LIKE ? ESCAPE '\' AND t1.slug LIKE ? ESCAPE '\' AND lower(t1.slug) LIKE lower(?) ESCAPE '\' AND lower(t1.contact) = lower(?) AND t1.rating LIKE ? ESCAPE '\' AND lower(CASE WHEN (t1.price IS NOT NULL) THEN printf('%!.15g', t1.price) END) = lower(?) AND lower(t1.summary) NOT LIKE lower(?) ESCAPE '\';
-- values: 'en', '%50\\%\\_off%', 'a%', '%B', 'A', '%1%', '1.0', '%x%'
