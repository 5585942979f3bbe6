"""Jobs, schedules and deliveries of a project under test, which run when a test calls `drain`."""

import asyncio

from quire.clock import Clock
from quire.database.interface import Database
from quire.database.stores.change_outbox import CHANGES
from quire.database.stores.jobs import JOBS
from quire.hooks.time import use_clock
from quire.jobs.setup import JobParts

_TIMEOUT_SECONDS = 60
_PAUSE_SECONDS = 0.01
_MAX_ROWS = 1000


class BackgroundWorkers:
    """The workers of a project under test, which only run in `drain`."""

    def __init__(self, database: Database, parts: JobParts) -> None:
        self._database = database
        self._parts = parts

    async def hold(self) -> None:
        """Stop the workers, which were started with the application; schedules are stored then."""
        await self._parts.stop(1)
        await self._parts.schedules.work()

    async def drain(self, clock: Clock) -> None:
        """Run everything that is due now, and what that enqueues in turn.

        Raises AssertionError with the messages of the failures.
        """
        with use_clock(clock):
            await self._drain(clock())

    async def _drain(self, now: int) -> None:
        previous_failures = await self._failures()
        self._parts.start()
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                await self._parts.schedules.work()
                while not await self._is_idle(now):
                    self._wake()
                    await asyncio.sleep(_PAUSE_SECONDS)
        finally:
            await self._parts.stop(5)
        new_failures = [
            text
            for key, text in (await self._failures()).items()
            if previous_failures.get(key) != text
        ]
        if new_failures:
            raise AssertionError("\n".join(new_failures))

    def _wake(self) -> None:
        self._parts.worker.wake()
        self._parts.changes.wake()

    async def _is_idle(self, now: int) -> bool:
        if self._parts.worker.is_running or self._parts.changes.is_delivering:
            return False
        jobs, changes = await self._rows()
        # Failed rows are due again later.
        return all(due_time > now for due_time in (*jobs, *changes))

    async def _rows(self) -> tuple[list[int], list[int]]:
        """Return the due times of unfinished jobs and changes."""
        parts, read = self._parts, self._database.read
        jobs: list[int] = []
        changes: list[int] = []
        if await read(lambda: parts.queue.tables.exists(JOBS)):
            stored_jobs = await read(
                lambda: parts.queue.rows.find(state=None, name=None, before=None, limit=_MAX_ROWS)
            )
            jobs = [job.due for job in stored_jobs if job.ended_at is None]
        if await read(lambda: parts.change_queue.tables.exists(CHANGES)):
            rows = parts.change_queue.rows
            stored_changes = await read(lambda: rows.find(dead=None, before=None, limit=_MAX_ROWS))
            changes = [change.due for change in stored_changes if change.ended_at is None]
        return jobs, changes

    async def _failures(self) -> dict[tuple[str, int], str]:
        """Return the messages of failures, by row and attempt."""
        parts, read = self._parts, self._database.read
        messages: dict[tuple[str, int], str] = {}
        if await read(lambda: parts.queue.tables.exists(JOBS)):
            jobs = await read(
                lambda: parts.queue.rows.find(state=None, name=None, before=None, limit=_MAX_ROWS)
            )
            messages |= {
                ("job", job.id): f"{job.name} failed, attempt {job.attempts}: {job.message}"
                for job in jobs
                if job.message
            }
        if await read(lambda: parts.change_queue.tables.exists(CHANGES)):
            rows = parts.change_queue.rows
            changes = await read(lambda: rows.find(dead=None, before=None, limit=_MAX_ROWS))
            messages |= {
                ("change", row.id): f"{row.listener} failed, attempt {row.attempts}: {row.message}"
                for row in changes
                if row.message
            }
        return messages
