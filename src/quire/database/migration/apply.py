"""Carrying out a planned migration: one program, for one transaction.

The order is that of the plan. What is taken away is kept aside first (`aside`).
"""

from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.dialect import Dialect
from quire.database.entries.store import Store, open_store
from quire.database.migration.archive import AsideKeeper, Entry
from quire.database.migration.ddl_steps import TableWork
from quire.database.migration.plan import Change, Planned, plan_program
from quire.database.migration.post_migrate import arrive
from quire.database.migration.pre_migrate import Leaving
from quire.database.migration.schema_extension import extends
from quire.database.migration.schema_pair import Side
from quire.database.migration.schema_record import record_schema
from quire.database.program import Program
from quire.database.tables.inspection import inspect_program
from quire.database.target import DatabaseKind


class Place(Struct, frozen=True, kw_only=True):
    """Where a migration is carried out: the kind of database, and how it answers questions."""

    kind: DatabaseKind
    dialect: Dialect


def plan_migration(place: Place, change: Change) -> Program[Planned]:
    """Look at a database and plan a change of it; see `plan_program`."""
    writes = Writes(place.dialect)
    return (yield from plan_program(change, place.kind.inspector, place.kind.ddl, writes))


def migrate(place: Place, planned: Planned, *, title: str, now: int) -> Program[None]:
    """Carry out a plan, and write down which schema the tables are for.

    Run it in the transaction that the plan was made in, or nobody knows whether it still holds.
    ``now`` is epoch milliseconds; ``title`` says later what this was.
    """
    writes = Writes(place.dialect)
    found = yield from inspect_program(place.kind.inspector)
    entry = Entry(title=title, made_at=now)
    keeper = AsideKeeper(writes, place.kind.ddl, place.kind.column_types, found, entry)
    change = planned.change
    if change.before is not None:
        former = _store(place, change.before)
        yield from Leaving(former, keeper, change.default_locale, now).run(planned.plan)
    yield from TableWork(place.kind, found, change.after, writes, keeper).run(planned.structure)
    yield from arrive(_store(place, change.after), planned.plan, change.renames, found)
    yield from keeper.finish()
    yield from record(writes, change)


def record(writes: Writes, change: Change) -> Program[None]:
    """Write down which schema the tables are for, and who may go on as before."""
    before, after = change.before, change.after.schema
    is_more = before is not None and extends(after, before.schema)
    former = before.schema.version if before is not None and is_more else None
    yield from record_schema(writes, after, change.renames, extends=former)


def _store(place: Place, side: Side) -> Store:
    return open_store(side.schema, side.tables, place.dialect)
