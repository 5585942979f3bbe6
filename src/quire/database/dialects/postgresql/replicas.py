"""Replicas of a PostgreSQL server: standbys that reads are sent to.

A replica repeats what the server has written to its log, a little later. How far it has come is a
position in that log. Whoever reads says up to which position everything has to be seen, which is
that of the last state of the server that this process knows of: so nobody is shown less than they
have seen before, or have written themselves.
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
"""How far a replica has come, and whether that is all it has received."""
_LOOK_EVERY = 0.005
"""Seconds between two questions how far a replica has come, while somebody waits."""
_ALL_SECONDS = 2.0
"""How long replicas may take to tell how far they have come while the server is lost."""
_REST = 1.0
"""For how many seconds a replica is left alone that was lost, or that did not follow in time."""


class Replica:
    """The connections to one replica, and how far it is known to have come."""

    def __init__(self, name: str, pool: Pool, asking: Pool, watchdog: ConnectionWatchdog) -> None:
        """``asking`` is for the question how far it has come, which must not wait for reads."""
        self.name = name
        self.pool = pool
        self.watchdog = watchdog
        self._asking = asking
        self.position = 0
        self.has_all = False
        """Whether it shows all that it had received when it was asked last."""
        self._rests_until = 0.0

    @property
    def is_available(self) -> bool:
        """Whether it may be asked now."""
        return asyncio.get_running_loop().time() >= self._rests_until

    def rest(self) -> None:
        """Leave it alone for a while, and believe nothing of what was known of it."""
        self._rests_until = asyncio.get_running_loop().time() + _REST
        self.position = 0
        self.has_all = False

    async def look(self) -> None:
        """Ask how far it has come; one that does not answer is left alone for a while."""
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
            self.rest()
        finally:
            if connection is not None:
                self.watchdog.end(connection)
                self._asking.release(connection)

    async def close(self) -> None:
        """Let go of the connections."""
        await self.pool.close()
        await self._asking.close()
        await self.watchdog.close()


class Replicas:
    """The replicas of a database, which take turns."""

    def __init__(self, replicas: Sequence[Replica], wait_seconds: float) -> None:
        self._replicas = list(replicas)
        self._wait_seconds = wait_seconds
        self._looking: asyncio.Task[None] | None = None

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return bool(self._replicas)

    async def with_all(self) -> Replica | None:
        """Return the replica that has come farthest, if it shows all that it has received.

        That is what can be shown while the server is lost: what it had not sent, nobody has.
        """
        with suppress(TimeoutError):
            await self._look(_ALL_SECONDS)
        settled = [one for one in self._replicas if one.has_all and one.is_available]
        return max(settled, key=_position, default=None)

    async def ready_for(self, position: int | None) -> Replica | None:
        """Return a replica that has come as far as a position, and wait a moment for one.

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
                await self._look(max(latest - loop.time(), 0))
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
        """Let nobody wait again at once for replicas that do not follow."""
        for one in self._replicas:
            if one.is_available:
                one.rest()

    async def _look(self, seconds: float) -> None:
        """Ask all that are available; whoever comes meanwhile shares what is found.

        Raises TimeoutError when they do not all answer in time; then they are still asked.
        """
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look_at_all())
        async with asyncio.timeout(seconds):
            await asyncio.shield(self._looking)

    async def _look_at_all(self) -> None:
        await asyncio.gather(*(one.look() for one in self._replicas if one.is_available))

    def watchdog_of(self, pool: Pool) -> ConnectionWatchdog | None:
        """Return what looks after connections of a pool, ``None`` if they lead to no replica."""
        return next((one.watchdog for one in self._replicas if one.pool is pool), None)

    def statistics(self) -> tuple[PoolStatistics, ...]:
        """Return the state of the connections to each."""
        return tuple(one.pool.statistics(one.name) for one in sorted(self._replicas, key=_name))

    def forget_statements(self) -> None:
        """Forget what was prepared for tables that have changed since."""
        for one in self._replicas:
            one.pool.forget_statements()

    async def close(self) -> None:
        """Let go of all."""
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
