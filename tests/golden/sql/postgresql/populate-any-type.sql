-- api::note.note: fields=id&populate=about,subject

-- page
SELECT t1.id, t1.document_id, t1.target_id, t1.target_type
FROM notes AS t1 ORDER BY t1.id
 LIMIT $1 OFFSET $2;
-- values: 25, 0

-- count
SELECT count(*) AS count_1
FROM notes AS t1;
-- values: 

-- links of edge 0
SELECT t1.note_id, t1.about_id, t1.about_type
FROM notes_about_mph AS t1
WHERE t1.note_id = ANY ($1) ORDER BY t1."order", t1.id;
-- values: (parents)

-- plugin::upload.file
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.name, t1.alternative_text, t1.caption, t1.focal_point, t1.width, t1.height, t1.formats, t1.hash, t1.ext, t1.mime, t1.size, t1.url, t1.preview_url, t1.provider, t1.provider_metadata, t1.created_at, t1.updated_at, t1.published_at
FROM files AS t1
WHERE t1.id = ANY ($1) ORDER BY t1.id;
-- values: (parents)

-- plugin::users-permissions.user
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.username, t1.email, t1.provider, t1.confirmed, t1.blocked, t1.created_at, t1.updated_at, t1.published_at
FROM up_users AS t1
WHERE t1.id = ANY ($1) ORDER BY t1.id;
-- values: (parents)

-- api::book.book
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.title, t1.summary, t1.body, t1.slug, t1.contact, t1.kind, t1.rating, t1.copies, t1.weight, t1.price, t1.lent, t1.printed, t1.opens, t1.happens, t1.stamped, t1.extra, t1.content, t1.shelf, t1.created_at, t1.updated_at, t1.published_at, t1.locale
FROM books AS t1
WHERE (t1.id = ANY ($1)) AND t1.published_at IS NOT NULL ORDER BY t1.id;
-- values: (parents)

-- api::person.person
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.name, t1.age, t1.created_at, t1.updated_at, t1.published_at
FROM persons AS t1
WHERE t1.id = ANY ($1) ORDER BY t1.id;
-- values: (parents)

-- api::tag.tag
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.label, t1.created_at, t1.updated_at, t1.published_at
FROM tags AS t1
WHERE t1.id = ANY ($1) ORDER BY t1.id;
-- values: (parents)

-- api::note.note
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.text, t1.created_at, t1.updated_at, t1.published_at
FROM notes AS t1
WHERE t1.id = ANY ($1) ORDER BY t1.id;
-- values: (parents)

-- api::homepage.homepage
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.heading, t1.created_at, t1.updated_at, t1.published_at
FROM homepages AS t1
WHERE (t1.id = ANY ($1)) AND t1.published_at IS NOT NULL ORDER BY t1.id;
-- values: (parents)

-- plugin::upload.file
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.name, t1.alternative_text, t1.caption, t1.focal_point, t1.width, t1.height, t1.formats, t1.hash, t1.ext, t1.mime, t1.size, t1.url, t1.preview_url, t1.provider, t1.provider_metadata, t1.created_at, t1.updated_at, t1.published_at
FROM files AS t1
WHERE t1.id = ANY ($1) ORDER BY t1.id;
-- values: (parents)

-- plugin::users-permissions.user
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.username, t1.email, t1.provider, t1.confirmed, t1.blocked, t1.created_at, t1.updated_at, t1.published_at
FROM up_users AS t1
WHERE t1.id = ANY ($1) ORDER BY t1.id;
-- values: (parents)

-- api::book.book
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.title, t1.summary, t1.body, t1.slug, t1.contact, t1.kind, t1.rating, t1.copies, t1.weight, t1.price, t1.lent, t1.printed, t1.opens, t1.happens, t1.stamped, t1.extra, t1.content, t1.shelf, t1.created_at, t1.updated_at, t1.published_at, t1.locale
FROM books AS t1
WHERE (t1.id = ANY ($1)) AND t1.published_at IS NOT NULL ORDER BY t1.id;
-- values: (parents)

-- api::person.person
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.name, t1.age, t1.created_at, t1.updated_at, t1.published_at
FROM persons AS t1
WHERE t1.id = ANY ($1) ORDER BY t1.id;
-- values: (parents)

-- api::tag.tag
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.label, t1.created_at, t1.updated_at, t1.published_at
FROM tags AS t1
WHERE t1.id = ANY ($1) ORDER BY t1.id;
-- values: (parents)

-- api::note.note
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.text, t1.created_at, t1.updated_at, t1.published_at
FROM notes AS t1
WHERE t1.id = ANY ($1) ORDER BY t1.id;
-- values: (parents)

-- api::homepage.homepage
SELECT t1.id, t1.id AS id_1, t1.document_id, t1.heading, t1.created_at, t1.updated_at, t1.published_at
FROM homepages AS t1
WHERE (t1.id = ANY ($1)) AND t1.published_at IS NOT NULL ORDER BY t1.id;
-- values: (parents)
