"""Letting go of what migrations took away so long ago that nobody will want it back."""

import structlog

from quire.clock import Clock
from quire.database.connection import Database
from quire.database.migration.archive_expiry import forget_over, over
from quire.database.settings_target import target_of
from quire.errors import AppError
from quire.settings import Settings

_log = structlog.get_logger("quire.schema")


async def clear_aside(settings: Settings, database: Database, clock: Clock) -> None:
    """Let go of what has been kept aside for as long as the settings say; at another start if not.

    Of several processes one does it.
    """
    kind, days, now = target_of(settings).kind, settings.database.aside_days, clock()
    try:
        if not await database.read(lambda: over(kind, days=days, now=now)):
            return
        gone = await database.write(forget_over(kind, days=days, now=now))
    except AppError as error:
        _log.warning("what was kept aside for too long is left", exc_info=error)
        return
    for aside in gone:
        _log.info("what was kept aside is gone", number=aside.id, title=aside.title)
