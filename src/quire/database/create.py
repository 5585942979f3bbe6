"""What makes the database of a project that has none yet."""

from collections.abc import Callable

from quire.clock import Clock
from quire.database.bootstrap import FirstLocale, bootstrap_program
from quire.database.ddl import create_program
from quire.database.mapping import TableMap
from quire.database.migration.record import record_schema
from quire.database.migration.sides import Renames
from quire.database.program import Program
from quire.database.room import DatabaseKind
from quire.database.rows import RowInserts
from quire.database.tables import build_metadata
from quire.database.writes import Writes
from quire.schema.model import Schema


def row_inserts(schema: Schema, tables: TableMap, kind: DatabaseKind) -> RowInserts:
    """Return what inserts rows into the tables of a schema."""
    return RowInserts(build_metadata(schema, tables, kind.column_types), kind.dialect())


def first_program(
    schema: Schema,
    tables: TableMap,
    kind: DatabaseKind,
    *,
    clock: Clock,
    new_id: Callable[[], str],
    locale: FirstLocale,
    api_prefix: str,
) -> Program[None]:
    """Make all tables and indexes of a new database, and write its first rows."""
    metadata = build_metadata(schema, tables, kind.column_types)
    yield from create_program(metadata, kind.ddl)
    yield from bootstrap_program(
        schema,
        tables,
        metadata,
        kind.dialect(),
        clock=clock,
        new_id=new_id,
        locale=locale,
        api_prefix=api_prefix,
    )
    yield from record_schema(Writes(kind.dialect()), schema, Renames())
