"""Detects connections whose server has stopped responding.

A server that hangs, or whose machine does, leaves its connections open, and statements are never
answered. Slow statements are not interrupted: connections are closed only if the server does not
accept a new connection either.
"""

import asyncio
from collections.abc import Awaitable, Callable

from quire.database.dialects.postgresql.connection import PostgresConnection
from quire.database.dialects.postgresql.errors import DRIVER_ERRORS


class ConnectionWatchdog:
    """Watches connections while they are lent.

    ``connect`` opens a new one, in bounded time. When a connection has been lent for ``seconds``,
    the watchdog tries to connect; a connection that it closes raises the driver's error where it is
    waited for.
    """

    def __init__(
        self, connect: Callable[[], Awaitable[PostgresConnection]], *, seconds: float
    ) -> None:
        self._connect = connect
        self._seconds = seconds
        self._lent: dict[PostgresConnection, float] = {}
        """Time when each was lent, by the clock of the event loop."""
        self._timer: asyncio.TimerHandle | None = None
        self._check_task: asyncio.Task[None] | None = None

    def begin(self, connection: PostgresConnection) -> None:
        """Start to watch a connection."""
        loop = asyncio.get_running_loop()
        self._lent[connection] = loop.time()
        if self._timer is None and self._check_task is None:
            self._timer = loop.call_later(self._seconds, self._check_lent)

    def end(self, connection: PostgresConnection) -> None:
        """Stop to watch a connection."""
        self._lent.pop(connection, None)

    async def close(self) -> None:
        """Stop to watch all connections."""
        self._lent.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._check_task is not None:
            self._check_task.cancel()
            await asyncio.wait([self._check_task])

    def _check_lent(self) -> None:
        """Check whether any connection has been lent for long; at most one timer exists."""
        self._timer = None
        if self._overdue_connections():
            self._check_task = asyncio.ensure_future(self._check_server())
        else:
            self._schedule_check()

    def _schedule_check(self) -> None:
        self._check_task = None
        if self._lent:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._seconds, self._check_lent)

    def _overdue_connections(self) -> list[PostgresConnection]:
        limit = asyncio.get_running_loop().time() - self._seconds
        return [connection for connection, since in self._lent.items() if since <= limit]

    async def _check_server(self) -> None:
        """Close all connections that have been lent for long if the server accepts no new one."""
        try:
            connection = await self._connect()
        except TimeoutError:
            for silent in self._overdue_connections():
                self.end(silent)
                silent.terminate()
        except DRIVER_ERRORS:
            pass  # any reply shows that the server responds
        else:
            connection.terminate()
        self._schedule_check()
