"""Every route, called by every principal: requests without permission change nothing.

The routes are those of the running application, so that a new one cannot be forgotten; some are
those of a project's code.
"""

from collections.abc import AsyncIterator

import pytest

from quire.content_api.routes import Route
from quire.settings import Settings
from tests.accounts.site import Site, tree
from tests.hazards.accounts import contents, newsroom_site
from tests.hazards.newsroom import API_TOKENS

CODE = """
from quire import as_system, documents, route

DESK = "api::desk.desk"


@route.get("/desks/labels")
async def labels() -> list[str]:
    with as_system("list all"):
        return [str(desk) for desk in await documents(DESK).find()]


@route.post("/desks/label", action="api::desk.labels.add")
async def add() -> None:
    await write()


@route.put("/desks/:document_id/label")
async def change(document_id: str) -> None:
    await write()


@route.delete("/desks/:document_id/label")
async def remove(document_id: str) -> None:
    await write()


@route.get("/desks/open", public=True)
async def opened() -> str:
    return "open"


async def write() -> None:
    with as_system("a route that writes, whoever calls it"):
        await documents(DESK).create({})
"""
OWN = {
    "api::desk.desk.labels",
    "api::desk.labels.add",
    "api::desk.desk.change",
    "api::desk.desk.remove",
}
"""The actions of these routes."""
OPEN = {"/_batch", "/openapi.json", "/desks/open"}
"""Routes that anybody may call, and that ask for each operation, or tell it, by itself."""
NEVER = "plugin::email.email.send"
"""An action that nobody in these tests needs."""


@pytest.fixture
async def site(own_newsroom: Settings) -> AsyncIterator[Site]:
    code = own_newsroom.project / "src" / "api" / "desk" / "desk.py"
    code.write_text(CODE, encoding="utf-8")
    async with newsroom_site(own_newsroom) as site:
        yield site


def routes(site: Site) -> list[Route]:
    content = site.app.content
    assert content is not None
    return list(content._routes.routes)  # noqa: SLF001 - the table that requests are found in


def target_of(route: Route) -> str:
    parts = route.path.strip("/").split("/")
    return "/".join("1" if part.startswith(":") else part for part in parts)


async def call(site: Site, route: Route, token: str | None) -> int:
    body: object = {} if route.method in {"POST", "PUT", "PATCH"} else None
    return (await site.ask(route.method, target_of(route), body, token=token)).status


async def test_h038_what_is_not_granted_is_refused_and_changes_nothing(site: Site) -> None:
    powerless = await site.make_role("powerless")
    await site.make_user("nobody", powerless)
    token = await site.sign_in("nobody")
    before = contents(site)
    assert {route.action for route in routes(site)} >= OWN
    for route in routes(site):
        if route.action is None:
            assert f"/{route.path.strip('/')}" in OPEN
            continue
        assert await call(site, route, token) == 403, route.path
        if not route.action.endswith((".find", ".findOne")):
            assert await call(site, route, "readonly") == 403, route.path
        assert await call(site, route, "0" * 256) == 401, route.path
    assert contents(site) == before


async def test_h038_visitors_get_nothing_where_nothing_is_granted_to_them(site: Site) -> None:
    public = site.role("public")
    target = f"users-permissions/roles/{public}"
    for granted, status in ((tree(NEVER), 403), ({}, 401)):
        await site.ask("PUT", target, {"name": "Public", "permissions": granted}, token="full")
        before = contents(site)
        for route in routes(site):
            if route.action not in {None, NEVER}:
                assert await call(site, route, None) == status, route.path
        assert contents(site) == before


async def test_h038_each_action_opens_its_own_routes(site: Site) -> None:
    role = await site.make_role("clerk")
    await site.make_user("clerk2", role)
    token = await site.sign_in("clerk2")
    for action in sorted({route.action for route in routes(site) if route.action}):
        body = {"name": "clerk", "permissions": tree(action)}
        await site.ask("PUT", f"users-permissions/roles/{role}", body, token="full")
        for route in routes(site):
            if route.action == action and route.method == "GET":
                assert await call(site, route, token) not in {401, 403}, route.path


def test_there_are_tokens_of_each_kind() -> None:
    assert set(API_TOKENS) >= {"readonly", "full"}
