"""The tables of one schema in one database, for all code that works on rows of content."""

from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.dialect import Dialect
from quire.database.entries.entry_layout import EntryLayout, EntryLayouts
from quire.database.entries.links.link_store import Links
from quire.database.tables.table_map import TableMap
from quire.schema.model import Schema


class EntryStore(Struct, frozen=True, kw_only=True):
    """The rows of one schema."""

    schema: Schema
    tables: TableMap
    layouts: EntryLayouts
    writes: Writes
    links: Links

    @property
    def dialect(self) -> Dialect:
        """The SQL dialect of the database."""
        return self.writes.dialect

    def layout(self, uid: str) -> EntryLayout:
        """Return the layout of a uid. Raises KeyError when there is no such model."""
        return self.layouts[uid]


def open_store(schema: Schema, tables: TableMap, dialect: Dialect) -> EntryStore:
    """Create the store of a schema; statements are compiled when they are first needed."""
    writes = Writes(dialect)
    return EntryStore(
        schema=schema,
        tables=tables,
        layouts=EntryLayouts(schema, tables),
        writes=writes,
        links=Links(schema, tables, writes),
    )
