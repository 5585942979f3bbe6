"""Tables of built-in content types, whose rows have neither drafts nor locales.

These are administrators, their roles and permissions, sessions and tokens: a document is one row.
Columns have the names of attributes; a row type with ``rename="camel"`` may have Python names.
"""

from collections.abc import Callable, Collection, Mapping
from functools import cached_property

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.deletion import delete_entries
from quire.database.entries.entry_tables import EntryStore
from quire.database.entries.links.link_change import LinkChange, LinkTarget
from quire.database.program import Program
from quire.database.stores.row_conditions import Column, eq
from quire.database.stores.table import RowT, Table
from quire.database.tables.table_map import ColumnEdge, LinkEdge
from quire.ids import new_document_id
from quire.schema.attributes.base import ScalarAttribute, StorageKind

_STAMPS = ("createdAt", "updatedAt", "publishedAt")


class BaseRow(Struct, frozen=True):
    """The base of row types."""

    id: int


class ContentTable(Table[RowT]):
    """The rows of a content type in the tables of one schema."""

    def __init__(
        self,
        store: EntryStore,
        uid: str,
        row: type[RowT],
        new_id: Callable[[], str] = new_document_id,
    ) -> None:
        """``new_id`` makes ids of documents."""
        super().__init__(store.writes, store.tables[uid].name, row)
        self.uid = uid
        self._store = store
        self._new_id = new_id

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """The columns by attribute; those of relations hold the id of a row."""
        layout = self._store.layout(self.uid)
        columns = {"id": Column("id", StorageKind.INTEGER)}
        for name, attribute in layout.model.attributes.items():
            edge = layout.table.edges.get(name)
            if isinstance(edge, ColumnEdge):
                columns[name] = Column(edge.column, StorageKind.INTEGER)
            elif isinstance(edge, LinkEdge):
                columns[name] = Column(edge.target_column, StorageKind.INTEGER, edge)
            elif isinstance(attribute, ScalarAttribute):
                columns[name] = Column(layout.table.columns[name], attribute.storage)
        return columns

    def tables(self, *attributes: str) -> frozenset[str]:
        """Return the name of the table, with the tables of links behind some attributes."""
        return self._store.tables.names_of(self.uid, *attributes)

    def create(self, values: Mapping[str, object], *, now: int) -> Program[int]:
        """Insert a document with values by attribute; returns the id of its row."""
        stamps = dict.fromkeys(_STAMPS, now)
        document_id = values.get("documentId") or self._new_id()
        all_values = {**values, "documentId": document_id, **stamps}
        return (yield from self.insert_values(all_values))

    def change(self, row_id: int, values: Mapping[str, object], *, now: int) -> Program[None]:
        """Change values of a row by attribute, at a time."""
        yield from self.update({**values, "updatedAt": now}, eq("id", row_id))

    def delete_ids(self, ids: Collection[int]) -> Program[None]:
        """Delete rows with all links."""
        yield from delete_entries(self._store, self._store.layout(self.uid), sorted(ids))

    def count_linked(self, attribute: str) -> Program[dict[int, int]]:
        """Count the source rows of a relation, by target."""
        edge = self.columns[attribute].link
        if edge is None:
            raise TypeError(f"{self.uid}.{attribute} is not stored in a link table")

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            links = builder.table(edge.table)
            target_id = links.c(edge.target_column)
            return (
                sa.select(target_id, sa.func.count())
                .where(target_id.is_not(None))
                .group_by(target_id)
            )

        rows = yield from self._run(("count linked", attribute), build, ())
        return {int(target_id or 0): int(count or 0) for target_id, count in rows}

    def linked(self, attribute: str, ids: Collection[int]) -> Program[dict[int, list[int]]]:
        """Return the targets of a relation of rows, in order."""
        links_by_row = yield from self._store.links.read(self.uid, attribute, ids)
        return {row_id: [link.row for link in links_by_row.get(row_id, ())] for row_id in ids}

    def link(
        self, attribute: str, row_id: int, targets: Collection[int], *, creating: bool
    ) -> Program[None]:
        """Set the targets of a relation of a row."""
        change = LinkChange(set=tuple(LinkTarget(rows=(target,)) for target in targets))
        yield from self._store.links.apply(self.uid, attribute, row_id, change, creating=creating)


class ContentTables(Struct, frozen=True, kw_only=True):
    """The tables of the content types of one schema; ``new_id`` makes ids of documents."""

    store: EntryStore
    new_id: Callable[[], str]

    def table_for(self, uid: str, row: type[RowT]) -> ContentTable[RowT]:
        """Return the table of a content type."""
        return content_table(self.store, uid, row, self.new_id)


def content_table(
    store: EntryStore, uid: str, row: type[RowT], new_id: Callable[[], str] = new_document_id
) -> ContentTable[RowT]:
    """Return the table of a content type; there is one for each store."""
    tables, key = store.writes.tables, (uid, row, new_id)
    if key not in tables:
        tables[key] = ContentTable(store, uid, row, new_id)
    table: ContentTable[RowT] = tables[key]
    return table
