"""What something costs a request, exactly: applications in one process.

The protocol of the server receives requests without sockets, in short turns of the same number of
requests, and the compared applications take them in random order. So all turns run in the same
state of the machine, and tenths of a microsecond can be measured while it does other work, too. No
trace starts meanwhile.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from random import Random
from statistics import median

import uvicorn
import uvloop
from uvicorn.server import ServerState

from bench.load import LoadError
from bench.paired import ConfidenceInterval, confidence_interval
from bench.report import Table
from quire.app import Application, build_app
from quire.content_api.fast_path import FastPathProtocol
from quire.settings import load_settings

_WARM_UP = 400
_POLL_SECONDS = 0.005
_SOON_SECONDS = 2


@dataclass(frozen=True, slots=True)
class ComparedApplication:
    """A project with a database, and settings that are not those of its files."""

    folder: Path
    overrides: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComparedRequests:
    """The requests that each application gets in turn, by its name, and how many in one turn.

    The first application is the one that the others are compared with.
    """

    title: str
    requests: Mapping[str, Sequence[bytes]]
    per_turn: int = 100


Costs = Mapping[str, ConfidenceInterval]
"""How many microseconds more a request takes than with the first application, by name."""

Turns = Mapping[str, Sequence[float]]
"""The CPU times of a request in the turns of one start, by the name of the application."""


class _Transport(asyncio.Transport):
    """Keeps the status of the last response instead of sending it."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)})
        self.status = b""
        self.has_data = asyncio.Event()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if data[:5] == b"HTTP/":
            self.status = bytes(data[9:12])
        self.has_data.set()

    def close(self) -> None:
        """Stay open: the protocol closes idle connections."""

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None:
        """Do nothing: one request is sent at a time."""

    def resume_reading(self) -> None:
        """Do nothing: one request is sent at a time."""


class _RunningApplication:
    """An application, and one connection to it."""

    def __init__(self, name: str, app: Application) -> None:
        self._name = name
        self._app = app
        self._state = ServerState()
        self._transport = _Transport()
        config = uvicorn.Config(
            app,
            http=FastPathProtocol,
            ws="none",
            log_config=None,
            access_log=False,
            interface="asgi3",
        )
        config.load()
        config.loaded_app = app
        self._protocol = FastPathProtocol(config, self._state, {}, asyncio.get_running_loop())
        self._protocol.connection_made(self._transport)

    async def warm_up(self, requests: Sequence[bytes], per_turn: int) -> None:
        """Send all requests, and at least so many that all caches are filled.

        Raises LoadError when one has an error as response.
        """
        for number in range(max(min(_WARM_UP, 4 * per_turn), len(requests))):
            await self._send(requests[number % len(requests)])
            if self._transport.status != b"200":
                request = requests[number % len(requests)].partition(b"\r\n")[0]
                raise LoadError(f"{self._name}: {self._transport.status!r} to {request!r}")
        await self._deliver()

    async def turn(self, requests: Sequence[bytes], per_turn: int) -> float:
        """Return the CPU time of a request in microseconds, with that of the work after it."""
        started = time.process_time_ns()
        for number in range(per_turn):
            await self._send(requests[number % len(requests)])
        await self._deliver()
        return (time.process_time_ns() - started) / per_turn / 1000

    async def _send(self, request: bytes) -> None:
        state, transport = self._state, self._transport
        responses = state.total_requests
        self._protocol.data_received(request)
        # Writes, and reads that may take long, run in another thread.
        while state.total_requests == responses:
            transport.has_data.clear()
            await transport.has_data.wait()

    async def _deliver(self) -> None:
        """Wait until the project's code has received all changes."""
        services = self._app.services
        if services is None:
            return
        changes = services.jobs.changes
        while changes.is_delivering or changes.seconds_to_next() < _SOON_SECONDS:  # noqa: ASYNC110 - the worker has no event for that
            await asyncio.sleep(_POLL_SECONDS)


def in_process_costs(
    applications: Mapping[str, ComparedApplication],
    cases: Sequence[ComparedRequests],
    random: Random,
    *,
    starts: int,
    turns: int,
) -> dict[str, tuple[float, Costs]]:
    """Return by title what a request takes in microseconds, and what is added to that.

    Applications are started ``starts`` times, because places in memory make a difference as long as
    they run; each then has so many ``turns``. Raises LoadError when a response is an error.
    """
    results: dict[str, list[Turns]] = {case.title: [] for case in cases}
    for _ in range(starts):
        for title, measured in uvloop.run(
            _measure_start(applications, cases, random, turns)
        ).items():
            results[title].append(measured)
    return {title: _costs(measured, random) for title, measured in results.items()}


async def _measure_start(
    compared: Mapping[str, ComparedApplication],
    cases: Sequence[ComparedRequests],
    random: Random,
    turns: int,
) -> dict[str, Turns]:
    """Start the applications once; returns their turns by the title of the requests."""
    async with AsyncExitStack() as stack:
        # In random order: what is created first may have better places in memory.
        applications = {
            name: await stack.enter_async_context(_running(name, compared[name]))
            for name in random.sample(list(compared), len(compared))
        }
        results: dict[str, Turns] = {}
        for case in cases:
            for name, requests in case.requests.items():
                await applications[name].warm_up(requests, case.per_turn)
            times: dict[str, list[float]] = {name: [] for name in case.requests}
            for _ in range(turns):
                for name in random.sample(list(times), len(times)):
                    cpu_us = await applications[name].turn(case.requests[name], case.per_turn)
                    times[name].append(cpu_us)
                await asyncio.sleep(0)
            results[case.title] = times
        return results


@asynccontextmanager
async def _running(name: str, compared: ComparedApplication) -> AsyncIterator[_RunningApplication]:
    app = build_app(load_settings(compared.folder, overrides=compared.overrides))
    await app.start()
    try:
        content = app.content
        if content is None:
            raise RuntimeError("the application has no content API")
        if content.tracing is not None and content.tracing.limit is not None:
            content.tracing.limit.next_start = inf
        yield _RunningApplication(name, app)
    finally:
        await app.stop()


def _costs(starts: Sequence[Turns], random: Random) -> tuple[float, Costs]:
    first, *others = starts[0]
    plain = median(cpu_us for turns in starts for cpu_us in turns[first])
    costs = {}
    for name in others:
        differences = [
            [cpu_us - plain_us for cpu_us, plain_us in zip(turns[name], turns[first], strict=True)]
            for turns in starts
        ]
        costs[name] = confidence_interval([differences], random)
    return plain, costs


def costs_table(title: str, results: Mapping[str, tuple[float, Costs]]) -> Table:
    """Return how much longer requests take than with the first application."""
    rows = tuple(
        (
            requests,
            name,
            f"{plain:.1f} µs",
            f"{cost.value:+.2f} µs",
            f"{cost.low:+.2f} to {cost.high:+.2f} µs",
            f"{cost.value / plain * 100:+.1f} %",
        )
        for requests, (plain, costs) in results.items()
        for name, cost in costs.items()
    )
    columns = ("Requests", "Application", "CPU without", "Added", "95 %", "Added in %")
    return Table(title, columns, rows)
