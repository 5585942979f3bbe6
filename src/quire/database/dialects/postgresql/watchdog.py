"""Detects connections whose server has stopped to respond.

A server that hangs, or whose machine does, still has its side of every connection open, and what
was asked of it is never answered. No statement that takes long is cut off for that: only when the
server does not take a new connection either are the old ones given up.
"""

import asyncio
from collections.abc import Awaitable, Callable

from quire.database.dialects.postgresql.connection import PostgresConnection
from quire.database.dialects.postgresql.errors import DRIVER_ERRORS


class ConnectionWatchdog:
    """Looks after connections for as long as they are lent.

    ``connect`` opens a new one, in bounded time. What has been lent for ``seconds`` makes the vigil
    try; a connection that is given up raises the driver's error where it is waited for.
    """

    def __init__(
        self, connect: Callable[[], Awaitable[PostgresConnection]], *, seconds: float
    ) -> None:
        self._connect = connect
        self._seconds = seconds
        self._lent: dict[PostgresConnection, float] = {}
        """Since when, by the clock of the event loop."""
        self._timer: asyncio.TimerHandle | None = None
        self._looking: asyncio.Task[None] | None = None

    def begin(self, connection: PostgresConnection) -> None:
        """Look after a connection from now on."""
        loop = asyncio.get_running_loop()
        self._lent[connection] = loop.time()
        if self._timer is None and self._looking is None:
            self._timer = loop.call_later(self._seconds, self._look)

    def end(self, connection: PostgresConnection) -> None:
        """A connection has been given back, or up."""
        self._lent.pop(connection, None)

    async def close(self) -> None:
        """Look after nothing any more."""
        self._lent.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])

    def _look(self) -> None:
        """See whether anything has been lent for long; one timer is there at most."""
        self._timer = None
        if self._overdue():
            self._looking = asyncio.ensure_future(self._try())
        else:
            self._go_on()

    def _go_on(self) -> None:
        self._looking = None
        if self._lent:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._seconds, self._look)

    def _overdue(self) -> list[PostgresConnection]:
        limit = asyncio.get_running_loop().time() - self._seconds
        return [connection for connection, since in self._lent.items() if since <= limit]

    async def _try(self) -> None:
        """Give up all that has been lent for long when the server takes no connection."""
        try:
            connection = await self._connect()
        except TimeoutError:
            for silent in self._overdue():
                self.end(silent)
                silent.terminate()
        except DRIVER_ERRORS:
            pass  # whatever it says, it speaks
        else:
            connection.terminate()
        self._go_on()
