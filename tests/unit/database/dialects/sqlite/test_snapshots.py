"""Snapshots of the event loop: their lifetime, and checkpoints during them."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import apsw
import pytest

from quire.database.dialects.sqlite.changed_tables import OwnCommits
from quire.database.dialects.sqlite.snapshots import LONGEST_S, Snapshots
from quire.database.dialects.sqlite.wal_index import WalIndex


class Reader:
    """Reads accounts, and counts its snapshots."""

    def __init__(self, path: Path) -> None:
        self.connection = connect(path)
        self.begun = 0

    def begin(self) -> int:
        self.begun += 1
        self.connection.execute("BEGIN")
        return self._number("PRAGMA data_version")

    def end(self) -> None:
        if self.is_in_snapshot():
            self.connection.execute("COMMIT")

    def count(self) -> int:
        return self._number("SELECT count(*) FROM accounts")

    def is_in_snapshot(self) -> bool:
        return self.connection.in_transaction

    def _number(self, sql: str) -> int:
        number = self.connection.execute(sql).fetchall()[0][0]
        assert isinstance(number, int)
        return number


def connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(5000)
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    return connection


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with an empty table."""
    path = tmp_path / "data.db"
    with closing(connect(path)) as connection:
        connection.execute("CREATE TABLE accounts (id INTEGER PRIMARY KEY, amount BLOB)")
    return path


@pytest.fixture
def writer(path: Path) -> Iterator[apsw.Connection]:
    """Another connection to it."""
    with closing(connect(path)) as connection:
        yield connection


@asynccontextmanager
async def reading(
    path: Path, *, with_index: bool = True, longest: float = 3600
) -> AsyncIterator[tuple[Reader, Snapshots]]:
    reader = Reader(path)
    index = WalIndex(reader.connection.filename) if with_index else None
    commits = None if index is None else OwnCommits(index)
    snapshots = Snapshots(reader, index, commits, longest=longest)
    yield reader, snapshots
    snapshots.close()
    reader.connection.close()
    if index is not None:
        index.close()


def add(connection: apsw.Connection, size: int = 1) -> None:
    """Commit a row of so many bytes."""
    connection.execute("INSERT INTO accounts (amount) VALUES (zeroblob(?))", (size,))


async def rounds(snapshots: Snapshots, count: int) -> list[int | None]:
    """Look once in each of so many rounds of the loop."""
    seen = []
    for _ in range(count):
        seen.append(snapshots.version())
        await asyncio.sleep(0)
    return seen


# How long they last ------------------------------------------------------------------------------


async def test_rounds_of_the_loop_share_a_snapshot_while_nobody_commits(path: Path) -> None:
    async with reading(path) as (reader, snapshots):
        assert len(set(await rounds(snapshots, 5))) == 1
        assert reader.begun == 1


async def test_a_commit_is_seen_as_soon_as_somebody_looks(
    path: Path, writer: apsw.Connection
) -> None:
    async with reading(path) as (reader, snapshots):
        before = snapshots.version()
        add(writer)
        assert reader.count() == 0
        assert snapshots.version() != before
        assert reader.count() == 1
        assert reader.begun == 2


async def test_without_an_index_every_look_has_its_own(path: Path, writer: apsw.Connection) -> None:
    async with reading(path, with_index=False) as (reader, snapshots):
        assert len(set(await rounds(snapshots, 3))) == 1
        add(writer)
        snapshots.version()
        assert reader.count() == 1
        assert reader.begun == 4


async def test_at_rest_none_is_kept(path: Path) -> None:
    async with reading(path, longest=LONGEST_S) as (reader, snapshots):
        before = snapshots.version()
        await asyncio.sleep(0)
        assert reader.is_in_snapshot()
        await asyncio.sleep(0.2)
        assert not reader.is_in_snapshot()
        assert snapshots.version() == before


async def test_without_rest_none_is_kept_for_long(path: Path) -> None:
    loop = asyncio.get_running_loop()
    async with reading(path, longest=0.01) as (reader, snapshots):
        end = loop.time() + 0.3
        while loop.time() < end:
            await rounds(snapshots, 10)
        assert 3 <= reader.begun <= 50


async def test_one_that_was_let_go_of_is_begun_anew_within_a_round(
    path: Path, writer: apsw.Connection
) -> None:
    async with reading(path) as (reader, snapshots):
        snapshots.version()
        add(writer)
        snapshots.end()
        assert not reader.is_in_snapshot()
        snapshots.version()
        assert reader.count() == 1


async def test_a_snapshot_that_cannot_begin_has_no_version(path: Path) -> None:
    async with reading(path) as (reader, snapshots):
        reader.connection.execute("BEGIN")
        assert snapshots.version() is None
        reader.end()
        assert snapshots.version() is not None


# What they keep nobody from ----------------------------------------------------------------------


async def test_a_long_log_is_read_in_one_round_only_until_it_is_in_the_file(
    path: Path, writer: apsw.Connection
) -> None:
    """For only while nobody reads from it can a log begin again."""
    writer.wal_autocheckpoint(0)
    add(writer, 4096 * 1000)
    async with reading(path) as (reader, snapshots):
        await rounds(snapshots, 4)
        assert reader.begun == 4
        writer.wal_checkpoint()
        await rounds(snapshots, 4)
        assert reader.begun == 5


async def test_a_log_that_is_wholly_in_the_file_begins_anew_while_it_is_read(
    path: Path, writer: apsw.Connection
) -> None:
    log = path.with_name("data.db-wal")
    async with reading(path) as (_, snapshots):
        for _ in range(20):
            add(writer, 4096 * 100)
            await rounds(snapshots, 1)
            writer.wal_checkpoint()
            await rounds(snapshots, 1)
    assert log.stat().st_size < 3 * 4096 * 100


async def test_reading_without_rest_lets_a_checkpoint_finish_that_waits_for_readers(
    path: Path, writer: apsw.Connection
) -> None:
    add(writer)
    async with reading(path, longest=LONGEST_S) as (_, snapshots):
        snapshots.version()
        mode = apsw.SQLITE_CHECKPOINT_TRUNCATE
        waiting = asyncio.create_task(asyncio.to_thread(writer.wal_checkpoint, mode=mode))
        while not waiting.done():
            await rounds(snapshots, 10)
        assert await waiting == (0, 0)
