"""Adds up the counters of several machines, through a table of their database.

Each process reports what it has counted once in a second, and takes over the sums. Only windows
with a part of their limit are reported, since a report is a commit of the database.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from msgspec import Struct

from quire.auth.shared_counters import CounterWindow, SharedCounters
from quire.clock import Clock
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.outage_log import OutageLog
from quire.database.program import Program
from quire.database.stores.quire_tables import QuireTable, QuireTables
from quire.database.stores.row_conditions import eq, gt, in_list, le
from quire.database.stores.row_types import BigInt
from quire.errors import AppError

EXCHANGE_SECONDS = 1.0
_MAX_SUMS = 10_000


class CallSum(Struct, frozen=True, kw_only=True):
    """How many calls of a hashed key all machines have reported, in a window that ends then."""

    id: int = 0
    key: str
    ends_at: BigInt
    calls: BigInt


_SUMS = QuireTable(name="quire_call_sums", row=CallSum, indexes={"quire_call_sums_key": ("key",)})


class CounterExchange:
    """Keeps the counters of this machine in line with those of others. For the event loop only."""

    def __init__(
        self,
        counters: SharedCounters,
        database: Database,
        writes: Writes,
        tables: QuireTables,
        clock: Clock,
    ) -> None:
        self._counters = counters
        self._database = database
        self._rows = _SUMS.open(writes)
        self._tables = tables
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Exchange counts from now on."""
        self._counters.take_reports()
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Report what was counted last, and stop."""
        if self._task is None:
            return
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        with suppress(AppError):  # without its database, nothing can be exchanged
            await self.exchange()

    async def _run(self) -> None:
        outages = OutageLog(
            "quire.auth",
            failure="calls are counted by each machine for itself",
            recovery="calls of all machines are added up again",
        )
        while True:
            await asyncio.sleep(EXCHANGE_SECONDS)
            try:
                await self.exchange()
            except Exception as error:  # noqa: BLE001 - tried again after the pause
                outages.note_failure(error)
            else:
                outages.note_success()

    async def exchange(self) -> None:
        """Report what was counted here, and take over what others have.

        Raises what `Database.write` raises; what was to be reported is reported the next time then.
        """
        reports = self._counters.take_reports()
        now = self._clock()
        try:
            if reports:
                await self._tables.ensure(_SUMS)
                await self._database.write(self._add(reports, now))
            sums = await self._database.read(lambda: self._sums(now))
        except BaseException:
            self._counters.return_reports(reports)
            raise
        for call_sum in sums:
            self._counters.raise_to(
                call_sum.key, CounterWindow(call_sum.ends_at, call_sum.calls), now
            )

    def _add(self, reports: Mapping[str, CounterWindow], now: int) -> Program[None]:
        yield from self._rows.delete(le("ends_at", now))
        existing_rows = yield from self._rows.select(in_list("key", sorted(reports)))
        rows_by_key = {row.key: row for row in existing_rows}
        # Write transactions exclude each other, so nobody else counts meanwhile.
        for key in rows_by_key.keys() & reports.keys():
            calls = rows_by_key[key].calls + reports[key].calls
            yield from self._rows.update({"calls": calls}, eq("id", rows_by_key[key].id))
        yield from self._rows.insert_many(
            [
                CallSum(key=key, ends_at=window.ends_at, calls=window.calls)
                for key, window in reports.items()
                if key not in rows_by_key
            ]
        )

    def _sums(self, now: int) -> Program[list[CallSum]]:
        if not (yield from self._tables.exists(_SUMS)):
            return []
        return (
            yield from self._rows.select(gt("ends_at", now), order=("-calls",), limit=_MAX_SUMS)
        )
