"""Administrators across servers: accounts, roles, sessions and tokens remain valid."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.conformance.client import ClientResponse
from tests.conformance.corpus import CORPUS
from tests.conformance.over_socket import SocketClient

_COOKIE = re.compile(r"strapi_admin_refresh(?:\.sig)?=[^;,]+")

PASSWORD = "Between-two-servers-1"
READING = "plugin::content-manager.explorer.read"
TAG = "api::tag.tag"
TAGS = f"/content-manager/collection-types/{TAG}?pageSize=3"


class AdministratorError(Exception):
    """What has to be there for the rest was not made."""


@dataclass(frozen=True, slots=True)
class Administrators:
    """What was made on the first server.

    ``token`` and ``cookie`` are of the recorded administrator, ``clerk`` is the e-mail of one with
    few rights, ``invitation`` is open, ``ended`` is the token of a session that was ended.
    """

    token: str
    cookie: str
    clerk: str
    clerk_token: str
    invitation: str
    ended: str
    role: int


async def make_administrators(client: SocketClient) -> Administrators:
    """Sign in, make a role and somebody who has it, and invite somebody. Raises on failure."""
    ended = (await _sign_in(client, _recorded()))[0]
    await _made(client, "POST", "/admin/logout", {}, ended)
    token, cookie = await _sign_in(client, _recorded())
    body = {"name": "Between servers", "description": ""}
    role = (await _made(client, "POST", "/admin/roles", body, token))["data"]["id"]
    granted: dict[str, object] = {
        "action": READING,
        "subject": TAG,
        "properties": {"fields": ["label"], "locales": ["en"]},
        "conditions": ["admin::is-creator"],
    }
    users: dict[str, object] = {
        "action": "admin::users.read",
        "subject": None,
        "properties": {},
        "conditions": [],
    }
    path = f"/admin/roles/{role}/permissions"
    await _made(client, "PUT", path, {"permissions": [granted, users]}, token)
    clerk = await _invited(client, "clerk", role, token)
    admin_user = {"firstname": "C", "lastname": "", "password": PASSWORD}
    form = {"registrationToken": clerk, "userInfo": admin_user}
    signed_in = await _made(client, "POST", "/admin/register", form, None)
    return Administrators(
        token=token,
        cookie=cookie,
        clerk=_address("clerk"),
        clerk_token=signed_in["data"]["token"],
        invitation=await _invited(client, "invited", role, token),
        ended=ended,
        role=role,
    )


async def use_administrators(client: SocketClient, made: Administrators) -> list[str]:
    """Use all of it on another server; say what is not as it should be."""
    found: list[str] = []
    for token, path, status in (
        (made.token, "/admin/users/me", 200),
        (made.token, f"/admin/roles/{made.role}/permissions", 200),
        (made.ended, "/admin/users/me", 401),
        (made.clerk_token, "/admin/users", 200),
        (made.clerk_token, "/admin/roles", 403),
        (made.clerk_token, TAGS, 200),
        (made.clerk_token, "/content-manager/collection-types/api::article.article", 403),
    ):
        response = await _ask(client, "GET", path, None, token)
        found += _unless(response, status, f"{path} with a token of the other server")
    response = await _ask(client, "GET", TAGS, None, made.clerk_token)
    if response.status == 200 and response.json["results"]:  # type: ignore[index,call-overload]  # a list
        found.append("somebody sees what others have made")
    headers = {"Cookie": made.cookie, "Content-Type": "application/json"}
    response = await client.request("POST", "/admin/access-token", headers, b"{}")
    found += _unless(response, 200, "a session goes on")
    for password, status in ((PASSWORD, 200), ("Wrong-one-1", 400)):
        body = {"email": made.clerk, "password": password}
        response = await _ask(client, "POST", "/admin/login", body, None)
        found += _unless(response, status, f"signing in with {password}")
    admin_user = {"firstname": "I", "lastname": "", "password": PASSWORD}
    form = {"registrationToken": made.invitation, "userInfo": admin_user}
    for status in (200, 400):
        response = await _ask(client, "POST", "/admin/register", form, None)
        found += _unless(response, status, "an invitation is accepted once")
    return found


def _recorded() -> dict[str, str]:
    admin = json.loads((CORPUS / "credentials.json").read_bytes())["admin"]
    return {name: admin[name] for name in ("email", "password")}


def _address(name: str) -> str:
    return f"{name}@between.example.org"


async def _sign_in(client: SocketClient, credentials: Mapping[str, str]) -> tuple[str, str]:
    """Return an access token and the cookies of the session."""
    body = {**credentials, "rememberMe": True}
    response = await _ask(client, "POST", "/admin/login", body, None)
    if response.status != 200:
        raise AdministratorError(f"sign-in: {response.status} {response.content[:300]!r}")
    cookies = _COOKIE.findall(response.headers["set-cookie"])
    return json.loads(response.content)["data"]["token"], "; ".join(cookies)


async def _invited(client: SocketClient, name: str, role: int, token: str) -> str:
    body = {"email": _address(name), "firstname": name, "lastname": "", "roles": [role]}
    made = await _made(client, "POST", "/admin/users", body, token)
    return str(made["data"]["registrationToken"])


async def _made(
    client: SocketClient, method: str, path: str, body: object, token: str | None
) -> dict[str, Any]:
    response = await _ask(client, method, path, body, token)
    if response.status not in {200, 201}:
        raise AdministratorError(f"{path}: {response.status} {response.content[:300]!r}")
    return dict(json.loads(response.content))


async def _ask(
    client: SocketClient, method: str, path: str, body: object, token: str | None
) -> ClientResponse:
    headers = {"Content-Type": "application/json"} if body is not None else {}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    content = b"" if body is None else json.dumps(body).encode()
    return await client.request(method, path, headers, content)


def _unless(response: ClientResponse, status: int, what: str) -> Iterator[str]:
    if response.status != status:
        yield f"{what}: {response.status}, not {status}"
