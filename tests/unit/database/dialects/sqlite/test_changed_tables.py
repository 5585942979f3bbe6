"""Commits of this process are distinguished from those of others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from quire.database.dialects.sqlite.changed_tables import OwnCommits
from quire.database.dialects.sqlite.driver import SqliteDatabase
from quire.database.dialects.sqlite.wal_index import WalIndex, commits_of, is_begun_anew
from quire.database.program import Program, Statement
from tests.library.reading import opened

BOOKS, AUTHORS = frozenset({"books"}), frozenset({"authors"})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = (tmp_path / "data.db").resolve()
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.execute("CREATE TABLE books (id INTEGER PRIMARY KEY, content BLOB)")
        connection.execute("CREATE TABLE authors (id INTEGER PRIMARY KEY)")
    return path


@pytest.fixture
async def database(path: Path) -> AsyncIterator[SqliteDatabase]:
    async with opened(path) as database:
        yield database


def add_book(size: int) -> Program[None]:
    yield Statement("INSERT INTO books (content) VALUES (randomblob(?))", (size,))


async def test_a_log_that_begins_anew_changes_nothing_but_what_is_written(
    database: SqliteDatabase, path: Path
) -> None:
    """Somebody looks all the time, also while the first frames of a new log are written."""
    first = database.version()
    assert first is not None
    writing = asyncio.ensure_future(write_many(database))
    salts = set()
    index = WalIndex(str(path))
    while not writing.done():
        version = database.version()
        assert version is not None
        assert database.versions.are_equal(first, version, AUTHORS)
        state = index.state()
        if state is not None:
            salts.add(state[32:40])
        await asyncio.sleep(0)
    await writing
    last = database.version()
    index.close()
    assert last is not None
    assert not database.versions.are_equal(first, last, BOOKS)
    assert len(salts) > 2


async def write_many(database: SqliteDatabase) -> None:
    for _ in range(150):
        await database.write(add_book(200_000))


def test_a_state_of_a_new_log_is_told_from_the_one_after_a_commit(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("INSERT INTO books VALUES (1, NULL)")
        index = WalIndex(str(path))
        before = index.state()
        begin_anew(connection)
        begun = index.state()
        connection.execute("INSERT INTO books VALUES (2, NULL)")
        after = index.state()
    assert before is not None
    assert begun is not None
    assert after is not None
    assert is_begun_anew(before, begun)
    assert not is_begun_anew(before, before)
    assert not is_begun_anew(before, after)
    assert not is_begun_anew(begun, after)
    assert commits_of(after) == commits_of(begun) + 1
    index.close()


def test_only_what_was_noted_is_known(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("INSERT INTO books VALUES (1, NULL)")
        index = WalIndex(str(path))
        commits = OwnCommits(index)
        states = [commits.state()]
        for table, is_own in (("books", True), ("authors", True), ("books", False)):
            sql = f"INSERT INTO {table} (id) VALUES (7)"
            if is_own:
                with commits.committing(commits.state(), frozenset({table})):
                    connection.execute(sql)
            else:
                connection.execute("DELETE FROM books")
            states.append(commits.state())
        assert commits.changed_tables(states[0], states[2]) == BOOKS | AUTHORS
        # What was requested is not remembered.
        assert commits.changed_tables(states[0], states[1]) is None
        assert commits.changed_tables(states[2], states[3]) is None
        assert commits.changed_tables(None, states[3]) is None
        assert commits.changed_tables(states[3], None) is None
        assert commits.changed_tables(states[3], states[3]) == frozenset()
    index.close()


def test_two_commits_in_the_time_of_one_are_not_noted(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("INSERT INTO books VALUES (1, NULL)")
        index = WalIndex(str(path))
        commits = OwnCommits(index)
        before = commits.state()
        with commits.committing(before, BOOKS):
            connection.execute("INSERT INTO books VALUES (2, NULL)")
            connection.execute("INSERT INTO authors VALUES (1)")  # somebody else was quick
        assert commits.changed_tables(before, commits.state()) is None
    index.close()


def begin_anew(connection: apsw.Connection) -> None:
    """Let the log begin again, as a writer does before its first frame."""
    for mode in (apsw.SQLITE_CHECKPOINT_RESTART, apsw.SQLITE_CHECKPOINT_TRUNCATE):
        connection.wal_checkpoint(mode=mode)


def test_a_log_that_this_process_begins_anew_is_followed_to_its_commit(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("INSERT INTO books VALUES (1, NULL)")
        index = WalIndex(str(path))
        commits = OwnCommits(index)
        before = commits.state()
        with commits.committing(before, BOOKS):
            begin_anew(connection)
            begun = commits.state()
            assert commits.changed_tables(before, begun) == frozenset()
            connection.execute("INSERT INTO books VALUES (2, NULL)")
        assert commits.changed_tables(begun, commits.state()) == BOOKS
        # Of one that others begin again, nothing is known.
        before = commits.state()
        begin_anew(connection)
        assert commits.changed_tables(before, commits.state()) is None
    index.close()
