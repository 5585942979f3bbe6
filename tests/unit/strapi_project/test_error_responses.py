"""Code that rejects requests by their query or path, and near misses."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.client import ClientResponse
from tests.databases.kind import Kind
from tests.unit.strapi_project.pages import (
    FINISH,
    FIRST,
    ROWS,
    body,
    code,
    customised,
    fill,
    is_left_to_code,
    pages,
)

KNOWN = "const KNOWN = ['one', 'two'];"
READ = f"const entity = await {ROWS}.findOne({{ where: {{ slug }} }}); {FINISH}"


def error(response: ClientResponse) -> Any:  # noqa: ANN401 - whatever JSON holds
    return json.loads(response.content)["error"]


async def test_a_request_is_turned_down_before_anything_is_read(kind: Kind, tmp_path: Path) -> None:
    files = code(
        "async bySlug(ctx) { const slug = String(ctx.params.slug || '').trim();"
        "if (!KNOWN.includes(slug)) { return ctx.badRequest('no such page'); }"
        "if (ctx.query.as && ctx.query.as === 'no') ctx.throw(403);"
        f"if (ctx.query.as === 'gone') {{ strapi.log.info('gone'); return ctx.notFound(); }}"
        f"{READ} }}",
        before=KNOWN,
    )
    async with pages(kind, tmp_path, files) as site:
        await fill(site)
        found = await body(site, "pages/by/two?as=x")
        refused = await site.get("pages/by/three")
        forbidden = await site.get("pages/by/two?as=no")
        gone = await site.get("pages/by/two?as=gone")

    assert found["data"]["slug"] == "two"
    assert (refused.status, error(refused)) == (
        400,
        {"status": 400, "name": "BadRequestError", "message": "no such page", "details": {}},
    )
    assert error(forbidden) == {
        "status": 403,
        "name": "ForbiddenError",
        "message": "Forbidden",
    }
    assert error(gone)["message"] == "Not Found"


async def test_the_core_responds_to_what_is_not_turned_down(kind: Kind, tmp_path: Path) -> None:
    files = code(
        "async find(ctx) { if (!ctx.query.filters?.slug) { return ctx.badRequest('which?'); }"
        "return super.find(ctx); }"
    )
    async with pages(kind, tmp_path, files) as site:
        await fill(site)
        found = await site.data("pages?filters[slug]=two")
        refused = await site.get("pages")

    assert [page["slug"] for page in found] == ["two"]
    assert (refused.status, error(refused)["message"]) == (400, "which?")


NEAR_MISSES = [
    pytest.param("if (!ctx.state.user) return ctx.unauthorized(); ", id="by who asks"),
    pytest.param("if (!KNOWN.includes(now())) return ctx.badRequest(); ", id="by a computed value"),
    pytest.param("if (ctx.query.a) return ctx.badRequest(message()); ", id="a computed message"),
    pytest.param("if (ctx.query.a) return ctx.teapot(); ", id="another status"),
    pytest.param("if (ctx.query.a) return ctx.badRequest('no', { a: 1 }); ", id="details"),
    pytest.param("if (ctx.query.a) { ctx.badRequest('no'); } ", id="going on"),
    pytest.param("if (ctx.request.body.a) return ctx.badRequest(); ", id="by the body"),
    pytest.param("if (ctx.query.slug.includes('x')) return ctx.badRequest(); ", id="in a text"),
    pytest.param("if (grown.includes(ctx.query.a)) return ctx.badRequest(); ", id="a growing list"),
    pytest.param(
        f"const guard = await {FIRST}(); if (ctx.query.a) return ctx.badRequest(); ",
        id="after a read",
    ),
]


@pytest.mark.parametrize("check", NEAR_MISSES)
def test_a_check_of_something_else_is_left_to_code(tmp_path: Path, check: str) -> None:
    method = f"{check} const entity = await {ROWS}.findMany(); {FINISH}"
    before = f"{KNOWN} const grown = ['a']; const grow = () => {{ grown.push('b'); }};"

    found = customised(tmp_path, code(f"async find(ctx) {{ {method} }}", before=before))

    assert is_left_to_code(found, "find")


UNUSED = [
    pytest.param("const data = ctx.request.body; console.log(data);", True, id="the body"),
    pytest.param("const { user } = ctx.state; strapi.log.info('by', user);", True, id="the user"),
    pytest.param("console.log(ctx.state.user?.id);", True, id="the id, if there is one"),
    pytest.param("const { user } = ctx.state; console.log(user.id);", False, id="a needed user"),
    pytest.param("console.log(ctx.state.user.id);", False, id="a needed user in the state"),
    pytest.param("const { id } = ctx.state.user; console.log(id);", False, id="parts of a user"),
    pytest.param("const data = ctx.request.body; data.slug = 'x';", False, id="a changed body"),
    pytest.param("const data = ctx.request.body; audit(data);", False, id="handed on"),
]


@pytest.mark.parametrize(("before", "is_open"), UNUSED)
def test_what_is_only_logged_does_not_count(tmp_path: Path, before: str, *, is_open: bool) -> None:
    files = code(
        f"async create(ctx) {{ {before} const made = await super.create(ctx); return made; }},"
        f"async find(ctx) {{ {before} const all = await {ROWS}.findMany(); return all; }}"
    )

    found = customised(tmp_path, files)

    left = [is_left_to_code(found, action) for action in ("create", "find")]
    assert left == [not is_open] * 2
