"""Actions that change entries before they respond: supported ones, and near misses."""

import json
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
from tests.unit.strapi_project.site import Site

ALL = f"const all = await strapi.documents('{PAGE}').findMany({{ sort: 'slug', status: 'draft' }});"
SLUG = "filters: { slug: ctx.params.slug }"
HELPER = {
    "src/api/page/words.js": "function list(text) { if (text) { return text.split(',')"
    ".map((word) => word.trim()).filter(Boolean); } return []; }\nmodule.exports = { list };"
}
IMPORT = "const { list } = require('../words');"


async def add(site: Site) -> None:
    """Create a page with words and a private relation."""
    await fill(site)
    await site.create("pages", slug="three", words=" a, b ,,c", note="hidden")


@pytest.mark.parametrize(
    "change",
    [
        "all.forEach((one) => { if (one.words) { one.words = list(one.words); } });",
        "all.forEach(one => one.words = one.words ? list(one.words) : one.words);",
        "all.forEach((o) => { if (o.words) o.words = list(o.words); else o.words = null; });",
    ],
)
async def test_members_are_set_in_each_entry(kind: Kind, tmp_path: Path, change: str) -> None:
    files = code(f"async find(ctx) {{ {ALL} {change} return all; }}", before=IMPORT)
    async with pages(kind, tmp_path, files, HELPER) as site:
        await add(site)
        found = await body(site, "pages")

    words = {page["slug"]: page["words"] for page in found}
    assert words == {"one-changed": None, "three": ["a", "b", "c"], "two": None}


async def test_members_are_set_in_one_entry_by_a_service(kind: Kind, tmp_path: Path) -> None:
    files = code(
        f"async bySlug(ctx) {{ return strapi.service('{PAGE}').one(ctx.params.slug); }},"
        f"async find(ctx) {{ return strapi.service('{PAGE}').sure('three'); }}",
        f"async one(slug) {{ const found = await {ROWS}.findOne({{ where: {{ slug }} }});"
        "if (found && found.words) { found.words = list(found.words); } return found; },"
        f"async sure(slug) {{ let found = await {ROWS}.findOne({{ where: {{ slug }} }});"
        "found.known = true; found.names = { slug: found.slug, words: found.words }; "
        "return found; }",
        IMPORT,
    )
    async with pages(kind, tmp_path, files, HELPER) as site:
        await add(site)
        three = await body(site, "pages/by/three")
        two = await body(site, "pages/by/two")
        missing = await site.get("pages/by/nothing")
        sure = await body(site, "pages")

    assert (three["words"], three["note"], two["words"]) == (["a", "b", "c"], "hidden", None)
    assert (missing.status, sure["known"]) == (404, True)
    assert sure["names"] == {"slug": "three", "words": " a, b ,,c"}


async def test_entries_are_mapped(kind: Kind, tmp_path: Path) -> None:
    service = f"strapi.service('{PAGE}')"
    files = code(
        f"async find(ctx) {{ {ALL} return {{ total: all.length, pages: all.map((one) => ({{ "
        "name: one.slug, words: one.words ?? 'none', seo: one.seo?.title, asked: ctx.query.as "
        "})) }; }, async findOne(ctx) { const { results, pagination } = await "
        f"{service}.find({{ sort: 'slug', populate: 'tags' }});"
        "const named = results.map(({ ...one }) => one); return named; },"
        f"async bySlug(ctx) {{ const {{ results, pagination }} = await {service}.find({{ "
        "sort: 'slug' }); const clean = await this.sanitizeOutput(results, ctx);"
        "return this.transformResponse(clean.map((one) => ({ ...one, by: ctx.params.slug })), "
        "{ pagination }); }"
    )
    async with pages(kind, tmp_path, files) as site:
        await add(site)
        found = await body(site, "pages?as=x")
        tag = (await site.get("pages?as=x")).headers["etag"]
        known = await site.get("pages?as=x", {"If-None-Match": tag})
        changed = await site.get("pages?as=y", {"If-None-Match": tag})
        listed = await body(site, "pages/by/me")
        missing = await site.get("pages/x")

    assert found["total"] == 3
    assert (known.status, changed.status) == (304, 200)
    assert found["pages"][1] == {"name": "three", "words": " a, b ,,c", "asked": "x"}
    assert [page["by"] for page in listed["data"]] == ["me"] * 3
    assert (listed["meta"]["pagination"]["total"], missing.status) == (3, 200)
    assert "note" not in listed["data"][0]


