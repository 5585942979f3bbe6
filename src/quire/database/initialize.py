"""Creates the tables and first rows of a new database."""

from collections.abc import Callable

from quire.clock import Clock
from quire.database.compile.row_inserts import RowInserts
from quire.database.compile.writes import Writes
from quire.database.migration.schema_pair import Renames
from quire.database.migration.schema_record import record_schema
from quire.database.program import Program
from quire.database.tables.ddl import create_program
from quire.database.tables.initial_rows import FirstLocale, bootstrap_program
from quire.database.tables.metadata import build_metadata
from quire.database.tables.table_map import TableMap
from quire.database.target import DatabaseKind
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
