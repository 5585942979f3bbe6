"""Requests and connections of a server that is stopping."""

import asyncio
import json
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from subprocess import Popen
from urllib.parse import urlsplit

import pytest

from quire.app import build_app
from quire.cli.serve import Server, listen
from quire.settings import load_settings
from tests.conformance.corpus import credentials
from tests.databases.kind import Kind, Rows, opened
from tests.databases.kinds import POSTGRESQL, SQLITE
from tests.unit.cli.processes import serving
from tests.unit.cli.waiting import wait_for

BODY = b'{"data": {"label": "sent in two pieces"}}'
HEADERS = {
    "Authorization": f"Bearer {credentials().api_tokens['full']}",
    "Content-Type": "application/json",
}
STOP_AFTER = '[server]\nshutdown_timeout = "{}"\n'
LOCKS = {
    "sqlite": ["BEGIN IMMEDIATE"],
    "postgresql": ["BEGIN", "LOCK TABLE tags IN ACCESS EXCLUSIVE MODE"],
}
CLIENTS = 16
PATIENCE_S = 20
"""How long a client waits for an answer, far less than the server may take to stop."""

STOPPING = (503, {"stopping": "failed"})
whatever_the_workers = pytest.mark.parametrize("workers", ["1", "2"])


class SlowRequest:
    """A POST request whose body ends when `finish` is called."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._connection = HTTPConnection(parts.hostname or "", parts.port or 0, timeout=60)
        self._connection.putrequest("POST", "/api/tags")
        for name, value in HEADERS.items():
            self._connection.putheader(name, value)
        self._connection.putheader("Content-Length", str(len(BODY)))
        self._connection.endheaders(BODY[:10])

    def finish(self) -> HTTPResponse:
        self._connection.send(BODY[10:])
        return self.response()

    def response(self) -> HTTPResponse:
        return self._connection.getresponse()

    def close(self) -> None:
        self._connection.close()


@contextmanager
def stopping(
    project: Path, workers: str, timeout: str = "600s"
) -> Iterator[tuple[str, SlowRequest, Popen[str]]]:
    """A server that was told to stop while a request is under way."""
    (project / "quire.toml").write_text(STOP_AFTER.format(timeout), encoding="utf-8")
    with serving("start", project, "--workers", workers) as (address, process):
        assert request(address) == "200"
        with closing(SlowRequest(address)) as slow:
            assert request(address) == "200"
            process.send_signal(signal.SIGTERM)
            yield address, slow, process


LIST = "/api/tags?pagination[pageSize]=1"


def send(address: str, method: str = "GET", path: str = LIST) -> tuple[HTTPResponse, bytes]:
    """Send a request over a separate connection."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port or 0, timeout=PATIENCE_S)
    with closing(connection):
        connection.request(method, path, BODY if method == "POST" else None, HEADERS)
        response = connection.getresponse()
        return response, response.read()


def request(address: str) -> str:
    """Send a request; returns the status of the response, or what went wrong."""
    try:
        return str(send(address)[0].status)
    except OSError as error:
        return type(error).__name__


def ended_well(process: Popen[str], *, saying: str = "") -> bool:
    assert process.stderr is not None
    log = process.stderr.read()
    return process.wait(60) == 0 and "Traceback" not in log and saying in log


@whatever_the_workers
def test_connections_after_the_signal_are_served_or_refused(project: Path, workers: str) -> None:
    """None waits in vain, and none is closed without a response once it was accepted.

    The system resets those that arrive between the last look at the queue and its end.
    """

    def until_refused(_: int) -> set[str]:
        found: set[str] = set()
        while "ConnectionRefusedError" not in found:
            found.add(request(address))
        return found

    with stopping(project, workers) as (address, slow, process):
        with ThreadPoolExecutor(CLIENTS) as clients:
            found = set().union(*clients.map(until_refused, range(CLIENTS)))
        assert found <= {"200", "ConnectionRefusedError", "ConnectionResetError"}
        assert slow.finish().status == 201
        assert ended_well(process)


@whatever_the_workers
def test_a_request_that_takes_too_long_gets_503(project: Path, workers: str) -> None:
    with stopping(project, workers, "1s") as (_, slow, process):
        response = slow.response()
        assert response.status == 503
        assert response.headers["Connection"] == "close"
        assert json.loads(response.read())["error"]["name"] == "ServiceUnavailableError"
        assert ended_well(process, saying=f'"request_id":"{response.headers["X-Request-Id"]}"')


