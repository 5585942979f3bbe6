"""Rows of components, and their links to entries.

Every entry has its own components; versions never share them. A component that is removed from its
entry is deleted with its own components, links and media.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program
from quire.database.tables.table_map import (
    COMPONENT_COLUMNS,
    COMPONENT_ENTITY,
    COMPONENT_ID,
    COMPONENT_TYPE,
    FIELD,
    ORDER,
)


class ComponentLink(NamedTuple):
    """One row of a components table: entity ``entity`` has component ``id`` in ``field``."""

    link_id: int
    entity: int
    id: int
    uid: str
    field: str
    order: float | None


def component_links(
    store: EntryStore, layout: EntryLayout, entities: Collection[int]
) -> Program[list[ComponentLink]]:
    """Return the components of rows of one model, in order, without those of unknown models."""
    if not layout.components or not entities:
        return []

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(layout.table.components_table)
        entity = table.c(COMPONENT_ENTITY)
        names = ("id", *COMPONENT_COLUMNS)
        return (
            sa.select(*(table.c(name) for name in names))
            .where(store.dialect.member_of(entity, builder.parents()))
            .order_by(entity, table.c(FIELD), table.c(ORDER), table.c("id"))
        )

    key = ("component links", layout.model.uid)
    rows = yield from store.writes.run_listed(key, build, entities)
    links = []
    for link_id, entity, id_, uid, name, order in rows:
        if id_ is not None and store.layouts.get(str(uid)) is not None:
            order_value = float(order) if isinstance(order, int | float) else None
            links.append(
                ComponentLink(
                    int(link_id or 0), int(entity or 0), int(id_), str(uid), str(name), order_value
                )
            )
    return links


def attach_components(
    store: EntryStore, layout: EntryLayout, links: Iterable[tuple[int, int, str, str, float | None]]
) -> Program[None]:
    """Link components to their entries: ``(entity, component, uid, field, order)`` each."""
    table = layout.table.components_table
    yield from store.writes.insert_many(table, COMPONENT_COLUMNS, list(links))


def ids_by_component(links: Iterable[ComponentLink]) -> dict[str, list[int]]:
    """Return the ids of linked components, by their uids."""
    groups: dict[str, list[int]] = {}
    for link in links:
        groups.setdefault(link.uid, []).append(link.id)
    return groups


class ComponentOwner(NamedTuple):
    """A row that has a component in one of its attributes."""

    uid: str
    row: int
    field: str


def component_owners(
    store: EntryStore, component: str, row_id: int
) -> Program[list[ComponentOwner]]:
    """Return the rows that contain a component, of any model; there should be at most one."""
    owners: list[ComponentOwner] = []
    for uid, model in store.tables.tables.items():
        layout = store.layout(uid)
        if not any(layout.holds(part.name, component) for part in layout.components):
            continue

        def build(
            builder: StatementBuilder, name: str = model.components_table
        ) -> sa.ClauseElement:
            table = builder.table(name)
            condition = table.c(COMPONENT_ID) == builder.plain_slot(0)
            kind = table.c(COMPONENT_TYPE) == builder.constant(component)
            return sa.select(table.c(COMPONENT_ENTITY), table.c(FIELD)).where(condition, kind)

        key = ("component holders", uid, component)
        rows = yield from store.writes.run(key, build, (row_id,))
        owners += [ComponentOwner(uid, int(entity or 0), str(field)) for entity, field in rows]
    return owners
