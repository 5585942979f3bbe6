"""A connection pool.

A connection is lent without a task or a lock in between, and nothing is sent to the server when it
is returned: the borrower leaves no transaction and no setting behind.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

import asyncpg

from quire.database.dialects.postgresql.connection import PostgresConnection
from quire.database.interface import PoolStatistics
from quire.errors import DatabaseBusyError, ServiceUnavailableError

TOO_BUSY = "Too many requests are waiting for the database"
_CLOSING_SECONDS = 10


class Pool:
    """At most ``size`` connections, opened when they are needed.

    ``connect`` opens one; what it raises is raised to the caller that needed it. Lost connections
    are replaced by new ones.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[PostgresConnection]],
        *,
        size: int,
        queue_seconds: float,
    ) -> None:
        self._connect = connect
        self._size = size
        self._queue_seconds = queue_seconds
        self._idle: list[PostgresConnection] = []
        self._open = 0
        """Number of connections: idle, lent, and being opened."""
        self._opening = 0
        self._waiting: deque[asyncio.Future[PostgresConnection | None]] = deque()
        self._closed = False
        self._epoch = 0
        """How often prepared statements were invalidated."""
        self._waits = self._refused = 0
        self._wait_seconds = 0.0
        self._all_returned: asyncio.Event | None = None
        """Set when no connection is lent or being opened any more, for `close`."""

    @property
    def has_idle(self) -> bool:
        """Whether a connection is there that is not lent."""
        return bool(self._idle)

    @property
    def demand(self) -> int:
        """How many callers have a connection, open one, or wait for one."""
        return self._open - len(self._idle) + len(self._waiting)

    def add(self, connection: PostgresConnection) -> None:
        """Add a connection that was opened elsewhere, if there is room."""
        self._open += 1
        self._idle.append(connection)

    async def acquire(self) -> PostgresConnection:
        """Lend a connection. Raises DatabaseBusyError when none is returned in time.

        If PostgreSQL allows no more connections, this waits for one that the pool has opened.
        Raises `asyncpg.TooManyConnectionsError` if there is none.
        """
        has_server_room = True
        deadline: float | None = None
        while True:
            while self._idle:
                connection = self._idle.pop()
                if not connection.is_closed():
                    return connection
                self._open -= 1
            if self._closed:
                raise ServiceUnavailableError
            if deadline is None:
                deadline = asyncio.get_running_loop().time() + self._queue_seconds
            if has_server_room and self._open < self._size:
                self._reserve_slot()
            else:
                released = await self._wait_for_connection(deadline)
                if released is not None:
                    return released
            try:
                return await self._open_connection()
            except asyncpg.TooManyConnectionsError:
                if not self._established:
                    raise
                has_server_room = False

    @property
    def _established(self) -> int:
        """The number of connections that are lent or idle."""
        return self._open - self._opening

    def _reserve_slot(self) -> None:
        """Count a connection that is opened next."""
        self._open += 1
        self._opening += 1

    async def _open_connection(self) -> PostgresConnection:
        """Open a connection, for which a slot is reserved."""
        # In its own task, because the driver's timeout cancels the current task.
        connect_task = asyncio.ensure_future(self._connect())
        try:
            connection = await connect_task
        except BaseException as error:
            if (
                connect_task.done()
                and not connect_task.cancelled()
                and connect_task.exception() is None
            ):
                connect_task.result().terminate()  # the waiting task was cancelled at the same time
            self._opening -= 1
            self._open -= 1
            # Where the server has no more, the next caller gets a connection that is returned.
            if not (isinstance(error, asyncpg.TooManyConnectionsError) and self._established):
                self._hand_over(None)
            self._signal_if_all_returned()
            raise
        self._opening -= 1
        return connection

    async def _wait_for_connection(self, deadline: float) -> PostgresConnection | None:
        """Wait for a connection, or for a slot that is reserved for a new one (``None``)."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[PostgresConnection | None] = loop.create_future()
        self._waiting.append(turn)
        timer = loop.call_at(deadline, _expire, turn)
        self._waits += 1
        began = loop.time()
        try:
            return await turn
        except DatabaseBusyError:
            self._refused += 1
            raise
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                released = turn.result()
                if released is None:
                    self._opening -= 1
                    self._release_slot()
                else:
                    self._hand_over(released)
            raise
        finally:
            self._wait_seconds += loop.time() - began
            timer.cancel()

    def statistics(self, name: str) -> PoolStatistics:
        """Return the state of the pool, by a name for it."""
        return PoolStatistics(
            name=name,
            size=self._size,
            in_use=self._open - len(self._idle),
            waiting=sum(not turn.done() for turn in self._waiting),
            waits=self._waits,
            wait_seconds=self._wait_seconds,
            refused=self._refused,
        )

    def release(self, connection: PostgresConnection) -> None:
        """Take a connection back."""
        if connection.is_closed():
            self._release_slot()
        else:
            connection.forget_statements(self._epoch)
            self._hand_over(connection)

    def _signal_if_all_returned(self) -> None:
        """Let `close` continue if no connection is lent or being opened any more."""
        if self._all_returned is not None and self._open == len(self._idle):
            self._all_returned.set()

    def _release_slot(self) -> None:
        self._open -= 1
        self._hand_over(None)

    def _hand_over(self, connection: PostgresConnection | None) -> None:
        """Hand a connection, or a slot to open one, to the first waiting caller."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                if connection is None:
                    self._reserve_slot()  # else a later caller could take it before this one runs
                turn.set_result(connection)
                return
        if connection is not None:
            self._idle.append(connection)
        self._signal_if_all_returned()

    def renew(self) -> None:
        """Close the idle connections: one was lost, so the others most likely are as well."""
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.terminate()
            self._release_slot()

    def forget_statements(self) -> None:
        """Forget prepared statements; on lent connections when they are returned."""
        self._epoch += 1
        for connection in self._idle:
            connection.forget_statements(self._epoch)

    async def close(self) -> None:
        """Wait for lent connections, for a limited time, and close all."""
        self._closed = True
        for turn in self._waiting:
            _expire(turn)
        if self._open > len(self._idle):
            self._all_returned = asyncio.Event()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._all_returned.wait(), _CLOSING_SECONDS)
        while self._idle:
            await self._idle.pop().close(timeout=5)


def _expire(turn: "asyncio.Future[PostgresConnection | None]") -> None:
    if not turn.done():
        turn.set_exception(DatabaseBusyError(TOO_BUSY))