@pytest.mark.parametrize(
    ("kind", "method"),
    [(SQLITE, "POST"), (POSTGRESQL, "POST"), (POSTGRESQL, "GET")],
    indirect=["kind"],
    scope="session",
    ids=["sqlite POST", "postgresql POST", "postgresql GET"],
)
def test_a_request_that_waits_for_the_database_gets_503(
    kind: Kind, own_recorded: Path, method: str
) -> None:
    (own_recorded / "quire.toml").write_text(STOP_AFTER.format("1s"), encoding="utf-8")
    with ExitStack() as stack:
        address, process = stack.enter_context(serving("start", own_recorded))
        assert request(address) == "200"
        rows = stack.enter_context(opened(kind, own_recorded))
        for statement in LOCKS[kind.name]:
            rows.execute(statement)
        client = stack.enter_context(ThreadPoolExecutor(1))
        # A list that was requested before is in memory, and does not wait for the table.
        waiting = client.submit(send, address, method, "/api/tags?pagination[pageSize]=2")
        wait_until_it_waits(kind, rows)
        process.send_signal(signal.SIGTERM)
        response, body = waiting.result()
        rows.execute("ROLLBACK")
        assert (response.status, response.headers["Connection"]) == (503, "close")
        assert json.loads(body)["error"]["message"] == "The server is shutting down"
        assert ended_well(process)


def wait_until_it_waits(kind: Kind, rows: Rows) -> None:
    """Wait until a statement of the server waits for the lock, as far as the database tells."""
    here = "(SELECT oid FROM pg_database WHERE datname = current_database())"
    waiting = f"SELECT count(*) FROM pg_locks WHERE NOT granted AND database = {here}"
    while kind.name == "postgresql" and rows.execute(waiting) == [(0,)]:
        time.sleep(0.02)


@whatever_the_workers
def test_a_connection_without_a_request_yet_is_still_served(project: Path, workers: str) -> None:
    # A tenth of it is for such connections, which a busy machine needs.
    (project / "quire.toml").write_text(STOP_AFTER.format("100s"), encoding="utf-8")
    with ExitStack() as stack:
        address, process = stack.enter_context(serving("start", project, "--workers", workers))
        parts = urlsplit(address)
        connections = [HTTPConnection(parts.hostname or "", parts.port) for _ in range(4)]
        for connection in connections:
            connection.connect()
            stack.callback(connection.close)
        assert request(address) == "200"
        process.send_signal(signal.SIGTERM)
        wait_until_refused(parts.hostname or "", parts.port or 0)
        for connection in connections:
            connection.request("GET", "/api/tags?pagination[pageSize]=1")
        responses = [connection.getresponse() for connection in connections]
        assert ended_well(process)

    assert [response.status for response in responses] == [200] * 4
    assert {response.headers["Connection"] for response in responses} == {"close"}


def wait_until_refused(host: str, port: int) -> None:
    try:
        while True:
            socket.create_connection((host, port), timeout=PATIENCE_S).close()
    except (ConnectionRefusedError, ConnectionResetError):  # the latter while the socket is closed
        return


async def test_advice_that_the_database_delays_does_not_delay_the_end(project: Path) -> None:
    ready, advising = asyncio.Event(), asyncio.Event()

    async def advise() -> str | None:
        advising.set()
        await asyncio.get_running_loop().create_future()
        return None

    settings = load_settings(project, environ={}, overrides={"server.port": 0})
    with listen(settings) as listener:
        server = Server(settings, build_app(settings), ready.set, advise)
        # Not `serve`, which takes the signals of this process.
        serving = asyncio.create_task(server._serve([listener]))  # noqa: SLF001
        async with asyncio.timeout(PATIENCE_S):
            await ready.wait()
            await advising.wait()
            server.should_exit = True
            await serving


def ready(address: str) -> tuple[int, dict[str, str]]:
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port or 0, timeout=PATIENCE_S)
    with closing(connection):
        connection.request("GET", "/_ready")
        response = connection.getresponse()
        return response.status, json.loads(response.read())["checks"]


@whatever_the_workers
def test_a_server_that_drains_is_not_ready_and_goes_on_to_answer(
    project: Path, workers: str
) -> None:
    (project / "quire.toml").write_text('[server]\ndrain_timeout = "4s"\n', encoding="utf-8")
    with serving("start", project, "--workers", workers) as (address, process):
        assert ready(address)[0] == 200
        with closing(SlowRequest(address)) as slow:
            process.send_signal(signal.SIGTERM)
            # Workers hear of it one after the other.
            wait_for(lambda: all(ready(address) == STOPPING for _ in range(8)))
            assert request(address) == "200"
            assert send(address, "POST")[0].status == 201
            assert slow.finish().status == 201
        assert ended_well(process)


def test_a_second_signal_ends_a_drain(project: Path) -> None:
    (project / "quire.toml").write_text('[server]\ndrain_timeout = "1h"\n', encoding="utf-8")
    with serving("start", project) as (address, process):
        process.send_signal(signal.SIGINT)
        wait_for(lambda: ready(address)[0] == 503)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


async def test_without_a_drain_a_stop_is_not_put_off(project: Path) -> None:
    app = build_app(load_settings(project, environ={}))

    assert app.begin_drain() == 0
