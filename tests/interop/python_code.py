"""Python code of a project: the reference ignores it, and leaves what belongs to it alone.

Quire serves a project with an attribute type and a route in Python, and grants the action of the
route. The reference serves the same files and database, writes entries and changes a role and a
token. Then the grants have to hold in Quire, and the values of both have to be shown.
"""

import json
import shutil
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.servers import quire
from quire.database.migration.schema_pair import Renames
from tests.conformance.client import ClientResponse
from tests.conformance.corpus import credentials
from tests.conformance.managed import AdminAuthorization
from tests.conformance.over_socket import SocketClient
from tests.databases.kind import Kind
from tests.interop.changes import migrate
from tests.interop.model_files import ModelFiles
from tests.interop.round_trip import Report, Trip
from tests.interop.rows import differences
from tests.interop.sites import application_of, complaints, rows, serving

_EXAMPLE = Path(__file__).parents[2] / "examples" / "extended" / "src" / "extensions"
_MONEY = {"type": "decimal", "pluginOptions": {"quire": {"type": "money", "currency": "CHF"}}}
_ROUTE = """
from quire import Document, documents, route


@route.get("/products/cheapest")
async def cheapest() -> Document | None:
    return await documents("api::product.product").first(sort="price", status="draft")
"""
_CHEAPEST, _PRODUCTS = "/api/products/cheapest", "/api/products?sort=price"
_FIND, _ACTION = "api::product.product.find", "api::product.product.cheapest"
_ROLES, _TOKENS = "/users-permissions/roles", "/admin/api-tokens"
_PASSWORD = "between-Two-servers-1"


class CodeError(Exception):
    """What has to be there for the rest was not made."""


class Grants(Struct, frozen=True):
    """A role and a token that grant the action, and the credentials of callers by name.

    ``granted`` are the names of those who may call the route.
    """

    role: int
    token: int
    full: str
    callers: Mapping[str, str]
    granted: frozenset[str] = frozenset({"user", "token"})


async def coded_and_back(
    folder: Path, installed: Path, kind: Kind, report: Report
) -> dict[str, Trip]:
    """Let Quire, the reference and Quire again serve one project with Python code.

    ``installed`` has the reference's packages. Raises ServerError when one does not start, and
    CodeError when something cannot be made.
    """
    project = kind.recorded(folder / "project")
    _write_code(project)
    await migrate(project, Renames())
    report("Quire grants the action")
    with serving(quire(project)) as client:
        grants = await _make_grants(client)
        problems = [*await _call_route(client, grants, "12.50")]
    before, files = rows(project), _schema_files(project)
    application = application_of(project, folder / "strapi", installed)
    report("Strapi serves the project")
    with serving(application) as client:
        changed = [*differences(before, rows(project))]
        complained = complaints(application)
        problems += [line async for line in _use_reference(client, grants)]
    report("Strapi starts again")
    with serving(application):
        pass
    report("Quire serves the project again")
    with serving(quire(project)) as client:
        problems += [*await _call_route(client, grants, "3.50")]
        problems += [*await _look_at_grants(client, grants)]
        listed = await _ask(client, "GET", _PRODUCTS, grants.callers["token"])
        prices = [product["price"] for product in listed["data"]]
        if prices != ["3.50", "12.50", "99.00"]:
            problems.append(f"prices are {prices}")
    if _schema_files(project) != files:
        problems.append("schema files have changed")
    kind.release(project)
    name = "Quire writes with Python code, Strapi goes on, Quire goes on"
    return {name: Trip(complained, tuple(changed), (), tuple(problems))}


def _write_code(project: Path) -> None:
    extensions = project / "src" / "extensions"
    shutil.copytree(_EXAMPLE / "admin", extensions / "admin")
    shutil.copy(_EXAMPLE / "money.py", extensions)
    ModelFiles(project).add("product", {"name": {"type": "string"}, "price": _MONEY})
    (project / "src" / "api" / "product" / "routes.py").write_text(_ROUTE, encoding="utf-8")


def _schema_files(project: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in (project / "src").rglob("*.json")}


