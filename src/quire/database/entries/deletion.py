"""Deletes rows with everything that belongs to them; the order of deletions is decided here alone.

References by type and id go first, because no foreign key deletes them; then the rows, with their
links by foreign keys; then the components of the rows, in the same way.
"""

from collections.abc import Collection, Iterable, Sequence

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.components import ComponentLink, component_links, ids_by_component
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program, Statement
from quire.database.tables.inspection import Inspector
from quire.database.tables.system_tables import HISTORY_VERSIONS
from quire.database.tables.table_map import TableMap

_ROWS_AT_ONCE = 500
_REVISIONS = "quire_revisions"
_WEBHOOK_DELIVERIES = "quire_deliveries"


def delete_entries(store: EntryStore, layout: EntryLayout, ids: Sequence[int]) -> Program[None]:
    """Delete rows of a model with their components, links and all references to them."""
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        batch = ids[start : start + _ROWS_AT_ONCE]
        links = yield from component_links(store, layout, batch)
        yield from _delete_references(store, layout, batch)
        yield from store.writes.delete(layout.table.name, batch)
        yield from _delete_components(store, links)


def detach_components(
    store: EntryStore, layout: EntryLayout, links: Collection[ComponentLink]
) -> Program[None]:
    """Remove components from their entries and delete them with their own components."""
    if not links:
        return
    writes = store.writes
    yield from writes.delete(layout.table.components_table, [link.link_id for link in links])
    yield from _delete_components(store, links)


def delete_all_rows(tables: TableMap, uids: Collection[str], inspector: Inspector) -> Program[None]:
    """Delete all rows of models with their links, components, revisions and webhook deliveries.

    ``uids`` are those of content types and components.
    """
    mapped = [tables[uid] for uid in uids]
    joins = {edge.table for table in mapped for edge in table.join_edges}
    table_names = [table.name for table in mapped]
    existing_tables = yield from inspector.table_names()
    records = [
        name
        for name in (HISTORY_VERSIONS, _REVISIONS, _WEBHOOK_DELIVERIES)
        if name in existing_tables
    ]
    for name in (*sorted(joins), *table_names, *records):
        quoted = name.replace('"', '""')
        yield Statement(f'DELETE FROM "{quoted}"')  # noqa: S608 - a table of the schema


def _delete_components(store: EntryStore, links: Iterable[ComponentLink]) -> Program[None]:
    """Delete components that no entry uses any more."""
    for uid, ids in ids_by_component(links).items():
        yield from delete_entries(store, store.layout(uid), ids)


def _delete_references(
    store: EntryStore, layout: EntryLayout, ids: Collection[int]
) -> Program[None]:
    """Delete references to rows by type and id, for which there is no foreign key."""
    uid = layout.model.uid
    for edge in store.layouts.morph_lists_to(layout):

        def build(
            builder: StatementBuilder,
            table: str = edge.table,
            type_column: str = edge.target_type_column,
            id_column: str = edge.target_id_column,
        ) -> sa.ClauseElement:
            table_clause = sa.table(table, sa.column(type_column), sa.column(id_column))
            of_type = table_clause.c[type_column] == builder.plain_slot(0)
            member = store.dialect.member_of(table_clause.c[id_column], builder.parents())
            return sa.delete(table_clause).where(of_type, member)

        yield from store.writes.run_listed(("unmorph", edge.table), build, ids, (uid,))
    for table_name, column in store.layouts.morph_columns_to(layout):

        def clear(
            builder: StatementBuilder,
            table: str = table_name,
            type_column: str = column.type_column,
            id_column: str = column.id_column,
        ) -> sa.ClauseElement:
            table_clause = sa.table(table, sa.column(type_column), sa.column(id_column))
            of_type = table_clause.c[type_column] == builder.plain_slot(0)
            member = store.dialect.member_of(table_clause.c[id_column], builder.parents())
            nothing = {type_column: sa.null(), id_column: sa.null()}
            return sa.update(table_clause).values(nothing).where(of_type, member)

        yield from store.writes.run_listed(("unmorph", table_name), clear, ids, (uid,))
