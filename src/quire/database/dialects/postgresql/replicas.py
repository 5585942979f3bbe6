"""Replicas of a PostgreSQL server: standbys that reads are sent to.

A replica replays the server's log, a little later. Its progress is a position in that log. A read
names the position that it has to see, which is that of the last state of the server that this
process knows of: so nobody is shown less than they have seen before, or have written themselves.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from quire.database.connection import PoolStatistics
from quire.database.dialects.postgresql.connection import PostgresConnection
from quire.database.dialects.postgresql.errors import DRIVER_ERRORS
from quire.database.dialects.postgresql.pool import Pool
from quire.database.dialects.postgresql.watchdog import ConnectionWatchdog
from quire.errors import AppError

_STATE = """
SELECT pg_wal_lsn_diff(
  CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END,
  '0/0'
)::bigint,
CASE WHEN pg_is_in_recovery()
  THEN coalesce(pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn(), true) ELSE true END
"""
"""The replay position of a replica, and whether it has replayed all that it received."""
_LOOK_EVERY = 0.005
"""Seconds between two queries of the replay position, while a read waits."""
_ALL_SECONDS = 2.0
"""Timeout of the query of replay positions while the server is lost."""
_REST = 1.0
"""For how many seconds a replica is not used after it was lost or fell behind."""


class Replica:
    """The connections to one replica, and its last known replay position."""

    def __init__(self, name: str, pool: Pool, asking: Pool, watchdog: ConnectionWatchdog) -> None:
        """``asking`` is the pool for queries of the position, which must not wait for reads."""
        self.name = name
        self.pool = pool
        self.watchdog = watchdog
        self._asking = asking
        self.position = 0
        self.has_all = False
        """Whether it had replayed all that it had received when it was last asked."""
        self._rests_until = 0.0

    @property
    def is_available(self) -> bool:
        """Whether it may be used now."""
        return asyncio.get_running_loop().time() >= self._rests_until

    def pause(self) -> None:
        """Do not use it for a while, and discard its known position."""
        self._rests_until = asyncio.get_running_loop().time() + _REST
        self.position = 0
        self.has_all = False

    async def look(self) -> None:
        """Query its position; a replica that does not respond is not used for a while."""
        connection: PostgresConnection | None = None
        try:
            connection = await self._asking.acquire()
            self.watchdog.begin(connection)
            ((position, has_all),) = await connection.rows(_STATE, (), None)
            self.position = max(self.position, int(position or 0))
            self.has_all = bool(has_all)
        except (*DRIVER_ERRORS, AppError):
            if connection is not None:
                connection.terminate()
            self._asking.renew()
            self.pool.renew()
            self.pause()
        finally:
            if connection is not None:
                self.watchdog.end(connection)
                self._asking.release(connection)

    async def close(self) -> None:
        """Close the connections."""
        await self.pool.close()
        await self._asking.close()
        await self.watchdog.close()


class Replicas:
    """The replicas of a database, used in turn."""

    def __init__(self, replicas: Sequence[Replica], wait_seconds: float) -> None:
        self._replicas = list(replicas)
        self._wait_seconds = wait_seconds
        self._looking: asyncio.Task[None] | None = None

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return bool(self._replicas)

    async def with_all(self) -> Replica | None:
        """Return the replica that is farthest ahead, if it has replayed all that it received.

        That is the best available state while the server is lost.
        """
        with suppress(TimeoutError):
            await self._query_positions(_ALL_SECONDS)
        settled = [one for one in self._replicas if one.has_all and one.is_available]
        return max(settled, key=_position, default=None)

    async def ready_for(self, position: int | None) -> Replica | None:
        """Return a replica that has reached a position; waits a moment for one.

        ``None`` when there is none, and when the position is not known.
        """
        if position is None or not self._replicas:
            return None
        found = self._ready(position)
        if found is not None:
            return found
        loop = asyncio.get_running_loop()
        latest = loop.time() + self._wait_seconds
        while any(one.is_available for one in self._replicas):
            with suppress(TimeoutError):
                await self._query_positions(max(latest - loop.time(), 0))
            found = self._ready(position)
            if found is not None:
                return found
            if loop.time() >= latest:
                self._rest_all()
                return None
            await asyncio.sleep(_LOOK_EVERY)
        return None

    def _ready(self, position: int) -> Replica | None:
        for index, one in enumerate(self._replicas):
            if one.position >= position and one.is_available:
                self._replicas.append(self._replicas.pop(index))
                return one
        return None

    def _rest_all(self) -> None:
        """Suspend the replicas that fall behind, so that no other read waits for them at once."""
        for one in self._replicas:
            if one.is_available:
                one.pause()

    async def _query_positions(self, seconds: float) -> None:
        """Query all available replicas; callers that arrive meanwhile share the result.

        Raises TimeoutError when they do not all respond in time; the query goes on.
        """
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look_at_all())
        async with asyncio.timeout(seconds):
            await asyncio.shield(self._looking)

    async def _look_at_all(self) -> None:
        await asyncio.gather(*(one.look() for one in self._replicas if one.is_available))

    def watchdog_of(self, pool: Pool) -> ConnectionWatchdog | None:
        """Return the watchdog of a pool's connections, ``None`` if it is not a replica's."""
        return next((one.watchdog for one in self._replicas if one.pool is pool), None)

    def statistics(self) -> tuple[PoolStatistics, ...]:
        """Return the state of the connections to each replica."""
        return tuple(one.pool.statistics(one.name) for one in sorted(self._replicas, key=_name))

    def forget_statements(self) -> None:
        """Forget what was prepared for tables whose structure has changed."""
        for one in self._replicas:
            one.pool.forget_statements()

    async def close(self) -> None:
        """Close all replicas."""
        if self._looking is not None and not self._looking.done():
            self._looking.cancel()
            with suppress(asyncio.CancelledError):
                await self._looking
        for one in self._replicas:
            await one.close()


def _position(replica: Replica) -> int:
    return replica.position


def _name(replica: Replica) -> str:
    return replica.name
