"""Actions of Strapi projects that read entries themselves, and near misses."""

from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.unit.strapi_project.pages import (
    FINISH,
    FIRST,
    PAGE,
    ROWS,
    body,
    code,
    customised,
    fill,
    is_left_to_code,
    pages,
)

BY_SLUG = [
    pytest.param(
        f"const {{ slug }} = ctx.params; const entity = await {FIRST}({{ filters: {{ slug }}, "
        f"status: 'published' }}); {FINISH}",
        id="the document service",
    ),
    pytest.param(
        "const slug = ctx.params.slug; if (!slug) { return ctx.badRequest('no slug'); }"
        f"const entity = await {FIRST}({{ filters: {{ slug: {{ $eq: slug }} }}, "
        f"...ctx.query, status: 'published' }}); {FINISH}",
        id="with the query of the request",
    ),
    pytest.param(
        f"const found = await strapi.entityService.findMany('{PAGE}', {{ filters: {{ slug: "
        "ctx.params.slug }, status: 'published', limit: 1 });"
        "if (!found || found.length === 0) { return ctx.notFound('gone'); }"
        "const entity = await this.sanitizeOutput(found[0], ctx);"
        "return this.transformResponse(entity);",
        id="the first of a list",
    ),
    pytest.param(
        f"try {{ const [entity] = await strapi.documents('{PAGE}').findMany({{ filters: {{ slug: "
        f"ctx.params.slug }}, status: 'published' }}); if (!entity) return ctx.notFound(); {FINISH}"
        "} catch (error) { strapi.log.error(error); return ctx.internalServerError('no'); }",
        id="inside try",
    ),
    pytest.param(
        f"let entity; entity = await {ROWS}.findOne({{ where: {{ slug: ctx.params.slug, "
        f"publishedAt: {{ $notNull: true }} }} }}); if (!entity) {{ return ctx.notFound('x'); }}"
        f"{FINISH}",
        id="the query engine",
    ),
]


@pytest.mark.parametrize("method", BY_SLUG)
async def test_a_document_is_found_by_its_slug(kind: Kind, tmp_path: Path, method: str) -> None:
    files = code(f"async bySlug(ctx) {{ {method} }}")
    async with pages(kind, tmp_path, files, public=["api::page.page.create"]) as site:
        await site.create("pages", slug="one", note="hidden")
        found = await body(site, "pages/by/one")
        missing = await site.get("pages/by/nothing")
        refused = await site.get("pages/granted/one")

    assert (found["data"]["slug"], found["meta"]) == ("one", {})
    assert "note" not in found["data"]
    assert (missing.status, refused.status) == (404, 403)


async def test_a_query_with_the_slug_is_left_to_the_core(kind: Kind, tmp_path: Path) -> None:
    method = (
        "async bySlug(ctx) { const { slug } = ctx.params;"
        "ctx.query.filters = { ...ctx.query.filters, slug }; return await super.find(ctx); }"
    )
    async with pages(kind, tmp_path, code(method)) as site:
        await fill(site)
        one = await site.data("pages/by/one")
        two = await site.data("pages/by/two")
        none = await site.data("pages/by/one?filters[slug]=two&filters[id]=0")

    assert ([page["slug"] for page in (*one, *two)], none) == (["one", "two"], [])


@pytest.mark.parametrize(
    "condition",
    [
        "{ slug: ctx.query.slug }",
        # Neither are entries found that are not linked to anything.
        "{ tags: { name: ctx.query.gone }, slug: ctx.query.slug }",
        "{ $or: [{ tags: { name: ctx.query.gone } }, { slug: { $eq: ctx.query.slug } }] }",
        "{ $not: { tags: { name: ctx.query.gone } } }",
        "{ $not: { slug: ctx.query.gone } }",
    ],
)
async def test_a_filter_by_something_undefined_finds_nothing(
    kind: Kind, tmp_path: Path, condition: str
) -> None:
    method = f"async find(ctx) {{ ctx.query.filters = {condition}; return super.find(ctx); }}"
    async with pages(kind, tmp_path, code(method)) as site:
        await fill(site)
        none = await site.data("pages")

    assert none == []


async def test_a_filter_by_something_defined_finds_it(kind: Kind, tmp_path: Path) -> None:
    method = (
        "async find(ctx) { ctx.query.filters = { slug: ctx.query.slug }; return super.find(ctx); }"
    )
    async with pages(kind, tmp_path, code(method)) as site:
        await fill(site)
        two = await site.data("pages?slug=two")

    assert [page["slug"] for page in two] == ["two"]


