"""The WAL-index: commits and checkpoints in its header, and closing it."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from struct import pack

import apsw
import pytest

from quire.database.dialects.sqlite.wal_index import (
    WalIndex,
    commits_of,
    is_log_long,
    state_of,
)
from tests.unit.database.dialects.sqlite.programs import committing, may_another_program_write

Opened = tuple[Path, apsw.Connection, WalIndex]


def connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    return connection


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """A database in WAL mode with one table of one row, a connection to it, and its index."""
    path = tmp_path / "data.db"
    with closing(connect(path)) as connection:
        connection.execute("CREATE TABLE accounts (id INTEGER PRIMARY KEY, amount INTEGER)")
        add(connection)
        index = WalIndex(connection.filename)
        yield path, connection, index
    index.close()


def add(connection: apsw.Connection) -> None:
    connection.execute("INSERT INTO accounts (amount) VALUES (1)")


def seen(index: WalIndex) -> bytes:
    head = index.look()
    assert head is not None
    return head


# What it tells -----------------------------------------------------------------------------------


def test_the_head_is_still_the_same_while_nobody_commits(opened: Opened) -> None:
    path, connection, index = opened
    head = seen(index)
    connection.execute("SELECT * FROM accounts").fetchall()
    with closing(connect(path)) as other:
        other.execute("BEGIN IMMEDIATE; INSERT INTO accounts (amount) VALUES (1); ROLLBACK")
    assert index.is_still(head)
    assert index.look() == head


def test_every_commit_changes_the_head(opened: Opened) -> None:
    path, connection, index = opened
    heads = {seen(index)}
    for _ in range(3):
        add(connection)
        heads.add(seen(index))
    with closing(connect(path)) as other:
        add(other)
        heads.add(seen(index))
    with committing(path) as program:
        program.commit(1)
        heads.add(seen(index))
    assert len(heads) == 6
    assert [index.is_still(head) for head in heads].count(True) == 1


def test_a_state_counts_commits_and_stays_the_same_while_a_checkpoint_goes_on(
    opened: Opened,
) -> None:
    _, connection, index = opened
    before = seen(index)
    connection.wal_checkpoint()
    assert not index.is_still(before)
    assert index.state() == state_of(before)
    for count in (1, 2, 3):
        add(connection)
        state = index.state()
        assert state is not None
        assert commits_of(state) == commits_of(state_of(before)) + count


def test_a_log_is_long_until_all_of_it_is_in_the_file_or_it_begins_anew(opened: Opened) -> None:
    _, connection, index = opened
    connection.wal_autocheckpoint(0)
    assert not is_log_long(seen(index))
    while not is_log_long(seen(index)):
        connection.execute(
            "INSERT INTO accounts (amount) SELECT 1 FROM accounts, accounts LIMIT 9000"
        )
    frames, _ = connection.wal_checkpoint()
    assert frames >= 1000
    assert not is_log_long(seen(index))
    add(connection)
    assert not is_log_long(seen(index))


# What it does not tell ---------------------------------------------------------------------------


def test_a_database_without_a_log_has_no_index(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("CREATE TABLE accounts (amount INTEGER)")
        with pytest.raises(FileNotFoundError):
            WalIndex(connection.filename)


COPY = pack("=I4xIB35x", 3_007_000, 7, 1)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="nothing yet"),
        pytest.param(COPY + COPY, id="too little"),
        pytest.param(bytes(48) + COPY + bytes(4), id="a first copy that is not yet written"),
        pytest.param(bytes(100), id="not in use"),
        pytest.param(pack("=I4xIB35x", 3_007_001, 7, 1) * 2 + bytes(4), id="another format"),
    ],
)
def test_a_head_that_cannot_be_relied_on_tells_nothing(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "data.db-shm"
    with path.open("wb", buffering=0) as file:
        file.write(content)
        index = WalIndex(str(tmp_path / "data.db"))
        assert index.look() is None
        os.pwrite(file.fileno(), COPY + COPY + bytes(4), 0)
        assert index.look() == COPY + COPY + bytes(4)
    path.unlink()
    index.close()


# Letting go --------------------------------------------------------------------------------------


def test_letting_go_of_an_index_leaves_the_locks_of_other_connections(tmp_path: Path) -> None:
    """The locks of a process go with the first of its descriptors of the file that is closed."""
    path = tmp_path / "data.db"
    with closing(connect(path)) as connection:
        connection.execute("CREATE TABLE accounts (amount INTEGER)")
        index = WalIndex(connection.filename)
        connection.execute("BEGIN IMMEDIATE")
        index.close()
        assert not may_another_program_write(path)
        connection.execute("ROLLBACK")
        assert may_another_program_write(path)


def test_an_index_is_closed_once_the_last_connection_has_removed_it(tmp_path: Path) -> None:
    def descriptors() -> set[str]:
        return {
            str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()
        }

    if not Path("/proc/self/fd").exists():
        pytest.skip("this system does not tell which files are open")
    first, second = tmp_path / "first.db", tmp_path / "second.db"
    with closing(connect(first)) as connection:
        connection.execute("CREATE TABLE accounts (amount INTEGER)")
        WalIndex(connection.filename).close()
        assert f"{first}-shm" in descriptors()
    with closing(connect(second)) as connection:
        connection.execute("CREATE TABLE accounts (amount INTEGER)")
        index = WalIndex(connection.filename)
    index.close()
    assert not {name for name in descriptors() if str(tmp_path) in name}
