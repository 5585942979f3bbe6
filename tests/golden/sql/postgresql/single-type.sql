-- api::homepage.homepage: fields=heading

-- page
SELECT t1.id, t1.document_id, t1.heading
FROM homepages AS t1
WHERE t1.published_at IS NOT NULL ORDER BY t1.id
 LIMIT $1 OFFSET $2;
-- values: 1, 0
