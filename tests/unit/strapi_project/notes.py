"""A Strapi project of notes with owners, whose code is evaluated for each request."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quire.customisations import Customisations, find_customisations
from quire.schema.load import load_schema
from quire.settings import load_settings
from tests.conformance.client import ClientResponse
from tests.databases.kind import Kind
from tests.unit.schema.trees import type_file, write_tree
from tests.unit.strapi_project.code import core_files
from tests.unit.strapi_project.site import Site, serving

NOTE = "api::note.note"
LABEL = "api::label.label"
_ME = "plugin::users-permissions.user.me"
_REGISTER = "plugin::users-permissions.auth.register"
_SCOPE = f"auth: {{ scope: ['{_ME}'] }}"
TYPES = (
    type_file(
        "note",
        {
            "title": {"type": "string", "required": True},
            "inner": {"type": "string", "private": True},
            "likes": {"type": "integer"},
            "owner": {
                "type": "relation",
                "relation": "manyToOne",
                "target": "plugin::users-permissions.user",
            },
        },
        options={"draftAndPublish": True},
    ),
    type_file(
        "label",
        {
            "name": {"type": "string", "required": True},
            "rank": {"type": "integer"},
            "note": {"type": "relation", "relation": "manyToOne", "target": NOTE},
        },
    ),
)


def project(
    methods: str = "", *, service: str = "", before: str = "", guards: str = "", **files: str
) -> dict[str, str]:
    """Return the code of a project; all may take each action, ``guards`` stand before `own`.

    The action ``own`` answers ``POST /own/:documentId``. ``files`` are policies and middlewares by
    name, such as ``policies_mine``.
    """
    factories = "const { createCoreController, createCoreService } = require('@strapi/strapi')"
    made = f"{factories}.factories;\n{before}\nmodule.exports = "
    actions = ", ".join(
        f"{name}: {{ {_SCOPE} }}" for name in ("find", "findOne", "create", "update", "delete")
    )
    return {
        **core_files_of_note(),
        ".env": "JWT_SECRET=a-secret-of-the-tests\n",
        "src/api/note/controllers/note.js": f"{made}createCoreController('{NOTE}', "
        f"({{ strapi }}) => ({{ {methods} }}));",
        "src/api/note/services/note.js": f"{made}createCoreService('{NOTE}', "
        f"({{ strapi }}) => ({{ {service} }}));",
        "src/api/note/routes/note.js": "module.exports = require('@strapi/strapi').factories."
        f"createCoreRouter('{NOTE}', {{ config: {{ {actions} }} }});",
        "src/api/note/routes/00-own.js": "module.exports = { routes: [{ method: 'POST', "
        "path: '/own/:documentId', handler: 'note.own', "
        f"config: {{ {_SCOPE}, {guards} }} }}] }};",
        **{f"src/{name.replace('_', '/')}.js": code for name, code in files.items()},
    }


def core_files_of_note() -> dict[str, str]:
    """Return the files that the generator writes."""
    return {name: str(code) for name, code in core_files("note").items()}


@asynccontextmanager
async def notes(kind: Kind, folder: Path, files: Mapping[str, str]) -> AsyncIterator[Site]:
    """Serve the project to everybody."""
    async with serving(kind, folder, *TYPES, files, public=[_ME, _REGISTER]) as site:
        yield site


async def register(site: Site, name: str) -> tuple[str, int]:
    """Make an end user; returns the JWT and the id."""
    form = {"username": name, "email": f"{name}@example.org", "password": "secret-1234"}
    response = await site.send("POST", "auth/local/register", form)
    assert response.status == 200, response.content
    found = json.loads(response.content)
    return found["jwt"], found["user"]["id"]


def read(response: ClientResponse) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return the body of a response."""
    return json.loads(response.content)


def error(response: ClientResponse) -> tuple[int, str, str]:
    """Return the status of an error, its name and its message."""
    found = read(response)["error"]
    assert found["status"] == response.status
    return response.status, found["name"], found["message"]


def customised(folder: Path, files: Mapping[str, str]) -> Customisations:
    """Return what is found in a project."""
    write_tree(folder, *TYPES, files)
    return find_customisations(load_settings(folder, environ={}), load_schema(folder))
