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
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Literal

import cyclopts
from rich.console import Console
from rich.status import Status
from rich.table import Table

from bench.servers import ServerError, quire, running
from tests.conformance.corpus import credentials, postgresql_dump, unpack_project
from tests.conformance.over_socket import connected
from tests.databases.environment import write_environment
from tests.databases.kinds import KINDS, KindName, kind_called
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
_PROBE, _ALIVE = "/_health", frozenset({204})

app = cyclopts.App(name="reliability", help="Take away what the server needs, see what stays.")


def _progress(console: Console, status: Status) -> Callable[[str], None]:
    """Return what shows progress: in place on a terminal, else line by line, as in a log."""
    if console.is_terminal:
        return status.update
    return lambda line: console.print(line, highlight=False, soft_wrap=True)


@app.default
def reliability(
    *, rounds: int = 200, seconds: float = 1.0, seed: int = 1, database: KindName = "sqlite"
) -> int:
    """Kill the server again and again while it is written to; after each start look at the rows.

    Parameters
    ----------
    rounds
        How many times it is killed; the first round that shows an error is the last.
    seconds
        How long it is written to at the longest, before it is killed at a random moment.
    seed
        Decides those moments and what is written.
    database
        The kind of database.
    """
    console = Console()
    with TemporaryDirectory() as folder, console.status("starting") as status:
        project = kind_called(database).recorded(Path(folder) / "project")
        try:
            outcome = crash(
                lambda: quire(project),
                rounds=rounds,
                seconds=seconds,
                seed=seed,
                progress=_progress(console, status),
            )
        except ServerError as error:
            console.print(str(error), style="red", markup=False)
            return 1
    for problem in outcome.problems:
        console.print(problem, style="red", markup=False)
    console.print(
        f"killed {outcome.rounds} times, {outcome.acknowledged:,} writes acknowledged,"
        f" {outcome.unanswered} cut off, {len(outcome.problems)} problems",
        highlight=False,
    )
    return 1 if outcome.problems else 0


@app.command
def background(
    *, rounds: int = 200, seconds: float = 1.0, seed: int = 1, database: KindName = "sqlite"
) -> int:
    """Kill the server while it is written to, and look at which jobs and functions have run.

    Parameters
    ----------
    rounds
        How many times it is killed.
    seconds
        How long it is written to at the longest, before it is killed at a random moment.
    seed
        Decides those moments.
    database
        The kind of database.
    """
    console = Console()
    with TemporaryDirectory() as folder, console.status("starting") as status:
        project = kind_called(database).recorded(Path(folder) / "project")
        outcome = crash_background(
            project,
            lambda: quire(project, 2),
            rounds=rounds,
            seconds=seconds,
            seed=seed,
            progress=_progress(console, status),
        )
    for problem in outcome.problems:
        console.print(problem, style="red", markup=False)
    console.print(
        f"killed {outcome.rounds} times, {outcome.acknowledged:,} writes acknowledged,"
        f" {len(outcome.problems)} problems",
        highlight=False,
    )
    return 1 if outcome.problems else 0


@app.command
def backups(*, times: int = 50, seed: int = 1, database: KindName = "sqlite") -> int:
    """Back up a site that is written to, and restore it, each time after the command was killed.

    Parameters
    ----------
    times
        How many backups are restored.
    seed
        Decides when commands are killed.
    database
        The kind of database.
    """
    console = Console()
    kind = kind_called(database)
    with TemporaryDirectory() as made, console.status("starting") as status:
        folder = Path(made)
        fresh = kind.recorded(folder / "fresh")
        project = kind.copy(fresh, folder / "project")
        try:
            found = backup_under_load(
                kind,
                project,
                fresh,
                folder,
                rounds=times,
                seed=seed,
                progress=_progress(console, status),
            )
        finally:
            kind.release(project)
            kind.release(fresh)
    for problem in found.problems:
        console.print(problem, style="red", markup=False)
    console.print(
        f"{found.complete} backups restored, {found.killed_backups} backups and"
        f" {found.killed_restores} restores killed, {found.acknowledged:,} writes acknowledged,"
        f" {len(found.problems)} problems",
        highlight=False,
    )
    return 1 if found.problems else 0


