"""Deletes old rows of the audit log, if the settings limit their age or their number."""

import asyncio
from contextlib import suppress

from quire.clock import Clock
from quire.database.outage_log import OutageLog
from quire.database.stores.audit_log import AuditLog
from quire.hooks.jobs import JobDefinition, NoArguments
from quire.hooks.schedules import ScheduleDefinition
from quire.settings.model import AuditSettings

AUDIT_LOG_JOB = "quire.audit_log"
_CRON = "40 3 * * *"
_DAY_MS = 86_400_000
_PAUSE_SECONDS = 300.0


def audit_log_schedules(
    settings: AuditSettings, audit: AuditLog, clock: Clock
) -> tuple[ScheduleDefinition, ...]:
    """Return the schedule that deletes old rows, if the settings limit their age.

    One of all server processes does it.
    """
    days = settings.log_days
    if days is None:
        return ()

    async def delete_old_rows() -> None:
        """Delete the rows that are older than ``audit.log_days``."""
        await audit.delete_before(clock() - days * _DAY_MS)

    job = JobDefinition(
        name=AUDIT_LOG_JOB,
        function=delete_old_rows,
        arguments=NoArguments,
        retries=2,
        one_at_a_time=AUDIT_LOG_JOB,
    )
    return (ScheduleDefinition(job=job, cron=_CRON),)


class SystemRowCleanup:
    """Deletes all but the last rows of writes as the system, again and again while it runs.

    Code can write at any rate, so this does not wait for the job of a day. Every server process
    does it, also for the rows of scripts and of processes that have ended.
    """

    def __init__(
        self, settings: AuditSettings, audit: AuditLog, *, pause_seconds: float = _PAUSE_SECONDS
    ) -> None:
        """``pause_seconds`` is the time between two checks for new rows."""
        self._rows = settings.system_rows
        self._audit = audit
        self._pause_seconds = pause_seconds
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Delete surplus rows from now on, if the settings limit their number."""
        if self._rows is not None:
            self._task = asyncio.get_running_loop().create_task(self._run(self._rows))

    async def stop(self) -> None:
        """Stop deleting."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run(self, rows: int) -> None:
        outages = OutageLog(
            "quire.audit",
            failure="surplus rows are not deleted",
            recovery="surplus rows are deleted again",
        )
        while True:
            await asyncio.sleep(self._pause_seconds)
            try:
                await self._audit.limit_system_rows(rows)
                outages.note_success()
            except Exception as error:  # noqa: BLE001 - tried again after the pause
                outages.note_failure(error)
