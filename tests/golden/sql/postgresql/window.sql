-- plugin::users-permissions.user: fields=username&limit=2

-- page
SELECT t1.id, t1.document_id, t1.username
FROM up_users AS t1 ORDER BY t1.id
 LIMIT $1 OFFSET $2;
-- values: 2, 0
