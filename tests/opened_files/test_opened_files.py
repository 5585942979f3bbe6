"""The detector reports each way to open a database file twice, and nothing else."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from quire.database.dialects.sqlite.driver import SqliteDatabase
from quire.database.dialects.sqlite.file_handles import SqliteOptions
from tests.opened_files.sitecustomize import REPORT

_PROCESS = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.execute("SELECT * FROM sqlite_master")
open(sys.argv[1]).close()
"""


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where reports go, instead of to the fixture that fails on them."""
    path = tmp_path / "report"
    path.touch()
    monkeypatch.setenv(REPORT, str(path))
    return path


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Path]:
    """A database in WAL mode that this process is connected to."""
    path = tmp_path / "data.db"
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE notes (id INTEGER)").fetchall()
        yield path


@pytest.mark.parametrize(
    "open_again",
    [
        lambda path: path.read_bytes(),
        lambda path: os.close(os.open(path, os.O_RDONLY)),
        lambda path: os.close(os.open(f"{path}-shm".encode(), os.O_RDONLY)),
        lambda path: (
            path.with_name("link.db").symlink_to(path) or path.with_name("link.db").read_bytes()
        ),
        lambda path: sqlite3.connect(path).close(),
        lambda path: sqlite3.connect(f"file:{path}?mode=ro", uri=True).close(),
    ],
    ids=["read", "descriptor", "shm", "symbolic link", "sqlite3", "sqlite3 uri"],
)
def test_a_second_open_is_reported(
    open_again: Callable[[Path], object], database: Path, report: Path
) -> None:
    open_again(database)
    assert f"in process {os.getpid()}" in report.read_text()
    assert "test_opened_files.py" in report.read_text()


def test_a_second_open_in_a_process_that_a_test_starts_is_reported(
    tmp_path: Path, report: Path
) -> None:
    subprocess.run([sys.executable, "-c", _PROCESS, tmp_path / "data.db"], check=True)
    assert "data.db in process" in report.read_text()


def test_the_driver_and_files_that_nobody_has_open_are_not_reported(
    tmp_path: Path, report: Path
) -> None:
    async def open_twice(path: Path) -> None:
        databases = [SqliteDatabase(SqliteOptions(path=path)) for _ in range(2)]
        for database in databases:
            await database.close()

    path = tmp_path / "data.db"
    path.touch()
    for _ in range(2):
        asyncio.run(open_twice(path))
        path.read_bytes()
    assert report.read_text() == ""