async def test_without_a_status_drafts_are_read_as_the_document_service_does(
    kind: Kind, tmp_path: Path
) -> None:
    method = f"async find(ctx) {{ return {FIRST}({{ filters: {{ slug: 'one-changed' }} }}); }}"
    async with pages(kind, tmp_path, code(method)) as site:
        await fill(site)
        found = await body(site, "pages")

    assert (found["slug"], found["publishedAt"]) == ("one-changed", None)


async def test_what_is_not_sanitized_stands_alone_with_private_attributes(
    kind: Kind, tmp_path: Path
) -> None:
    files = code(
        "async find(ctx) { return await strapi.service(uid).all(); }, async findOne(ctx) {"
        "const { id } = ctx.params; return strapi.service(uid).one(id); }",
        "async all() { return strapi.documents(uid).findMany({ status: 'published', sort: "
        "{ slug: 'desc' } }); }, async one(slug) { const found = await strapi.db.query(uid)"
        ".findOne({ where: { slug, publishedAt: { $notNull: true } }, "
        "populate: ['seo', 'tags', 'slug', 'gone'] });"
        "return found; }",
        f"const uid = '{PAGE}';",
    )
    async with pages(kind, tmp_path, files) as site:
        await fill(site)
        listed = await body(site, "pages")
        found = await body(site, "pages/one")
        missing = await site.get("pages/nothing")

    assert [page["slug"] for page in listed] == ["two", "one"]
    assert {"id", "documentId", "note", "locale", "publishedAt"} <= listed[0].keys()
    assert (found["note"], found["seo"]["description"]) == ("hidden", "words")
    assert ([tag["name"] for tag in found["tags"]], missing.status) == (["A"], 404)


async def test_entries_stand_under_the_names_that_the_code_gives_them(
    kind: Kind, tmp_path: Path
) -> None:
    method = (
        f"async find(ctx) {{ const all = await strapi.documents('{PAGE}').findMany({{ "
        "status: 'published' }); ctx.body = { pages: await this.sanitizeOutput(all, ctx), "
        "ok: true, meta: { total: all.length } }; }"
    )
    async with pages(kind, tmp_path, code(method)) as site:
        await fill(site)
        found = await body(site, "pages")

    assert (len(found["pages"]), found["ok"], found["meta"]) == (2, True, {"total": 2})


async def test_what_is_sanitized_hides_relations_that_the_caller_may_not_read(
    kind: Kind, tmp_path: Path
) -> None:
    method = (
        "async bySlug(ctx) { const entity = await "
        f"{FIRST}({{ filters: {{ slug: ctx.params.slug }}, status: 'published', "
        f"populate: {{ tags: true, seo: true }} }}); {FINISH} }}"
    )
    async with pages(kind, tmp_path, code(method)) as site:
        await fill(site)
        found = await site.data("pages/by/one")

    assert ("tags" in found, found["seo"]["description"]) == (False, "words")


async def test_the_first_route_that_fits_counts(kind: Kind, tmp_path: Path) -> None:
    routes = {
        "src/api/page/routes/zz-own.js": "module.exports = { routes: ["
        "{ method: 'GET', path: '/pages/all', handler: 'page.find', config: { auth: false } },"
        "{ method: 'GET', path: '/all-pages', handler: 'page.find', "
        "config: { auth: false } } ] };"
    }
    async with pages(kind, tmp_path, routes, public=[]) as site:
        behind = await site.get("pages/all")
        own = await site.get("all-pages")

    assert (behind.status, own.status) == (403, 200)


async def test_what_the_service_of_the_core_reads_comes_in_pages(
    kind: Kind, tmp_path: Path
) -> None:
    files = code(
        "async find(ctx) { await this.validateQuery(ctx);"
        "const query = await this.sanitizeQuery(ctx);"
        f"const {{ results, pagination }} = await strapi.service('{PAGE}').find({{ ...query, "
        "sort: 'slug:desc' }); const clean = await this.sanitizeOutput(results, ctx);"
        "return this.transformResponse(clean, { pagination }); },"
        "async findOne(ctx) { const { id } = ctx.params; const query = await "
        f"this.sanitizeQuery(ctx); const entity = await strapi.service('{PAGE}').findOne(id, "
        f"query); {FINISH} }}"
    )
    async with pages(kind, tmp_path, files) as site:
        await fill(site)
        listed = await body(site, "pages?pagination[pageSize]=1")
        refused = await site.get("pages?populate=nothing")
        one = await site.data(f"pages/{listed['data'][0]['documentId']}?fields=slug")
        other = await site.get(f"pages/{listed['data'][0]['documentId']}?filters[slug]=one")

    assert ([page["slug"] for page in listed["data"]], refused.status) == (["two"], 400)
    assert listed["meta"]["pagination"] == {"page": 1, "pageSize": 1, "pageCount": 2, "total": 2}
    assert (one.keys(), other.status) == ({"id", "documentId", "slug"}, 404)


