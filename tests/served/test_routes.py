"""Every route of a server responds to every principal in the right form, never with 5xx.

The routes are those of the running application, so that a new one cannot be forgotten. Bodies are
made of its own descriptions.
"""

import asyncio
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from threading import Thread
from typing import Any

import pytest

from quire.cli import run as run_quire
from quire.content_api.routes import METHODS, Route
from tests.databases.environment import read_environment, write_environment
from tests.databases.kind import Kind
from tests.secrecy.watch import WATCH
from tests.served.client import PATIENCE_SECONDS, Client, Response
from tests.served.sites import (
    API_TOKEN,
    END_USER,
    SUPER_ADMIN,
    VISITOR,
    Site,
    open_new,
    open_recorded,
    read_tables,
)
from tests.unit.cli.processes import serving

CALLERS = (VISITOR, END_USER, API_TOKEN, SUPER_ADMIN)
WRITES = ("POST", "PUT", "PATCH", "DELETE")
NO_CONTENT, ERROR, UNAUTHORIZED, SERVER_ERROR = 204, 400, 401, 500
FILES = ("/", "/admin", "/admin/auth/register-admin", "/favicon.ico", "/nope", "/uploads/nope.txt")
PROBES = ("/_health", "/_ready")
LAST = ("admin/api-tokens", "admin/users", "admin/x/users", "admin/x/second-factor", "admin/logout")
"""Routes that may end what their callers have shown of themselves."""


