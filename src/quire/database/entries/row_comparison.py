"""Compares parts of rows, and clears them.

Parts are media and components: values of a row that are not in its columns.
"""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.components import component_links
from quire.database.entries.deletion import detach_components
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program, Row
from quire.database.tables.table_map import FIELD, MorphTargetEdge


def columns_of(
    store: EntryStore, layout: EntryLayout, row_id: int, columns: Sequence[str]
) -> Program[Row]:
    """Return columns of a row. Raises LookupError when there is no such row."""
    if not columns:
        return ()

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(layout.table.name)
        query = sa.select(*(table.c(name) for name in columns))
        return query.where(table.c("id") == builder.plain_slot(0))

    key = ("columns of", layout.table.name, tuple(columns))
    rows = yield from store.writes.run(key, build, (row_id,))
    if not rows:
        raise LookupError(f"{layout.table.name} has no row {row_id}")
    return rows[0]


Signatures = dict[str, list[tuple[object, ...]]]
"""By attribute, its content in a form in which equal contents are equal."""


def signatures(
    store: EntryStore, layout: EntryLayout, row_id: int, names: Collection[str] | None = None
) -> Program[Signatures]:
    """Return the contents of the parts of a row; ``names`` are the attributes, all by default."""
    signatures_by_attribute: Signatures = {}
    for name, edge in layout.morph_targets:
        if names is None or name in names:
            rows = yield from _morph_ids(store, edge, row_id)
            signatures_by_attribute[name] = [(target_id,) for (target_id,) in rows]
    links = yield from component_links(store, layout, [row_id])
    for link in links:
        if names is not None and link.field not in names:
            continue
        inner = store.layout(link.uid)
        row = yield from columns_of(store, inner, link.id, inner.columns)
        below = yield from signatures(store, inner, link.id)
        linked = yield from _linked_rows(store, inner, link.id)
        signature = (link.uid, *row, sorted(below.items()), linked)
        signatures_by_attribute.setdefault(link.field, []).append(signature)
    return signatures_by_attribute


def _morph_ids(store: EntryStore, edge: MorphTargetEdge, row_id: int) -> Program[list[Row]]:
    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(edge.table)
        conditions = (
            table.c(edge.source_id_column) == builder.plain_slot(0),
            table.c(edge.source_type_column) == builder.plain_slot(1),
            table.c(FIELD) == builder.plain_slot(2),
        )
        query = sa.select(table.c(edge.target_column)).where(*conditions)
        return query.order_by(table.c("order"), table.c("id"))

    values = (row_id, edge.type_value, edge.field)
    return (
        yield from store.writes.run(("related", edge.table, edge.source_id_column), build, values)
    )


def _linked_rows(store: EntryStore, layout: EntryLayout, row_id: int) -> Program[list[list[Row]]]:
    linked_rows = []
    for _, edge in layout.links:

        def build(
            builder: StatementBuilder,
            table_name: str = edge.table,
            source_column: str = edge.source_column,
            target_column: str = edge.target_column,
            order: str | None = edge.order,
        ) -> sa.ClauseElement:
            table = builder.table(table_name)
            query = sa.select(table.c(target_column)).where(
                table.c(source_column) == builder.plain_slot(0)
            )
            return query.order_by(table.c(order or "id"), table.c("id"))

        key = ("linked", edge.table, edge.source_column)
        linked_rows.append((yield from store.writes.run(key, build, (row_id,))))
    return linked_rows


def clear_parts(
    store: EntryStore, layout: EntryLayout, row_id: int, names: Collection[str]
) -> Program[None]:
    """Remove media and components of some attributes."""
    if not names:
        return
    for name, edge in layout.morph_targets:
        if name in names:
            yield from _clear_morph(store, edge, row_id)
    links = yield from component_links(store, layout, [row_id])
    removed_links = [link for link in links if link.field in names]
    yield from detach_components(store, layout, removed_links)


def _clear_morph(store: EntryStore, edge: MorphTargetEdge, row_id: int) -> Program[None]:
    def build(builder: StatementBuilder) -> sa.ClauseElement:
        names = (edge.source_id_column, edge.source_type_column, FIELD)
        table = sa.table(edge.table, *(sa.column(name) for name in names))
        return sa.delete(table).where(
            table.c[edge.source_id_column] == builder.plain_slot(0),
            table.c[edge.source_type_column] == builder.plain_slot(1),
            table.c[FIELD] == builder.plain_slot(2),
        )

    values = (row_id, edge.type_value, edge.field)
    yield from store.writes.run(("clear related", edge.table), build, values)