async def test_a_sanitized_entry_gets_a_member_of_the_entry_as_it_was_read(
    kind: Kind, tmp_path: Path
) -> None:
    read = f"const raw = await {FIRST}({{ {SLUG}, populate: ['file', 'seo'] }});"
    any_read = read.replace(f"{SLUG}, ", "")
    clean = "let clean = await this.sanitizeOutput(raw, ctx);"
    files = code(
        f"async bySlug(ctx) {{ {read} {clean} clean = {{ ...clean, file: raw.file, open: true }};"
        f"return this.transformResponse(clean); }}, async find(ctx) {{ {any_read}"
        f"{clean} return this.transformResponse(clean); }}"
    )
    async with pages(kind, tmp_path, files) as site:
        tag = await site.create("tags", name="A")
        await site.create("pages", slug="one", note="hidden", file=tag["documentId"])
        shown = (await body(site, "pages/by/one"))["data"]
        hidden = (await body(site, "pages"))["data"]
        missing = await site.get("pages/by/nothing")

    assert (shown["file"]["name"], shown["open"], "note" in shown) == ("A", True, False)
    # Reading a member of a missing entry throws.
    assert ("file" in hidden, missing.status) == (False, 500)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("words: ctx.query.none", ["empty"]),
        ("words: { $ne: ctx.query.none }", ["full"]),
        ("words: { $containsi: ctx.query.none }", []),
        ("words: { $in: [ctx.query.none, 'a'] }", ["empty", "full"]),
        ("words: { $notIn: [ctx.query.none] }", ["full"]),
        ("words: [ctx.query.none]", ["empty"]),
        ("words: { $eq: [ctx.query.none] }", ["empty"]),
        ("words: { $between: [ctx.query.none, ctx.query.none] }", ["empty"]),
        ("documentId: { $in: [ctx.query.none] }", []),
        ("shown: ctx.query.none", ["empty", "none"]),
        ("$or: [{ words: ctx.query.none }, { shown: { $eq: true } }]", ["empty", "full"]),
        ("tags: { name: ctx.query.none }", ["none"]),
        ("seo: { description: { $ne: ctx.query.none } }", ["full"]),
    ],
)
@pytest.mark.parametrize("is_of_rows", [True, False], ids=["rows", "documents"])
async def test_undefined_operands_are_compared_as_the_attribute_has_it(
    kind: Kind, tmp_path: Path, condition: str, expected: list[str], *, is_of_rows: bool
) -> None:
    read = (
        f"{ROWS}.findMany({{ where: {{ publishedAt: {{ $notNull: true }}, {condition} }}, "
        "orderBy: { slug: 'asc' } })"
        if is_of_rows
        else f"strapi.documents('{PAGE}').findMany({{ filters: {{ {condition} }}, "
        "sort: { slug: 'asc' }, status: 'published' })"
    )
    files = code(f"async find(ctx) {{ return (await {read}).map((one) => one.slug); }}")
    async with pages(kind, tmp_path, files) as site:
        tag = await site.create("tags", name="")
        await site.create("pages", slug="full", words="a", shown=True, seo={"description": "b"})
        await site.create("pages", slug="empty", words="")
        await site.create("pages", slug="none", tags=[tag["documentId"]])
        found = await body(site, "pages")

    assert found == expected


async def test_a_response_that_the_client_has_keeps_its_headers(kind: Kind, tmp_path: Path) -> None:
    files = code("async find(ctx) { ctx.set('Cache-Control', 'max-age=60'); return { a: 1 }; }")
    async with pages(kind, tmp_path, files) as site:
        found = await site.get("pages")
        head = await site.send("HEAD", "pages", None)
        known = await site.get("pages", {"If-None-Match": found.headers["etag"]})

    assert (found.status, known.status, head.headers["etag"]) == (200, 304, found.headers["etag"])
    assert found.headers["cache-control"] == known.headers["cache-control"] == "max-age=60"