@app.command
def outage(
    *,
    way: Literal["stop", "kill", "hang"] = "stop",
    seconds: float = 30,
    workers: int = 1,
    within: float = 2,
) -> int:
    """Take PostgreSQL away from a site that is read and written to, and give it back.

    Parameters
    ----------
    way
        ``stop`` it as an operator does, ``kill -9`` its first process, or let it ``hang``.
    seconds
        How long it is away.
    workers
        How many processes serve the site.
    within
        In how many seconds after the database the site has to be back.
    """
    console = Console()
    with TemporaryDirectory(prefix="quire-outage-") as folder, console.status(f"{way}: under way"):
        place = Path(folder)
        place.chmod(0o711)  # the database may run as somebody else, who has to get to its own
        outcome = asyncio.run(_outage(place, way, seconds, workers))
    problems = list(outcome.problems)
    if outcome.back > within:
        problems.append(f"back after {outcome.back:.1f} s, and not within {within:g}")
    for problem in problems:
        console.print(problem, style="red", markup=False)
    console.print(
        f"{way}, {seconds:g} s: {outcome.reads:,} reads answered, {outcome.kept:,} writes"
        f" acknowledged and there, {outcome.refused:,} requests asked to come back, the slowest"
        f" answer took {outcome.slowest:.1f} s, back {outcome.back:.2f} s after the database,"
        f" {len(problems)} problems",
        highlight=False,
    )
    return 1 if problems else 0


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
    *, nodes: int = 3, away: float = 60, calm: float = 5, former: Path | None = None
) -> int:
    """Take away and restart each part of a site of several nodes, a server and a replica.

    Parameters
    ----------
    nodes
        How many nodes there are.
    away
        For how many seconds the server is away.
    calm
        For how many seconds the site is used after each step.
    former
        The ``quire`` of another virtual environment, with an earlier version: the nodes begin with
        it, are upgraded to the present one, and return to it.
    """
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
    for problem in problems:
        console.print(problem, style="red", markup=False)
    console.print(f"{len(problems)} problems", highlight=False)
    return 1 if problems else 0


