"""A complete project on a server: its routes, and all principals."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quire.app import build_app
from quire.content_api.routes import Route
from quire.schema.model import TypeKind
from quire.settings import load_settings
from tests.conformance.client import running
from tests.conformance.corpus import credentials
from tests.served.client import Client, Response
from tests.served.plausible import PASSWORD, Description, encode

VISITOR, END_USER, API_TOKEN, SUPER_ADMIN = "visitor", "end user", "API token", "super admin"
JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class Tables:
    """The routes of a project, those of the content API and those of administrators.

    ``types`` are unique names of content types by their names in paths.
    """

    content: tuple[Route, ...]
    admin: tuple[Route, ...]
    types: Mapping[str, str]
    singles: frozenset[str]
    components: tuple[str, ...]


async def read_tables(project: Path) -> Tables:
    """Read the route tables of a project that nobody serves."""
    application = build_app(load_settings(project, environ={}))
    async with running(application):
        runtime = application.runtime
        assert runtime is not None
        assert runtime.admin is not None
        types = runtime.schema.api_types
        return Tables(
            application.routes,
            runtime.admin.api.routes.routes,
            {one.route_name: one.uid for one in types},
            frozenset(one.uid for one in types if one.kind is TypeKind.SINGLE),
            tuple(runtime.schema.components),
        )


@dataclass(frozen=True, slots=True)
class Site:
    """A server. ``callers`` are the headers of each who asks, ``documents`` one of each type."""

    address: str
    tables: Tables
    callers: Mapping[str, Mapping[str, str]]
    documents: Mapping[str, str]
    content: Description
    admin: Description

    def target(self, route: Route) -> str:
        """Return the path of a route, about something that is there where that is known."""
        parts = route.path.strip("/").split("/")
        uid = self._uid(parts)
        document = self.documents.get(uid, "1") if {":uid", ":model"} & {*parts} else "1"
        values = {
            ":uid": uid,
            ":model": uid,
            ":id": document,
            ":documentId": self.documents.get(self.tables.types.get(parts[0], ""), "1"),
            ":provider": "github",
            ":field": "author",
        }
        path = "/".join(values.get(part, "1") if part.startswith(":") else part for part in parts)
        return f"/{path}" if route in self.tables.admin else f"/api/{path}"

    def _uid(self, parts: list[str]) -> str:
        if "components" in parts:
            return next(iter(self.tables.components), "none.none")
        is_single = "single-types" in parts
        uids = (
            uid for uid in self.tables.types.values() if (uid in self.tables.singles) is is_single
        )
        return next(uids, "api::none.none")

    def bodies(self, route: Route) -> list[tuple[str, bytes]]:
        """Return plausible bodies for a route, with their media types."""
        path = re.sub(r":(\w+)", r"{\1}", "/" + route.path.strip("/"))
        if route not in self.tables.admin:
            found = self.content.bodies(route.method, path)
        elif self.admin.takes(route.method, path, "EntryInput"):
            found = self._entries(route)
        else:
            found = self.admin.bodies(route.method, path)
        return [encode(media_type, value) for media_type, value in found]

    def _entries(self, route: Route) -> list[tuple[str, object]]:
        """Return bodies with entries of the content type that a route is about."""
        uid = self._uid(route.path.strip("/").split("/"))
        (name,) = (name for name, known in self.tables.types.items() if known == uid)
        method = "PUT" if uid in self.tables.singles else "POST"
        entries = [body["data"] for _, body in self.content.bodies(method, f"/{name}")]
        more = {"documentIds": [self.documents.get(uid)], "contentTypeUID": uid, "field": "slug"}
        wrapped = [{**more, "data": entry} for entry in entries[-1:]]
        return [("application/json", entry) for entry in [*entries, *wrapped]]


async def open_new(address: str, tables: Tables, registration_token: str) -> Site:
    """Ask for a new project: make its first administrator, an end user, a token and documents."""
    client = Client(address)
    admin_user = {"email": "boss@example.com", "firstname": "Bea", "password": PASSWORD}
    made = await post(
        client, "/admin/register-admin", {**admin_user, "registrationToken": registration_token}
    )
    administrator = bearer(made.json["data"]["token"])
    token = await post(
        client,
        "/admin/api-tokens",
        {"name": "smoke", "description": "", "type": "full-access", "lifespan": None},
        administrator,
    )
    user = await post(
        client,
        "/api/auth/local/register",
        {"username": "ann", "email": "ann@example.com", "password": PASSWORD},
    )
    callers = {
        VISITOR: {},
        END_USER: bearer(user.json["jwt"]),
        API_TOKEN: bearer(token.json["data"]["accessKey"]),
        SUPER_ADMIN: administrator,
    }
    return await _site(client, address, tables, callers)


async def open_recorded(address: str, tables: Tables) -> Site:
    """Ask for the recorded project, whose people are there already."""
    client = Client(address)
    known = credentials()
    administrator = await post(
        client, "/admin/login", {"email": "admin@example.com", "password": "Password123!"}
    )
    user = await post(
        client,
        "/api/auth/local",
        {"identifier": "alice", "password": known.passwords["alice"]},
    )
    callers = {
        VISITOR: {},
        END_USER: bearer(user.json["jwt"]),
        API_TOKEN: bearer(known.api_tokens["full"]),
        SUPER_ADMIN: bearer(administrator.json["data"]["token"]),
    }
    return await _site(client, address, tables, callers)


async def _site(
    client: Client, address: str, tables: Tables, callers: Mapping[str, Mapping[str, str]]
) -> Site:
    content = await client.send("GET", "/api/openapi.json", callers[API_TOKEN])
    admin = await client.send("GET", "/admin/x/openapi.json", callers[SUPER_ADMIN])
    documents = {}
    for uid in tables.types.values():
        if uid in tables.singles:
            continue
        target = f"/content-manager/collection-types/{uid}"
        listed = await client.send("GET", target, callers[SUPER_ADMIN])
        if listed.json["results"]:
            documents[uid] = listed.json["results"][0]["documentId"]
    await client.close()
    uid, document = next(iter(documents.items()))
    known = {"uid": uid, "contentTypeUID": uid, "model": uid, "documentIds": document}
    described = Description(content.json), Description(admin.json, known)
    return Site(address, tables, callers, documents, *described)


async def post(
    client: Client, target: str, body: object, headers: Mapping[str, str] | None = None
) -> Response:
    """Send JSON that has to be accepted."""
    sent = {**JSON, **(headers or {})}
    response = await client.send("POST", target, sent, json.dumps(body).encode())
    assert response.status in {200, 201}, (target, response)
    return response


def bearer(token: str) -> Mapping[str, str]:
    """Return the header of a token."""
    return {"Authorization": f"Bearer {token}"}
