"""What metrics and traces cost: ``python -m bench.observability``.

Servers on copies of one database, each with other settings, answer the same requests in turn, round
after round; ratios are of this run. Spans are sent to a receiver in this process.
"""

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import cyclopts
from rich.console import Console

from bench.compare import Contestant, Effort, Result, compare
from bench.load import LoadError
from bench.postgresql import PostgresGround
from bench.receiver import http_receiver
from bench.report import Table, machine, microseconds, print_table
from bench.servers import ServerError, free_port, running
from bench.sqlite import SqliteGround
from bench.stage import Scale, Stage
from bench.subject import make_tables
from bench.workloads import choose, workloads

_FOLDER = Path(__file__).resolve().parents[1] / "build" / "bench"
_DOCUMENTS = 1_000
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
        "metrics": ObservabilitySettings(has_metrics=True),
        "traces": ObservabilitySettings(traced=None),
        "metrics, traces": ObservabilitySettings(has_metrics=True, traced=None),
        "traces of 1 %": ObservabilitySettings(traced=0.01),
        "traces of all": ObservabilitySettings(traced=1),
    }
)
"""The servers that are compared."""


def measure(stage: Stage, effort: Effort, *, names: Sequence[str], has_cache: bool) -> list[Result]:
    """Load all servers with the workloads ``names``; responses are kept with ``has_cache``.

    Raises LoadError and ServerError when a server does not answer as it should.
    """
    scale = Scale(_DOCUMENTS)
    chosen = {workload.name: workload for workload in choose(workloads(scale.size), names)}
    with ExitStack() as stack:
        endpoint = stack.enter_context(http_receiver())
        contestants = []
        for number, (name, settings) in enumerate(SERVERS.items()):
            without = () if has_cache else ("responses",)
            launch = stage.quire(scale, without=without, kind=f"observed-{number}")
            if settings.has_metrics:
                with (launch.folder / "quire.toml").open("a", encoding="utf-8") as file:
                    file.write(f"[metrics]\nport = {free_port()}\n")
            if settings.traced != 0:
                environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
                if settings.traced is not None:
                    environment["OTEL_TRACES_SAMPLER"] = _SAMPLER
                    environment["OTEL_TRACES_SAMPLER_ARG"] = str(settings.traced)
                launch = replace(launch, environment={**launch.environment, **environment})
            contestants.append(Contestant(name, stack.enter_context(running(launch)), chosen))
        return compare(contestants, effort, stage.progress)


def table(title: str, results: Sequence[Result]) -> Table:
    """Return CPU time and throughput, and how they compare with a server that observes nothing."""
    rows = []
    for result in results:
        plain = result.summaries[NONE]
        for name, summary in result.summaries.items():
            rows.append(
                (
                    result.title,
                    name,
                    microseconds(summary.cpu_us),
                    _difference(summary.cpu_us, plain.cpu_us),
                    _difference(summary.cpu_us_min, plain.cpu_us_min),
                    f"{summary.rate or 0:,.0f}",
                    _difference(summary.rate, plain.rate),
                )
            )
    columns = ("Requests", "Server", "CPU", "of median", "of min", "requests/s", "of median")
    return Table(title, columns, tuple(rows))


def _difference(value: float | None, plain: float | None) -> str:
    if value is None or not plain:
        return ""
    return f"{(value / plain - 1) * 100:+.1f} %"


app = cyclopts.App(name="bench.observability", help="Measure what metrics and traces cost.")


@app.default
def observability(
    *,
    rounds: int = 15,
    seconds: float = 1.0,
    workload_names: str = "flat,relations,find-one",
    database: Literal["sqlite", "postgresql"] = "sqlite",
) -> int:
    """Load servers with metrics and traces, and one without, in turn.

    Parameters
    ----------
    rounds
        How many times each server takes its turn with each workload.
    seconds
        How long a turn lasts, about.
    workload_names
        Names of workloads, separated by commas.
    database
        The kind of database.
    """
    console = Console(width=140)
    database_kind = SqliteGround() if database == "sqlite" else PostgresGround()
    effort, names = Effort(rounds, seconds), workload_names.split(",")
    try:
        for has_cache in (False, True):
            with console.status("starting") as status:
                stage = Stage(_FOLDER, make_tables, status.update, database_kind)
                results = measure(stage, effort, names=names, has_cache=has_cache)
            title = "with cached responses" if has_cache else "without cached responses"
            print_table(table(f"Cost of metrics and traces, {title}", results), console)
    except (ServerError, LoadError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    console.print(machine(database_kind.version()))
    return 0


if __name__ == "__main__":
    sys.exit(app())
