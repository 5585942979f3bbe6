"""Backups and restores of a site in use, some of them killed."""

import json
import os
import random
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

from bench.servers import quire, running
from quire.settings import load_settings
from tests.conformance.corpus import credentials
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.databases.kind import Kind, Rows, opened
from tests.reliability.articles import Site
from tests.unit.cli.processes import QUIRE

_EARLIEST_S = 0.1
_UPLOAD_EVERY = 5
"""Of so many writes, one is an upload where there are uploads."""
_PAUSE_S = 0.005
"""How long the client waits between two writes, so that backups do not grow with each round."""
_TEMPORARY = (".quire-restore-*", ".quire-backup-*")


@dataclass(slots=True)
class Backups:
    """What came of it: complete backups, commands that were killed, acknowledged writes."""

    complete: int = 0
    killed_backups: int = 0
    killed_restores: int = 0
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
    """In each round, make a backup after a killed one, and restore it after a killed restore.

    Commands are killed at a random moment, alone or with the programs that they have started.
    ``fresh`` is the project as it was at first: copies of it are what backups are restored to.
    After a killed restore, the database has to hold the former content or that of the backup; a
    restored project has to hold every write that was acknowledged before its backup began.
    ``progress`` is given the number of each round, and each problem when it occurs.
    """
    found, killer = Backups(), _CommandKiller(seed)

    def report(problem: str) -> None:
        found.problems.append(problem)
        progress(problem)

    with (
        running(quire(project), "/_health", frozenset({204})) as server,
        written_to(server.port, "load", uploads=True) as written,
    ):
        for number in range(rounds):
            progress(f"round {number + 1} of {rounds}")
            unfinished, archive = folder / "killed.tar", folder / f"{number}.tar"
            found.killed_backups += killer.run("backup", project, "--to", unfinished)
            unfinished.unlink(missing_ok=True)
            before = set(written)
            began = monotonic()
            problem = run_command("backup", project, "--to", archive)
            if problem is not None:
                report(f"backup {number}: {problem}")
                continue
            killer.note("backup", monotonic() - began)
            found.complete += 1
            copy = kind.copy(fresh, folder / f"restored{number}")
            try:
                found.killed_restores += killer.run("restore", copy, "--from", archive, "--replace")
                trial = _RestoreTrial(kind, copy, archive, before, number)
                for problem in (*trial.after_kill(fresh), *trial.restore(killer)):
                    report(problem)
            finally:
                kind.release(copy)
                shutil.rmtree(copy)
                archive.unlink()
    found.acknowledged = len(written)
    return found


class _CommandKiller:
    """Kills commands before they have taken as long as the last one of the kind that was not."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._seconds: dict[str, float] = {}

    def note(self, command: str, seconds: float) -> None:
        """Record how long a command takes."""
        self._seconds[command] = seconds

    def run(self, command: str, *arguments: object) -> bool:
        """Start a command and kill it; tells whether it was still running."""
        longest = self._seconds.get(command, 1.0)
        with subprocess.Popen(
            [str(part) for part in (QUIRE, command, *arguments)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            try:
                process.wait(self._chance.uniform(_EARLIEST_S, max(longest, _EARLIEST_S)))
            except subprocess.TimeoutExpired:
                if self._chance.random() < 0.5:
                    process.kill()
                else:
                    os.killpg(process.pid, signal.SIGKILL)
                return True
        return False


@dataclass(frozen=True, slots=True)
class _RestoreTrial:
    """A project that a backup is restored to, and the labels that the backup has to hold."""

    kind: Kind
    project: Path
    archive: Path
    before: set[str]
    number: int

    def after_kill(self, fresh: Path) -> Iterator[str]:
        """Yield what is wrong after a restore was killed."""
        with opened(self.kind, fresh) as rows:
            former = _content(rows)
        with opened(self.kind, self.project) as rows:
            content = _content(rows)
            if content != former and not self.before <= content:
                yield f"the killed restore {self.number} left a part of the backup"
            yield from (f"killed restore {self.number}: {line}" for line in rows.damage())

    def restore(self, killer: _CommandKiller) -> Iterator[str]:
        """Restore the backup, and yield what is wrong then."""
        began = monotonic()
        problem = run_command("restore", self.project, "--from", self.archive, "--replace")
        if problem is not None:
            yield f"restore of backup {self.number}: {problem}"
            return
        killer.note("restore", monotonic() - began)
        problem = run_command("check", self.project)
        if problem is not None:
            yield f"check of backup {self.number}: {problem}"
        uploads = self.project / load_settings(self.project, environ={}).uploads.directory
        with opened(self.kind, self.project) as rows:
            lost = self.before - _content(rows)
            if lost:
                yield f"backup {self.number} lacks {len(lost)} writes"
            for hash_, extension in rows.execute("SELECT hash, ext FROM files"):
                if not (uploads / f"{hash_}{extension}").is_file():
                    yield f"backup {self.number} lacks the file {hash_}{extension}"
            yield from (f"backup {self.number}: {line}" for line in rows.damage())
        for pattern in _TEMPORARY:
            for left in self.project.rglob(pattern):
                yield f"restore of backup {self.number}: {left.name} was left"


def _content(rows: Rows) -> set[str]:
    """Return the labels of all tags and the names of all files."""
    labels, names = rows.execute("SELECT label FROM tags"), rows.execute("SELECT name FROM files")
    return {str(one) for (one,) in (*labels, *names)}


@contextmanager
def written_to(port: int, name: str, *, uploads: bool = False) -> Iterator[list[str]]:
    """Write to a site meanwhile; gives the labels of tags that were acknowledged so far.

    They begin with ``name``. With ``uploads`` files are uploaded, too, and named among them.
    """
    token = credentials().api_tokens["full"]
    headers = {"Authorization": f"Bearer {token}"}
    ended, written = Event(), list[str]()

    def write() -> None:
        tried = 0
        with closing(Site(port, token).connect()) as connection:
            while not ended.is_set():
                tried += 1
                if not uploads or tried % _UPLOAD_EVERY:
                    label = f"{name} {tried}"
                    body = json.dumps({"data": {"label": label}}).encode()
                    target, type_ = "/api/tags", "application/json"
                else:
                    label = f"{name}-{tried}.txt"
                    body = form([FilePart(label, label.encode() * 100, "text/plain")])
                    target, type_ = "/api/upload", FORM_TYPE
                connection.request("POST", target, body, {**headers, "Content-Type": type_})
                response = connection.getresponse()
                response.read()
                if response.status == 201:
                    written.append(label)
                sleep(_PAUSE_S)

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
