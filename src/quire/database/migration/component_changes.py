"""Finds components that Strapi has changed since our record of the schema.

Strapi's own record has content types only. Each of its starts records the tables, too, and our
record deletes that: if it is there, Strapi has started since.
"""

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
    kind: DatabaseKind, writes: Writes, recorded: SchemaRecord, present: Schema, renames: Renames
) -> Program[SchemaRecord]:
    """Return a record with the components that Strapi has changed as they are in ``present``.

    These are the ones whose tables are in the database as ``present`` has them. Removed ones are
    left out. ``renames`` lead to ``present``: renamed components are those of the record.
    """
    existing_tables = yield from kind.inspector.tables()
    is_recorded = DATABASE_SCHEMA in existing_tables
    if not is_recorded or not (yield from RowCounter(writes).rows(DATABASE_SCHEMA)):
        return recorded
    side = schema_tables(present, kind.column_types)
    changed = {
        uid: SchemaFile(uid, model.file, model.raw)
        for uid, model in present.components.items()
        if uid not in renames.models and _has_tables(kind, side, uid, existing_tables)
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
    model = side.tables[uid]
    edge_tables = (getattr(edge, "table", None) for edge in model.edges.values())
    names = {model.name, *(name for name in edge_tables if name is not None)}
    for name in names:
        existing_table = existing_tables.get(name)
        if existing_table is None:
            return False
        for column in side.metadata.tables[name].c:
            existing_column = existing_table.columns.get(column.name)
            if existing_column is None or existing_column.type != kind.ddl.type_name(column):
                return False
    return True