class Log:
    """What a server writes to standard error, read while it runs."""

    def __init__(self, process: Popen[str]) -> None:
        self.lines: list[str] = []
        self._process = process
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            WATCH.look("the log of a server", line)
            self.lines.append(line)

    async def wait_for(self, pattern: str) -> str:
        """Wait for a line, and return the first group of the pattern."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                for line in self.lines:
                    if found := re.search(pattern, line):
                        return found[1]
                await asyncio.sleep(0.01)

    def errors(self) -> list[str]:
        """Return the lines about errors of the server."""
        return [
            line for line in self.lines if re.search(r'"level":"(error|critical)"|Traceback', line)
        ]


@contextmanager
def served_with_log(project: Path, workers: int = 1) -> Iterator[tuple[str, Log]]:
    with serving("start", project, "--workers", str(workers)) as (address, process):
        yield address, Log(process)


@pytest.fixture
def new_project(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project as `quire new` makes it, with the content types of the template."""
    kind.settle(tmp_path)
    environment = read_environment(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    project = tmp_path / "site"
    assert run_quire(["new", str(project), "--template", "blog"]) == 0
    write_environment(project, environment)
    yield project
    kind.release(project)


def allow_private_webhooks(project: Path) -> None:
    """Allow webhooks to this machine, where no server listens."""
    with (project / "quire.toml").open("a", encoding="utf-8") as file:
        file.write("\n[webhooks]\nprivate_addresses = true\n")


async def test_every_route_of_a_new_project_responds(new_project: Path) -> None:
    allow_private_webhooks(new_project)
    tables = await read_tables(new_project)
    with served_with_log(new_project) as (address, log):
        token = await log.wait_for(r"registrationToken=(\w+)")
        site = await open_new(address, tables, token)
        problems = await ask_for_everything(site)
    assert problems + log.errors() == []


async def test_every_route_of_the_recorded_project_responds(own_recorded: Path) -> None:
    allow_private_webhooks(own_recorded)
    tables = await read_tables(own_recorded)
    with served_with_log(own_recorded) as (address, log):
        problems = await ask_for_everything(await open_recorded(address, tables))
    assert problems + log.errors() == []


async def test_every_route_that_is_read_responds_in_several_workers(own_recorded: Path) -> None:
    tables = await read_tables(own_recorded)
    with served_with_log(own_recorded, workers=2) as (address, log):
        problems = await ask_for_all_reads(await open_recorded(address, tables))
    assert problems + log.errors() == []


async def ask_for_everything(site: Site) -> list[str]:
    """Ask for each route by each method, what is last at last; returns what is wrong."""
    problems = await ask_for_all_reads(site)
    problems += await ask_for_methods(site)
    routes = [*site.tables.content, *site.tables.admin]
    writes = sorted((one for one in routes if one.method in WRITES), key=order)
    for _, phase in itertools.groupby(writes, order):
        chosen = [*phase]
        for caller in CALLERS:
            problems += await ask_for_writes(site, caller, chosen)
    return problems


def order(route: Route) -> tuple[bool, bool, bool]:
    """Let nobody delete what others still ask for."""
    path = route.path.strip("/")
    return path.startswith(LAST), path == LAST[-1], route.method == "DELETE"


async def ask_for_all_reads(site: Site) -> list[str]:
    found = await asyncio.gather(*(ask_for_reads(site, caller) for caller in CALLERS))
    return [problem for problems in found for problem in problems]


async def ask_for_reads(site: Site, caller: str) -> list[str]:
    """Ask for whatever can be read, and for its head; returns what is wrong."""
    problems: list[str] = []
    client, headers = Client(site.address), site.callers[caller]
    routes = [one for one in (*site.tables.content, *site.tables.admin) if one.method == "GET"]
    targets = {site.target(route): route for route in routes}
    for target in (*targets, *FILES, *PROBES):
        asked = (caller, "GET", target)
        response = await client.send("GET", target, headers)
        problems += problems_of(response, asked)
        head = await client.send("HEAD", target, headers)
        if (head.status, head.body) != (response.status, b""):
            problems.append(f"{asked}: {response} and to HEAD {head}")
        route = targets.get(target)
        if response.status in {401, 403} and route is not None and may(site, caller, route):
            problems.append(f"{asked}: {response} to somebody who may")
    await client.close()
    return problems


def may(site: Site, caller: str, route: Route) -> bool:
    """Tell whether somebody certainly may call a route."""
    if route in site.tables.admin:
        return caller == SUPER_ADMIN and route.action is not None
    return caller == API_TOKEN and route.uid in site.tables.types.values()


async def ask_for_methods(site: Site) -> list[str]:
    """Ask each path which methods it has, and for those that it has not; returns what is wrong."""
    problems: list[str] = []
    client = Client(site.address)
    routes = [*site.tables.content, *site.tables.admin]
    for target in {*map(site.target, routes), *FILES}:
        known = {route.method for route in routes if fits(site, route, target)}
        allowed = ", ".join(one for one in METHODS if one in known | {"HEAD", "GET"})
        expected = {"OPTIONS": 200} | {method: 405 for method in WRITES if method not in known}
        for method, status in expected.items():
            response = await client.send(method, target)
            if (response.status, response.headers.get("allow")) != (status, allowed):
                problems.append(f"{method} {target}: {response} instead of {status} with {allowed}")
    await client.close()
    return problems


def fits(site: Site, route: Route, target: str) -> bool:
    """Tell whether a path is one of a route."""
    prefix = "" if route in site.tables.admin else "/api"
    pattern = re.sub(r":\w+", r"[^/]+", f"{prefix}/{route.path.strip('/')}")
    return re.fullmatch(pattern, target) is not None


async def ask_for_writes(site: Site, caller: str, routes: Iterable[Route]) -> list[str]:
    """Send each route nothing, an empty object and something plausible; returns what is wrong."""
    problems: list[str] = []
    client, headers = Client(site.address), site.callers[caller]
    for route in routes:
        bodies: list[tuple[str, bytes] | None] = [
            None,
            *([] if route.method == "DELETE" else [("application/json", b"{}")]),
        ]
        bodies += site.bodies(route)
        for body in dict.fromkeys(bodies):
            kind, content = body or (None, None)
            sent = headers if kind is None else {**headers, "Content-Type": kind}
            target = site.target(route)
            response = await client.send(route.method, target, sent, content)
            asked = (caller, route.method, target, body)
            problems += problems_of(response, asked)
            is_lost = response.status == UNAUTHORIZED and may(site, caller, route)
            if is_lost and not route.path.strip("/").startswith(LAST):
                problems.append(f"{asked}: {response} to somebody who may")
    await client.close()
    return problems


def problems_of(response: Response, asked: object) -> Iterator[str]:
    """Say what is wrong with the status or the form of a response."""
    is_json = response.headers.get("content-type", "").startswith("application/json")
    if response.status >= SERVER_ERROR:
        yield f"{asked}: {response}"
    elif response.status < ERROR:
        if response.status == NO_CONTENT and response.body:
            yield f"{asked}: a body that cannot be: {response}"
        if is_json:
            json.loads(response.body)
    elif not is_json or not is_envelope(response.json, response.status):
        yield f"{asked}: no envelope: {response}"


def is_envelope(body: Any, status: int) -> bool:  # noqa: ANN401 - as JSON gives it
    """Tell whether a body is that of an error, in the form of Strapi's builder, too."""
    if body.keys() == {"error"}:
        return isinstance(body["error"], str | dict)
    error = body["error"]
    members = {"status", "name", "message"}
    return (
        body.keys() == {"data", "error"}
        and body["data"] is None
        and error.keys() - {"details"} == members
        and error["status"] == status
    )
