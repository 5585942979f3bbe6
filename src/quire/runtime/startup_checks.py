"""Checks the schema of a database and deletes expired archives when a server starts."""

import structlog

from quire.clock import Clock
from quire.database.interface import Database
from quire.database.migration.archive import delete_expired, expired
from quire.database.migration.migrate import MigrationRequest
from quire.database.migration.schema_pair import Renames
from quire.database.migration.status import is_followed, require_followed
from quire.database.settings_target import kind_of
from quire.errors import AppError
from quire.schema.load import LoadOptions
from quire.schema.model import Schema
from quire.settings import Settings

_log = structlog.get_logger("quire.schema")


async def clear_archives(settings: Settings, database: Database, clock: Clock) -> None:
    """Delete archives that are older than the settings allow; a failure is retried later.

    One of several processes does it.
    """
    kind, days, now = kind_of(settings), settings.database.archive_days, clock()
    try:
        if not await database.read(lambda: expired(kind, days=days, now=now)):
            return
        deleted_archives = await database.write(delete_expired(kind, days=days, now=now))
    except AppError as error:
        _log.warning("what was archived for too long is left", exc_info=error)
        return
    for archive in deleted_archives:
        _log.info("what was archived is gone", number=archive.id, title=archive.title)


def log_notices(settings: Settings, schema: Schema) -> None:
    """Log definitions in schema files that have no effect, in development."""
    if settings.is_development:
        for notice in schema.notices:
            _log.warning("a definition in a schema file has no effect", problem=str(notice))


async def require_agreement(
    settings: Settings, database: Database, schema: Schema, options: LoadOptions
) -> None:
    """Check that the rows match the schema, and log surplus tables and columns.

    Raises DatabaseOpenError.
    """
    kind = kind_of(settings)
    if await database.read(lambda: is_followed(kind, schema)):
        return
    goal = MigrationRequest(schema=schema, options=options, renames=Renames())
    pending = await require_followed(database, kind, goal)
    if pending.plan.steps:
        _log.warning(
            "the database has more than the schema wants; `quire migrate` shows it",
            steps=[str(step) for step in pending.plan.steps],
        )