async def test_an_entry_gets_others_that_are_read_for_it(kind: Kind, tmp_path: Path) -> None:
    files = code(
        f"async bySlug(ctx) {{ return strapi.service('{PAGE}').one(ctx.params.slug); }}",
        f"async one(slug) {{ const found = await {ROWS}.findOne({{ where: {{ slug }} }});"
        "if (found) { found.others = await this.others(found.slug); } return found; },"
        f"async others(slug) {{ const all = await strapi.documents('{PAGE}').findMany({{ "
        "filters: { slug: { $ne: slug } }, sort: { slug: 'asc' } });"
        "all.forEach((one) => { one.other = true; }); return all; }",
    )
    async with pages(kind, tmp_path, files) as site:
        await add(site)
        found = await body(site, "pages/by/two")
        again = await body(site, "pages/by/three")
        missing = await site.get("pages/by/nothing")

    assert [(one["slug"], one["other"]) for one in found["others"]] == [
        ("one-changed", True),
        ("three", True),
    ]
    assert [one["slug"] for one in again["others"]] == ["one-changed", "two"]
    assert (found["slug"], missing.status) == ("two", 404)


NEAR_MISSES = [
    pytest.param(
        f"{ALL} all.forEach((one) => {{ one.note = decrypt(one.note); }}); return all;",
        id="a function that is not known",
    ),
    pytest.param(
        f"{ALL} all.forEach((one) => {{ one.note = strapi.service('{PAGE}').dress(one); }});"
        "return all;",
        id="a service for each",
    ),
    pytest.param(
        f"{ALL} all.forEach((one) => {{ one.at = Date.now(); }}); return all;", id="the clock"
    ),
    pytest.param(
        f"{ALL} all.forEach((one) => {{ one.seo.title = one.slug; }}); return all;",
        id="a member of a member",
    ),
    pytest.param(
        f"{ALL} all.forEach((one) => {{ if (!one.slug) return; one.note = ''; }}); return all;",
        id="an early end",
    ),
    pytest.param(
        f"{ALL} all.forEach((one, index) => {{ one.index = index; }}); return all;", id="an index"
    ),
    pytest.param(f"{ALL} all.forEach((one) => {{ delete one.note; }}); return all;", id="less"),
    pytest.param(f"{ALL} all.forEach(hide); return all;", id="a function by name"),
    pytest.param(
        f"{ALL} const same = all; all.forEach((one) => {{ one.note = ''; }}); return same;",
        id="under two names",
    ),
    pytest.param(
        f"{ALL} const clean = await this.sanitizeOutput(all, ctx);"
        "clean.forEach((one) => { one.note = ''; }); return all;",
        id="changed beside what is shown",
    ),
    pytest.param(
        f"{ALL} return this.sanitizeOutput(all.map((one) => ({{ id: one.id }})), ctx);",
        id="sanitized after it was changed",
    ),
    pytest.param(f"{ALL} return all.map(async (one) => ({{ id: one.id }}));", id="promises"),
    pytest.param(f"{ALL} return all.map((one) => ctx.state.user.id);", id="who asks"),
    pytest.param(f"{ALL} return all.map(({{ slug }}) => slug);", id="parts of parameters"),
    pytest.param(f"{ALL} return all.map((one) => one.slug.slice(1));", id="an unknown method"),
    pytest.param(
        f"{ALL} const made = all.reduce((made, one) => {{ made[one.slug] = one.id; return made; }},"
        "{}); return Object.keys(made);",
        id="the names of an object",
    ),
    pytest.param(
        f"{ALL} return all.reduce((made, one) => {{ made.last = one.slug; return made; }}, {{}});",
        id="one member of an object",
    ),
    pytest.param(f"{ALL} return all.reduce((sum, one) => sum + one.id, 0);", id="a sum"),
    pytest.param(f"{ALL} return all.filter((one) => one.slug);", id="some of them"),
    pytest.param(f"{ALL} return all.sort((a, b) => a.id - b.id);", id="another order"),
    pytest.param(
        f"const raw = await {FIRST}(); const clean = await this.sanitizeOutput(raw, ctx);"
        f"return {{ ...clean, all: await {ROWS}.findMany() }};",
        id="a second read in an object",
    ),
    pytest.param(
        f"let raw = await {FIRST}(); raw = dress(raw); return raw;", id="another value for it"
    ),
    pytest.param(
        f"const entity = await {FIRST}(); if (ctx.state.user) {{ entity.note = ''; }} {FINISH}",
        id="for who asks",
    ),
    pytest.param(
        f"const entity = await {FIRST}(); entity.note = ''; {FINISH}",
        id="sanitized after a change",
    ),
    pytest.param(
        f"const entity = await {FIRST}(); if (entity) {{ entity.all = await "
        "strapi.documents('api::secret.secret').findMany(); } return entity;",
        id="passwords of others",
    ),
    pytest.param(
        f"const entity = await {FIRST}(); if (entity) {{ entity.all = await "
        "strapi.documents('plugin::users-permissions.user').findMany(); } return entity;",
        id="users of others",
    ),
    pytest.param(
        f"const entity = await {FIRST}(); if (entity) {{ entity.views = entity.views + 1; }}"
        "return entity;",
        id="arithmetic",
    ),
]


