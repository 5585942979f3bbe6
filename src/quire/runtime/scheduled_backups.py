"""Backups that servers make themselves, by a schedule in the settings."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import structlog

from quire.errors import ConfigurationError
from quire.hooks.jobs import JobDefinition, NoArguments
from quire.hooks.schedules import ScheduleDefinition, require_cron
from quire.settings import Settings

BACKUP_JOB = "quire.backup"
_HOURS = 6
_COMMAND = "import sys; from quire.cli import main; main(sys.argv[1:])"
_MAX_OUTPUT = 2000

_log = structlog.get_logger("quire.backups")


class BackupFailedError(Exception):
    """`quire backup` has failed; the message is its output."""


def backup_schedules(settings: Settings) -> tuple[ScheduleDefinition, ...]:
    """Return the schedule of backups, if the settings have one.

    One of all server processes makes a due backup. Raises ConfigurationError for an invalid cron
    expression, and as `DatabaseSettings.direct`.
    """
    cron = settings.backup.schedule
    if cron is None:
        return ()
    settings.database.direct()
    try:
        require_cron(cron, "UTC")
    except ValueError as error:
        raise ConfigurationError(f"backup.schedule: {error}") from error
    job = JobDefinition(
        name=BACKUP_JOB,
        function=_backup_of(settings.project),
        arguments=NoArguments,
        retries=2,
        timeout=_HOURS * 3600,
        one_at_a_time=BACKUP_JOB,
    )
    return (ScheduleDefinition(job=job, cron=cron),)


def _backup_of(project: Path) -> Callable[[], Awaitable[None]]:
    async def backup() -> None:
        """Run `quire backup` in a subprocess, which may have the SQLite file open too."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            _COMMAND,
            "backup",
            str(project),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            output, messages = await process.communicate()
        except asyncio.CancelledError:
            process.terminate()
            await process.wait()
            raise
        if process.returncode:
            raise BackupFailedError(messages.decode("utf-8", "replace")[-_MAX_OUTPUT:].strip())
        _log.info("backup", archive=output.decode("utf-8", "replace").strip())

    return backup
