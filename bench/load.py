"""A load generator in a separate process: a fixed number of requests.

``python -m bench.load`` reads jobs as lines of JSON from standard input and writes what it saw as
lines of JSON to standard output. It keeps a fixed number of connections alive, and on each sends
the next request as soon as the last one was answered, so that the server always has that many to
answer.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import cycle
from typing import Any, cast

import httptools
import uvloop

from bench.measure import percentile

_TIMEOUT_S = 600
WRITE_EVERY = 20
"""One request of so many writes, where a job has writes: 5 %."""
_SUCCESSES = frozenset({200, 201})
_MOST_LOST = 50
"""How many connections may be lost under a request in one run before it counts as failed."""


@dataclass(frozen=True, slots=True)
class Write:
    """A request that writes: its method, its path and its JSON."""

    method: str
    path: str
    body: str


@dataclass(frozen=True, slots=True)
class LoadJob:
    """What to send: GET requests of ``targets`` in turn, over ``concurrency`` connections.

    One of `WRITE_EVERY` is the next one of ``writes`` instead, if there are any.
    """

    port: int
    targets: tuple[str, ...]
    token: str
    requests: int
    concurrency: int = 16
    writes: tuple[Write, ...] = ()

    def messages(self) -> Iterator[bytes]:
        """Return all requests as they are sent."""
        reads = cycle([request_bytes(target, self.token) for target in self.targets])
        writes = cycle([write_bytes(write, self.token) for write in self.writes])
        for number in range(1, self.requests + 1):
            yield next(writes if self.writes and number % WRITE_EVERY == 0 else reads)


@dataclass(frozen=True, slots=True)
class LoadResult:
    """The result of one run: seconds, latencies in milliseconds, bytes of response bodies."""

    requests: int
    seconds: float
    p50_ms: float
    p99_ms: float
    body_bytes: int


class LoadError(Exception):
    """The server answered a request with an error, or hung up again and again."""


class _LostError(Exception):
    """The server closed a connection instead of answering ``request``.

    Servers do so that are busy for longer than they keep a connection on which they see nothing:
    they do not look whether a request has come meanwhile. Clients ask again, and so does this one.
    """

    def __init__(self, request: bytes, reason: Exception | None) -> None:
        super().__init__(f"the server closed a connection: {reason}")
        self.request = request


class _Connection(asyncio.Protocol):
    """One kept-alive connection: sends a request, waits for its whole response, sends the next."""

    def __init__(self, requests: Iterator[bytes], latencies: list[float], first: bytes) -> None:
        self.body_bytes = 0
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._requests = requests
        self._request: bytes | None = first
        self._latencies = latencies
        self._sent_at = 0.0
        self._transport: asyncio.Transport | None = None
        self._parser: Any = httptools.HttpResponseParser(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._send(self._transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._request is not None and not self.finished.done():
            self.finished.set_exception(_LostError(self._request, exc))

    def on_body(self, body: bytes) -> None:
        """Called by the parser for each piece of a response's body."""
        self.body_bytes += len(body)

    def on_message_complete(self) -> None:
        """Called by the parser at the end of a response."""
        self._latencies.append(time.perf_counter() - self._sent_at)
        if self._transport is None or self.finished.done():
            return
        status = self._parser.get_status_code()
        if status in _SUCCESSES:
            self._request = next(self._requests, None)
            self._send(self._transport)
            return
        self.finished.set_exception(LoadError(f"the server answered {status}"))
        self._transport.close()

    def _send(self, transport: asyncio.Transport) -> None:
        if self._request is None:
            self.finished.set_result(None)
            transport.close()
            return
        self._sent_at = time.perf_counter()
        transport.write(self._request)


class _Client:
    """What loads a server: its connections share requests, and what came of them is kept."""

    def __init__(self, job: LoadJob) -> None:
        self._port = job.port
        self._requests = job.messages()
        self._lost = 0
        self.latencies: list[float] = []
        self.body_bytes = 0

    async def run(self) -> None:
        """Send requests over one connection, or those that take its place, until none is left."""
        request = next(self._requests, None)
        while request is not None:
            request = await self._ask_from(request)

    async def _ask_from(self, request: bytes) -> bytes | None:
        """Use one connection for as long as it lasts; returns the request that it left open."""
        connection = _Connection(self._requests, self.latencies, request)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_connection(lambda: connection, "127.0.0.1", self._port)
        try:
            await connection.finished
        except _LostError as error:
            self._lost += 1
            if self._lost > _MOST_LOST:
                raise LoadError(str(error)) from error
            return error.request
        finally:
            self.body_bytes += connection.body_bytes
            transport.close()
        return None


def request_bytes(target: str, token: str) -> bytes:
    """Return a GET request for ``target`` (path and query) that carries the API token."""
    return (
        f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n"
        f"Authorization: Bearer {token}\r\n\r\n"
    ).encode("ascii")


def write_bytes(write: Write, token: str) -> bytes:
    """Return a request that writes and carries the API token."""
    body = write.body.encode()
    head = (
        f"{write.method} {write.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode("ascii") + body


async def run_load(job: LoadJob) -> LoadResult:
    """Send the requests of ``job`` and return what was seen.

    Raises LoadError when a response is an error or connections are lost again and again,
    OSError when none can be made, TimeoutError when it all takes longer than ten minutes.
    """
    client = _Client(job)
    started = time.perf_counter()
    async with asyncio.timeout(_TIMEOUT_S):
        tasks = [asyncio.create_task(client.run()) for _ in range(job.concurrency)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    return LoadResult(
        requests=len(client.latencies),
        seconds=time.perf_counter() - started,
        p50_ms=percentile(client.latencies, 0.50) * 1000,
        p99_ms=percentile(client.latencies, 0.99) * 1000,
        body_bytes=client.body_bytes,
    )


class Loader:
    """A separate process that sends requests, so that generating load costs the caller nothing."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.pid = process.pid

    def load(self, job: LoadJob) -> LoadResult:
        """Run ``job``. Raises LoadError with the process's own words when it fails."""
        if self._process.stdin is None or self._process.stdout is None:
            raise LoadError("the process has no pipes")
        self._process.stdin.write(json.dumps(asdict(job)) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            _, messages = self._process.communicate()
            raise LoadError(messages.strip().rpartition("\n")[2])
        return LoadResult(**json.loads(line))


@contextmanager
def running_loader() -> Iterator[Loader]:
    """Give a loader; its process ends at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", "bench.load"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield Loader(process)


def load(job: LoadJob) -> LoadResult:
    """Run one job in a process of its own. Raises LoadError as `Loader.load` does."""
    with running_loader() as loader:
        return loader.load(job)


def main() -> None:
    """Run the jobs on standard input, one a line, and print the result of each."""
    for line in sys.stdin:
        job = json.loads(line)
        job["targets"] = tuple(job["targets"])
        job["writes"] = tuple(Write(**write) for write in job["writes"])
        print(json.dumps(asdict(uvloop.run(run_load(LoadJob(**job))))), flush=True)


if __name__ == "__main__":
    main()
