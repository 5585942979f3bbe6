-- api::book.book: fields=id&sort=author.name:desc,links.to.title

-- page
SELECT t1.id, t1.document_id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? ORDER BY (SELECT t2.name
FROM books_author_lnk AS t3 JOIN persons AS t2 ON t2.id = t3.person_id
WHERE t3.book_id = t1.id ORDER BY t2.name DESC
 LIMIT ? OFFSET ?) DESC, (SELECT t6.title
FROM books_cmps AS t5 JOIN components_shared_link AS t4 ON t4.id = t5.cmp_id LEFT OUTER JOIN (components_shared_link_to_lnk AS t7 JOIN books AS t6 ON t6.id = t7.book_id) ON t7.link_id = t4.id
WHERE t5.entity_id = t1.id AND (+ t5.field) = ? AND (+ t5.component_type) = ? ORDER BY t6.title ASC
 LIMIT ? OFFSET ?) ASC, t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 1, 0, 'links', 'shared.link', 1, 0, 25, 0

-- keys
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? ORDER BY (SELECT t2.name
FROM books_author_lnk AS t3 JOIN persons AS t2 ON t2.id = t3.person_id
WHERE t3.book_id = t1.id ORDER BY t2.name DESC
 LIMIT ? OFFSET ?) DESC, (SELECT t6.title
FROM books_cmps AS t5 JOIN components_shared_link AS t4 ON t4.id = t5.cmp_id LEFT OUTER JOIN (components_shared_link_to_lnk AS t7 JOIN books AS t6 ON t6.id = t7.book_id) ON t7.link_id = t4.id
WHERE t5.entity_id = t1.id AND (+ t5.field) = ? AND (+ t5.component_type) = ? ORDER BY t6.title ASC
 LIMIT ? OFFSET ?) ASC, t1.id
 LIMIT ? OFFSET ?;
-- values: 'en', 1, 0, 'links', 'shared.link', 1, 0, 25, 0

-- keys from the end
SELECT t1.id
FROM books AS t1
WHERE t1.published_at IS NOT NULL AND t1.locale = ? ORDER BY (SELECT t2.name
FROM books_author_lnk AS t3 JOIN persons AS t2 ON t2.id = t3.person_id
WHERE t3.book_id = t1.id ORDER BY t2.name DESC
 LIMIT ? OFFSET ?) ASC, (SELECT t6.title
FROM books_cmps AS t5 JOIN components_shared_link AS t4 ON t4.id = t5.cmp_id LEFT OUTER JOIN (components_shared_link_to_lnk AS t7 JOIN books AS t6 ON t6.id = t7.book_id) ON t7.link_id = t4.id
WHERE t5.entity_id = t1.id AND (+ t5.field) = ? AND (+ t5.component_type) = ? ORDER BY t6.title ASC
 LIMIT ? OFFSET ?) DESC, t1.id DESC
 LIMIT ? OFFSET ?;
-- values: 'en', 1, 0, 'links', 'shared.link', 1, 0, 25, 0

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