async def _make_grants(client: SocketClient) -> Grants:
    """Make products, and a role and a token that may call the route."""
    admin = await _admin(client)
    full = (await _make_token(client, admin, "full-access"))["accessKey"]
    for name, price in (("Lamp", "12.5"), ("Buoy", 99)):
        await _ask(client, "POST", "/api/products", full, {"data": {"name": name, "price": price}})
    tree = (await _ask(client, "GET", "/users-permissions/permissions", admin))["permissions"]
    for action in (_FIND, _ACTION):
        api, controller, name = action.split(".")
        tree[api]["controllers"][controller][name]["enabled"] = True
    role = {"name": "Shoppers", "description": "", "permissions": tree}
    await _ask(client, "POST", _ROLES, admin, role)
    roles = (await _ask(client, "GET", _ROLES, admin))["roles"]
    role_id = next(one["id"] for one in roles if one["name"] == role["name"])
    token = await _make_token(client, admin, "custom", _FIND, _ACTION)
    callers = {"token": token["accessKey"]}
    callers["other token"] = (await _make_token(client, admin, "custom", _FIND))["accessKey"]
    for name in ("user", "other user"):
        user: dict[str, object] = {
            "username": name,
            "email": f"{name.replace(' ', '.')}@products.example.org",
            "password": _PASSWORD,
        }
        made = await _ask(client, "POST", "/api/auth/local/register", None, user)
        callers[name] = made["jwt"]
        if name == "user":
            target = f"/api/users/{made['user']['id']}"
            await _ask(client, "PUT", target, full, {"role": role_id})
    return Grants(role_id, token["id"], full, callers)


async def _call_route(client: SocketClient, grants: Grants, price: str) -> list[str]:
    """Call the route as each caller; says who got something else than they should."""
    problems = []
    for name, credential in grants.callers.items():
        response = await _send(client, "GET", _CHEAPEST, credential)
        expected = 200 if name in grants.granted else 403
        if response.status != expected:
            problems.append(f"the route as {name}: {response.status}, not {expected}")
        elif expected == 200 and f'"price":"{price}"'.encode() not in response.content:
            problems.append(f"the route as {name}: {response.content!r}")
    response = await _send(client, "GET", _CHEAPEST, None)
    if response.status not in {401, 403}:
        problems.append(f"the route as nobody: {response.status}")
    return problems


async def _use_reference(client: SocketClient, grants: Grants) -> AsyncIterator[str]:
    """Read and write on the reference, and change the role and the token there."""
    admin = await _admin(client)
    made = {"name": "Rope", "price": 3.5}
    await _ask(client, "POST", "/api/products", grants.full, {"data": made})
    listed = (await _ask(client, "GET", _PRODUCTS, grants.callers["token"]))["data"]
    prices = [float(product["price"]) for product in listed]
    if prices != [3.5, 12.5, 99]:
        yield f"the reference shows the prices {prices}"
    response = await _send(client, "GET", _CHEAPEST, grants.callers["token"])
    if response.status != 403:
        yield f"the route on the reference: {response.status}"
    target = f"{_ROLES}/{grants.role}"
    role = (await _ask(client, "GET", target, admin))["role"]
    await _ask(client, "PUT", target, admin, {**role, "description": "Changed by the reference"})
    await _ask(client, "PUT", f"{_TOKENS}/{grants.token}", admin, {"name": "changed"})


async def _look_at_grants(client: SocketClient, grants: Grants) -> list[str]:
    """Read the role and the token as the admin UI does."""
    admin = await _admin(client)
    role = (await _ask(client, "GET", f"{_ROLES}/{grants.role}", admin))["role"]
    api, controller, name = _ACTION.split(".")
    problems = []
    if not role["permissions"][api]["controllers"][controller][name]["enabled"]:
        problems.append("the role does not grant the action any more")
    if role["description"] != "Changed by the reference":
        problems.append(f"the role has the description {role['description']!r}")
    token = (await _ask(client, "GET", f"{_TOKENS}/{grants.token}", admin))["data"]
    if sorted(token["permissions"]) != sorted([_FIND, _ACTION]) or token["name"] != "changed":
        problems.append(f"the token is {token['name']!r} and grants {token['permissions']}")
    return problems


async def _admin(client: SocketClient) -> str:
    headers = await AdminAuthorization(client, credentials()).headers("admin")
    return headers["Authorization"].removeprefix("Bearer ")


async def _make_token(client: SocketClient, admin: str, kind: str, *actions: str) -> Any:  # noqa: ANN401 - JSON
    body = {
        "name": f"{kind} with {len(actions)} actions",
        "description": "",
        "type": kind,
        "lifespan": None,
        "permissions": [*actions] if kind == "custom" else None,
    }
    return (await _ask(client, "POST", _TOKENS, admin, body))["data"]


async def _ask(
    client: SocketClient,
    method: str,
    target: str,
    credential: str | None,
    body: Mapping[str, object] | None = None,
) -> Any:  # noqa: ANN401 - JSON
    """Send a request that has to succeed. Raises CodeError."""
    response = await _send(client, method, target, credential, body)
    if response.status not in {200, 201}:
        raise CodeError(f"{method} {target}: {response.status} {response.content[:300]!r}")
    return json.loads(response.content)


async def _send(
    client: SocketClient,
    method: str,
    target: str,
    credential: str | None,
    body: Mapping[str, object] | None = None,
) -> ClientResponse:
    headers = {"Content-Type": "application/json"}
    if credential is not None:
        headers["Authorization"] = f"Bearer {credential}"
    sent = b"" if body is None else json.dumps(body).encode()
    return await client.request(method, target, headers, sent)
