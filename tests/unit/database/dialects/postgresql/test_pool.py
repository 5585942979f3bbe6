"""Connections are acquired and released: none is lost."""

import asyncio

import pytest

from quire.database.dialects.postgresql.connection import (
    PostgresConnection,
    PostgresOptions,
    open_connection,
)
from quire.database.dialects.postgresql.pool import Pool


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
