"""An interrupted migration leaves either the old or the new database."""

import asyncio
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from quire.database.program import Program, Statement
from tests.databases.kind import Kind
from tests.databases.kinds import SQLITE
from tests.databases.sqlite import file_of
from tests.reliability.migrating import (
    change_files,
    contents,
    cut_off,
    migrate_project,
    nothing,
)
from tests.unit.cli.conftest import Run, run

__all__ = ["run"]

_COMPANIONS = ("", "-wal", "-journal")
"""What belongs to a SQLite file, by the end of its name."""
_SMALL_CACHE = "PRAGMA cache_size = 20"
"""With so few pages in memory the others go to the disk long before the commit."""
_FEWEST = 100
_LATE = 290
"""One of the last statements, when tables have changed and rows are written."""


class Wrecks:
    """What a crash would leave of a SQLite file, while it is written to."""

    def __init__(self, file: Path, folder: Path) -> None:
        self._file = file
        self._wreck = folder / "wreck.db"
        self._last: dict[str, bytes] = {}
        self._sound = b""
        self.torn: list[int] = []
        """After which statements something else was found than before the first one."""
        self.count = 0
        """How many different ones there were."""

    def look(self, number: int) -> Program[None]:
        """Open a copy of what is on the disk now."""
        if number == 1:
            yield Statement(_SMALL_CACHE)
            self._sound = self._part("")
        parts = {end: self._part(end) for end in _COMPANIONS}
        if parts == self._last:
            return
        self._last = parts
        self.count += 1
        for end, content in parts.items():
            path = self._wreck.with_name(self._wreck.name + end)
            path.unlink(missing_ok=True)
            if content:
                path.write_bytes(content)
        with closing(sqlite3.connect(self._wreck)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
        if self._wreck.read_bytes() != self._sound:
            self.torn.append(number)

    def _part(self, end: str) -> bytes:
        path = self._file.with_name(self._file.name + end)
        return path.read_bytes() if path.exists() else b""


@pytest.mark.reopens_database_files("copies the file in the middle of a write; nobody else has it")
@pytest.mark.parametrize("journal_mode", ["wal", "keep"])
async def test_at_every_statement_a_file_holds_all_that_was_there_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journal_mode: str
) -> None:
    project = SQLITE.recorded(tmp_path / "project")
    (project / "quire.toml").write_text(f'[database]\njournal_mode = "{journal_mode}"\n')
    change_files(project)
    before = file_of(project).read_bytes()
    wrecks = Wrecks(file_of(project), tmp_path)
    await migrate_project(project, wrecks.look)
    assert file_of(project).read_bytes() != before
    assert wrecks.torn == []
    assert wrecks.count > _FEWEST


async def test_a_migration_that_is_cut_off_changes_nothing_and_can_be_done_again(
    kind: Kind, own_recorded: Path, run: Run
) -> None:
    change_files(own_recorded)
    for point in (1, 150, _LATE):
        assert await cut_off(own_recorded, kind, point) is False, point
    await migrate_project(own_recorded, nothing)
    check = await asyncio.to_thread(run, "check", own_recorded)
    assert check.code == 0, check.messages


async def test_a_killed_migration_leaves_what_was_there(
    kind: Kind, own_recorded: Path, run: Run
) -> None:
    change_files(own_recorded)
    before = await contents(own_recorded)
    call = f"migrating.migrate_and_die({str(own_recorded)!r}, {_LATE})"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", f"from tests.reliability import migrating; {call}"
    )
    assert await process.wait() == -signal.SIGKILL
    assert await contents(own_recorded) == before
    await migrate_project(own_recorded, nothing)
    check = await asyncio.to_thread(run, "check", own_recorded)
    assert check.code == 0, check.messages
