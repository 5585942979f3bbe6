"""Replicas of a PostgreSQL server: standbys that reads are sent to.

A replica replays the server's log, a little later. Its progress is a position in that log. A read
names the position that it has to see, which is that of the last state of the server that this
process knows of: so nobody is shown less than they have seen before, or have written themselves.
A replica that follows another server shows other content, and is not read: it lacks the mark that
the server has written to its log.
"""

import asyncio
from collections.abc import Collection, Sequence
from operator import attrgetter

from quire.database.dialects.postgresql.connection import PostgresConnection
from quire.database.dialects.postgresql.errors import DRIVER_ERRORS
from quire.database.dialects.postgresql.log_position import (
    NO_POSITION,
    REPLICA_POSITION,
    LogMark,
    LogPosition,
    read_replica_position,
)
from quire.database.dialects.postgresql.pool import Pool
from quire.database.dialects.postgresql.watchdog import ConnectionWatchdog
from quire.database.interface import PoolStatistics
from quire.errors import AppError

_position, _demand, _name = attrgetter("position"), attrgetter("pool.demand"), attrgetter("name")

_STATE = f"""
SELECT {REPLICA_POSITION},
CASE WHEN pg_is_in_recovery()
  THEN coalesce(pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn(), true) ELSE true END
"""
"""The replay position of a replica, and whether it has replayed all that it received."""
_LOOK_EVERY = 0.005
"""Seconds between two queries of the replay position, while a read waits."""
_ALL_SECONDS = 2.0
"""Timeout of the query of replay positions while the server is lost."""
_RETRY_SECONDS = 1.0
"""For how many seconds a replica is not used after it was lost or fell behind."""


class Replica:
    """The connections to one replica, and its last known replay position."""

    def __init__(
        self, name: str, pool: Pool, position_pool: Pool, watchdog: ConnectionWatchdog
    ) -> None:
        """``position_pool`` is for queries of the position, which must not wait for reads."""
        self.name = name
        self.pool = pool
        self.watchdog = watchdog
        self._position_pool = position_pool
        self.position = NO_POSITION
        self.has_all = False
        """Whether it had replayed all that it had received when it was last asked."""
        self._paused_until = 0.0
        self._query: asyncio.Task[bool] | None = None

    @property
    def is_available(self) -> bool:
        """Whether it may be used now."""
        return asyncio.get_running_loop().time() >= self._paused_until

    def pause(self) -> None:
        """Do not use it for a while, and discard its known position."""
        self._paused_until = asyncio.get_running_loop().time() + _RETRY_SECONDS
        self.position = NO_POSITION
        self.has_all = False

    def query_position(self) -> asyncio.Task[bool]:
        """Return the query of its position that is under way, or begin one: callers share it.

        The result tells whether it responded; if not, it is not used for a while.
        """
        if self._query is None or self._query.done():
            self._query = asyncio.ensure_future(self._query_position())
        return self._query

    async def _query_position(self) -> bool:
        connection: PostgresConnection | None = None
        try:
            connection = await self._position_pool.acquire()
            self.watchdog.begin(connection)
            ((*position, has_all),) = await connection.rows(_STATE, (), None)
            self.position = max(self.position, read_replica_position(*position))
            self.has_all = bool(has_all)
        except (*DRIVER_ERRORS, AppError):
            if connection is not None:
                connection.terminate()
            self._position_pool.renew()
            self.pool.renew()
            self.pause()
            return False
        else:
            return True
        finally:
            if connection is not None:
                self.watchdog.end(connection)
                self._position_pool.release(connection)

    async def close(self) -> None:
        """Close the connections."""
        if self._query is not None and not self._query.done():
            self._query.cancel()
            await asyncio.wait([self._query])
        await self.pool.close()
        await self._position_pool.close()
        await self.watchdog.close()


