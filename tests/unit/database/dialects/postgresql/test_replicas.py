"""The choice of a replica, with separate servers as replicas."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from quire.database.dialects.postgresql.connection import (
    PostgresConnection,
    PostgresOptions,
    open_connection,
)
from quire.database.dialects.postgresql.content_version import position_program
from quire.database.dialects.postgresql.driver import PostgresDatabase
from quire.database.dialects.postgresql.log_position import (
    NO_MARK,
    NO_POSITION,
    LogMark,
    LogPosition,
    mark_program,
    read_replica_position,
)
from quire.database.dialects.postgresql.pool import Pool
from quire.database.dialects.postgresql.replicas import Replica, Replicas
from quire.database.dialects.postgresql.watchdog import ConnectionWatchdog
from quire.database.tables.system_tables import CORE_STORE, LOG_MARK_KEY
from tests.unit.database.dialects.postgresql.conftest import run

LONG = 600.0
"""Seconds that no test takes."""

Connect = Callable[[], Awaitable[PostgresConnection]]


@pytest.fixture(autouse=True)
async def core_store(database: PostgresDatabase) -> None:
    """Create the table that has the mark."""
    columns = "id serial, key text, value text, type text"
    await database.write(run(f"CREATE TABLE IF NOT EXISTS {CORE_STORE} ({columns})"))


async def hang() -> PostgresConnection:
    """Connect to a server that takes connections, and does not respond."""
    await asyncio.Event().wait()
    raise AssertionError


def replica(name: str, connect: Connect) -> Replica:
    reads, asking = (Pool(connect, size=2, queue_seconds=LONG) for _ in range(2))
    return Replica(name, reads, asking, ConnectionWatchdog(connect, seconds=LONG))


@asynccontextmanager
async def used(*replicas: Replica, wait_seconds: float) -> AsyncIterator[Replicas]:
    found = Replicas(replicas, wait_seconds)
    async with asyncio.timeout(LONG / 10):  # far less than a read would wait for one that hangs
        yield found
    await found.close()


async def written(database: PostgresDatabase) -> LogPosition:
    """Write to the log of the server, which is marked; returns the position after that."""
    mark = await database.write(mark_program())
    await database.write(run("SELECT pg_logical_emit_message(true, 'test', 'written')"))
    position = await database.read(position_program)
    assert position is not None
    return position._replace(mark=mark)


async def test_a_replica_that_hangs_does_not_keep_another_one_from_being_read(
    options: PostgresOptions, database: PostgresDatabase
) -> None:
    hung, other = replica("hung", hang), replica("other", lambda: open_connection(options))
    async with used(hung, other, wait_seconds=LONG) as replicas:
        for _ in range(5):
            assert await replicas.ready_for(await written(database)) is other


async def test_without_the_server_a_replica_that_hangs_is_not_waited_for(
    options: PostgresOptions,
) -> None:
    hung, other = replica("hung", hang), replica("other", lambda: open_connection(options))
    async with used(hung, other, wait_seconds=0.01) as replicas:
        for _ in range(5):
            assert await replicas.with_all(NO_MARK) is other


async def test_without_the_server_the_replica_is_read_that_is_farthest_ahead(
    options: PostgresOptions,
) -> None:
    behind, ahead = (replica(name, lambda: open_connection(options)) for name in ("1", "2"))
    async with used(behind, ahead, wait_seconds=LONG) as replicas:
        ahead.position = LogPosition(1, 1 << 62)
        for _ in range(5):
            assert await replicas.with_all(NO_MARK) is ahead


async def test_without_the_server_a_replica_is_read_that_was_not_to_be_used_for_a_while(
    options: PostgresOptions,
) -> None:
    behind = replica("behind", lambda: open_connection(options))
    async with used(behind, wait_seconds=LONG) as replicas:
        behind.pause()
        assert await replicas.ready_for(LogPosition(1, 1)) is None
        assert await replicas.with_all(NO_MARK) is behind


async def test_without_the_server_and_any_replica_nothing_is_waited_for() -> None:
    async def refuse() -> PostgresConnection:
        raise ConnectionRefusedError

    gone = [replica(name, refuse) for name in ("1", "2")]
    async with used(*gone, wait_seconds=LONG) as replicas:
        assert await replicas.with_all(NO_MARK) is None


async def test_reads_go_to_the_replica_with_the_fewest_of_them(
    options: PostgresOptions, database: PostgresDatabase
) -> None:
    first, second = (replica(name, lambda: open_connection(options)) for name in ("1", "2"))
    async with used(first, second, wait_seconds=LONG) as replicas:
        position = await written(database)
        for one in (first, second):
            await one.query_position()
        found = [await replicas.ready_for(position) for _ in range(4)]
        assert found == [first, second, first, second]
        connection = await first.pool.acquire()
        assert [await replicas.ready_for(position) for _ in range(4)] == [second] * 4
        first.pool.release(connection)


async def test_a_replica_that_falls_behind_is_not_used(
    options: PostgresOptions,
) -> None:
    behind = replica("behind", lambda: open_connection(options))
    async with used(behind, wait_seconds=0.01) as replicas:
        assert await replicas.ready_for(LogPosition(1, 1 << 62)) is None
        assert behind.position == NO_POSITION


async def test_a_replica_of_another_timeline_is_not_used(options: PostgresOptions) -> None:
    other = replica("other", lambda: open_connection(options))
    async with used(other, wait_seconds=LONG) as replicas:
        assert await replicas.ready_for(LogPosition(2, 1)) is None
        assert await replicas.with_all(LogMark(2, 0, "of another")) is None


async def test_a_server_that_takes_writes_is_no_replica_of_another_one(
    options: PostgresOptions, database: PostgresDatabase
) -> None:
    other = replica("other", lambda: open_connection(options))
    async with used(other, wait_seconds=0.01) as replicas:
        position = await written(database)
        await other.query_position()
        assert await replicas.ready_for(position) is other
        assert await replicas.ready_for(position._replace(server=1)) is None


async def test_a_replica_with_another_mark_is_not_used(
    options: PostgresOptions, database: PostgresDatabase
) -> None:
    other = replica("other", lambda: open_connection(options))
    async with used(other, wait_seconds=LONG) as replicas:
        position = await written(database)
        mark = position.mark._replace(id="of another")
        assert await replicas.ready_for(position._replace(mark=mark)) is None
        assert await replicas.with_all(mark) is None
        assert await replicas.with_all(position.mark) is other


async def test_a_log_is_marked_once_by_each_server_that_accepts_writes(
    database: PostgresDatabase,
) -> None:
    mark = await database.write(mark_program())
    assert await database.write(mark_program()) == mark
    former = json.dumps({**mark._asdict(), "server": 1})
    change = f"UPDATE {CORE_STORE} SET value = $1 WHERE key = '{LOG_MARK_KEY}'"
    for stored in (former, "no mark", "{}"):
        await database.write(run(change, stored))
        new_mark = await database.write(mark_program())
        assert (new_mark.timeline, new_mark.server) == (mark.timeline, mark.server)
        assert new_mark.id != mark.id
        mark = new_mark


def test_a_standby_is_on_the_timeline_of_the_mark_that_it_shows() -> None:
    """Most users see only the timeline of its last restart point."""
    mark = LogMark(3, 5, "mark")
    position = read_replica_position(2, 100, 0, json.dumps(mark._asdict()))
    assert position == LogPosition(3, 100, 0, mark)
    others = (None, "1", "[]", '{"timeline": "x", "server": 5, "id": "mark"}')
    for stored_mark in others:
        assert read_replica_position(2, 100, 0, stored_mark) == LogPosition(2, 100)