NEAR_MISSES = [
    pytest.param(
        f"const all = await {ROWS}.findMany(); return {{ all, first: all[0].slug }};",
        id="a part of an entry in the response",
    ),
    pytest.param(
        f"const found = await strapi.service('{PAGE}').wrapped(); return found.all;",
        id="a part of what a service returns",
    ),
    pytest.param(
        f"const found = await strapi.service('{PAGE}').wrapped();"
        "return this.transformResponse(await this.sanitizeOutput(found, ctx));",
        id="a response of a service that is sanitized",
    ),
    pytest.param(
        f"const page = await strapi.service('{PAGE}').find(ctx.query); return page.results;",
        id="a page as a whole",
    ),
    pytest.param(
        f"const {{ results }} = await strapi.service('{PAGE}').find({{}});"
        "return results.map((one) => shorten(one.slug));",
        id="parts of a page",
    ),
    pytest.param(
        f"return strapi.documents('{PAGE}').findOne({{ documentId: ctx.state.user.page }});",
        id="a document of who asks",
    ),
    pytest.param(
        f"const entity = await {FIRST}({{ filters: {{ owner: ctx.state.user.id }} }}); {FINISH}",
        id="by who asks",
    ),
    pytest.param(
        f"if (!ctx.state.user) return ctx.unauthorized(); const entity = await {FIRST}(); {FINISH}",
        id="for signed-in users",
    ),
    pytest.param(
        f"const guard = await {FIRST}({{ filters: {{ slug: ctx.query.code }} }});"
        f"if (!guard) return ctx.forbidden(); const entity = await {FIRST}(); {FINISH}",
        id="behind another read",
    ),
    pytest.param(
        f"const guard = await {FIRST}({{ filters: {{ slug: ctx.query.code }} }});"
        f"if (!guard) return ctx.notFound(); return {ROWS}.findMany();",
        id="behind another read that is missing",
    ),
    pytest.param(
        f"const entity = await {FIRST}(); if (entity.note) return ctx.notFound(); {FINISH}",
        id="by what was read",
    ),
    pytest.param(
        f"const entity = await {FIRST}(); if (!entity) {{ await log(entity); }} {FINISH}",
        id="with something else where nothing is found",
    ),
    pytest.param(
        f"const entity = await {FIRST}(); delete entity.note; return entity;", id="without a part"
    ),
    pytest.param(
        f"const entity = await {FIRST}(); return {{ ...entity, more: now() }};", id="spread"
    ),
    pytest.param(f"return {FIRST}(ctx.query);", id="unsanitized, as the query says"),
    pytest.param(f"return {FIRST}({{ populate: '*' }});", id="unsanitized with everything"),
    pytest.param(
        f"return {FIRST}({{ populate: ['createdBy'] }});", id="unsanitized with administrators"
    ),
    pytest.param("return strapi.documents('api::secret.secret').findMany();", id="passwords"),
    pytest.param(
        "return strapi.documents('plugin::users-permissions.user').findMany();", id="users"
    ),
    pytest.param(
        "const entity = await strapi.documents('api::tag.tag').findFirst(); "
        "return this.transformResponse(await this.sanitizeOutput(entity, ctx));",
        id="sanitized as another type",
    ),
    pytest.param(f"return {FIRST}({{ filters: makeFilters() }});", id="by a computed filter"),
    pytest.param(f"return {FIRST}({{ filters: {{ slug: now() }} }});", id="by a computed value"),
    pytest.param(
        f"return {ROWS}.findMany({{ where: {{ slug: 'a' }}, groupBy: 'x' }});", id="grouped"
    ),
    pytest.param(f"return {ROWS}.findMany({{ populate: ctx.query.populate }});", id="populated"),
    pytest.param(f"return {ROWS}.findMany({{ select: ['slug'] }});", id="without ids"),
    pytest.param(f"const all = await {ROWS}.findMany(); return all.filter((a) => a);", id="less"),
    pytest.param(f"return {ROWS}.update({{ where: {{ id: 1 }}, data: {{}} }});", id="writing"),
    pytest.param(
        f"const entity = await {FIRST}(); ctx.status = 202; return entity;", id="another status"
    ),
    pytest.param(
        f"const entity = await {FIRST}(); return await strapi.service('{PAGE}').dress(entity);",
        id="a service that changes what was read",
    ),
    pytest.param(f"return strapi.service('{PAGE}').hidden(ctx);", id="a service with the request"),
    pytest.param("return strapi.service(ctx.query.uid).all();", id="a service by the query"),
    pytest.param(f"return strapi.service('{PAGE}').missing();", id="a service without the method"),
    pytest.param("return super.findOne(ctx);", id="an action that finds no id"),
    pytest.param(
        f"for (const a of []) {{ return a; }} return {FIRST}();", id="code that is not parsed"
    ),
    pytest.param(
        f"try {{ return await {FIRST}(); }} catch (error) {{ ctx.body = 'all is well'; }}",
        id="another response for failures",
    ),
]


