"""Recorded requests of administrators: their principals, and the compared parts.

Beside the members of other cases, these may have

- ``data``: the JSON that is sent;
- ``without``: prefixes; items and members that are named so, or whose ``uid``, ``action``,
  ``actionId`` or ``subject`` begins so, belong to what Quire does not have, and do not count;
- ``unordered``: dotted paths of lists whose order means nothing;
- ``ignore_paths``: dotted paths (``*`` is any member or item) of what differs each time.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.conformance.client import Authorization, Client, ClientResponse
from tests.conformance.compare import differences
from tests.conformance.corpus import (
    CORPUS,
    JSON,
    Credentials,
    Step,
    archive_members,
    recorded_step,
)
from tests.conformance.placeholders import Placeholders
from tests.conformance.scenarios import described, filled, send

_NAMING = ("uid", "action", "actionId", "subject")


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedCase:
    """A request that changes nothing, and its recorded response."""

    group: str
    name: str
    method: str
    path: str
    auth: str | None
    headers: Mapping[str, str]
    status: int
    body: JSON
    data: JSON = None
    without: tuple[str, ...] = ()
    unordered: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedStep:
    """A step of a scenario, and the compared parts of its response.

    ``deviation`` is set where the reference does what a safe server must not.
    """

    step: Step
    without: tuple[str, ...] = ()
    unordered: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    deviation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedScenario:
    """Requests in their order, and the administrators that the first of them make."""

    name: str
    admin_users: Mapping[str, Mapping[str, str]]
    steps: tuple[ManagedStep, ...]


@cache
def managed_scenarios(archive: str) -> tuple[ManagedScenario, ...]:
    """Return the scenarios of an archive, group by group."""
    return tuple(
        _scenario(Path(name).stem, json.loads(line))
        for name, content in sorted(archive_members(f"{archive}.tar.xz").items())
        for line in content.splitlines()
    )


class AdminAuthorization(Authorization):
    """Turns the `auth` of a case into headers; signs each administrator in once.

    ``admin_users`` are administrators by name, with what they sign in with, next to the recorded
    one.
    """

    def __init__(
        self,
        client: Client,
        credentials: Credentials,
        admin_users: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        super().__init__(client, credentials)
        recorded = json.loads((CORPUS / "credentials.json").read_bytes())["admin"]
        first = {name: recorded[name] for name in ("email", "password")}
        self._admin_users = {"": first, **(admin_users or {})}
        self._tokens: dict[str, str] = {}

    async def headers(self, auth: str | None) -> dict[str, str]:
        """Return the Authorization header for a case, or none."""
        kind, _, name = (auth or "").partition(":")
        if kind != "admin":
            return await super().headers(auth)
        if name not in self._tokens:
            self._tokens[name] = await sign_in(self.client, self._admin_users[name])
        return {"Authorization": f"Bearer {self._tokens[name]}"}


async def sign_in(client: Client, credentials: Mapping[str, str]) -> str:
    """Sign an administrator in, and return their access token."""
    headers = {"Content-Type": "application/json"}
    body = json.dumps(dict(credentials)).encode()
    response = await client.request("POST", "/admin/login", headers, body)
    if response.status != 200:
        raise RuntimeError(f"{credentials['email']} cannot sign in: {response.content!r}")
    token: str = json.loads(response.content)["data"]["token"]
    return token


async def differing_steps(
    scenario: ManagedScenario,
    client: Client,
    authorization: AdminAuthorization,
    form: Callable[[JSON], JSON] = lambda value: value,
) -> dict[int, list[str]]:
    """Send the requests of a scenario; return in words where answers differ, by step.

    For a recorded server error any response with a 4xx will do. Steps that deviate are sent alone.
    Both bodies are compared in a ``form``, as they are if none is given.
    """
    placeholders = Placeholders()
    responses: list[ClientResponse] = []
    found: dict[int, list[str]] = {}
    for number, one in enumerate(scenario.steps, start=1):
        step = filled(one.step, responses)
        response = await send(step, client, authorization)
        responses.append(response)
        if one.deviation is not None:
            continue
        reported = _differences(one, response, placeholders, form)
        if reported:
            found[number] = [described(number, step), *reported]
    return found


def _differences(
    one: ManagedStep,
    response: ClientResponse,
    placeholders: Placeholders,
    form: Callable[[JSON], JSON],
) -> list[str]:
    recorded = one.step
    if recorded.status >= 500:
        refused = 400 <= response.status < 500
        return [] if refused else [f"expected a 4xx, got {response.status}"]
    expected = replace(recorded, body=form(counting(one, recorded.body)))
    counted = form(counting(one, response.json))
    if counted != response.json:
        response = replace(response, content=json.dumps(counted).encode())
    return differences(expected, response, placeholders)


@cache
def managed_cases(archive: str) -> tuple[ManagedCase, ...]:
    """Return the cases of an archive, group by group."""
    return tuple(
        _case(Path(name).stem, json.loads(line))
        for name, content in sorted(archive_members(f"{archive}.tar.xz").items())
        for line in content.splitlines()
    )


def counting(one: "ManagedCase | ManagedStep", value: JSON) -> JSON:
    """Return the compared parts of a response to a case or step."""
    counted = reduced(value, one.without, one.unordered)
    for path in one.ignored:
        counted = _without_path(counted, path.split("."))
    return counted


def reduced(value: JSON, without: Sequence[str], unordered: Sequence[str]) -> JSON:
    """Return the compared parts of a response."""
    counted = _without(value, tuple(without)) if without else value
    for path in unordered:
        counted = _sorted_at(counted, path.split("."))
    return counted


async def ask(
    case: ManagedCase, client: Client, authorization: AdminAuthorization
) -> ClientResponse:
    """Send the request of a case."""
    headers = {**await authorization.headers(case.auth), **case.headers}
    body = b""
    if case.data is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(case.data).encode()
    return await client.request(case.method, case.path, headers, body)


def _case(group: str, recorded: Any) -> ManagedCase:  # noqa: ANN401 - as JSON gives it
    return ManagedCase(
        group=group,
        name=recorded["name"],
        method=recorded["method"],
        path=recorded["path"],
        auth=recorded["auth"],
        headers=recorded.get("headers") or {},
        status=recorded["status"],
        body=recorded.get("body"),
        data=recorded.get("data"),
        without=tuple(recorded.get("without", ())),
        unordered=tuple(recorded.get("unordered", ())),
        ignored=tuple(recorded.get("ignore_paths", ())),
    )


def _scenario(group: str, recorded: Any) -> ManagedScenario:  # noqa: ANN401 - as JSON gives it
    return ManagedScenario(
        name=f"{group}/{recorded['name']}",
        admin_users=recorded.get("admins", {}),
        steps=tuple(map(_managed_step, recorded["steps"])),
    )


def _managed_step(recorded: Any) -> ManagedStep:  # noqa: ANN401 - as JSON gives it
    own = ("without", "unordered", "deviation", "ignore_paths", "ignore_body", "restarts")
    return ManagedStep(
        step=recorded_step({k: v for k, v in recorded.items() if k not in own}),
        without=tuple(recorded.get("without", ())),
        unordered=tuple(recorded.get("unordered", ())),
        ignored=tuple(recorded.get("ignore_paths", ())),
        deviation=recorded.get("deviation"),
    )


def _without(value: JSON, prefixes: tuple[str, ...]) -> JSON:
    def dropped(name: object) -> bool:
        return isinstance(name, str) and name.startswith(prefixes)

    if isinstance(value, dict):
        return {k: _without(inner, prefixes) for k, inner in value.items() if not dropped(k)}
    if isinstance(value, list):
        return [
            _without(item, prefixes)
            for item in value
            if not dropped(item)
            and not (isinstance(item, dict) and any(dropped(item.get(n)) for n in _NAMING))
        ]
    return value


def _without_path(value: JSON, path: list[str]) -> JSON:
    first, *rest = path
    if isinstance(value, list):
        return [_without_path(item, rest) for item in value] if first == "*" and rest else value
    if not isinstance(value, dict):
        return value
    return {
        name: _without_path(inner, rest) if first in {name, "*"} and rest else inner
        for name, inner in value.items()
        if rest or first not in {name, "*"}
    }


def _sorted_at(value: JSON, path: list[str]) -> JSON:
    if not path:
        items = value if isinstance(value, list) else None
        return (
            value if items is None else sorted(items, key=lambda i: json.dumps(i, sort_keys=True))
        )
    if isinstance(value, dict) and path[0] in value:
        return {**value, path[0]: _sorted_at(value[path[0]], path[1:])}
    return value
