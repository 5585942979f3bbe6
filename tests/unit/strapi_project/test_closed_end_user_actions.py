"""A project with an extension of the plugin for end users: only what it changes is closed."""

import json
from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.unit.strapi_project.notes import TYPES, core_files_of_note, error, read, register
from tests.unit.strapi_project.site import serving

FILE = "src/extensions/users-permissions/strapi-server.js"
PREFIX = "plugin::users-permissions."
PUBLIC = [f"{PREFIX}{action}" for action in ("auth.register", "auth.callback", "user.find")]
PUBLIC.append("api::note.note.find")
CREDENTIALS = {"identifier": "anna", "password": "secret-1234"}


@pytest.mark.parametrize(
    ("body", "sign_in", "users"),
    [
        ("plugin.controllers.user.find = own;", 200, 403),
        ("plugin.controllers.auth.callback = own;", 403, 200),
        ("plugin.controllers.user.own = own;", 200, 200),
    ],
)
async def test_other_actions_are_served(
    kind: Kind, tmp_path: Path, body: str, sign_in: int, users: int
) -> None:
    code = f"module.exports = (plugin) => {{ {body} return plugin; }};"
    files = {**core_files_of_note(), ".env": "JWT_SECRET=a-secret-of-the-tests\n", FILE: code}
    async with serving(kind, tmp_path, *TYPES, files, public=PUBLIC) as site:
        await register(site, "anna")

        signed_in = await site.send("POST", "auth/local", CREDENTIALS)
        listed = await site.get("users")

        assert (signed_in.status, listed.status) == (sign_in, users)
        if sign_in == 403:
            assert error(signed_in) == (403, "ForbiddenError", "Forbidden")
        else:
            assert read(signed_in)["user"]["username"] == "anna"
        if users == 200:
            assert [user["username"] for user in json.loads(listed.content)] == ["anna"]


async def test_a_change_that_is_not_understood_closes_sign_in(kind: Kind, tmp_path: Path) -> None:
    code = "module.exports = (plugin) => { plugin.routes = []; return plugin; };"
    files = {**core_files_of_note(), ".env": "JWT_SECRET=a-secret-of-the-tests\n", FILE: code}
    async with serving(kind, tmp_path, *TYPES, files, public=PUBLIC) as site:
        form = {**CREDENTIALS, "username": "anna", "email": "anna@example.org"}
        registered = await site.send("POST", "auth/local/register", form)
        signed_in = await site.send("POST", "auth/local", CREDENTIALS)
        listed, notes = await site.get("users"), await site.get("notes")

    assert [response.status for response in (registered, signed_in, listed, notes)] == [
        403,
        403,
        403,
        200,
    ]