class Replicas:
    """The replicas of a database; reads go to the one with the fewest of them."""

    def __init__(self, replicas: Sequence[Replica], wait_seconds: float) -> None:
        self._replicas = list(replicas)
        self._wait_seconds = wait_seconds

    def __len__(self) -> int:
        return len(self._replicas)

    async def with_all(self, mark: LogMark) -> Replica | None:
        """Return the replica that is farthest ahead, once it has replayed all that it received.

        That is the best available state while the server is lost, so all are asked, also those that
        are not to be used for a while. Once one is found, the others have ``wait_seconds`` to show
        that they are farther ahead. ``mark`` is that of the server; replicas that have followed
        another one are not read, see `LogPosition.may_replace`.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _ALL_SECONDS
        pending = [*self._replicas]
        best: Replica | None = None
        while pending:
            queries = {replica.query_position(): replica for replica in pending}
            for query in await _first_done(queries, deadline - loop.time()):
                replica = queries[query]
                if replica.has_all and replica.position.may_replace(mark):
                    best = replica if best is None else max(best, replica, key=_position)
                if replica.has_all or not query.result():
                    pending.remove(replica)
            if best is not None:
                deadline = min(deadline, loop.time() + self._wait_seconds)
            if loop.time() >= deadline:
                break
            await asyncio.sleep(_LOOK_EVERY)
        return best

    async def ready_for(self, position: LogPosition | None) -> Replica | None:
        """Return a replica that has reached a position; waits a moment for the first one.

        ``None`` when there is none, and when the position is not known.
        """
        if position is None or not self._replicas:
            return None
        ready = self._select_ready(position)
        if ready is not None:
            return ready
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._wait_seconds
        while queries := [
            replica.query_position() for replica in self._replicas if replica.is_available
        ]:
            # A replica that hangs must not keep the others from being used.
            await _first_done(queries, deadline - loop.time())
            ready = self._select_ready(position)
            if ready is not None:
                return ready
            self._pause_others(position)
            if loop.time() >= deadline:
                self._pause_all()
                return None
            await asyncio.sleep(_LOOK_EVERY)
        return None

    def _select_ready(self, position: LogPosition) -> Replica | None:
        """Return the replica with the fewest reads; of those with equally many, in turn."""
        ready = [
            replica
            for replica in self._replicas
            if replica.position.includes(position) and replica.is_available
        ]
        if not ready:
            return None
        least_used = min(ready, key=_demand)
        self._replicas.remove(least_used)
        self._replicas.append(least_used)
        return least_used

    def _pause_others(self, position: LogPosition) -> None:
        """Suspend the replicas that follow another server: waiting for them makes no sense."""
        for replica in self._replicas:
            if replica.position.is_of_other_log(position):
                replica.pause()

    def _pause_all(self) -> None:
        """Suspend the replicas that fall behind, so that no other read waits for them at once."""
        for replica in self._replicas:
            if replica.is_available:
                replica.pause()

    def watchdog_of(self, pool: Pool) -> ConnectionWatchdog | None:
        """Return the watchdog of a pool's connections, ``None`` if it is not a replica's."""
        return next((replica.watchdog for replica in self._replicas if replica.pool is pool), None)

    def statistics(self) -> tuple[PoolStatistics, ...]:
        """Return the state of the connections to each replica."""
        return tuple(
            replica.pool.statistics(replica.name) for replica in sorted(self._replicas, key=_name)
        )

    def forget_statements(self) -> None:
        """Forget what was prepared for tables whose structure has changed."""
        for replica in self._replicas:
            replica.pool.forget_statements()

    async def close(self) -> None:
        """Close all replicas."""
        for replica in self._replicas:
            await replica.close()


async def _first_done(
    queries: Collection[asyncio.Task[bool]], seconds: float
) -> set[asyncio.Task[bool]]:
    """Wait until at least one query is done; returns those that are, none after so many seconds."""
    done, _ = await asyncio.wait(
        queries, timeout=max(seconds, 0), return_when=asyncio.FIRST_COMPLETED
    )
    for query in done:
        query.result()  # raises what is no error of the database
    return done
