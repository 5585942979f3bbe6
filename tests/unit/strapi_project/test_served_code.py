"""Supported code of Strapi projects, and near misses that remain closed."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.unit.schema.trees import type_file
from tests.unit.strapi_project.code import (
    BLOG,
    controller,
    core_files,
    middleware,
    router,
)
from tests.unit.strapi_project.site import Site, serving

CHANGED = "{ config: { find: { middlewares: ['api::article.change'] } } }"


@asynccontextmanager
async def blog(
    kind: Kind, folder: Path, *code: Mapping[str, str], public: list[str] | None = None
) -> AsyncIterator[Site]:
    """Serve the blog with two articles, and code in place of what the generator writes."""
    files = {**core_files("article"), **core_files("tag")}
    for one in code:
        files |= one
    async with serving(kind, folder, *BLOG, files, public=public) as site:
        yield site


async def fill(site: Site) -> None:
    tag = await site.create("tags", name="A")
    seo = {"description": "words"}
    await site.create("articles", title="One", shown=True, tags=[tag["documentId"]], seo=seo)
    await site.create("articles", title="Two", shown=False)


def names(entry: Mapping[str, object]) -> set[str]:
    return {"tags", "seo"} & entry.keys()


POPULATED = [
    pytest.param("ctx.query.populate = { tags: true }; await next();", id="always"),
    pytest.param("ctx.query.populate = '*'; return next();", id="everything"),
    pytest.param("ctx.query = { ...ctx.query, populate: { tags: true } }; await next();", id="all"),
    pytest.param(
        "if (!ctx.query.populate) { ctx.query.populate = ['tags']; } await next();",
        id="only when the query has none",
    ),
    pytest.param(
        "strapi.log.info('x'); console.log(ctx.query); ctx.query.populate ??= ['tags'];"
        "return await next();",
        id="behind logs, by an operator",
    ),
    pytest.param(
        "const { query } = ctx; query.populate = query.populate || { tags: true }; await next();",
        id="through a variable",
    ),
    pytest.param(
        "if (ctx.query.populate) return next(); ctx.query.populate = { tags: true };"
        "ctx.query.sort = 'title:asc'; await next();",
        id="after an early return",
    ),
    pytest.param(
        "const { populate } = ctx.query;"
        "if (!populate || populate === 'deep') { ctx.query.populate = { tags: true } }"
        "await next();",
        id="by a known value",
    ),
]


@pytest.mark.parametrize("body", POPULATED)
async def test_a_middleware_that_sets_populate_is_served(
    kind: Kind, tmp_path: Path, body: str
) -> None:
    async with blog(kind, tmp_path, router(CHANGED), middleware(body)) as site:
        await fill(site)
        articles = await site.data("articles?sort=title")

    assert "tags" in articles[0]
    assert [one["name"] for one in articles[0]["tags"]] == ["A"]


async def test_a_middleware_takes_constants_from_its_module_and_others(
    kind: Kind, tmp_path: Path
) -> None:
    before = (
        "import { seo } from '../../../util/parts';\n"
        "const populate = { tags: { fields: ['name'] }, ...seo };"
    )
    parts = {"src/util/parts.ts": "export const seo = { seo: true };"}
    code = middleware("ctx.query.populate = populate; await next();", before)
    async with blog(kind, tmp_path, router(CHANGED), code, parts) as site:
        await fill(site)
        (article, _) = await site.data("articles?sort=title")

    assert {"tags", "seo"} == names(article)
    assert {"id", "documentId", "name"} == set(article["tags"][0])


async def test_a_middleware_may_add_to_the_filters(kind: Kind, tmp_path: Path) -> None:
    body = (
        "ctx.query.filters = { ...(ctx.query.filters || {}), shown: { $eq: true } };await next();"
    )
    async with blog(kind, tmp_path, router(CHANGED), middleware(body)) as site:
        await fill(site)
        all_articles = await site.data("articles")
        none = await site.data("articles?filters[title]=Two")
        others = await site.get("articles?filters[shown]=false")

    assert [one["title"] for one in all_articles] == ["One"]
    assert none == []
    assert [one["title"] for one in json.loads(others.content)["data"]] == ["One"]


async def test_a_part_of_the_query_that_code_needs_has_to_be_there(
    kind: Kind, tmp_path: Path
) -> None:
    code = middleware(
        "ctx.query = { filters: { title: ctx.query.filters.title } }; return await next();"
    )
    async with blog(kind, tmp_path, router(CHANGED), code) as site:
        await fill(site)
        refused = await site.get("articles")
        one = await site.data("articles?filters[title]=One&populate=tags")
        none = await site.data("articles?filters[shown]=true")

    assert refused.status == 400
    assert ([article["title"] for article in one], names(one[0]), none) == (["One"], set(), [])


async def test_what_a_middleware_sets_is_checked_like_any_query(kind: Kind, tmp_path: Path) -> None:
    code = middleware("ctx.query.populate = { nothing: true }; await next();")
    async with blog(kind, tmp_path, router(CHANGED), code) as site:
        response = await site.get("articles")

    assert response.status == 400


async def test_a_relation_that_the_caller_may_not_read_stays_hidden(
    kind: Kind, tmp_path: Path
) -> None:
    code = middleware("ctx.query.populate = { tags: true }; await next();")
    public = ["api::article.article.find", "api::article.article.create"]
    async with blog(kind, tmp_path, router(CHANGED), code, public=public) as site:
        await site.create("articles", title="One")
        (article,) = await site.data("articles")

    assert "tags" not in article


@pytest.mark.parametrize(
    "method",
    [
        "async find(ctx) { ctx.query.populate = ['tags']; return super.find(ctx); }",
        (
            "async find(ctx) { ctx.query = { populate: ['tags'], ...ctx.query };"
            "const { data, meta } = await super.find(ctx); return { data, meta }; }"
        ),
        (
            "find: async (ctx) => { ctx.query.populate = ['tags'];"
            "const response = await super.find(ctx); return response; }"
        ),
    ],
)
async def test_an_action_that_sets_populate_before_the_core_is_served(
    kind: Kind, tmp_path: Path, method: str
) -> None:
    async with blog(kind, tmp_path, controller(method)) as site:
        await fill(site)
        articles = await site.data("articles?sort=title")

    assert "tags" in articles[0]


async def test_actions_of_its_own_leave_the_core_actions_open(kind: Kind, tmp_path: Path) -> None:
    code = controller("async popular(ctx) { return strapi.db.query('x').findMany(ctx.query); }")
    routes = {
        "src/api/article/routes/01-custom.ts": "export default { routes: [{ method: 'GET', "
        "path: '/articles/list/popular', handler: 'article.popular', config: { auth: false } }] }"
    }
    async with blog(kind, tmp_path, code, routes) as site:
        await fill(site)
        articles = await site.data("articles")
        popular = await site.get("articles/list/popular")

    assert len(articles) == 2
    assert popular.status == 404


async def test_only_and_except_leave_routes_out(kind: Kind, tmp_path: Path) -> None:
    code = (router("{ only: ['find', 'create'] }"), router("{ except: ['delete'] }", "tag"))
    async with blog(kind, tmp_path, *code) as site:
        await fill(site)
        (article, _) = await site.data("articles")
        (tag,) = await site.data("tags")
        shown = await site.get(f"articles/{article['documentId']}")
        deleted = await site.send("DELETE", f"tags/{tag['documentId']}")
        batch = [{"method": "DELETE", "uid": "api::tag.tag", "documentId": tag["documentId"]}]
        in_batch = await site.send("POST", "_batch", {"operations": batch})

    assert shown.status == 404
    assert deleted.status == 405
    assert in_batch.status in {400, 403}


async def test_a_prefix_stands_before_the_path(kind: Kind, tmp_path: Path) -> None:
    async with blog(kind, tmp_path, router("{ prefix: '/v1' }")) as site:
        old = await site.get("articles")
        articles = await site.data("v1/articles")

    assert (old.status, articles) == (404, [])


async def test_a_route_of_its_own_to_a_core_action_is_served(kind: Kind, tmp_path: Path) -> None:
    routes = {
        "src/api/article/routes/01-news.js": "module.exports = { routes: ["
        "{ method: 'GET', path: '/news', handler: 'article.find' },"
        "{ method: 'GET', path: '/news/:id', handler: 'article.findOne' },"
        "{ method: 'GET', path: '/news/by/:slug', handler: 'article.findOne' } ] };"
    }
    async with blog(kind, tmp_path, routes) as site:
        await fill(site)
        (article, _) = await site.data("news?sort=title")
        one = await site.data(f"news/{article['documentId']}")
        by_slug = await site.get("news/by/one")

    assert (article["title"], one["title"], by_slug.status) == ("One", "One", 404)


async def test_a_route_without_authentication_needs_no_permission_and_shows_no_relations(
    kind: Kind, tmp_path: Path
) -> None:
    code = router("{ config: { find: { auth: false } } }")
    public = ["api::article.article.create", "api::tag.tag.create", "api::tag.tag.find"]
    headers = {"Authorization": "Bearer nobody"}
    async with blog(kind, tmp_path, code, public=public) as site:
        await fill(site)
        articles = await site.data("articles?populate=tags&sort=title")
        with_credentials = await site.get("articles", headers)
        one = await site.get(f"articles/{articles[0]['documentId']}")

    assert "tags" not in articles[0]
    assert (with_credentials.status, one.status) == (200, 403)


async def test_the_policy_of_signed_in_users_refuses_everybody_else(
    kind: Kind, tmp_path: Path
) -> None:
    policy = "['plugin::users-permissions.isAuthenticated']"
    code = router(f"{{ config: {{ create: {{ policies: {policy} }} }} }}")
    async with blog(kind, tmp_path, code) as site:
        refused = await site.send("POST", "articles", {"data": {"title": "One"}})
        operation = {"method": "POST", "uid": "api::article.article", "data": {"title": "One"}}
        in_batch = await site.send("POST", "_batch", {"operations": [operation]})
        articles = await site.data("articles")

    assert (refused.status, json.loads(refused.content)["error"]["name"]) == (403, "PolicyError")
    assert in_batch.status in {400, 403}
    assert articles == []


async def test_a_policy_that_nobody_passes_refuses_everybody(kind: Kind, tmp_path: Path) -> None:
    code = router("{ config: { find: { policies: ['admin::isAuthenticatedAdmin'] } } }")
    async with blog(kind, tmp_path, code) as site:
        await fill(site)
        response = await site.get("articles")

    assert (response.status, json.loads(response.content)["error"]["name"]) == (403, "PolicyError")


async def test_generated_policies_and_middlewares_let_everybody_through(
    kind: Kind, tmp_path: Path
) -> None:
    options = "{ config: { find: { policies: ['global::always'], middlewares: ['change'] } } }"
    policy = {
        "src/policies/always.js": "'use strict';\nmodule.exports = (policyContext, config, "
        "{ strapi }) => {\n  strapi.log.info('In always policy.');\n"
        "  const canDoSomething = true;\n  if (canDoSomething) { return true; }\n"
        "  return false;\n};"
    }
    code = middleware("strapi.log.info('In change middleware.'); await next();")
    async with blog(kind, tmp_path, router(options), code, policy) as site:
        assert await site.data("articles") == []


NEAR_MISSES = [
    "ctx.query.filters = { owner: ctx.state.session.id }; await next();",
    "if (process.env.SECRET) { ctx.query.populate = ['tags']; } await next();",
    "ctx.query.populate = makePopulate(); await next();",
    "const user = await strapi.documents('x').findMany({}); await next();",
    "populate.tags = false; ctx.query.populate = populate; await next();",
    "for (const name of names) ctx.query.populate = name; await next();",
    "const found = await fetch('http://x'); await next();",
    "audit(ctx); await next();",
]


@pytest.mark.parametrize("body", NEAR_MISSES)
async def test_a_middleware_that_does_more_keeps_the_action_closed(
    kind: Kind, tmp_path: Path, body: str
) -> None:
    before = "const populate = { tags: true };"
    async with blog(kind, tmp_path, router(CHANGED), middleware(body, before)) as site:
        listed = await site.get("articles")
        created = await site.send("POST", "articles", {"data": {"title": "One"}})

    assert (listed.status, created.status) == (403, 201)


@pytest.mark.parametrize(
    "method",
    [
        "async find(ctx) { return strapi.documents('api::other.other').count(); }",
        "async find(ctx) { return strapi.documents('api::article.article').clone({}); }",
        "async find(ctx) { return strapi.plugin('email').service('email').send({}); }",
        "async find(ctx) { return super.find({ ...ctx }); }",
        "find: makeFind()",
        "...others",
        "[name](ctx) { return super.find(ctx); }",
    ],
)
async def test_an_action_that_does_more_stays_closed(
    kind: Kind, tmp_path: Path, method: str
) -> None:
    async with blog(kind, tmp_path, controller(method)) as site:
        assert (await site.get("articles")).status == 403


@pytest.mark.parametrize(
    "options",
    [
        "{ config: { find: { policies: ['is-missing'] } } }",
        "{ config: { find: { policies: [(ctx) => ctx.query.secret === 'x'] } } }",
        "{ config: { find: { auth: { strategies: ['mine'] } } } }",
        "{ config: { find: { somethingElse: true } } }",
        "{ config: makeConfig() }",
    ],
)
async def test_a_guard_that_is_not_known_keeps_the_action_closed(
    kind: Kind, tmp_path: Path, options: str
) -> None:
    async with blog(kind, tmp_path, router(options)) as site:
        assert (await site.get("articles")).status == 403


async def test_auth_false_does_not_open_an_action_of_its_own(kind: Kind, tmp_path: Path) -> None:
    code = (
        router("{ config: { find: { auth: false } } }"),
        controller("async find(ctx) { return mine(ctx); }"),
    )
    async with blog(kind, tmp_path, *code, public=[]) as site:
        assert (await site.get("articles")).status in {401, 403}


async def test_a_route_of_its_own_in_the_place_of_a_core_route_closes_the_action(
    kind: Kind, tmp_path: Path
) -> None:
    routes = {
        "src/api/article/routes/01-custom.js": "module.exports = { routes: ["
        "{ method: 'GET', path: '/articles', handler: 'article.mine' },"
        "{ method: 'GET', path: '/tags/:slug', handler: 'article.bySlug' } ] };"
    }
    async with blog(kind, tmp_path, routes) as site:
        await fill_tags(site)
        (tag,) = await site.data("tags")
        listed = await site.get("articles")
        shown = await site.get(f"tags/{tag['documentId']}")

    assert (listed.status, shown.status) == (403, 403)


async def fill_tags(site: Site) -> None:
    await site.create("tags", name="A")


async def test_a_service_that_replaces_find_closes_it(kind: Kind, tmp_path: Path) -> None:
    service = {
        "src/api/article/services/article.js": "const { createCoreService } = "
        "require('@strapi/strapi').factories;\nmodule.exports = createCoreService("
        "'api::article.article', ({ strapi }) => ({ async find(...args) { return mine(args); } }));"
    }
    async with blog(kind, tmp_path, service) as site:
        created = await site.send("POST", "articles", {"data": {"title": "One"}})
        listed = await site.get("articles")

    assert (created.status, listed.status) == (201, 403)


async def test_an_accepted_file_leaves_the_usual_action_open(kind: Kind, tmp_path: Path) -> None:
    code = controller("async find(ctx) { return mine(ctx); }")
    toml = {"quire.toml": '[migration]\nignore = ["src/api/article/controllers/*"]\n'}
    async with blog(kind, tmp_path, code, toml) as site:
        assert await site.data("articles") == []


@pytest.mark.parametrize("may_find", [True, False])
async def test_other_locales_are_shown_to_those_who_may_find_documents(
    kind: Kind, tmp_path: Path, *, may_find: bool
) -> None:
    note = type_file("note", {}, pluginOptions={"i18n": {"localized": True}})
    actions = ["create", "findOne", *(["find"] if may_find else [])]
    public = [f"api::note.note.{action}" for action in actions]
    async with serving(kind, tmp_path, note, public=public) as site:
        made = await site.create("notes")
        shown = await site.data(f"notes/{made['documentId']}?populate=*")

    assert may_find == ("localizations" in shown)


async def test_other_locales_are_not_shown_without_authentication(
    kind: Kind, tmp_path: Path
) -> None:
    note = type_file("note", {}, pluginOptions={"i18n": {"localized": True}})
    code = router("{ config: { find: { auth: false } } }", "note")
    async with serving(kind, tmp_path, note, code, public=["api::note.note.create"]) as site:
        await site.create("notes")
        (shown,) = await site.data("notes?populate=*")

    assert "localizations" not in shown
