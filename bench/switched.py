"""What metrics and traces cost a request, exactly: switched on and off in one process.

The protocol of the server receives requests for cached responses without sockets, in short turns of
the same number of requests, with metrics and traces on or off in random order. So all turns run in
the same objects, and hundredths of a microsecond can be measured on a machine that does other work,
too. No trace starts meanwhile: this is the cost of all the other requests.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from random import Random

import uvicorn
import uvloop
from uvicorn.server import ServerState

from bench.load import request_bytes
from bench.paired import ConfidenceInterval, TurnPair, confidence_interval
from bench.project import TOKEN
from bench.workloads import Workload
from quire.app import Application, build_app
from quire.content_api.fast_path import FastPathProtocol
from quire.settings import load_settings

_BATCH = 100
_WARM_UP = 400
_UNUSED_ADDRESS = "http://127.0.0.1:9"


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


def switched_costs(
    folder: Path, chosen: Sequence[Workload], random: Random, *, pairs: int
) -> dict[str, dict[str, ConfidenceInterval]]:
    """Return by workload and by what is on how many microseconds more a request takes.

    ``folder`` is that of a project with a database. Raises RuntimeError when a response is not
    cached.
    """
    return uvloop.run(_costs(folder, chosen, random, pairs))


async def _costs(
    folder: Path, chosen: Sequence[Workload], random: Random, pairs: int
) -> dict[str, dict[str, ConfidenceInterval]]:
    overrides = {"metrics.port": 1, "tracing.endpoint": _UNUSED_ADDRESS}
    app = build_app(load_settings(folder, overrides=overrides))
    await app.start()
    try:
        return {
            workload.title: await _workload_costs(app, workload, random, pairs)
            for workload in chosen
        }
    finally:
        await app.stop()


async def _workload_costs(
    app: Application, workload: Workload, random: Random, pairs: int
) -> dict[str, ConfidenceInterval]:
    content = app.content
    if content is None or content.tracing is None or content.tracing.limit is None:
        raise RuntimeError("the application has no fast path with traces")
    content.tracing.limit.next_start = inf
    observer, tracing = content.observer, content.tracing
    switches = {
        "neither": (None, None),
        "neither, again": (None, None),
        "metrics": (observer, None),
        "traces": (None, tracing),
        "metrics, traces": (observer, tracing),
    }
    requests = [request_bytes(target, TOKEN) for target in workload.targets]
    protocol, transport = _protocol(app)
    for number in range(max(_WARM_UP, len(requests))):
        transport.has_response.clear()
        protocol.data_received(requests[number % len(requests)])
        await transport.has_response.wait()

    def turn() -> float:
        started = time.thread_time_ns()
        for number in range(_BATCH):
            protocol.data_received(requests[number % len(requests)])
        return (time.thread_time_ns() - started) / _BATCH / 1000

    results: dict[str, list[TurnPair]] = {name: [] for name in switches}
    for _ in range(pairs):
        responses, used = transport.responses, {}
        for name in random.sample(list(switches), len(switches)):
            content.observer, content.tracing = switches[name]
            used[name] = turn()
        if transport.responses != responses + _BATCH * len(switches):
            raise RuntimeError("a response was not cached")
        for name, cpu_us in used.items():
            results[name].append(TurnPair(used["neither"], cpu_us / used["neither"]))
        await asyncio.sleep(0)
    content.observer, content.tracing = observer, tracing
    return _differences(results, random)


def _differences(
    results: Mapping[str, Sequence[TurnPair]], random: Random
) -> dict[str, ConfidenceInterval]:
    return {
        name: confidence_interval([[[pair.cpu_us * (pair.ratio - 1) for pair in pairs]]], random)
        for name, pairs in results.items()
        if name != "neither"
    }


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
