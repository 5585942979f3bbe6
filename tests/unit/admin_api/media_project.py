"""The recorded project with administrators of its media library, used over HTTP."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quire.app import Application, build_app
from quire.settings import load_settings
from quire.uploads.service import MediaLibrary
from tests.conformance.client import AsgiClient, ClientResponse, running
from tests.conformance.corpus import credentials
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.conformance.managed import AdminAuthorization, sign_in

BOSS = ""
"""The recorded administrator, who may do everything."""

NOTE = FilePart("note.txt", b"Fix for two minutes.", "text/plain")
CREATE, READ, UPDATE = (
    f"plugin::upload.{name}" for name in ("assets.create", "read", "assets.update")
)
IS_CREATOR, SAME_ROLE = "admin::is-creator", "admin::has-same-role-as-creator"
_PASSWORD = "Safelight-1"


class Darkroom:
    """The running project."""

    def __init__(self, application: Application, client: AsgiClient) -> None:
        self.app = application
        self.client = client
        self._authorization = AdminAuthorization(client, credentials())
        self._tokens: dict[str, str] = {}

    def with_new_sessions(self) -> "Darkroom":
        """Return the same project where nobody has signed in."""
        return Darkroom(self.app, self.client)

    @property
    def library(self) -> MediaLibrary:
        assert self.app.library is not None
        return self.app.library

    @property
    def kept(self) -> set[str]:
        """The names of all stored files."""
        settings = self.app.settings
        return {path.name for path in (settings.project / settings.uploads.directory).iterdir()}

    async def ask(
        self, method: str, target: str, body: object = None, *, who: str = BOSS
    ) -> ClientResponse:
        """Send JSON."""
        headers = {**await self._signed_in(who), "Content-Type": "application/json"}
        content = b"" if body is None else json.dumps(body).encode()
        return await self.client.request(method, target, headers, content)

    async def read(self, target: str, *, who: str = BOSS) -> Any:  # noqa: ANN401 - as JSON gives it
        """Ask for something that is there."""
        response = await self.ask("GET", target, who=who)
        assert response.status == 200, response.content
        return response.json

    async def send(
        self,
        *files: FilePart,
        fields: Sequence[tuple[str, str]] = (),
        target: str = "/upload",
        who: str = BOSS,
    ) -> ClientResponse:
        """Send a form with files."""
        headers = {**await self._signed_in(who), "Content-Type": FORM_TYPE}
        return await self.client.request("POST", target, headers, form(files, fields))

    async def uploaded(self, *, who: str = BOSS, file: FilePart = NOTE, **said: object) -> int:
        """Upload a file; returns its id."""
        fields = [("fileInfo", json.dumps(said))] if said else []
        response = await self.send(file, fields=fields, who=who)
        assert response.status == 201, response.content
        return int(json.loads(response.content)[0]["id"])

    async def folder(self, name: str, parent: int | None = None) -> int:
        """Make a folder; returns its id."""
        response = await self.ask("POST", "/upload/folders", {"name": name, "parent": parent})
        assert response.status == 201, response.content
        return int(json.loads(response.content)["data"]["id"])

    async def admin_user(
        self, name: str, *permissions: Mapping[str, object], role: int | None = None
    ) -> int:
        """Create an administrator, with a new role or the given one; returns the role's id."""
        if role is None:
            made = await self.ask("POST", "/admin/roles", {"name": name})
            role = int(json.loads(made.content)["data"]["id"])
            granted = {"permissions": list(permissions)}
            done = await self.ask("PUT", f"/admin/roles/{role}/permissions", granted)
            assert done.status == 200, done.content
        email = f"{name}@example.com"
        body = {"email": email, "firstname": name, "roles": [role]}
        invited = json.loads((await self.ask("POST", "/admin/users", body)).content)["data"]
        change = {"password": _PASSWORD, "isActive": True}
        await self.ask("PUT", f"/admin/users/{invited['id']}", change)
        self._tokens[name] = await sign_in(self.client, {"email": email, "password": _PASSWORD})
        return role

    async def _signed_in(self, who: str) -> dict[str, str]:
        if who == BOSS:
            return await self._authorization.headers("admin")
        return {"Authorization": f"Bearer {self._tokens[who]}"}


def may(action: str, *conditions: str, subject: str | None = None, **properties: object) -> Any:  # noqa: ANN401
    """A permission."""
    return {
        "action": action,
        "subject": subject,
        "properties": properties,
        "conditions": list(conditions),
    }


@asynccontextmanager
async def open_darkroom(project: Path, **overrides: object) -> AsyncIterator[Darkroom]:
    """Serve the recorded project."""
    known = {"admin.rate_limit.enabled": False, **overrides}
    application = build_app(load_settings(project, environ={}, overrides=known))
    async with running(application):
        yield Darkroom(application, AsgiClient(application))


def failed(response: ClientResponse) -> tuple[int, str]:
    """The status of an error, and its name."""
    return response.status, json.loads(response.content)["error"]["name"]
