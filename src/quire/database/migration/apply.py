"""Applies a planned migration in one transaction.

The order is that of the plan. What is taken away is archived first (`archive`).
"""

from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.dialect import Dialect
from quire.database.entries.store import EntryStore, open_store
from quire.database.migration.archive import ArchiveEntry, ArchiveWriter
from quire.database.migration.ddl_steps import TableWork
from quire.database.migration.plan import PlannedMigration, RequestedMigration, plan_program
from quire.database.migration.post_migrate import post_migrate
from quire.database.migration.pre_migrate import PreMigration
from quire.database.migration.schema_extension import extends
from quire.database.migration.schema_pair import SchemaTables
from quire.database.migration.schema_record import record_schema
from quire.database.program import Program
from quire.database.tables.inspection import inspect_program
from quire.database.target import DatabaseKind


class MigrationTarget(Struct, frozen=True, kw_only=True):
    """Where a migration is carried out: the kind of database, and how it answers questions."""

    kind: DatabaseKind
    dialect: Dialect


def plan_migration(place: MigrationTarget, change: RequestedMigration) -> Program[PlannedMigration]:
    """Look at a database and plan a change of it; see `plan_program`."""
    writes = Writes(place.dialect)
    return (yield from plan_program(change, place.kind.inspector, place.kind.ddl, writes))


def migrate(
    place: MigrationTarget, planned: PlannedMigration, *, title: str, now: int
) -> Program[None]:
    """Carry out a plan, and write down which schema the tables are for.

    Run it in the transaction that the plan was made in, or nobody knows whether it still holds.
    ``now`` is epoch milliseconds; ``title`` says later what this was.
    """
    writes = Writes(place.dialect)
    found = yield from inspect_program(place.kind.inspector)
    entry = ArchiveEntry(title=title, made_at=now)
    keeper = ArchiveWriter(writes, place.kind.ddl, place.kind.column_types, found, entry)
    change = planned.change
    if change.before is not None:
        former = _store(place, change.before)
        yield from PreMigration(former, keeper, change.default_locale, now).run(planned.plan)
    yield from TableWork(place.kind, found, change.after, writes, keeper).run(planned.structure)
    yield from post_migrate(_store(place, change.after), planned.plan, change.renames, found)
    yield from keeper.finish()
    yield from record(writes, change)


def record(writes: Writes, change: RequestedMigration) -> Program[None]:
    """Write down which schema the tables are for, and who may go on as before."""
    before, after = change.before, change.after.schema
    is_more = before is not None and extends(after, before.schema)
    former = before.schema.version if before is not None and is_more else None
    yield from record_schema(writes, after, change.renames, extends=former)


def _store(place: MigrationTarget, side: SchemaTables) -> EntryStore:
    return open_store(side.schema, side.tables, place.dialect)
