"""Leases: at most one of several servers does a task at a time.

The holder renews the lease while it works, so the lease of a lost server ends soon. Unlike a lock
of the database, that needs no connection. The clocks of the servers may differ by less than the
duration of a lease.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import structlog
from msgspec import Struct

from quire.clock import Clock
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.outage_log import OutageLog, describe_failure
from quire.database.program import Program
from quire.database.stores.quire_tables import QuireTable, QuireTables
from quire.database.stores.row_conditions import eq
from quire.database.stores.row_types import BigInt
from quire.errors import AppError, ServiceUnavailableError
from quire.ids import new_document_id

_log = structlog.get_logger("quire.leases")
LASTS_MS = 60_000
_RENEWED_SECONDS = 15.0
_LOOK_AGAIN_SECONDS = 0.2


class _Lease(Struct, frozen=True, kw_only=True):
    id: int = 0
    name: str
    holder: str
    ends_at: BigInt


_LEASES = QuireTable(name="quire_leases", row=_Lease, indexes={"quire_leases_name": ("name",)})


class Leases:
    """The leases of one database, for all servers that work on it."""

    def __init__(
        self,
        database: Database,
        writes: Writes,
        tables: QuireTables,
        clock: Clock,
        *,
        renewal_seconds: float = _RENEWED_SECONDS,
    ) -> None:
        """``renewal_seconds`` is the time between two renewals of a held lease."""
        self._renewal_seconds = renewal_seconds
        self._database = database
        self._rows = _LEASES.open(writes)
        self._tables = tables
        self._clock = clock

    @asynccontextmanager
    async def hold(self, name: str, *, wait: float, machine: str = "") -> AsyncIterator[None]:
        """Hold a lease, once nobody else does.

        A caller that gives a ``machine`` has made sure that no other process of that machine holds
        it: a lease that a killed process left behind is taken over at once. The block is cancelled
        when the lease is lost: it has ended, or somebody else has it. Raises
        ServiceUnavailableError then, and when it takes longer than ``wait`` seconds.
        """
        await self._tables.ensure(_LEASES)
        holder = f"{machine}/{new_document_id()}"
        await self._wait_for(name, holder, wait)
        loop = asyncio.get_running_loop()
        lease_end = asyncio.timeout(LASTS_MS / 1000)
        try:
            async with lease_end:
                renewing = loop.create_task(self._renew(name, holder, lease_end))
                try:
                    yield
                finally:
                    renewing.cancel()
                    with suppress(asyncio.CancelledError):
                        await renewing
        except TimeoutError as error:
            if not lease_end.expired():
                raise
            raise ServiceUnavailableError from error
        finally:
            await asyncio.shield(self._let_go(name, holder))

    async def _wait_for(self, name: str, holder: str, wait: float) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + wait
        while not await self._database.write(self.take(name, holder)):
            if loop.time() >= end:
                raise ServiceUnavailableError
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)

    async def _renew(self, name: str, holder: str, lease_end: asyncio.Timeout) -> None:
        """Renew a lease until it is lost, and move the end of its block."""
        loop = asyncio.get_running_loop()
        outages = OutageLog(
            "quire.leases",
            failure="a lease cannot be renewed",
            recovery="a lease can be renewed again",
            lease=name,
        )
        while True:
            await asyncio.sleep(self._renewal_seconds)
            requested_at = loop.time()
            try:
                is_held = await self._database.write(self._renewed(name, holder))
                outages.note_success()
            except AppError as error:
                outages.note_failure(error)
                continue
            if lease_end.expired():  # while it was renewed
                return
            if not is_held:
                _log.error("a lease was taken over", lease=name)
                lease_end.reschedule(loop.time())
                return
            lease_end.reschedule(requested_at + LASTS_MS / 1000)

    async def _let_go(self, name: str, holder: str) -> None:
        try:
            await self._database.write(self._given_back(name, holder))
        except AppError as error:  # it expires
            _log.warning("a lease cannot be released", lease=name, **describe_failure(error))

    def take(self, name: str, holder: str) -> Program[bool]:
        """Take a lease; tell whether ``holder`` has it now."""
        now = self._clock()
        lease = _Lease(name=name, holder=holder, ends_at=now + LASTS_MS)
        current_lease = yield from self._rows.first(eq("name", name))
        # Write transactions exclude each other, so nobody else inserts meanwhile.
        if current_lease is None:
            yield from self._rows.insert(lease)
            return True
        if current_lease.ends_at > now and not _is_same_machine(current_lease.holder, holder):
            return False
        changes = {"holder": holder, "ends_at": lease.ends_at}
        yield from self._rows.update(changes, eq("id", current_lease.id))
        return True

    def _renewed(self, name: str, holder: str) -> Program[bool]:
        """Renew a lease; tell whether ``holder`` has had it until now."""
        changes = {"ends_at": self._clock() + LASTS_MS}
        is_own = (eq("name", name), eq("holder", holder))
        return bool((yield from self._rows.changed(changes, *is_own)))

    def _given_back(self, name: str, holder: str) -> Program[None]:
        yield from self._rows.delete(eq("name", name), eq("holder", holder))


def _is_same_machine(current: str, holder: str) -> bool:
    """Tell whether a lease has a holder on the same machine."""
    machine = holder.partition("/")[0]
    return machine != "" and current.startswith(f"{machine}/")
