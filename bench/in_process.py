"""What metrics and traces cost a request, exactly: applications in one process.

The protocol of the server receives requests without sockets, in short turns of the same number of
requests, and applications with metrics and traces, and without, take them in random order. So all
turns run in the same state of the machine, and tenths of a microsecond can be measured while it
does other work, too. No trace starts meanwhile: this is the cost of all the other requests.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from random import Random
from statistics import median
from types import MappingProxyType

import uvicorn
import uvloop
from uvicorn.server import ServerState

from bench.load import request_bytes
from bench.paired import ConfidenceInterval, confidence_interval
from bench.project import TOKEN
from bench.workloads import Workload
from quire.app import Application, build_app
from quire.content_api.fast_path import FastPathProtocol
from quire.settings import load_settings

_BATCH = 100
_WARM_UP = 400
_METRICS: Mapping[str, object] = {"metrics.port": 1}
_TRACES: Mapping[str, object] = {"tracing.endpoint": "http://127.0.0.1:9"}
NEITHER = "neither"
APPLICATIONS: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        NEITHER: {},
        "neither, again": {},
        "metrics": _METRICS,
        "traces": _TRACES,
        "metrics, traces": {**_METRICS, **_TRACES},
    }
)
"""The settings of each application."""


class _Transport(asyncio.Transport):
    """Counts responses instead of sending them."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)})
        self.responses = 0
        self.has_response = asyncio.Event()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        del data
        self.responses += 1
        self.has_response.set()

    def close(self) -> None:
        """Stay open: the protocol closes idle connections."""

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None:
        """Do nothing: one request is sent at a time."""

    def resume_reading(self) -> None:
        """Do nothing: one request is sent at a time."""


@dataclass(frozen=True, slots=True)
class _RunningApplication:
    """An application, and one connection to it."""

    app: Application
    protocol: FastPathProtocol
    transport: _Transport

    async def warm_up(self, requests: Sequence[bytes]) -> None:
        """Send all requests, and at least so many that all caches are filled."""
        for number in range(max(_WARM_UP, len(requests))):
            await self._send(requests[number % len(requests)])

    async def turn(self, requests: Sequence[bytes]) -> float:
        """Return the CPU time of a request in microseconds."""
        started = time.process_time_ns()
        for number in range(_BATCH):
            await self._send(requests[number % len(requests)])
        return (time.process_time_ns() - started) / _BATCH / 1000

    async def _send(self, request: bytes) -> None:
        responses = self.transport.responses
        self.protocol.data_received(request)
        # Reads that may take long run in another thread.
        if self.transport.responses == responses:
            self.transport.has_response.clear()
            await self.transport.has_response.wait()


Costs = Mapping[str, ConfidenceInterval]
"""How many microseconds more a request takes than with neither, by the name of the application."""

Turns = Mapping[str, Sequence[float]]
"""The CPU times of a request in the turns of one start, by the name of the application."""


def in_process_costs(
    make_folder: Callable[[str], Path],
    chosen: Sequence[Workload],
    random: Random,
    *,
    starts: int,
    turns: int,
) -> dict[str, tuple[float, Costs]]:
    """Return by workload what a request takes in microseconds, and what is added to that.

    ``make_folder`` returns a project with a database, by the name of an application. Applications
    are started ``starts`` times, because places in memory make a difference as long as they run;
    each then has so many ``turns``.
    """
    folders = {name: make_folder(name) for name in APPLICATIONS}
    results: dict[str, list[Turns]] = {workload.title: [] for workload in chosen}
    for _ in range(starts):
        for title, measured in uvloop.run(_measure_start(folders, chosen, random, turns)).items():
            results[title].append(measured)
    return {title: _costs(measured, random) for title, measured in results.items()}


async def _measure_start(
    folders: Mapping[str, Path], chosen: Sequence[Workload], random: Random, turns: int
) -> dict[str, Turns]:
    """Start the applications once; returns their turns by workload."""
    async with AsyncExitStack() as stack:
        # In random order: what is created first may have better places in memory.
        applications = {
            name: await stack.enter_async_context(_running(folders[name], APPLICATIONS[name]))
            for name in random.sample(list(folders), len(folders))
        }
        results: dict[str, Turns] = {}
        for workload in chosen:
            requests = [request_bytes(target, TOKEN) for target in workload.targets]
            for application in applications.values():
                await application.warm_up(requests)
            times: dict[str, list[float]] = {name: [] for name in folders}
            for _ in range(turns):
                for name in random.sample(list(applications), len(applications)):
                    times[name].append(await applications[name].turn(requests))
                await asyncio.sleep(0)
            results[workload.title] = times
        return results


@asynccontextmanager
async def _running(
    folder: Path, overrides: Mapping[str, object]
) -> AsyncIterator[_RunningApplication]:
    app = build_app(load_settings(folder, overrides=overrides))
    await app.start()
    try:
        content = app.content
        if content is None:
            raise RuntimeError("the application has no content API")
        if content.tracing is not None and content.tracing.limit is not None:
            content.tracing.limit.next_start = inf
        yield _RunningApplication(app, *_protocol(app))
    finally:
        await app.stop()


def _costs(starts: Sequence[Turns], random: Random) -> tuple[float, Costs]:
    plain = median(cpu_us for turns in starts for cpu_us in turns[NEITHER])
    costs = {}
    for name in APPLICATIONS:
        if name != NEITHER:
            differences = [
                [
                    cpu_us - plain_us
                    for cpu_us, plain_us in zip(turns[name], turns[NEITHER], strict=True)
                ]
                for turns in starts
            ]
            costs[name] = confidence_interval([differences], random)
    return plain, costs


def _protocol(app: Application) -> tuple[FastPathProtocol, _Transport]:
    config = uvicorn.Config(
        app, http=FastPathProtocol, ws="none", log_config=None, access_log=False, interface="asgi3"
    )
    config.load()
    config.loaded_app = app
    protocol = FastPathProtocol(config, ServerState(), {}, asyncio.get_running_loop())
    transport = _Transport()
    protocol.connection_made(transport)
    return protocol, transport
