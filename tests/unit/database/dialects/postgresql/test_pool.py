"""Connections are acquired and released: none is lost."""

import asyncio

import asyncpg
import pytest

from quire.database.dialects.postgresql import pool as pool_module
from quire.database.dialects.postgresql.connection import (
    PostgresConnection,
    PostgresOptions,
    open_connection,
)
from quire.database.dialects.postgresql.pool import Pool
from quire.errors import DatabaseBusyError, ServiceUnavailableError


async def test_a_connection_is_ended_when_nobody_waits_for_it_any_more(
    options: PostgresOptions,
) -> None:
    opened: list[PostgresConnection] = []
    tasks: list[asyncio.Task[PostgresConnection]] = []

    async def connect() -> PostgresConnection:
        opened.append(await open_connection(options))
        if len(opened) == 1:  # just when it is there, before it has reached whoever asked
            asyncio.get_running_loop().call_soon(tasks[0].cancel)
        return opened[-1]

    pool = Pool(connect, size=1, queue_seconds=1)
    tasks.append(asyncio.ensure_future(pool.acquire()))
    with pytest.raises(asyncio.CancelledError):
        await tasks[0]
    assert opened[0].is_closed()
    pool.release(await pool.acquire())
    await pool.close()
    assert all(connection.is_closed() for connection in opened)


async def test_callers_wait_for_lent_connections_when_the_server_has_none_left(
    options: PostgresOptions,
) -> None:
    opened: list[PostgresConnection] = []
    attempts = 0

    async def connect() -> PostgresConnection:
        nonlocal attempts
        attempts += 1
        if opened:
            raise asyncpg.TooManyConnectionsError("too many clients already")
        opened.append(await open_connection(options))
        return opened[-1]

    pool = Pool(connect, size=5, queue_seconds=60)
    connection = await pool.acquire()
    others = [asyncio.create_task(pool.acquire()) for _ in range(3)]
    async with asyncio.timeout(60):
        while pool.statistics("").waiting < 3:  # noqa: ASYNC110 - the pool tells nobody
            await asyncio.sleep(0)
    assert attempts == 4
    pool.release(connection)
    for other in others:
        async with asyncio.timeout(60):
            assert await other is connection
        pool.release(connection)
    await pool.close()
    with pytest.raises(ServiceUnavailableError):
        await pool.acquire()


async def test_the_error_of_the_server_is_raised_when_the_pool_has_no_connection() -> None:
    async def connect() -> PostgresConnection:
        raise asyncpg.TooManyConnectionsError("too many clients already")

    pool = Pool(connect, size=2, queue_seconds=60)
    attempts = (pool.acquire() for _ in range(5))
    async with asyncio.timeout(60):
        results = await asyncio.gather(*attempts, return_exceptions=True)
    assert {type(result) for result in results} == {asyncpg.TooManyConnectionsError}


async def test_whoever_is_woken_in_vain_gives_up_all_the_same(options: PostgresOptions) -> None:
    opened: list[PostgresConnection] = []

    async def connect() -> PostgresConnection:
        if opened:
            raise asyncpg.TooManyConnectionsError("too many clients already")
        opened.append(await open_connection(options))
        return opened[-1]

    pool = Pool(connect, size=5, queue_seconds=0.5)
    connection = await pool.acquire()
    lost = await open_connection(options)
    lost.terminate()
    waiting = asyncio.create_task(pool.acquire())
    async with asyncio.timeout(20):
        while not waiting.done():
            pool.add(lost)
            pool.renew()  # wakes whoever waits: a slot is free
            await asyncio.sleep(0.01)
    with pytest.raises(DatabaseBusyError):
        await waiting
    pool.release(connection)
    await pool.close()


async def test_the_slot_of_a_lost_connection_belongs_to_whoever_waited_first(
    options: PostgresOptions,
) -> None:
    opened: list[PostgresConnection] = []

    async def connect() -> PostgresConnection:
        opened.append(await open_connection(options))
        return opened[-1]

    pool = Pool(connect, size=1, queue_seconds=60)
    lost = await pool.acquire()
    first = asyncio.create_task(pool.acquire())
    await asyncio.sleep(0)
    second = asyncio.create_task(pool.acquire())  # it runs before the first one is woken
    lost.terminate()
    pool.release(lost)
    connection = await first
    assert not second.done()
    assert opened == [lost, connection]
    pool.release(connection)
    assert await second is connection
    pool.release(connection)
    await pool.close()


async def test_a_slot_is_not_lost_with_whoever_was_given_it(options: PostgresOptions) -> None:
    pool = Pool(lambda: open_connection(options), size=1, queue_seconds=60)
    lost = await pool.acquire()
    waiting = asyncio.create_task(pool.acquire())
    await asyncio.sleep(0)
    lost.terminate()
    pool.release(lost)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    connection = await pool.acquire()
    assert pool.statistics("").in_use == 1
    pool.release(connection)
    await pool.close()


async def test_a_pool_is_closed_as_soon_as_its_last_attempt_to_connect_has_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool_module, "_CLOSING_SECONDS", 3600)
    is_closing = asyncio.Event()

    async def connect() -> PostgresConnection:
        await is_closing.wait()
        raise ConnectionRefusedError

    pool = Pool(connect, size=1, queue_seconds=60)
    waiting = asyncio.create_task(pool.acquire())
    await asyncio.sleep(0)
    closing = asyncio.create_task(pool.close())
    await asyncio.sleep(0)
    is_closing.set()
    with pytest.raises(ConnectionRefusedError):
        await waiting
    async with asyncio.timeout(20):
        await closing


async def test_a_pool_is_closed_as_soon_as_the_last_waiting_caller_is_cancelled(
    options: PostgresOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "_CLOSING_SECONDS", 3600)
    pool = Pool(lambda: open_connection(options), size=1, queue_seconds=60)
    lost = await pool.acquire()
    waiting = asyncio.create_task(pool.acquire())
    await asyncio.sleep(0)
    closing = asyncio.create_task(pool.close())  # it runs before the waiting caller is woken
    lost.terminate()
    pool.release(lost)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    async with asyncio.timeout(20):
        await closing
