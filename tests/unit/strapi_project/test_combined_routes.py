"""Router files that combine core and custom routes by code, and near misses."""

from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.unit.strapi_project.notes import NOTE, customised, notes, project, read

CORE = (
    "const { createCoreRouter } = require('@strapi/strapi').factories;"
    f"const core = createCoreRouter('{NOTE}', {{ config: {{ find: {{ auth: false }} }} }});"
    "const more = [{ method: 'GET', path: '/notes/count', handler: 'note.count', "
    "config: { auth: false } }];"
)
GETTERS = (
    f"{CORE} const combined = (inner, others) => {{ let routes; return {{ "
    "get prefix() { return inner.prefix; }, get routes() { "
    "if (!routes) routes = others.concat(inner.routes); return routes; } }; };"
    "module.exports = combined(core, more);"
)
SPREAD = (
    f"{CORE} module.exports = {{ get routes() {{ const own = Array.isArray(core.routes) "
    "? core.routes : []; return [...more, ...own]; } };"
)
COUNT = f"async count(ctx) {{ return {{ count: await strapi.documents('{NOTE}').count({{}}) }}; }}"
ROUTES = "src/api/note/routes/note.js"


def files(routes: str) -> dict[str, str]:
    made = {**project(COUNT), ROUTES: routes}
    del made["src/api/note/routes/00-own.js"]
    return made


@pytest.mark.parametrize("routes", [GETTERS, SPREAD])
async def test_routes_are_put_together(kind: Kind, tmp_path: Path, routes: str) -> None:
    async with notes(kind, tmp_path, files(routes)) as site:
        counted = await site.get("notes/count")
        listed = await site.get("notes")
        made = await site.send("POST", "notes", {"data": {"title": "One"}})

    assert (counted.status, read(counted)) == (200, {"count": 0})
    assert (listed.status, made.status) == (200, 403)


@pytest.mark.parametrize(
    "routes",
    [
        SPREAD.replace("return [", "fetch('x'); return ["),
        SPREAD.replace("Array.isArray(core.routes)", "process.env.OPEN"),
        SPREAD.replace("Array.isArray(core.routes)", "Date.now() > 5"),
        SPREAD.replace("...more", "...makeMore()"),
        SPREAD.replace("{ get routes", "{ prefix: '/v2', get routes"),
        SPREAD.replace("{ get routes", "{ others: 1, get routes"),
        SPREAD.replace("'note.count'", "(ctx) => { ctx.body = 1; }"),
        GETTERS.replace("{ config", "{ only: ['find'], config"),
    ],
)
def test_other_code_in_a_router_file_closes_the_type(tmp_path: Path, routes: str) -> None:
    assert NOTE in customised(tmp_path, files(routes)).closed


@pytest.mark.parametrize(("text", "closed"), [("describe('x', () => {});", []), ("x();", [NOTE])])
def test_a_file_of_tests_is_no_router(tmp_path: Path, text: str, closed: list[str]) -> None:
    made = {**project(COUNT), "src/api/note/routes/note.test.js": text}

    assert list(customised(tmp_path, made).closed) == closed
