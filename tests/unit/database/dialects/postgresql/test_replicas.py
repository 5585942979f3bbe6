"""The choice of a replica, with separate servers as replicas."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from quire.database.dialects.postgresql.connection import (
    PostgresConnection,
    PostgresOptions,
    open_connection,
)
from quire.database.dialects.postgresql.content_version import position_program
from quire.database.dialects.postgresql.driver import PostgresDatabase
from quire.database.dialects.postgresql.log_position import NO_POSITION, LogPosition
from quire.database.dialects.postgresql.pool import Pool
from quire.database.dialects.postgresql.replicas import Replica, Replicas
from quire.database.dialects.postgresql.watchdog import ConnectionWatchdog
from tests.unit.database.dialects.postgresql.conftest import run

LONG = 600.0
"""Seconds that no test takes."""

Connect = Callable[[], Awaitable[PostgresConnection]]


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
    """Write to the log of the server; returns the position after that."""
    await database.write(run("SELECT pg_logical_emit_message(true, 'test', 'written')"))
    position = await database.read(position_program)
    assert position is not None
    return position


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
            assert await replicas.with_all(1) is other


async def test_without_the_server_the_replica_is_read_that_is_farthest_ahead(
    options: PostgresOptions,
) -> None:
    behind, ahead = (replica(name, lambda: open_connection(options)) for name in ("1", "2"))
    async with used(behind, ahead, wait_seconds=LONG) as replicas:
        ahead.position = LogPosition(1, 1 << 62)
        for _ in range(5):
            assert await replicas.with_all(1) is ahead


async def test_without_the_server_a_replica_is_read_that_was_not_to_be_used_for_a_while(
    options: PostgresOptions,
) -> None:
    behind = replica("behind", lambda: open_connection(options))
    async with used(behind, wait_seconds=LONG) as replicas:
        behind.pause()
        assert await replicas.ready_for(LogPosition(1, 1)) is None
        assert await replicas.with_all(1) is behind


async def test_without_the_server_and_any_replica_nothing_is_waited_for() -> None:
    async def refuse() -> PostgresConnection:
        raise ConnectionRefusedError

    gone = [replica(name, refuse) for name in ("1", "2")]
    async with used(*gone, wait_seconds=LONG) as replicas:
        assert await replicas.with_all(1) is None


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
        assert await replicas.with_all(2) is None


async def test_a_server_that_takes_writes_is_no_replica_of_another_one(
    options: PostgresOptions, database: PostgresDatabase
) -> None:
    other = replica("other", lambda: open_connection(options))
    async with used(other, wait_seconds=0.01) as replicas:
        position = await written(database)
        await other.query_position()
        assert await replicas.ready_for(position) is other
        assert await replicas.ready_for(position._replace(server=1)) is None
