"""Deletes old rows of the audit log each day, if the settings limit their age."""

from quire.clock import Clock
from quire.database.stores.audit_log import AuditLog
from quire.hooks.jobs import JobDefinition, NoArguments
from quire.hooks.schedules import ScheduleDefinition
from quire.settings.model import AuditSettings

AUDIT_LOG_JOB = "quire.audit_log"
_CRON = "40 3 * * *"
_DAY_MS = 86_400_000


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
