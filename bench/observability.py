"""What metrics and traces cost: ``python -m bench.observability``.

Servers on copies of one database, each with other settings, are compared in pairs with one that
observes nothing (`bench.paired`); so is another one that observes nothing, which shows how exact
the figures are. Spans are sent to a receiver in this process. What a request costs without a
recorded trace is also measured in one process (`bench.in_process`), which is far more exact.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import median
from types import MappingProxyType
from typing import Literal

import cyclopts
from rich.console import Console

from bench.in_process import (
    ComparedApplication,
    ComparedRequests,
    Costs,
    costs_table,
    in_process_costs,
)
from bench.load import LoadError, request_bytes, running_loader, write_bytes
from bench.paired import (
    TurnPair,
    alternate,
    confidence_interval,
    share_processor,
)
from bench.postgresql import PostgresBench
from bench.project import TOKEN
from bench.receiver import http_receiver
from bench.report import Table, machine, microseconds, print_table
from bench.servers import Launch, ServerError, free_port, running
from bench.sqlite import SqliteBench
from bench.stage import Scale, Stage
from bench.subject import make_tables
from bench.workloads import Workload, choose, workloads

_FOLDER = Path(__file__).resolve().parents[1] / "build" / "bench"
_DOCUMENTS = 1_000
_IN_PROCESS_STARTS = 5
_IN_PROCESS_TURNS = 60
_WRITES_PER_TURN = 10
_CACHE = {False: "without cached responses", True: "with cached responses"}
_SAMPLER = "parentbased_traceidratio"
NONE = "neither"


@dataclass(frozen=True, slots=True)
class ObservabilitySettings:
    """What a server observes: metrics or not, and which requests have traces.

    ``traced`` is their ratio, ``None`` what the server records without a ratio.
    """

    has_metrics: bool = False
    traced: float | None = 0


SERVERS: Mapping[str, ObservabilitySettings] = MappingProxyType(
    {
        NONE: ObservabilitySettings(),
        "neither, another one": ObservabilitySettings(),
        "metrics": ObservabilitySettings(has_metrics=True),
        "traces": ObservabilitySettings(traced=None),
        "metrics, traces": ObservabilitySettings(has_metrics=True, traced=None),
        "traces of 1 %": ObservabilitySettings(traced=0.01),
        "traces of all": ObservabilitySettings(traced=1),
    }
)
"""The servers that are compared with the first one."""

_METRICS: Mapping[str, object] = {"metrics.port": 1}
_TRACES: Mapping[str, object] = {"tracing.endpoint": "http://127.0.0.1:9"}
APPLICATIONS: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        NONE: {},
        "neither, again": {},
        "metrics": _METRICS,
        "traces": _TRACES,
        "metrics, traces": {**_METRICS, **_TRACES},
    }
)
"""The settings of each application that is measured in one process."""


@dataclass(frozen=True, slots=True)
class PairedEffort:
    """How often servers are started, how many pairs of turns each comparison then has, how long."""

    starts: int
    pairs: int
    seconds: float
    traces_per_second: int


Pairs = Mapping[str, Mapping[str, Sequence[Sequence[TurnPair]]]]
"""The pairs of turns by workload, by server, and by start."""


def measure(
    stage: Stage,
    effort: PairedEffort,
    chosen: Sequence[Workload],
    random: Random,
    *,
    has_cache: bool,
) -> Pairs:
    """Compare all servers with the first one; responses are kept with ``has_cache``.

    Raises LoadError and ServerError when a server does not answer as it should.
    """
    results: dict[str, dict[str, list[list[TurnPair]]]] = {
        workload.title: {name: [] for name in SERVERS if name != NONE} for workload in chosen
    }
    with http_receiver() as endpoint, running_loader() as loader:
        for start in range(effort.starts):
            with ExitStack() as stack:
                servers = {
                    name: stack.enter_context(running(launch))
                    for name, launch in _launches(
                        stage, endpoint, effort, has_cache=has_cache
                    ).items()
                }
                share_processor(loader, servers.values())
                plain = servers.pop(NONE)
                for workload in chosen:
                    for name, server in servers.items():
                        stage.progress(
                            f"start {start + 1} of {effort.starts}: {workload.title}, {name}"
                        )
                        pairs = alternate(
                            (plain, server),
                            workload,
                            loader,
                            random,
                            pairs=effort.pairs,
                            seconds=effort.seconds,
                        )
                        results[workload.title][name].append(pairs)
    return results


def _launches(
    stage: Stage, endpoint: str, effort: PairedEffort, *, has_cache: bool
) -> dict[str, Launch]:
    """Return how to start each server, on a fresh copy of the database."""
    launches = {}
    for number, (name, settings) in enumerate(SERVERS.items()):
        without = () if has_cache else ("responses",)
        launch = stage.quire(Scale(_DOCUMENTS), without=without, kind=f"observed-{number}")
        with (launch.folder / "quire.toml").open("a", encoding="utf-8") as file:
            file.write(f"[tracing]\ntraces_per_second = {effort.traces_per_second}\n")
            if settings.has_metrics:
                file.write(f"[metrics]\nport = {free_port()}\n")
        if settings.traced != 0:
            environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
            if settings.traced is not None:
                environment["OTEL_TRACES_SAMPLER"] = _SAMPLER
                environment["OTEL_TRACES_SAMPLER_ARG"] = str(settings.traced)
            launch = replace(launch, environment={**launch.environment, **environment})
        launches[name] = launch
    return launches


def table(title: str, results: Pairs, random: Random) -> Table:
    """Return how CPU time compares with that of a server that observes nothing."""
    rows = []
    for workload, pairs_by_server in results.items():
        for name, starts in pairs_by_server.items():
            plain = median(pair.cpu_us for pairs in starts for pair in pairs)
            rows.append((workload, name, microseconds(plain), *_difference([starts], random)))
    for name in next(iter(results.values())):
        workloads_starts = [pairs_by_server[name] for pairs_by_server in results.values()]
        rows.append(("equal time for each", name, "", *_difference(workloads_starts, random)))
    columns = ("Requests", "Server", "CPU without", "CPU", "95 %")
    return Table(title, columns, tuple(rows))


def _difference(
    workloads_starts: Sequence[Sequence[Sequence[TurnPair]]], random: Random
) -> tuple[str, str]:
    result = confidence_interval(
        [[[pair.ratio for pair in pairs] for pairs in starts] for starts in workloads_starts],
        random,
    )
    return _percent(result.value), f"{_percent(result.low)} to {_percent(result.high)}"


def _percent(ratio: float) -> str:
    return f"{(ratio - 1) * 100:+.1f} %"


def in_process_requests(chosen: Sequence[Workload]) -> list[ComparedRequests]:
    """Return the requests of workloads, which are the same for all applications.

    Of a workload with writes only these are measured; the reads are those of other workloads.
    """
    return [
        ComparedRequests(
            "write of one document, another each time",
            dict.fromkeys(
                APPLICATIONS, tuple(write_bytes(write, TOKEN) for write in workload.writes)
            ),
            per_turn=_WRITES_PER_TURN,
        )
        if workload.writes
        else ComparedRequests(
            workload.title,
            dict.fromkeys(
                APPLICATIONS, tuple(request_bytes(target, TOKEN) for target in workload.targets)
            ),
        )
        for workload in chosen
    ]


def _measure_in_process(
    progress: Callable[[str], None], chosen: Sequence[Workload], random: Random, *, has_cache: bool
) -> dict[str, tuple[float, Costs]]:
    stage = Stage(_FOLDER, make_tables, progress)
    without = () if has_cache else ("responses",)
    applications = {
        name: ComparedApplication(
            stage.quire(Scale(_DOCUMENTS), without=without, kind=f"in-process-{number}").folder,
            overrides,
        )
        for number, (name, overrides) in enumerate(APPLICATIONS.items())
    }
    return in_process_costs(
        applications,
        in_process_requests(chosen),
        random,
        starts=_IN_PROCESS_STARTS,
        turns=_IN_PROCESS_TURNS,
    )


def _without_new_documents(workload: Workload) -> Workload:
    """Leave out writes that enlarge the database: the servers answer different numbers of them."""
    writes = tuple(write for write in workload.writes if write.method != "POST")
    return replace(workload, writes=writes)


app = cyclopts.App(name="bench.observability", help="Measure what metrics and traces cost.")


@app.default
def observability(
    *,
    starts: int = 6,
    pairs: int = 12,
    seconds: float = 0.2,
    traces_per_second: int = 3,
    workload_names: str = "flat,relations,find-one,mixed",
    database: Literal["sqlite", "postgresql"] = "sqlite",
) -> int:
    """Load servers with metrics and traces, and one without, in turn.

    Parameters
    ----------
    starts
        How many times all servers are started; 0 to measure within one process alone.
    pairs
        How many pairs of turns each server then has with each workload.
    seconds
        How much CPU time a turn takes, about.
    traces_per_second
        How many traces servers start without a sampler. By default they have ten per second of
        their CPU time, because a server has about a third of the processor.
    workload_names
        Names of workloads, separated by commas.
    database
        The kind of database.
    """
    console = Console(width=140)
    database_kind = SqliteBench() if database == "sqlite" else PostgresBench()
    effort, random = PairedEffort(starts, pairs, seconds, traces_per_second), Random()
    chosen = [
        _without_new_documents(workload)
        for workload in choose(workloads(Scale(_DOCUMENTS).size), workload_names.split(","))
    ]
    load_before = os.getloadavg()
    try:
        with console.status("starting") as status:
            for has_cache in (False, True):
                title = (
                    f"Cost of a request that is not recorded, in one process, {_CACHE[has_cache]}"
                )
                results_in_process = _measure_in_process(
                    status.update, chosen, random, has_cache=has_cache
                )
                print_table(costs_table(title, results_in_process), console)
        for has_cache in (False, True) if starts else ():
            with console.status("starting") as status:
                stage = Stage(_FOLDER, make_tables, status.update, database_kind)
                results = measure(stage, effort, chosen, random, has_cache=has_cache)
            title = f"Cost of metrics and traces, {_CACHE[has_cache]}"
            print_table(table(title, results, random), console)
    except (ServerError, LoadError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    loads = ", ".join(f"{load:.1f}" for load in (load_before[0], *os.getloadavg()))
    console.print(f"{machine(database_kind.version())}; load before and after: {loads}")
    return 0


if __name__ == "__main__":
    sys.exit(app())
