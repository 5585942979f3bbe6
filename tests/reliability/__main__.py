"""Crash tests with a chosen number of rounds: ``python -m tests.reliability --rounds 200``.

Outages of PostgreSQL for as long as wanted: ``python -m tests.reliability outage``. And as many
changes of content types as wanted: ``python -m tests.reliability remodels --times 100``. The server
killed while they change: ``python -m tests.reliability remodel-crash``. Migrations that end after
each of their statements: ``python -m tests.reliability migrations``. Jobs and what follows commits
when the server is killed: ``python -m tests.reliability background --rounds 200``. Releases, when
it is killed while one is published or undone: ``python -m tests.reliability releases``. A search
index that follows what is published: ``python -m tests.reliability search-index``. Several nodes, a
server and a replica that go away in turn: ``python -m tests.reliability failover``. Schedules by
three processes, and after a restart: ``python -m tests.reliability schedules``. Edits of Python
code in development: ``python -m tests.reliability code-edits --times 500``.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Literal, NamedTuple

import cyclopts
from cyclopts import Parameter
from rich.console import Console
from rich.status import Status
from rich.table import Table

from bench.servers import ServerError, quire, running
from tests.conformance.corpus import credentials, postgresql_dump, unpack_project
from tests.conformance.over_socket import connected
from tests.databases.environment import write_environment
from tests.databases.kind import Kind
from tests.databases.kinds import KindName, kind_called
from tests.postgresql.cluster import Cluster
from tests.postgresql.session import Session
from tests.reliability.articles import Site
from tests.reliability.background_crash import crash_background
from tests.reliability.backups import backup_under_load
from tests.reliability.code_edits import development, edit
from tests.reliability.crash import crash
from tests.reliability.failover import fail_over
from tests.reliability.migrating import change_files, cut_off
from tests.reliability.outage import WAYS, Outcome, live_through
from tests.reliability.release_crash import crash_releases
from tests.reliability.remodel_crash import crash_changes
from tests.reliability.remodels import memory_of, remodel
from tests.reliability.scheduling import run_schedules
from tests.reliability.search_crash import crash_search

_CLIENTS = 6
_PATIENCE_S = 60
_SEEN_SECONDS = 0.3
"""In how many seconds changed code should be seen."""
_PROBE, _ALIVE = "/_health", frozenset({204})

Database = Annotated[KindName, Parameter(help="The kind of database.")]
Rounds = Annotated[
    int,
    Parameter(help="How many times it is killed; the first round that shows an error is the last."),
]
WrittenSeconds = Annotated[
    float,
    Parameter(
        help="How long it is written to at the longest, before it is killed at a random moment."
    ),
]
Seed = Annotated[int, Parameter(help="Decides random moments, and what is written.")]
Times = Annotated[int, Parameter(help="How many times it is repeated.")]
Workers = Annotated[int, Parameter(help="How many processes serve the site.")]

app = cyclopts.App(name="reliability", help="Take away what the server needs, see what stays.")


class RecordedProject(NamedTuple):
    """A recorded project that a command works on, and what shows its progress."""

    kind: Kind
    folder: Path
    project: Path
    progress: Callable[[str], None]
    console: Console

    def report(self, problems: Sequence[str], summary: str) -> int:
        """Print the result, and return the exit code."""
        return _report(self.console, problems, summary)


@contextmanager
def _recorded_project(database: KindName) -> Iterator[RecordedProject]:
    """Lay out a recorded project in a folder of its own, which is removed afterwards."""
    kind, console = kind_called(database), Console()
    with (
        TemporaryDirectory(prefix="quire-reliability-") as made,
        console.status("starting") as status,
    ):
        folder = Path(made)
        project = kind.recorded(folder / "project")
        try:
            yield RecordedProject(kind, folder, project, _progress(console, status), console)
        finally:
            kind.release(project)


def _progress(console: Console, status: Status) -> Callable[[str], None]:
    """Return what shows progress: in place on a terminal, else line by line, as in a log."""
    if console.is_terminal:
        return status.update
    return lambda line: console.print(line, highlight=False, soft_wrap=True)


def _report(console: Console, problems: Sequence[str], summary: str) -> int:
    """Print what was found, and return the exit code."""
    for problem in problems:
        console.print(problem, style="red", markup=False)
    console.print(f"{summary}, {len(problems)} problems", highlight=False)
    return 1 if problems else 0


@app.default
def reliability(
    *,
    rounds: Rounds = 200,
    seconds: WrittenSeconds = 1.0,
    seed: Seed = 1,
    database: Database = "sqlite",
) -> int:
    """Kill the server again and again while it is written to; after each start look at the rows."""
    with _recorded_project(database) as run:
        try:
            outcome = crash(
                lambda: quire(run.project),
                rounds=rounds,
                seconds=seconds,
                seed=seed,
                progress=run.progress,
            )
        except ServerError as error:
            return run.report([str(error)], "not finished")
    return run.report(
        outcome.problems,
        f"killed {outcome.rounds} times, {outcome.acknowledged:,} writes acknowledged,"
        f" {outcome.unanswered} cut off",
    )


@app.command
def background(
    *,
    rounds: Rounds = 200,
    seconds: WrittenSeconds = 1.0,
    seed: Seed = 1,
    database: Database = "sqlite",
) -> int:
    """Kill the server while it is written to, and look at which jobs and functions have run."""
    with _recorded_project(database) as run:
        outcome = crash_background(
            run.project,
            lambda: quire(run.project, 2),
            rounds=rounds,
            seconds=seconds,
            seed=seed,
            progress=run.progress,
        )
    return run.report(
        outcome.problems,
        f"killed {outcome.rounds} times, {outcome.acknowledged:,} writes acknowledged",
    )


@app.command
def backups(*, times: Times = 50, seed: Seed = 1, database: Database = "sqlite") -> int:
    """Back up a site that is written to, and restore it, each time after the command was killed."""
    with _recorded_project(database) as run:
        site = run.kind.copy(run.project, run.folder / "site")
        try:
            found = backup_under_load(
                run.kind,
                site,
                run.project,
                run.folder,
                rounds=times,
                seed=seed,
                progress=run.progress,
            )
        finally:
            run.kind.release(site)
    return run.report(
        found.problems,
        f"{found.complete} backups restored, {found.killed_backups} backups and"
        f" {found.killed_restores} restores killed, {found.acknowledged:,} writes acknowledged",
    )


@app.command
def outage(
    *,
    way: Annotated[
        Literal["stop", "kill", "hang"],
        Parameter(help="Stop it as an operator does, kill -9 its first process, or let it hang."),
    ] = "stop",
    seconds: Annotated[float, Parameter(help="How long it is away.")] = 30,
    workers: Workers = 1,
    within: Annotated[
        float, Parameter(help="In how many seconds after the database the site has to be back.")
    ] = 2,
) -> int:
    """Take PostgreSQL away from a site that is read and written to, and give it back."""
    console = Console()
    with TemporaryDirectory(prefix="quire-outage-") as folder, console.status(f"{way}: under way"):
        place = Path(folder)
        place.chmod(0o711)  # the database may run as somebody else, who has to get to its own
        outcome = asyncio.run(_outage(place, way, seconds, workers))
    problems = list(outcome.problems)
    if outcome.back > within:
        problems.append(f"back after {outcome.back:.1f} s, and not within {within:g}")
    return _report(
        console,
        problems,
        f"{way}, {seconds:g} s: {outcome.reads:,} reads answered, {outcome.kept:,} writes"
        f" acknowledged and there, {outcome.refused:,} requests asked to come back, the slowest"
        f" answer took {outcome.slowest:.1f} s, back {outcome.back:.2f} s after the database",
    )


async def _outage(folder: Path, way: str, seconds: float, workers: int) -> Outcome:
    cluster = Cluster(folder / "cluster", {"synchronous_commit": "on"})
    try:
        url = cluster.start()
        session = Session(url)
        session.script(postgresql_dump())
        session.close()
        project = unpack_project(folder / "project")
        write_environment(project, {"DATABASE_CLIENT": "postgres", "DATABASE_URL": url})
        with ExitStack() as stack:
            launch = quire(project, workers)
            stack.enter_context(running(launch, _PROBE, _ALIVE))
            clients = [
                stack.enter_context(connected(launch.port, _PATIENCE_S)) for _ in range(_CLIENTS)
            ]
            token = credentials().api_tokens["full"]
            return await live_through(WAYS[way], cluster, clients, token, seconds)
    finally:
        cluster.stop()


@app.command
def failover(
    *,
    nodes: Annotated[int, Parameter(help="How many nodes there are.")] = 3,
    away: Annotated[float, Parameter(help="For how many seconds the server is away.")] = 60,
    calm: Annotated[
        float, Parameter(help="For how many seconds the site is used after each step.")
    ] = 5,
    former: Annotated[
        Path | None,
        Parameter(
            help="The `quire` of another virtual environment, with an earlier version: the nodes"
            " begin with it, are upgraded to the present one, and return to it."
        ),
    ] = None,
) -> int:
    """Take away and restart each part of a site of several nodes, a server and a replica."""
    console = Console()
    with console.status("starting") as status:
        phases = asyncio.run(
            fail_over(
                nodes=nodes,
                away=away,
                calm=calm,
                former=former,
                progress=_progress(console, status),
            )
        )
    table = Table(
        "", "s", "reads", "503", "pause s", "writes", "503", "cut off", "pause s", "p99 ms"
    )
    for phase in phases:
        seen = phase.outcome
        table.add_row(
            phase.name,
            f"{phase.seconds:.0f}",
            f"{seen.reads:,}",
            f"{seen.refused_reads:,}",
            f"{seen.pauses['read']:.2f}",
            f"{seen.kept:,}",
            f"{seen.refused - seen.refused_reads:,}",
            f"{seen.cut_off:,}",
            f"{seen.pauses['written']:.2f}",
            f"{phase.p99_ms:.0f}",
        )
    console.print(table)
    problems = [f"{phase.name}: {one}" for phase in phases for one in phase.outcome.problems]
    problems += [f"{one.name}: reads were refused" for one in phases if one.outcome.refused_reads]
    return _report(console, problems, f"{len(phases)} phases")


@app.command
def remodels(*, times: Times = 100, workers: Workers = 1, database: Database = "sqlite") -> int:
    """Change content types again and again while clients read and write."""
    memory: list[int] = []
    with _recorded_project(database) as run:
        launch = quire(run.project, workers)
        with running(launch, _PROBE, _ALIVE) as server:
            site = Site(launch.port, credentials().api_tokens["full"])
            outcome = remodel(
                site, times=times, progress=lambda _: memory.append(memory_of(server.pid))
            )
    return run.report(
        outcome.problems,
        f"{len(memory)} changes under {outcome.answered:,} answers, each seen by all within"
        f" {outcome.slowest:.2f} s, megabytes {_ten_of(memory)}",
    )


@app.command
def code_edits(*, times: Times = 500, database: Database = "sqlite") -> int:
    """Edit Python code while clients use the server that `quire dev` runs.

    Every third edit has a mistake.
    """
    memory: list[int] = []
    with _recorded_project(database) as run:
        launch = development(run.project)
        with running(launch, _PROBE, _ALIVE) as server:
            outcome = edit(
                launch, times=times, progress=lambda _: memory.append(memory_of(server.pid))
            )
    seconds = sorted(outcome.seconds) or [0.0]
    in_time = sum(one < _SEEN_SECONDS for one in outcome.seconds)
    return run.report(
        outcome.problems,
        f"{len(outcome.seconds)} edits and {outcome.broken} with a mistake under"
        f" {outcome.responses:,} responses, seen by all within {seconds[len(seconds) // 2]:.2f} s"
        f" (median; {in_time} of them within {_SEEN_SECONDS} s) to {seconds[-1]:.2f} s,"
        f" megabytes {_ten_of(memory)}",
    )


def _ten_of(memory: Sequence[int]) -> str:
    """Return about ten of the sizes that a process has had, in megabytes."""
    return " ".join(f"{used / 2**20:.0f}" for used in memory[:: max(1, len(memory) // 10)])


@app.command
def remodel_crash(
    *,
    rounds: Rounds = 30,
    seconds: WrittenSeconds = 3.0,
    seed: Seed = 1,
    database: Database = "sqlite",
) -> int:
    """Kill the server again and again while content types change; look which model is there."""
    with _recorded_project(database) as run:
        outcome = crash_changes(
            lambda: quire(run.project), rounds=rounds, seconds=seconds, seed=seed
        )
    return run.report(
        outcome.problems,
        f"killed {outcome.rounds} times, {outcome.acknowledged:,} changes acknowledged,"
        f" {outcome.unanswered:,} cut off",
    )


@app.command
def releases(
    *,
    rounds: Rounds = 200,
    entries: Annotated[int, Parameter(help="How many entries the release has.")] = 1000,
    seed: Seed = 1,
    database: Database = "sqlite",
) -> int:
    """Kill the server while a release is published or undone: all or none of it has to be."""
    with _recorded_project(database) as run:
        outcome = crash_releases(
            lambda: quire(run.project),
            entries=entries,
            rounds=rounds,
            seed=seed,
            progress=run.progress,
        )
    return run.report(
        outcome.problems,
        f"killed {outcome.publications} times during publishing and {outcome.undos} times during"
        f" undoing, {outcome.committed} of them committed",
    )


@app.command
def schedules(
    *,
    entries: Annotated[int, Parameter(help="How many articles are planned, twice.")] = 60,
    seconds: Annotated[float, Parameter(help="In how many seconds all of them are due.")] = 60,
    within: Annotated[
        float, Parameter(help="In how many seconds after its time each has to happen.")
    ] = 2,
    seed: Seed = 1,
    database: Database = "sqlite",
) -> int:
    """Publish articles at planned times by three processes, before and after a restart."""
    with _recorded_project(database) as run:
        outcome = run_schedules(
            run.project,
            lambda: quire(run.project, 3),
            entries=entries,
            seconds=seconds,
            seed=seed,
            progress=run.progress,
        )
    late = [delay for delays in outcome.delays.values() for delay in delays if delay > within]
    for name, delays in outcome.delays.items():
        if delays:
            run.console.print(
                f"{name}: {len(delays)}, delay median {median(delays):.2f} s,"
                f" longest {max(delays):.2f} s",
                highlight=False,
            )
    code = run.report(
        outcome.problems,
        f"{outcome.published} articles published, {outcome.runs} runs of a schedule,"
        f" {len(late)} later than {within:g} s",
    )
    return 1 if late else code


@app.command
def search_index(
    *,
    rounds: Rounds = 100,
    seconds: WrittenSeconds = 1.0,
    seed: Seed = 1,
    database: Database = "sqlite",
) -> int:
    """Kill the server while it is written to; every tenth time, look whether an index follows."""
    with _recorded_project(database) as run:
        outcome = crash_search(
            run.project,
            run.folder / "packages",
            lambda: quire(run.project, 2),
            rounds=rounds,
            seconds=seconds,
            seed=seed,
            progress=run.progress,
        )
    return run.report(
        outcome.problems,
        f"killed {outcome.rounds} times, {outcome.acknowledged:,} writes acknowledged",
    )


@app.command
def migrations(
    *,
    every: Annotated[int, Parameter(help="After every how many statements.")] = 1,
    database: Database = "sqlite",
) -> int:
    """End a migration after each of its statements in turn: the database has to be as it was."""
    with _recorded_project(database) as run:
        change_files(run.project)
        number = every
        torn: list[str] = []
        while True:
            run.progress(f"ended after {number} statements")
            problem = asyncio.run(cut_off(run.project, run.kind, number))
            if problem is None:
                break
            torn += [f"torn after {number} statements"] if problem else []
            number += every
    return run.report(torn, f"ended after up to {number - every} statements")


if __name__ == "__main__":
    sys.exit(app())