@pytest.mark.parametrize("method", NEAR_MISSES)
def test_an_action_that_reads_in_another_way_is_left_to_code(tmp_path: Path, method: str) -> None:
    files = code(
        f"async find(ctx) {{ {method} }}, async bySlug(ctx) {{ {method} }}",
        "dress(entity) { entity.x = 1; return entity; }, all() { return []; },"
        "hidden(ctx) { return strapi.documents(ctx.state.uid).findMany(); },"
        f"async wrapped() {{ const all = await {ROWS}.findMany(); return {{ all }}; }}",
    )
    found = customised(tmp_path, files)

    assert is_left_to_code(found, "find")
    assert not [one for one in found.routes.get(PAGE, ()) if one.read is not None]


async def test_a_guard_that_is_not_known_keeps_an_action_of_its_own_away(
    kind: Kind, tmp_path: Path
) -> None:
    method = f"async bySlug(ctx) {{ return {FIRST}(); }}"
    routes = {
        "src/api/page/routes/00-own.js": "module.exports = { routes: [{ method: 'GET', "
        "path: '/pages/by/:slug', handler: 'page.bySlug', "
        "config: { auth: false, policies: ['mine'] } }] };",
        "src/api/page/policies/mine.js": "module.exports = (ctx) => ctx.query.key === 'x';",
    }
    async with pages(kind, tmp_path, code(method), routes) as site:
        await fill(site)
        assert (await site.get("pages/by/one?key=x")).status == 404


async def test_drafts_are_for_tokens_alone_where_the_settings_say_so(
    kind: Kind, tmp_path: Path
) -> None:
    toml = {"quire.toml": "[api]\ndrafts_need_token = true\n"}
    method = f"async find(ctx) {{ return {FIRST}(); }}"
    async with pages(kind, tmp_path, code(method), toml) as site:
        assert (await site.get("pages")).status == 403


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("words: ctx.query.none", ["empty"]),
        ("words: { $ne: ctx.query.none }", ["full"]),
        ("words: { $in: ctx.query.none }", ["empty"]),
        ("words: { $containsi: ctx.query.none }", []),
        ("shown: ctx.query.none", ["empty", "none"]),
        ("shown: { $ne: ctx.query.none }", ["full"]),
        ("$or: [{ words: ctx.query.none }, { shown: { $eq: true } }]", ["empty", "full"]),
        # None of the pages has a tag, nor a component.
        ("tags: { name: ctx.query.none }", []),
        ("seo: { description: { $eq: ctx.query.none } }", []),
    ],
)
async def test_what_is_undefined_is_compared_as_the_attribute_has_it(
    kind: Kind, tmp_path: Path, condition: str, expected: list[str]
) -> None:
    reading = f"{ROWS}.findMany({{ where: {{ publishedAt: {{ $notNull: true }}, {condition} }}, "
    files = code(f"async find(ctx) {{ return {reading} orderBy: {{ slug: 'asc' }} }}); }}")
    async with pages(kind, tmp_path, files) as site:
        await site.create("pages", slug="full", words="a", shown=True)
        await site.create("pages", slug="empty", words="")
        await site.create("pages", slug="none")
        found = await body(site, "pages")

    assert [page["slug"] for page in found] == expected