@pytest.mark.parametrize("method", NEAR_MISSES)
def test_an_action_that_changes_entries_in_another_way_is_left_to_code(
    tmp_path: Path, method: str
) -> None:
    files = code(
        f"async find(ctx) {{ {method} }}, async bySlug(ctx) {{ {method} }}",
        "dress(entity) { entity.x = 1; return entity; }",
        "const hide = (one) => { one.note = ''; };",
    )

    found = customised(tmp_path, files)

    assert is_left_to_code(found, "find")
    assert not [one for one in found.routes.get(PAGE, ()) if one.read is not None]


@pytest.mark.parametrize(
    "made",
    [
        "all.reduce((made, one) => { made[one.slug] = one.words; return made; }, {})",
        "Object.fromEntries(all.map((one) => [one.slug, one.words]))",
    ],
)
async def test_entries_become_the_members_of_an_object(
    kind: Kind, tmp_path: Path, made: str
) -> None:
    files = code(
        f"async find(ctx) {{ {ALL} const data = {made}; ctx.body = {{ data }}; }},"
        f"async bySlug(ctx) {{ {ALL} return {made}; }}"
    )
    async with pages(kind, tmp_path, files) as site:
        await add(site)
        found = await body(site, "pages")
        bare = await body(site, "pages/by/x")

    assert found == {"data": {"one-changed": None, "three": " a, b ,,c", "two": None}}
    assert bare == found["data"]


async def test_transformed_entries_have_the_v4_format_for_clients_that_ask_for_it(
    kind: Kind, tmp_path: Path
) -> None:
    files = code(
        f"async find(ctx) {{ const found = await strapi.documents('{PAGE}').findMany({{ "
        "populate: '*', status: 'published', sort: { slug: 'asc' } });"
        "found.forEach((one) => { one.more = { id: 1 }; });"
        "return this.transformResponse(await this.sanitizeOutput(found, ctx), { a: 1 }); },"
        "async bySlug(ctx) { return this.transformResponse({ slug: 'made', tags: null }); },"
        "async findOne(ctx) { return this.transformResponse(['text']); }"
    )
    headers = {"Strapi-Response-Format": "v4"}
    async with pages(kind, tmp_path, files) as site:
        tag = await site.create("tags", name="A")
        seo = {"description": "b"}
        await site.create("pages", slug="one", seo=seo, tags=[tag["documentId"]])
        found = json.loads((await site.get("pages", headers)).content)
        plain = (await body(site, "pages"))["data"]
        made = json.loads((await site.get("pages/by/one", headers)).content)
        failed = await site.get("pages/one", headers)

    assert found["meta"] == {"a": 1}
    (entry,) = found["data"]
    assert list(entry) == ["id", "documentId", "attributes"]
    attributes = entry["attributes"]
    assert (attributes["slug"], attributes["more"]) == ("one", {"id": 1})
    assert attributes["seo"] == plain[0]["seo"]
    (shown_tag,) = attributes["tags"]["data"]
    assert shown_tag["documentId"] == tag["documentId"]
    assert shown_tag["attributes"]["name"] == "A"
    assert made == {"data": {"attributes": {"slug": "made", "tags": {"data": None}}}, "meta": {}}
    assert failed.status == 500
