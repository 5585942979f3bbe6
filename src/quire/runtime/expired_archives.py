"""Deletes expired archives at the start."""

import structlog

from quire.clock import Clock
from quire.database.connection import Database
from quire.database.migration.archive import expired, forget_expired
from quire.database.settings_target import target_of
from quire.errors import AppError
from quire.settings import Settings

_log = structlog.get_logger("quire.schema")


async def clear_archives(settings: Settings, database: Database, clock: Clock) -> None:
    """Let go of what has been archived for as long as the settings say; at another start if not.

    Of several processes one does it.
    """
    kind, days, now = target_of(settings).kind, settings.database.archive_days, clock()
    try:
        if not await database.read(lambda: expired(kind, days=days, now=now)):
            return
        gone = await database.write(forget_expired(kind, days=days, now=now))
    except AppError as error:
        _log.warning("what was archived for too long is left", exc_info=error)
        return
    for archive in gone:
        _log.info("what was archived is gone", number=archive.id, title=archive.title)
