"""A server keeps its locks on a SQLite file under all requests and background work.

A process loses them when it closes any descriptor of the file. Then the next program that closes
the database deletes the log that the server goes on writing to.
"""

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from bench.servers import quire, running
from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.corpus import CORPUS, asset, credentials
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.databases.kinds import SQLITE
from tests.databases.sqlite import file_of
from tests.reliability.articles import Site
from tests.reliability.locks import PROC_LOCKS, connected_processes
from tests.reliability.remodels import remodel

pytestmark = pytest.mark.skipif(
    not PROC_LOCKS.exists(), reason="only Linux lists locks in /proc/locks"
)

_SETTINGS = """
[users.rate_limit]
enabled = false
[admin.rate_limit]
enabled = false
[uploads]
transform_sizes = [16]
[webhooks]
private_addresses = true
"""
_PATIENCE_S = 30
_TYPE = "api::tag.tag"
_PARAMETERS = {":uid": _TYPE, ":model": _TYPE, ":slug": _TYPE}
"""What parameters of paths are; any other is the id of something that is there: 1."""

Route = tuple[str, str]


@dataclass(frozen=True, slots=True)
class RouteClient:
    """Asks the server of a project; after each response all of its processes have their locks."""

    port: int
    database: Path
    connected: Mapping[str, frozenset[int]]

    def send(
        self,
        method: str,
        target: str,
        token: str,
        body: bytes | None = None,
        type_: str = "application/json",
    ) -> tuple[int, bytes]:
        """Send a request over a separate connection; return status and body."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": type_}
        with closing(Site(self.port, token).connect()) as connection:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            answered = response.status, response.read()
        self.require_locks(f"{method} {target}")
        return answered

    def made(self, method: str, target: str, token: str, body: object) -> Any:  # noqa: ANN401 - JSON
        """Send a request that has to succeed; return the JSON of its response."""
        status, content = self.send(method, target, token, json.dumps(body).encode())
        assert status in {200, 201}, (target, status, content)
        return json.loads(content)

    def require_locks(self, after: str) -> None:
        assert connected_processes(self.database) == self.connected, after


@pytest.fixture(params=[1, 2], ids=["one worker", "two workers"])
def asker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RouteClient]:
    project = SQLITE.recorded(tmp_path / "project")
    (project / "quire.toml").write_text(_SETTINGS, encoding="utf-8")
    launch = quire(project, request.param)
    with running(launch, "/_health", frozenset({204})):
        database = file_of(project)
        yield RouteClient(launch.port, database, _all_connected(database, request.param))


def _all_connected(database: Path, count: int) -> Mapping[str, frozenset[int]]:
    """Wait until so many processes are connected; return them by the files that they lock."""
    latest = time.monotonic() + _PATIENCE_S
    while True:
        connected = connected_processes(database)
        if [len(processes) for processes in connected.values()] == [count, count]:
            return connected
        assert time.monotonic() < latest, connected
        time.sleep(0.05)


def test_no_route_drops_the_locks(asker: RouteClient, tmp_path: Path) -> None:
    token = _sign_in(asker)
    copy = SQLITE.recorded(tmp_path / "copy")
    content, administration = asyncio.run(_routes(copy))
    assert len(content) > 50
    assert len(administration) > 150
    statuses = set()
    for routes, principal in ((content, credentials().api_tokens["full"]), (administration, token)):
        for method, path in sorted(routes, key=_is_late):
            body = None if method in {"GET", "HEAD"} else b"{}"
            statuses.add(asker.send(method, _target(path), principal, body)[0])
    assert {200, 204, 400, 404} <= statuses


def test_no_background_job_drops_the_locks(asker: RouteClient) -> None:
    token, full = _sign_in(asker), credentials().api_tokens["full"]
    with _listening() as (address, heard):
        webhook = {"name": "build", "url": address, "headers": {}, "events": ["entry.create"]}
        asker.made("POST", "/admin/webhooks", token, webhook)
        # Other processes learn of the webhook a moment later.
        for number in range(_PATIENCE_S):
            asker.made("POST", "/api/tags", full, {"data": {"label": f"delivered {number}"}})
            if heard.wait(1):
                break
        assert heard.is_set()
    asker.require_locks("a delivery to a webhook")

    picture = form([FilePart("a.png", asset("tiny.png"), "image/png")])
    status, uploaded = asker.send("POST", "/api/upload", full, picture, FORM_TYPE)
    assert status == 201
    file = json.loads(uploaded)[0]["url"]
    assert asker.send("GET", f"{file}?width=16", full)[0] == 200

    # All processes follow a change of content types.
    outcome = remodel(Site(asker.port, full), times=2)
    assert outcome.problems == ()
    asker.require_locks("changes of content types")


def _sign_in(asker: RouteClient) -> str:
    known = json.loads((CORPUS / "credentials.json").read_bytes())["admin"]
    form_ = {name: known[name] for name in ("email", "password")}
    token: str = asker.made("POST", "/admin/login", "", form_)["data"]["token"]
    return token


async def _routes(project: Path) -> tuple[Sequence[Route], Sequence[Route]]:
    """Return the routes of the content API and of the admin API."""
    settings = load_settings(project, environ={})
    app = build_app(settings)
    await app.start()
    runtime = app.runtime
    assert runtime is not None
    assert runtime.admin is not None
    content = [(route.method, f"/api/{route.path.strip('/')}") for route in app.routes]
    administration = [
        (route.method, f"/{route.path.strip('/')}") for route in runtime.admin.api.routes.routes
    ]
    await app.stop()
    return content, administration


def _is_late(route: Route) -> tuple[bool, bool]:
    """Rank routes: first those that only read, last the end of the session."""
    return "logout" in route[1], route[0] != "GET"


def _target(path: str) -> str:
    return "/".join(
        _PARAMETERS.get(part, "1") if part.startswith(":") else part for part in path.split("/")
    )


@contextmanager
def _listening() -> Iterator[tuple[str, threading.Event]]:
    """Run a server that answers 200; gives its address, and what is set by the first request."""
    heard = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            heard.set()

        def log_message(self, format: str, *args: object) -> None:
            """Write nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", heard
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
