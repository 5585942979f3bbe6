"""Checks at the start that the tables have the schema of the files."""

import structlog

from quire.database.connection import Database
from quire.database.migration.migrate import MigrationGoal
from quire.database.migration.schema_pair import Renames
from quire.database.migration.status import is_followed, require_followed
from quire.database.settings_target import target_of
from quire.schema.load import LoadOptions
from quire.schema.model import Schema
from quire.settings import Settings

_log = structlog.get_logger("quire.schema")


async def require_agreement(
    settings: Settings, database: Database, schema: Schema, options: LoadOptions
) -> None:
    """Demand that rows are what a schema takes them for, and say in the log what is left over.

    Raises DatabaseOpenError.
    """
    kind = target_of(settings).kind
    if await database.read(lambda: is_followed(kind, schema)):
        return
    goal = MigrationGoal(schema=schema, options=options, renames=Renames())
    pending = await require_followed(database, kind, goal)
    if pending.plan.steps:
        _log.warning(
            "the database has more than the schema wants; `quire migrate` shows it",
            steps=[str(step) for step in pending.plan.steps],
        )
