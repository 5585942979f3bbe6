"""A Strapi project of pages with tags, whose controllers read entries themselves."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quire.customisations import Customisations, find_customisations
from quire.schema.load import load_schema
from quire.settings import load_settings
from tests.databases.kind import Kind
from tests.unit.schema.trees import component_file, type_file, write_tree
from tests.unit.strapi_project.code import core_files
from tests.unit.strapi_project.site import Site, serving

PAGE = "api::page.page"
TYPES = (
    type_file(
        "page",
        {
            "slug": {"type": "string"},
            "note": {"type": "string", "private": True},
            "words": {"type": "string"},
            "shown": {"type": "boolean"},
            "file": {
                "type": "relation",
                "relation": "oneToOne",
                "target": "api::tag.tag",
                "private": True,
            },
            "seo": {"type": "component", "component": "shared.seo"},
            "tags": {"type": "relation", "relation": "oneToMany", "target": "api::tag.tag"},
        },
        options={"draftAndPublish": True},
    ),
    type_file("tag", {"name": {"type": "string"}}),
    type_file("secret", {"key": {"type": "password"}, "slug": {"type": "string"}}),
    component_file("shared.seo", {"description": {"type": "string"}}),
)
FINISH = "return this.transformResponse(await this.sanitizeOutput(entity, ctx));"
FIRST = f"strapi.documents('{PAGE}').findFirst"
ROWS = f"strapi.db.query('{PAGE}')"


def code(methods: str, service: str = "", before: str = "") -> dict[str, str]:
    """Return a controller and a service with methods, and open routes that lead to them."""
    factories = "const { createCoreController, createCoreService } = require('@strapi/strapi')"
    made = f"{factories}.factories;\n{before}\nmodule.exports = "
    return {
        "src/api/page/controllers/page.js": f"{made}createCoreController('{PAGE}', "
        f"({{ strapi }}) => ({{ {methods} }}));",
        "src/api/page/services/page.js": f"{made}createCoreService('{PAGE}', "
        f"({{ strapi }}) => ({{ {service} }}));",
        "src/api/page/routes/00-own.js": "module.exports = { routes: ["
        "{ method: 'GET', path: '/pages/by/:slug', handler: 'page.bySlug', "
        "config: { auth: false } },"
        "{ method: 'GET', path: '/pages/granted/:slug', handler: 'page.bySlug' } ] };",
    }


@asynccontextmanager
async def pages(
    kind: Kind, folder: Path, *files: Mapping[str, str], public: list[str] | None = None
) -> AsyncIterator[Site]:
    """Serve two pages, one of them changed since it was published."""
    made = {**core_files("page"), **core_files("tag"), **core_files("secret")}
    for one in files:
        made |= one
    async with serving(kind, folder, *TYPES, made, public=public) as site:
        yield site


async def fill(site: Site) -> None:
    tag = await site.create("tags", name="A")
    more = {"note": "hidden", "seo": {"description": "words"}, "tags": [tag["documentId"]]}
    page = await site.create("pages", slug="one", **more)
    await site.create("pages", slug="two")
    data = {"data": {"slug": "one-changed"}}
    response = await site.send("PUT", f"pages/{page['documentId']}?status=draft", data)
    assert response.status == 200, response.content


async def body(site: Site, target: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    response = await site.get(target)
    assert response.status == 200, response.content
    return json.loads(response.content)


def is_left_to_code(found: Customisations, action: str) -> bool:
    """Tell whether an action of pages is closed, or evaluated for each request."""
    routes = [one for one in found.routes.get(PAGE, ()) if one.action == action]
    return f"{PAGE}.{action}" in found.closed or any(one.script is not None for one in routes)


def customised(folder: Path, files: Mapping[str, str]) -> Customisations:
    """Return what is found in a project of pages with files."""
    write_tree(folder, *TYPES, core_files("page"), files)
    return find_customisations(load_settings(folder, environ={}), load_schema(folder))