@app.command
def remodels(*, times: int = 100, workers: int = 1, database: str = "sqlite") -> int:
    """Change content types again and again while clients read and write.

    Parameters
    ----------
    times
        How many changes there are.
    workers
        How many processes serve the site.
    database
        ``sqlite`` or ``postgresql``.
    """
    kind = next(one for one in KINDS if one.name == database)
    memory: list[int] = []
    console = Console()
    with TemporaryDirectory(prefix="quire-remodels-") as folder, console.status("starting"):
        project = kind.recorded(Path(folder) / "project")
        launch = quire(project, workers)
        with running(launch, _PROBE, _ALIVE) as server:
            site = Site(launch.port, credentials().api_tokens["full"])
            outcome = remodel(
                site,
                times=times,
                progress=lambda _: memory.append(memory_of(server.pid)),
            )
        kind.release(project)
    for problem in outcome.problems:
        console.print(problem, style="red", markup=False)
    reported = ", ".join(f"{used / 2**20:.0f}" for used in memory[:: max(1, times // 10)])
    console.print(
        f"{len(memory)} changes under {outcome.answered:,} answers, each seen by all within"
        f" {outcome.slowest:.2f} s, {len(outcome.problems)} problems; megabytes: {reported}",
        highlight=False,
    )
    return 1 if outcome.problems else 0


@app.command
def code_edits(*, times: int = 500, database: KindName = "sqlite") -> int:
    """Edit Python code again and again while clients use the server that `quire dev` runs.

    Parameters
    ----------
    times
        How many edits there are; every third has a mistake.
    database
        The kind of database.
    """
    kind = kind_called(database)
    memory: list[int] = []
    console = Console()
    with TemporaryDirectory(prefix="quire-code-edits-") as folder, console.status("starting"):
        launch = development(kind.recorded(Path(folder) / "project"))
        with running(launch, _PROBE, _ALIVE) as server:
            outcome = edit(
                launch,
                times=times,
                progress=lambda _: memory.append(memory_of(server.pid)),
            )
        kind.release(launch.folder)
    for problem in outcome.problems:
        console.print(problem, style="red", markup=False)
    reported = ", ".join(f"{used / 2**20:.0f}" for used in memory[:: max(1, len(memory) // 10)])
    seconds = sorted(outcome.seconds) or [0.0]
    console.print(
        f"{len(outcome.seconds)} edits and {outcome.broken} with a mistake under"
        f" {outcome.responses:,} responses, seen by all within {seconds[len(seconds) // 2]:.2f} s"
        f" (median) to {seconds[-1]:.2f} s, {len(outcome.problems)} problems;"
        f" megabytes: {reported}",
        highlight=False,
    )
    return 1 if outcome.problems else 0


@app.command
def remodel_crash(
    *, rounds: int = 30, seconds: float = 3.0, seed: int = 1, database: KindName = "sqlite"
) -> int:
    """Kill the server again and again while content types change; look which model is there.

    Parameters
    ----------
    rounds
        How many times it is killed.
    seconds
        How long content types change at the longest, before it is killed at a random moment.
    seed
        Decides those moments.
    database
        The kind of database.
    """
    kind = kind_called(database)
    console = Console()
    with TemporaryDirectory(prefix="quire-remodel-crash-") as folder, console.status("starting"):
        project = kind.recorded(Path(folder) / "project")
        outcome = crash_changes(lambda: quire(project), rounds=rounds, seconds=seconds, seed=seed)
        kind.release(project)
    for problem in outcome.problems:
        console.print(problem, style="red", markup=False)
    console.print(
        f"killed {outcome.rounds} times, {outcome.acknowledged:,} changes acknowledged, "
        f"{outcome.unanswered:,} cut off, {len(outcome.problems)} problems",
        highlight=False,
    )
    return 1 if outcome.problems else 0


@app.command
def releases(
    *, rounds: int = 200, entries: int = 1000, seed: int = 1, database: KindName = "sqlite"
) -> int:
    """Kill the server while a release is published or undone; look whether all or none of it was.

    Parameters
    ----------
    rounds
        How many times it is killed; the first round that shows an error is the last.
    entries
        How many entries the release has.
    seed
        Decides the moments, and what the entries contain.
    database
        The kind of database.
    """
    kind = kind_called(database)
    console = Console()
    with TemporaryDirectory() as folder, console.status("starting") as status:
        project = kind.recorded(Path(folder) / "project")
        try:
            outcome = crash_releases(
                lambda: quire(project),
                entries=entries,
                rounds=rounds,
                seed=seed,
                progress=_progress(console, status),
            )
        finally:
            kind.release(project)
    for problem in outcome.problems:
        console.print(problem, style="red", markup=False)
    console.print(
        f"killed {outcome.publications} times during publishing and {outcome.undos} times during"
        f" undoing, {outcome.committed} of them committed, {len(outcome.problems)} problems",
        highlight=False,
    )
    return 1 if outcome.problems else 0


@app.command
def schedules(
    *,
    entries: int = 60,
    seconds: float = 60,
    within: float = 2,
    seed: int = 1,
    database: KindName = "sqlite",
) -> int:
    """Publish articles at planned times by three processes, before and after a restart.

    Parameters
    ----------
    entries
        How many articles are planned, twice.
    seconds
        In how many seconds all of them are due.
    within
        In how many seconds after its time each has to happen.
    seed
        Decides the times.
    database
        The kind of database.
    """
    kind = kind_called(database)
    console = Console()
    with TemporaryDirectory() as folder, console.status("starting") as status:
        project = kind.recorded(Path(folder) / "project")
        try:
            outcome = run_schedules(
                project,
                lambda: quire(project, 3),
                entries=entries,
                seconds=seconds,
                seed=seed,
                progress=_progress(console, status),
            )
        finally:
            kind.release(project)
    late = [delay for delays in outcome.delays.values() for delay in delays if delay > within]
    for problem in outcome.problems:
        console.print(problem, style="red", markup=False)
    for name, delays in outcome.delays.items():
        if delays:
            console.print(
                f"{name}: {len(delays)}, delay median {median(delays):.2f} s,"
                f" longest {max(delays):.2f} s",
                highlight=False,
            )
    console.print(
        f"{outcome.published} articles published, {outcome.runs} runs of a schedule,"
        f" {len(late)} later than {within:g} s, {len(outcome.problems)} problems",
        highlight=False,
    )
    return 1 if outcome.problems or late else 0


@app.command
def search_index(
    *, rounds: int = 100, seconds: float = 1.0, seed: int = 1, database: KindName = "sqlite"
) -> int:
    """Kill the server while it is written to; look whether a search index follows.

    Parameters
    ----------
    rounds
        How many times it is killed; the index is looked at after every tenth.
    seconds
        How long it is written to at the longest, before it is killed at a random moment.
    seed
        Decides those moments and what is written.
    database
        The kind of database.
    """
    kind = kind_called(database)
    console = Console()
    with TemporaryDirectory() as folder, console.status("starting") as status:
        project = kind.recorded(Path(folder) / "project")
        try:
            outcome = crash_search(
                project,
                Path(folder) / "packages",
                lambda: quire(project, 2),
                rounds=rounds,
                seconds=seconds,
                seed=seed,
                progress=_progress(console, status),
            )
        finally:
            kind.release(project)
    for problem in outcome.problems:
        console.print(problem, style="red", markup=False)
    console.print(
        f"killed {outcome.rounds} times, {outcome.acknowledged:,} writes acknowledged,"
        f" {len(outcome.problems)} problems",
        highlight=False,
    )
    return 1 if outcome.problems else 0


@app.command
def migrations(*, database: KindName = "sqlite", every: int = 1) -> int:
    """End a migration after each of its statements in turn: the database has to be as it was.

    Parameters
    ----------
    database
        The kind of database.
    every
        After every how many statements.
    """
    kind = kind_called(database)
    console = Console()
    with TemporaryDirectory(prefix="quire-migrations-") as folder, console.status("") as status:
        project = kind.recorded(Path(folder) / "project")
        change_files(project)
        number = every
        torn = []
        while True:
            status.update(f"ended after {number} statements")
            problem = asyncio.run(cut_off(project, kind, number))
            if problem is None:
                break
            torn += [number] if problem else []
            number += every
        kind.release(project)
    console.print(f"ended after up to {number - every} statements; torn after: {torn or 'none'}")
    return 1 if torn else 0


if __name__ == "__main__":
    sys.exit(app())
