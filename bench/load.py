"""A bounded load generator, run as a process of its own: a fixed number of GET requests.

``python -m bench.load`` reads a job as JSON from standard input and writes what it saw as JSON to
standard output. It keeps a fixed number of connections alive, and on each sends the next request
as soon as the last one was answered, so that the server always has that many to answer.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from typing import Any, cast

import httptools
import uvloop

from bench.measure import percentile

_TIMEOUT_S = 600


@dataclass(frozen=True, slots=True)
class LoadJob:
    """What to send: ``requests`` GETs of ``targets`` in turn, over ``concurrency`` connections."""

    port: int
    targets: tuple[str, ...]
    token: str
    requests: int
    concurrency: int = 16


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What one run saw: wall-clock seconds, latencies in milliseconds, bytes of answers' bodies."""

    requests: int
    seconds: float
    p50_ms: float
    p99_ms: float
    body_bytes: int


class LoadError(Exception):
    """The server answered a request with another status than 200, or hung up."""


class _Connection(asyncio.Protocol):
    """One kept-alive connection: sends a request, waits for its whole answer, sends the next."""

    def __init__(self, requests: Iterator[bytes], latencies: list[float]) -> None:
        self.body_bytes = 0
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._requests = requests
        self._latencies = latencies
        self._sent_at = 0.0
        self._transport: asyncio.Transport | None = None
        self._parser: Any = httptools.HttpResponseParser(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._send_next(self._transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.finished.done():
            self.finished.set_exception(LoadError(f"the server closed a connection: {exc}"))

    def on_body(self, body: bytes) -> None:
        """Called by the parser for each piece of an answer's body."""
        self.body_bytes += len(body)

    def on_message_complete(self) -> None:
        """Called by the parser at the end of an answer."""
        self._latencies.append(time.perf_counter() - self._sent_at)
        if self._transport is None or self.finished.done():
            return
        status = self._parser.get_status_code()
        if status == 200:
            self._send_next(self._transport)
            return
        self.finished.set_exception(LoadError(f"the server answered {status}"))
        self._transport.close()

    def _send_next(self, transport: asyncio.Transport) -> None:
        request = next(self._requests, None)
        if request is None:
            self.finished.set_result(None)
            transport.close()
            return
        self._sent_at = time.perf_counter()
        transport.write(request)


def request_bytes(target: str, token: str) -> bytes:
    """Return a GET request for ``target`` (path and query) that carries the API token."""
    return (
        f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n"
        f"Authorization: Bearer {token}\r\n\r\n"
    ).encode("ascii")


async def run_load(job: LoadJob) -> LoadResult:
    """Send the requests of ``job`` and return what was seen.

    Raises LoadError when an answer's status is not 200 or a connection is lost, OSError when none
    can be made, TimeoutError when it all takes longer than ten minutes.
    """
    requests = islice(
        cycle([request_bytes(target, job.token) for target in job.targets]), job.requests
    )
    latencies: list[float] = []
    loop = asyncio.get_running_loop()
    started = time.perf_counter()
    connections: list[_Connection] = []
    async with asyncio.timeout(_TIMEOUT_S):
        for _ in range(job.concurrency):
            _, connection = await loop.create_connection(
                lambda: _Connection(requests, latencies), "127.0.0.1", job.port
            )
            connections.append(connection)
        await asyncio.gather(*(connection.finished for connection in connections))
    return LoadResult(
        requests=len(latencies),
        seconds=time.perf_counter() - started,
        p50_ms=percentile(latencies, 0.50) * 1000,
        p99_ms=percentile(latencies, 0.99) * 1000,
        body_bytes=sum(connection.body_bytes for connection in connections),
    )


def load(job: LoadJob) -> LoadResult:
    """Run ``job`` in a process of its own, so that generating load costs the caller nothing.

    Raises LoadError with the process's own words when it fails.
    """
    finished = subprocess.run(
        [sys.executable, "-m", "bench.load"],
        input=json.dumps(asdict(job)),
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode != 0:
        raise LoadError(finished.stderr.strip().rpartition("\n")[2])
    return LoadResult(**json.loads(finished.stdout))


def main() -> None:
    """Run the job on standard input and print its result."""
    job = json.load(sys.stdin)
    job["targets"] = tuple(job["targets"])
    print(json.dumps(asdict(uvloop.run(run_load(LoadJob(**job))))))


if __name__ == "__main__":
    main()
