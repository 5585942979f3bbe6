"""Components of entries as rows: found, copied and removed together with all that is inside them.

Every entry has components of its own; they are never shared between versions. A component that
leaves its entry is deleted with its own components, links and media.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import sqlalchemy as sa

from quire.database.mapping import COMPONENT_ENTITY, COMPONENT_ID, COMPONENT_TYPE, FIELD, ORDER
from quire.database.program import Program
from quire.database.statements import StatementBuilder
from quire.documents.layout import Layout
from quire.documents.unit import UnitOfWork


class ComponentLink(NamedTuple):
    """One row of a components table: entity ``entity`` has component ``id`` in ``field``."""

    link_id: int
    entity: int
    id: int
    uid: str
    field: str
    order: float | None


def component_links(
    unit: UnitOfWork, layout: Layout, entities: Collection[int]
) -> Program[list[ComponentLink]]:
    """Return the components of rows of one model, in order, those of unknown models left out."""
    if not layout.components or not entities:
        return []

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(layout.table.components_table)
        entity = table.c(COMPONENT_ENTITY)
        names = ("id", COMPONENT_ENTITY, COMPONENT_ID, COMPONENT_TYPE, FIELD, ORDER)
        return (
            sa.select(*(table.c(name) for name in names))
            .where(unit.engine.dialect.member_of(entity, builder.parents()))
            .order_by(entity, table.c(FIELD), table.c(ORDER), table.c("id"))
        )

    key = ("component links", layout.model.uid)
    rows = yield from unit.engine.writes.run_listed(key, build, entities)
    found = []
    for link_id, entity, id_, uid, name, order in rows:
        if id_ is not None and unit.engine.layouts.get(str(uid)) is not None:
            place = float(order) if isinstance(order, int | float) else None
            found.append(
                ComponentLink(
                    int(link_id or 0), int(entity or 0), int(id_), str(uid), str(name), place
                )
            )
    return found


def attach_components(
    unit: UnitOfWork, layout: Layout, links: Iterable[tuple[int, int, str, str, float | None]]
) -> Program[None]:
    """Link components to their entries: ``(entity, component, uid, field, order)`` each."""
    columns = (COMPONENT_ENTITY, COMPONENT_ID, COMPONENT_TYPE, FIELD, ORDER)
    yield from unit.engine.writes.insert_many(layout.table.components_table, columns, list(links))


def detach_components(
    unit: UnitOfWork, layout: Layout, links: Collection[ComponentLink]
) -> Program[None]:
    """Take components out of their entries and delete them with everything inside."""
    if not links:
        return
    writes = unit.engine.writes
    yield from writes.delete(layout.table.components_table, [link.link_id for link in links])
    yield from delete_components(unit, links)


def delete_components(unit: UnitOfWork, links: Iterable[ComponentLink]) -> Program[None]:
    """Delete components that no entry leads to any more, with everything inside them."""
    groups: dict[str, list[int]] = {}
    for link in links:
        groups.setdefault(link.uid, []).append(link.id)
    for uid, ids in groups.items():
        layout = unit.layout(uid)
        inner = yield from component_links(unit, layout, ids)
        yield from delete_morph_links(unit, layout, ids)
        # Links and component links of these rows go with them: their foreign keys cascade.
        yield from unit.engine.writes.delete(layout.table.name, ids)
        yield from delete_components(unit, inner)


def delete_morph_links(unit: UnitOfWork, layout: Layout, ids: Collection[int]) -> Program[None]:
    """Delete what leads to rows by type and id, for which there is no foreign key."""
    uid = layout.model.uid
    for edge in unit.engine.layouts.morph_lists:

        def build(
            builder: StatementBuilder,
            table: str = edge.table,
            far_type: str = edge.far_type,
            far_id: str = edge.far_id,
        ) -> sa.ClauseElement:
            described = sa.table(table, sa.column(far_type), sa.column(far_id))
            of_type = described.c[far_type] == builder.plain_slot(0)
            listed = unit.engine.dialect.member_of(described.c[far_id], builder.parents())
            return sa.delete(described).where(of_type, listed)

        yield from unit.engine.writes.run_listed(("unmorph", edge.table), build, ids, (uid,))
    for table_name, column in unit.engine.layouts.morph_columns:

        def clear(
            builder: StatementBuilder,
            table: str = table_name,
            type_column: str = column.type_column,
            id_column: str = column.id_column,
        ) -> sa.ClauseElement:
            described = sa.table(table, sa.column(type_column), sa.column(id_column))
            of_type = described.c[type_column] == builder.plain_slot(0)
            listed = unit.engine.dialect.member_of(described.c[id_column], builder.parents())
            nothing = {type_column: sa.null(), id_column: sa.null()}
            return sa.update(described).values(nothing).where(of_type, listed)

        yield from unit.engine.writes.run_listed(("unmorph", table_name), clear, ids, (uid,))
