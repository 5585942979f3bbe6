"""Deletes rows of content, with everything that belongs to them or refers to them."""

from collections.abc import Collection, Iterable, Sequence

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.components import ComponentLink, component_links
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.store import EntryStore
from quire.database.program import Program


def delete_entries(store: EntryStore, layout: EntryLayout, ids: Sequence[int]) -> Program[None]:
    """Delete rows with their components, links and all references to them."""
    if not ids:
        return
    links = yield from component_links(store, layout, ids)
    yield from delete_morph_links(store, layout, ids)
    yield from store.writes.delete(layout.table.name, ids)
    yield from delete_components(store, links)


def detach_components(
    store: EntryStore, layout: EntryLayout, links: Collection[ComponentLink]
) -> Program[None]:
    """Remove components from their entries and delete them with their own components."""
    if not links:
        return
    writes = store.writes
    yield from writes.delete(layout.table.components_table, [link.link_id for link in links])
    yield from delete_components(store, links)


def delete_components(store: EntryStore, links: Iterable[ComponentLink]) -> Program[None]:
    """Delete components that no entry uses any more, with their own components."""
    groups: dict[str, list[int]] = {}
    for link in links:
        groups.setdefault(link.uid, []).append(link.id)
    for uid, ids in groups.items():
        layout = store.layout(uid)
        inner = yield from component_links(store, layout, ids)
        yield from delete_morph_links(store, layout, ids)
        # Links and component links of these rows are deleted by their foreign keys.
        yield from store.writes.delete(layout.table.name, ids)
        yield from delete_components(store, inner)


def delete_morph_links(
    store: EntryStore, layout: EntryLayout, ids: Collection[int]
) -> Program[None]:
    """Delete references to rows by type and id, for which there is no foreign key."""
    uid = layout.model.uid
    for edge in store.layouts.morph_lists_to(layout):

        def build(
            builder: StatementBuilder,
            table: str = edge.table,
            far_type: str = edge.far_type,
            far_id: str = edge.far_id,
        ) -> sa.ClauseElement:
            described = sa.table(table, sa.column(far_type), sa.column(far_id))
            of_type = described.c[far_type] == builder.plain_slot(0)
            listed = store.dialect.member_of(described.c[far_id], builder.parents())
            return sa.delete(described).where(of_type, listed)

        yield from store.writes.run_listed(("unmorph", edge.table), build, ids, (uid,))
    for table_name, column in store.layouts.morph_columns_to(layout):

        def clear(
            builder: StatementBuilder,
            table: str = table_name,
            type_column: str = column.type_column,
            id_column: str = column.id_column,
        ) -> sa.ClauseElement:
            described = sa.table(table, sa.column(type_column), sa.column(id_column))
            of_type = described.c[type_column] == builder.plain_slot(0)
            listed = store.dialect.member_of(described.c[id_column], builder.parents())
            nothing = {type_column: sa.null(), id_column: sa.null()}
            return sa.update(described).values(nothing).where(of_type, listed)

        yield from store.writes.run_listed(("unmorph", table_name), clear, ids, (uid,))
