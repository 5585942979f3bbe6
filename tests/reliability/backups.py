"""Backups of a site that is written to, some of them killed, and each complete one restored."""

import json
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

from bench.servers import quire, running
from tests.conformance.corpus import credentials
from tests.databases.kind import Kind, opened
from tests.reliability.articles import Site
from tests.unit.cli.processes import QUIRE

_LONGEST_S = 1.0
"""After how long a backup is killed at the latest; a whole one takes about as long."""


@dataclass(slots=True)
class Backups:
    """What came of it: whole backups, killed ones, writes that were acknowledged, and problems."""

    whole: int = 0
    killed: int = 0
    acknowledged: int = 0
    problems: list[str] = field(default_factory=list)


def backup_under_load(
    kind: Kind,
    project: Path,
    fresh: Path,
    folder: Path,
    *,
    rounds: int,
    seed: int = 1,
    progress: Callable[[str], None] = lambda _: None,
) -> Backups:
    """Make a backup in each round, after one that is killed at a random moment; restore it.

    ``fresh`` is the project as it was at first: copies of it are what backups are restored to. A
    restored project has to hold every write that was acknowledged before its backup began, without
    damage.
    """
    chance, found = random.Random(seed), Backups()
    archives = folder / "archives"
    with (
        running(quire(project), "/_health", frozenset({204})) as server,
        written_to(server.port, "load") as written,
    ):
        for number in range(rounds):
            progress(f"round {number + 1} of {rounds}")
            found.killed += _killed_backup(project, archives, chance.uniform(0.1, _LONGEST_S))
            before = set(written)
            done = run_command("backup", project, "--to", archives / f"{number}.tar")
            if done is not None:
                found.problems.append(f"backup {number}: {done}")
                continue
            found.whole += 1
            copy = kind.copy(fresh, folder / f"restored{number}")
            try:
                archive = archives / f"{number}.tar"
                found.problems += _restored(kind, copy, archive, before, number)
            finally:
                kind.release(copy)
    found.acknowledged = len(written)
    return found


def _killed_backup(project: Path, archives: Path, seconds: float) -> bool:
    """Start a backup and kill it; tells whether it was still running."""
    target = archives / "killed"
    with subprocess.Popen(
        [QUIRE, "backup", project, "--to", target],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        time.sleep(seconds)
        is_running = process.poll() is None
        process.kill()
    whole = list(target.glob("*.tar")) if target.is_dir() else []
    for archive in whole:
        archive.unlink()
    return is_running


def _restored(
    kind: Kind, project: Path, archive: Path, before: set[str], number: int
) -> Iterator[str]:
    for command in (("restore", project, "--from", archive, "--replace"), ("check", project)):
        problem = run_command(*command)
        if problem is not None:
            yield f"{command[0]} of backup {number}: {problem}"
            return
    with opened(kind, project) as rows:
        labels = {str(label) for (label,) in rows.execute("SELECT label FROM tags")}
        if not before <= labels:
            yield f"backup {number} lacks {len(before - labels)} writes"
        yield from (f"backup {number}: {line}" for line in rows.damage())


@contextmanager
def written_to(port: int, name: str) -> Iterator[list[str]]:
    """Write to a site meanwhile; gives the labels that were acknowledged so far.

    They begin with ``name``.
    """
    token = credentials().api_tokens["full"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    ended, written = Event(), list[str]()

    def write() -> None:
        tried = 0
        with closing(Site(port, token).connect()) as connection:
            while not ended.is_set():
                label = f"{name} {tried}"
                tried += 1
                body = json.dumps({"data": {"label": label}})
                connection.request("POST", "/api/tags", body, headers)
                response = connection.getresponse()
                response.read()
                if response.status == 201:
                    written.append(label)

    writer = Thread(target=write)
    writer.start()
    try:
        yield written
    finally:
        ended.set()
        writer.join()


def run_command(*arguments: object) -> str | None:
    """Run a command; returns what it printed when it failed."""
    done = subprocess.run(
        [str(part) for part in (QUIRE, *arguments)], check=False, capture_output=True, text=True
    )
    return None if done.returncode == 0 else (done.stderr or done.stdout).strip()[-500:]
