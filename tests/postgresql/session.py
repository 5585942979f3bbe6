"""A connection to PostgreSQL that is usable inside and outside of an event loop.

Tests look at rows where no event loop runs, and where one does; so this one has its own.
"""

import asyncio
import atexit
import threading
from collections.abc import Coroutine, Sequence
from functools import cache
from typing import Any, TypeVar

import asyncpg

T = TypeVar("T")

Row = tuple[Any, ...]


class Session:
    """A connection that responds at once."""

    def __init__(self, url: str) -> None:
        """Connect to the database of a URL."""
        self._connection = wait(asyncpg.connect(url, ssl=False))
        self._turn = asyncio.Lock()

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Run one statement with ``$1`` for its values; returns its rows."""
        return [tuple(row) for row in wait(self._connection.fetch(sql, *values))]

    def script(self, sql: str) -> None:
        """Run many statements, without values."""
        wait(self._connection.execute(sql))

    def begin(self, sql: str) -> None:
        """Have statements run, one call's after the other's, without waiting for them."""
        asyncio.run_coroutine_threadsafe(self._run_alone(sql), _loop())

    async def _run_alone(self, sql: str) -> None:
        async with self._turn:
            await self._connection.execute(sql)

    def close(self) -> None:
        """Let go of the database."""
        wait(self._connection.close())

    def close_at_exit(self) -> "Session":
        """Keep the connection until the process ends; returns the session."""
        atexit.register(lambda: wait(self._terminate()))
        return self

    async def _terminate(self) -> None:
        self._connection.terminate()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of all sessions, which runs on a separate thread."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="postgresql-sessions", daemon=True).start()
    return loop


def wait(work: Coroutine[Any, Any, T]) -> T:
    """Run something to its end on the event loop of all sessions."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()
