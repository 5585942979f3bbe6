"""The two schemas of a migration, with their tables."""

from collections.abc import Mapping

from msgspec import Struct, field
from sqlalchemy import MetaData

from quire.database.tables.metadata import ColumnTypes, build_metadata
from quire.database.tables.table_map import TableMap, map_tables
from quire.schema.model import Schema


class SchemaTables(Struct, frozen=True, kw_only=True):
    """A schema with its tables, as one kind of database has them."""

    schema: Schema
    tables: TableMap
    metadata: MetaData


def schema_tables(schema: Schema, types: ColumnTypes) -> SchemaTables:
    """Compute the tables of a schema. Raises SchemaError when two of them have one name."""
    tables = map_tables(schema)
    return SchemaTables(
        schema=schema, tables=tables, metadata=build_metadata(schema, tables, types)
    )


class Renames(Struct, frozen=True, kw_only=True):
    """The names that differ between the earlier and the later schema.

    ``models`` maps later uids to earlier ones; ``attributes`` maps, by later uid, later names of
    attributes to earlier ones. Everything else kept its name, is new, or is removed.
    """

    models: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def earlier_uid(self, uid: str) -> str | None:
        """Return the former uid of a content type or component; ``None`` when it is new."""
        return _earlier(uid, self.models)

    def earlier_name(self, uid: str, attribute: str) -> str | None:
        """Return the former name of an attribute; ``None`` when it is new."""
        return _earlier(attribute, self.attributes.get(uid, {}))


def _earlier(name: str, renames: Mapping[str, str]) -> str | None:
    """Return the earlier name; without a rename it is the same, unless another thing took it."""
    renamed = renames.get(name)
    return renamed or (None if name in renames.values() else name)
