"""Accounts across servers: the same passwords are valid on both.

On one server somebody registers, somebody is made, tokens of both kinds are given out, passwords
change; on the other one all of them are used.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from quire.errors import RateLimitError
from tests.conformance.client import ClientResponse
from tests.conformance.corpus import credentials
from tests.conformance.managed import AdminAuthorization
from tests.conformance.over_socket import SocketClient

ARTICLES = "/api/articles?fields=id&pagination[pageSize]=1"
WRITTEN = "/api/tags"
PASSWORDS = ("between-Two-servers-1", "between-Two-servers-2")
GUESSED = "guessed-7-times"
_PERIOD_S = 301
"""After so long a reference that was asked too often lets people in again."""
CUSTOM = "api::article.article.find"


class AccountError(Exception):
    """What has to be there for the rest was not made."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """What was made on the first server: names, passwords, and tokens in clear."""

    users: dict[str, str]
    jwts: dict[str, str]
    custom: str
    read_only: str
    full: str
    deleted: str


async def make_accounts(client: SocketClient) -> Accounts:
    """Make users and tokens in the ways there are. Raises AccountError."""
    admin = await AdminAuthorization(client, credentials()).headers("admin")
    full = await _token(client, admin, "full-access")
    bearer = {"Authorization": f"Bearer {full}"}
    registered = await _made(client, "/api/auth/local/register", _user("registered"))
    roles = await _made(client, "/api/users-permissions/roles", None, bearer)
    role = next(one["id"] for one in roles["roles"] if one["type"] == "authenticated")
    await _made(client, "/api/users", {**_user("made"), "role": role, "confirmed": True}, bearer)
    changed = {
        "currentPassword": PASSWORDS[0],
        "password": PASSWORDS[1],
        "passwordConfirmation": PASSWORDS[1],
    }
    signed_in = {"Authorization": f"Bearer {registered['jwt']}"}
    await _made(client, "/api/auth/change-password", changed, signed_in)
    made = await _made(client, "/api/auth/local", _credentials("made", PASSWORDS[0]))
    tokens = [await _token(client, admin, kind) for kind in ("custom", "read-only")]
    return Accounts(
        users={"registered": PASSWORDS[1], "made": PASSWORDS[0]},
        jwts={"registered": registered["jwt"], "made": made["jwt"]},
        custom=tokens[0],
        read_only=tokens[1],
        full=full,
        deleted=await _token(client, admin, "full-access", delete=True),
    )


async def use_accounts(client: SocketClient, accounts: Accounts) -> list[str]:
    """Use all of it on another server; say what is not as it should be."""
    found: list[str] = []
    for name, password in accounts.users.items():
        for given, status in ((password, 200), (GUESSED, 400)):
            response = await _post(client, "/api/auth/local", _credentials(name, given))
            found += _unless(response, status, f"{name} signs in with {given}")
        response = await _get(client, "/api/users/me", accounts.jwts[name])
        found += _unless(response, 200, f"{name} uses a token of the other server")
    old = await _post(client, "/api/auth/local", _credentials("registered", PASSWORDS[0]))
    found += _unless(old, 400, "a password that was changed")
    tag = {"data": {"label": "Between two servers"}}
    for token, what, statuses in (
        (accounts.full, "full-access", (200, 201)),
        (accounts.read_only, "read-only", (200, 403)),
        (accounts.custom, "custom", (200, 403)),
        (accounts.deleted, "deleted", (401, 401)),
        (accounts.full[::-1], "made-up", (401, 401)),
    ):
        response = await _get(client, ARTICLES, token)
        found += _unless(response, statuses[0], f"reading with a {what} token")
        bearer = {"Authorization": f"Bearer {token}"}
        found += _unless(
            await _post(client, WRITTEN, tag, bearer), statuses[1], f"writing with a {what} token"
        )
    response = await _get(client, "/api/tags", accounts.custom)
    found += _unless(response, 403, "reading with a custom token what it does not list")
    return found


async def recorded_users(client: SocketClient) -> list[str]:
    """Sign in everybody of the recorded database; say who cannot.

    The reference counts all sign-ins from one address together, so that there may be a wait.
    """
    found: list[str] = []
    for name, password in credentials().passwords.items():
        response = await _post(client, "/api/auth/local", _credentials(name, password))
        if response.status == RateLimitError.status:
            await asyncio.sleep(_PERIOD_S)
            client.connection.close()  # as the server has done meanwhile; it is opened again
            response = await _post(client, "/api/auth/local", _credentials(name, password))
        said = response.json.get("error", {}) if isinstance(response.json, dict) else {}
        refused = said.get("message", "") if isinstance(said, dict) else ""
        if response.status != 200 and "blocked" not in str(refused):
            found.append(f"{name} cannot sign in: {response.status} {refused}")
    return found


def _unless(response: ClientResponse, status: int, what: str) -> Iterator[str]:
    if response.status != status:
        yield f"{what}: {response.status}, not {status}"


def _user(name: str) -> dict[str, object]:
    email = f"{name}@between.example.org"
    return {"username": name, "email": email, "password": PASSWORDS[0]}


def _credentials(name: str, password: str) -> dict[str, object]:
    return {"identifier": name, "password": password}


async def _token(
    client: SocketClient, admin: dict[str, str], kind: str, *, delete: bool = False
) -> str:
    name = f"between {kind}{' gone' if delete else ''}"
    body: dict[str, object] = {"name": name, "description": "", "type": kind, "lifespan": None}
    if kind == "custom":
        body["permissions"] = [CUSTOM]
    token = (await _made(client, "/admin/api-tokens", body, admin))["data"]
    if delete:
        target = f"/admin/api-tokens/{token['id']}"
        response = await client.request("DELETE", target, admin)
        if response.status != 200:
            raise AccountError(f"{target}: {response.status}")
    return str(token["accessKey"])


async def _made(
    client: SocketClient,
    target: str,
    body: Mapping[str, object] | None,
    headers: dict[str, str] | None = None,
) -> dict:  # type: ignore[type-arg]  # as the server answers
    if body is None:
        response = await client.request("GET", target, headers)
    else:
        response = await _post(client, target, body, headers)
    if response.status not in {200, 201}:
        raise AccountError(f"{target}: {response.status} {response.content[:300]!r}")
    return dict(json.loads(response.content))


async def _post(
    client: SocketClient,
    target: str,
    body: Mapping[str, object],
    headers: dict[str, str] | None = None,
) -> ClientResponse:
    sent = {"Content-Type": "application/json", **(headers or {})}
    return await client.request("POST", target, sent, json.dumps(body).encode())


async def _get(client: SocketClient, target: str, token: str) -> ClientResponse:
    return await client.request("GET", target, {"Authorization": f"Bearer {token}"})
