"""Finds components that Strapi has changed since our record of the schema.

Strapi's own record has content types only. Each of its starts records the tables, too, and our
record deletes that: if it is there, Strapi has started since.
"""

from collections.abc import Iterator

import sqlalchemy as sa
from msgspec.structs import replace

from quire.database.compile.writes import Writes
from quire.database.migration.impact import RowCounter
from quire.database.migration.schema_pair import Renames, SchemaTables, schema_tables
from quire.database.migration.schema_record import SchemaRecord
from quire.database.program import Program
from quire.database.tables.inspection import FoundTables
from quire.database.tables.system_tables import DATABASE_SCHEMA
from quire.database.target import DatabaseKind
from quire.schema.model import Schema
from quire.schema.source_files import SchemaFile


def with_changed_components(
    kind: DatabaseKind,
    recorded: SchemaRecord,
    former: SchemaTables | None,
    present: Schema,
    renames: Renames,
) -> Program[SchemaRecord]:
    """Return a record with the components that Strapi has changed as they are in ``present``.

    These are the ones whose tables are in the database as ``present`` has them, and not as
    ``former`` has them, the schema of the record if it has one. Removed ones are left out.
    ``renames`` lead to ``present``: renamed components are those of the record.
    """
    existing_tables = yield from kind.inspector.tables()
    is_recorded = DATABASE_SCHEMA in existing_tables
    counter = RowCounter(Writes(kind.dialect()))
    if not is_recorded or not (yield from counter.rows(DATABASE_SCHEMA)):
        return recorded
    side = schema_tables(present, kind.column_types)
    changed = {
        uid: SchemaFile(uid, model.file, model.raw)
        for uid, model in present.components.items()
        if uid not in renames.models
        and _has_tables(kind, side, uid, existing_tables)
        and not _has_former_parts(former, side, uid, existing_tables)
    }
    kept_sources = [
        changed.pop(source.uid, source)
        for source in recorded.sources
        if "::" in source.uid
        or source.uid in present.components
        or source.raw.get("collectionName") in existing_tables
    ]
    return replace(recorded, sources=(*kept_sources, *changed.values()))


def _has_tables(
    kind: DatabaseKind, side: SchemaTables, uid: str, existing_tables: FoundTables
) -> bool:
    """Tell whether a database has all tables and columns of a model, with their types."""
    for table in _tables_of(side, uid):
        existing_table = existing_tables.get(table.name)
        if existing_table is None:
            return False
        for column in table.c:
            existing_column = existing_table.columns.get(column.name)
            if existing_column is None or existing_column.type != kind.ddl.type_name(column):
                return False
    return True


def _has_former_parts(
    former: SchemaTables | None, side: SchemaTables, uid: str, existing_tables: FoundTables
) -> bool:
    """Tell whether a database has tables or columns of a model that only ``former`` has."""
    if former is None or uid not in former.schema.components:
        return False
    for table in _tables_of(former, uid):
        existing_table = existing_tables.get(table.name)
        if existing_table is None:
            continue
        present_table = side.metadata.tables.get(table.name)
        if present_table is None:
            return True
        removed_names = {column.name for column in table.c if column.name not in present_table.c}
        if removed_names & existing_table.columns.keys():
            return True
    return False


def _tables_of(side: SchemaTables, uid: str) -> Iterator[sa.Table]:
    """Yield the table of a model and those of its edges."""
    model = side.tables[uid]
    edge_tables = (getattr(edge, "table", None) for edge in model.edges.values())
    names = {model.name, *(name for name in edge_tables if name is not None)}
    return (side.metadata.tables[name] for name in names)
