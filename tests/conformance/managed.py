"""Recorded requests of administrators: what of their answers is compared, and who they are.

Beside the members of other cases, these may have

- ``data``: the JSON that is sent;
- ``without``: prefixes; items and members that are named so, or whose ``uid``, ``action``,
  ``actionId`` or ``subject`` begins so, belong to what Quire does not have, and do not count;
- ``unordered``: dotted paths of lists whose order means nothing.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.conformance.client import Answer, Authorization, Client
from tests.conformance.corpus import CORPUS, JSON, Credentials, archive_members

_NAMING = ("uid", "action", "actionId", "subject")


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedCase:
    """A request that changes nothing, and its recorded answer."""

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


@cache
def managed_cases(archive: str) -> tuple[ManagedCase, ...]:
    """Return the cases of an archive, group by group."""
    return tuple(
        _case(Path(name).stem, json.loads(line))
        for name, content in sorted(archive_members(f"{archive}.tar.xz").items())
        for line in content.splitlines()
    )


def reduced(value: JSON, without: Sequence[str], unordered: Sequence[str]) -> JSON:
    """Return what counts of an answer."""
    counted = _without(value, tuple(without)) if without else value
    for path in unordered:
        counted = _sorted_at(counted, path.split("."))
    return counted


class AdminAuthorization(Authorization):
    """Turns the `auth` of a case into headers; signs each administrator in once.

    ``people`` are administrators by name, with what they sign in with, beside the recorded one.
    """

    def __init__(
        self,
        client: Client,
        credentials: Credentials,
        people: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        super().__init__(client, credentials)
        recorded = json.loads((CORPUS / "credentials.json").read_bytes())["admin"]
        first = {name: recorded[name] for name in ("email", "password")}
        self._people = {"": first, **(people or {})}
        self._tokens: dict[str, str] = {}

    async def headers(self, auth: str | None) -> dict[str, str]:
        """Return the Authorization header for a case, or none."""
        kind, _, name = (auth or "").partition(":")
        if kind != "admin":
            return await super().headers(auth)
        if name not in self._tokens:
            self._tokens[name] = await sign_in(self.client, self._people[name])
        return {"Authorization": f"Bearer {self._tokens[name]}"}


async def sign_in(client: Client, credentials: Mapping[str, str]) -> str:
    """Sign an administrator in, and return their access token."""
    headers = {"Content-Type": "application/json"}
    body = json.dumps(dict(credentials)).encode()
    answer = await client.request("POST", "/admin/login", headers, body)
    if answer.status != 200:
        raise RuntimeError(f"{credentials['email']} cannot sign in: {answer.content!r}")
    token: str = json.loads(answer.content)["data"]["token"]
    return token


async def ask(case: ManagedCase, client: Client, authorization: AdminAuthorization) -> Answer:
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


def _sorted_at(value: JSON, path: list[str]) -> JSON:
    if not path:
        items = value if isinstance(value, list) else None
        return (
            value if items is None else sorted(items, key=lambda i: json.dumps(i, sort_keys=True))
        )
    if isinstance(value, dict) and path[0] in value:
        return {**value, path[0]: _sorted_at(value[path[0]], path[1:])}
    return value
