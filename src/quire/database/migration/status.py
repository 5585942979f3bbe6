"""Whether a database has to be migrated, checked at every start.

A server refuses to start when tables or columns are missing. This is about the rest: rows that have
another meaning by the files than by the schema that they were written under.
"""

from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.migration.migrate import MigrationRequest, plan_migration_to
from quire.database.migration.schema_record import SchemaRecord, recorded_schema, recorded_type
from quire.database.migration.steps import (
    BeginDrafts,
    BeginLocales,
    ConvertColumn,
    EndDrafts,
    EndLocales,
    Plan,
    Step,
)
from quire.database.program import Program
from quire.database.target import DatabaseKind
from quire.errors import DatabaseOpenError
from quire.schema.model import Model, Schema
from quire.schema.source_files import EXTENSION


class PendingMigration(Struct, frozen=True):
    """The steps that are left before a database has the tables of a schema."""

    plan: Plan

    @property
    def misread(self) -> tuple[Step, ...]:
        """The steps without which rows would be misread."""
        return tuple(step for step in self.plan.steps if _is_about_rows(step))


def is_followed(kind: DatabaseKind, schema: Schema) -> Program[bool]:
    """Tell whether the recorded schema of a database is this one; ``True`` without a record.

    This is one short statement.
    """
    recorded = yield from recorded_schema(Writes(kind.dialect()))
    return recorded is None or _is_for(recorded, schema)


async def require_followed(
    database: Database, kind: DatabaseKind, request: MigrationRequest
) -> PendingMigration:
    """Plan the steps that are left in a database that another schema is recorded for.

    Raises DatabaseOpenError, with advice, when rows would be misread.
    """
    migration = await database.read(lambda: plan_migration_to(kind, request), snapshot=True)
    pending = PendingMigration(migration.plan)
    if pending.misread:
        steps = "\n".join(f"  {step}" for step in pending.misread)
        agree = " --may-lose" if pending.plan.losses else ""
        raise DatabaseOpenError(
            f"The schema files have changed, and the database has not been migrated:\n{steps}\n"
            "`quire migrate` shows everything there is to do, "
            f"`quire migrate --apply{agree}` does it."
        )
    return pending


def _is_for(recorded: SchemaRecord, schema: Schema) -> bool:
    if recorded.version == schema.version:
        return True
    models: list[Model] = [*schema.api_types]
    if recorded.is_complete:
        models += schema.components.values()
    source_files = (*recorded.sources, *recorded.unseen)
    recorded_types = {
        s.uid: recorded_type(s.raw) for s in source_files if not s.uid.startswith(EXTENSION)
    }
    return recorded_types == {model.uid: recorded_type(model.raw) for model in models}


def _is_about_rows(step: Step) -> bool:
    match step:
        case BeginDrafts() | BeginLocales() | EndLocales() | ConvertColumn():
            return step.rows > 0
        case EndDrafts():
            return step.rows + step.remaining > 0
        case _:
            return False
