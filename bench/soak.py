"""The stability of a server under long load: ``python -m bench.soak --seconds 600``.

Requests are sent as fast as the server responds: 95 % reads of 260 URLs, and 5 % writes, each of
which is delivered to a webhook. Metrics are read at regular intervals. In the second half of the
run neither the memory nor any queue may grow.
"""

import http.client
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Literal
from urllib.request import urlopen

import cyclopts
from rich.console import Console

from bench.load import LoadError, LoadJob, LoadResult, load
from bench.postgresql import PostgresBench
from bench.receiver import http_receiver
from bench.report import Table, machine, print_table
from bench.servers import Server, ServerError, administered, free_port
from bench.sqlite import SqliteBench
from bench.stage import Scale, Stage
from bench.subject import make_tables
from bench.workloads import Workload, choose, workloads

_FOLDER = Path(__file__).resolve().parents[1] / "build" / "bench-soak"
_WARM_UP = 1_000
_MEMORY_GROWTH = 1.05
"""By how much memory may be larger in the last quarter of the time than in the third."""
_QUEUE_GROWTH = 1.5
"""By how much the queues may be longer in the last quarter of the time than in the third."""
_SHORT_QUEUE = 1000
"""A queue of at most so many deliveries and jobs does not count as growing: it varies."""
_FEWEST_SLICES = 4

app = cyclopts.App(name="bench.soak", help="Load a server for long, and watch what it uses.")


@dataclass(frozen=True, slots=True)
class Sample:
    """What one slice of the load saw, and what the server said after it.

    ``memory_mb`` is that of all its processes. ``webhooks`` and ``jobs`` are queue depths,
    ``lag_s`` the age of the oldest delivery, ``waiting`` operations without a connection.
    """

    result: LoadResult
    memory_mb: float
    files: float
    webhooks: float
    lag_s: float
    jobs: float
    waiting: float


@app.default
def soak(
    *,
    seconds: int = 600,
    slices: int = 20,
    documents: int = 25_000,
    workers: int = 1,
    concurrency: int = 16,
    database: Literal["sqlite", "postgresql"] = "postgresql",
) -> int:
    """Load one server for so long; print what was seen, and end with 1 if anything grows.

    Parameters
    ----------
    seconds
        How long the load lasts, about.
    slices
        How many times metrics are looked at, at least 4.
    documents
        How many documents there are.
    workers
        How many processes the server has.
    concurrency
        How many requests are under way at once.
    database
        The kind of database.
    """
    console = Console()
    database_kind = SqliteBench() if database == "sqlite" else PostgresBench()
    scale = Scale(documents)
    (workload,) = choose(workloads(scale.size), ["mixed"])
    samples: list[Sample] = []
    try:
        with console.status("starting") as status, ExitStack() as stack:
            stage = Stage(_FOLDER, make_tables, status.update, database_kind)
            launch, metrics = stage.quire(scale, workers), free_port()
            (launch.folder / "quire.toml").write_text(
                f"[metrics]\nport = {metrics}\n[webhooks]\nprivate_addresses = true\n",
                encoding="utf-8",
            )
            server = stack.enter_context(administered(launch))
            _add_webhook(server, stack.enter_context(http_receiver()) + "/hook")
            job = _job(server, workload, concurrency)
            load(replace(job, requests=_WARM_UP))
            first = load(replace(job, requests=_WARM_UP))
            slices = max(slices, _FEWEST_SLICES)
            rate = first.requests / first.seconds
            for number in range(slices):
                status.update(f"slice {number + 1} of {slices}")
                result = load(replace(job, requests=max(1, int(rate * seconds / slices))))
                rate = result.requests / result.seconds
                samples.append(_sample(result, metrics))
            stage.clear()
    except (ServerError, LoadError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    console.print(machine(database_kind.version()))
    print_table(_table(samples), console)
    problems = list(_problems(samples))
    for problem in problems:
        console.print(problem, style="red", markup=False)
    return 1 if problems else 0


def _job(server: Server, workload: Workload, concurrency: int) -> LoadJob:
    return LoadJob(
        server.port, workload.targets, server.token, _WARM_UP, concurrency, workload.writes
    )


def _add_webhook(server: Server, url: str) -> None:
    """Let each write of an entry be told to a URL. Raises ServerError when that is rejected."""
    events = ["entry.create", "entry.update", "entry.publish"]
    body = json.dumps({"name": "soak", "url": url, "headers": {}, "events": events})
    headers = {
        "Authorization": f"Bearer {server.administrator}",
        "Content-Type": "application/json",
    }
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request("POST", "/admin/webhooks", body, headers)
        response = connection.getresponse()
        said = response.read()
    if response.status != http.HTTPStatus.CREATED:
        raise ServerError(f"no webhook was made: {response.status} {said[:300]!r}")


def _sample(result: LoadResult, port: int) -> Sample:
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as response:
        lines = response.read().decode().splitlines()

    def total(name: str) -> float:
        """Return the sum of a metric over its labels."""
        own = (line for line in lines if line.startswith((f"{name} ", f"{name}{{")))
        return sum(float(line.rpartition(" ")[2]) for line in own)

    return Sample(
        result=result,
        memory_mb=total("process_resident_memory_bytes") / 1e6,
        files=total("process_open_fds"),
        webhooks=total("quire_webhook_queue_depth"),
        lag_s=total("quire_webhook_queue_lag_seconds"),
        jobs=total("quire_job_queue_depth"),
        waiting=total("quire_database_pool_waiting"),
    )


def _problems(samples: list[Sample]) -> Iterator[str]:
    quarter = len(samples) // 4
    third, last = samples[-2 * quarter : -quarter], samples[-quarter:]
    before, after = (mean(one.memory_mb for one in part) for part in (third, last))
    if after > before * _MEMORY_GROWTH:
        yield f"memory has grown from {before:.0f} MB to {after:.0f} MB in the last quarter"
    before, after = (mean(one.webhooks + one.jobs for one in part) for part in (third, last))
    if after > max(before * _QUEUE_GROWTH, _SHORT_QUEUE):
        yield f"the queues have grown from {before:.0f} to {after:.0f} in the last quarter"
    files_before, files_after = (max(one.files for one in part) for part in (third, last))
    if files_after > files_before * 2:
        yield f"open files have grown from {files_before:.0f} to {files_after:.0f}"


def _table(samples: list[Sample]) -> Table:
    rows, elapsed = [], 0.0
    for one in samples:
        elapsed += one.result.seconds
        rows.append(
            (
                f"{elapsed:.0f}",
                f"{one.result.requests / one.result.seconds:,.0f}",
                f"{one.result.p50_ms:.1f}",
                f"{one.result.p99_ms:.1f}",
                f"{one.memory_mb:.0f}",
                f"{one.files:.0f}",
                f"{one.webhooks:.0f}",
                f"{one.lag_s:.1f}",
                f"{one.jobs:.0f}",
                f"{one.waiting:.0f}",
            )
        )
    columns = (
        "s",
        "req/s",
        "p50 ms",
        "p99 ms",
        "MB",
        "files",
        "webhooks",
        "lag s",
        "jobs",
        "waiting",
    )
    return Table("The server under load, slice by slice", columns, tuple(rows))


if __name__ == "__main__":
    sys.exit(app())
