"""Actions of the project's code can be granted like those of the core."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.databases.kind import Kind
from tests.databases.kinds import rows_of
from tests.unit.admin_api.office import Office, office_project, run_office
from tests.unit.schema.trees import write_tree

WRITER = "api::writer.writer"
LATEST = f"{WRITER}.latest"
FACTORIES = "module.exports = require('@strapi/strapi').factories"
FILES = {
    "src/api/writer/controllers/writer.js": f"{FACTORIES}.createCoreController('{WRITER}', "
    "({ strapi }) => ({ "
    f"latest() {{ return strapi.documents('{WRITER}').findFirst(); }}, "
    "charge(ctx) { return pay(ctx.request.body); } }));",
    "src/api/writer/routes/writer.js": f"{FACTORIES}.createCoreRouter('{WRITER}', "
    "{ only: ['find', 'create'] });",
    "src/api/writer/routes/own.js": "module.exports = { routes: ["
    "{ method: 'GET', path: '/writers/latest/:section', handler: 'writer.latest' }, "
    "{ method: 'POST', path: '/writers/charge', handler: 'writer.charge' } ] };",
}

_SWITCHED = {"controllers": {"writer": {"latest": {"enabled": True}}}}


@pytest.fixture
async def office(kind: Kind, tmp_path: Path) -> AsyncIterator[Office]:
    """Run the office with a controller and routes of its own."""
    async with office_project(tmp_path, kind) as project:
        write_tree(project, FILES)
        async with run_office(project) as office:
            office.boss = (await office.sign_in("boss@example.com")).data["token"]
            yield office


def _names(tree: dict[str, Any]) -> list[str]:
    return list(tree["api::writer"]["controllers"]["writer"])


async def test_what_routes_lead_to_is_listed(office: Office) -> None:
    for_tokens = await office.ask("GET", "/admin/content-api/permissions", token=office.boss)
    for_roles = await office.ask("GET", "/users-permissions/permissions", token=office.boss)
    routes = await office.ask("GET", "/admin/content-api/routes", token=office.boss)

    assert set(_names(for_tokens.data)) == {"find", "create", "latest"}
    assert set(_names(for_roles.json["permissions"])) == {"find", "create", "latest"}
    own = [one for one in routes.data["api::writer"] if one["handler"] == LATEST]
    assert [(one["method"], one["path"]) for one in own] == [
        ("GET", "/api/writers/latest/:section")
    ]
    assert own[0]["config"] == {"auth": {"scope": [LATEST]}}


async def test_a_role_grants_what_is_listed(office: Office) -> None:
    path = "/users-permissions/roles"
    roles = (await office.ask("GET", path, token=office.boss)).json["roles"]
    public = f"{path}/{next(role['id'] for role in roles if role['type'] == 'public')}"
    before = await office.send("GET", "/api/writers/latest/sport")

    role = (await office.ask("GET", public, token=office.boss)).json["role"]
    role["permissions"]["api::writer"]["controllers"]["writer"]["latest"]["enabled"] = True
    saved = await office.ask("PUT", public, role, token=office.boss)
    after = await office.send("GET", "/api/writers/latest/sport")
    shown = (await office.ask("GET", public, token=office.boss)).json["role"]["permissions"]

    assert saved.status == 200, saved.json
    assert (before.status, after.status) == (403, 404)  # there is no writer
    assert shown["api::writer"]["controllers"]["writer"]["latest"]["enabled"] is True


async def test_a_token_is_for_what_is_listed(office: Office) -> None:
    body = {"name": "Latest", "description": "", "type": "custom", "permissions": [LATEST]}
    made = await office.ask("POST", "/admin/api-tokens", body, token=office.boss)
    assert made.status == 201, made.json
    key = made.data["accessKey"]
    unknown = {**body, "name": "Charge", "permissions": [f"{WRITER}.charge"]}
    refused = await office.ask("POST", "/admin/api-tokens", unknown, token=office.boss)
    allowed = await office.send("GET", "/api/writers/latest/sport", token=key)
    other = await office.send("GET", "/api/writers", token=key)

    assert (made.data["permissions"], refused.status) == ([LATEST], 400)
    assert (allowed.status, other.status) == (404, 403)


async def test_a_grant_of_code_that_is_not_served_outlives_a_change_of_the_role(
    office: Office,
) -> None:
    path, charge = "/users-permissions/roles", f"{WRITER}.charge"
    body = {"name": "Till", "permissions": {"api::writer": _SWITCHED}}
    await office.ask("POST", path, body, token=office.boss)
    services = office.app.services
    assert services is not None
    with rows_of(services.settings.project) as rows:
        rows.execute("UPDATE up_permissions SET action = ? WHERE action = ?", (charge, LATEST))
    roles = (await office.ask("GET", path, token=office.boss)).json["roles"]
    till = f"{path}/{next(role['id'] for role in roles if role['name'] == 'Till')}"

    role = (await office.ask("GET", till, token=office.boss)).json["role"]
    await office.ask("PUT", till, {**role, "description": "new"}, token=office.boss)
    shown = (await office.ask("GET", till, token=office.boss)).json["role"]

    actions = shown["permissions"]["api::writer"]["controllers"]["writer"]
    assert actions["charge"] == {"enabled": True, "policy": ""}
