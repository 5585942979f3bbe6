"""What the locales of a document have in common: attributes that are not localized.

They are stored with every locale all the same. So whoever writes one locale writes them to the
others of the same status too, and a new locale begins with what the document has already. The
drafts of a document agree at all times, and so do its published entries.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import sqlalchemy as sa

from quire.database.mapping import FIELD, MorphTargetEdge
from quire.database.program import Program, Row, Value
from quire.database.statements import StatementBuilder
from quire.documents.components import component_links, detach_components
from quire.documents.finding import Entry
from quire.documents.layout import Layout
from quire.documents.unit import UnitOfWork
from quire.documents.versions import copy_attributes
from quire.schema.attributes.base import ComponentAttribute, DynamicZoneAttribute, ScalarAttribute


def model_entry(unit: UnitOfWork, entries: Collection[Entry]) -> Entry | None:
    """Return the entry that a new locale takes over from: a draft, of the default locale first."""
    drafts = [entry for entry in entries if not entry.published] or list(entries)
    default = unit.engine.default_locale
    return next((entry for entry in drafts if entry.locale == default), next(iter(drafts), None))


def shared_columns(
    unit: UnitOfWork, layout: Layout, row_id: int, names: Collection[str]
) -> Program[dict[str, Value]]:
    """Return the stored values of those of the attributes that have a column, by column."""
    columns = _shared_columns(layout, names)
    if not columns:
        return {}
    row = yield from _columns_of(unit, layout, row_id, columns)
    return dict(zip(columns, row, strict=True))


def take_over(
    unit: UnitOfWork, layout: Layout, source: Entry, target: int, names: Collection[str]
) -> Program[None]:
    """Copy shared media and components to the row of a new locale."""
    yield from copy_attributes(
        unit, layout, source.id, target, _parts(layout, names), published=source.published
    )


def share_later(
    unit: UnitOfWork,
    layout: Layout,
    source: Entry,
    entries: Iterable[Entry],
    names: Collection[str],
) -> None:
    """Write attributes of an entry to the other locales of its status, when it has been shown.

    ``entries`` are all of the document; those that have the same values already stay untouched, and
    attributes that belong to their locale are left out.
    """
    shared = layout.shared.intersection(names)
    others = [
        entry
        for entry in entries
        if entry.published == source.published and entry.locale != source.locale
    ]
    if not shared or not others:
        return

    def step() -> Program[None]:
        for other in others:
            yield from _share_with(unit, layout, source, other, shared)

    unit.later(step)


def _share_with(
    unit: UnitOfWork, layout: Layout, source: Entry, other: Entry, names: Collection[str]
) -> Program[None]:
    columns = _shared_columns(layout, names)
    changed: dict[str, Value] = {}
    if columns:
        wanted = yield from _columns_of(unit, layout, source.id, columns)
        present = yield from _columns_of(unit, layout, other.id, columns)
        changed = {
            column: value
            for column, value, old in zip(columns, wanted, present, strict=True)
            if value != old
        }
    parts = yield from _different_parts(unit, layout, source.id, other.id, _parts(layout, names))
    if not changed and not parts:
        return
    yield from _clear(unit, layout, other.id, parts)
    yield from copy_attributes(unit, layout, source.id, other.id, parts, published=source.published)
    stamp = unit.engine.dialect.encoder(_updated_at(layout).storage)(unit.tick())
    changed[layout.table.columns["updatedAt"]] = stamp
    yield from unit.engine.writes.update(layout.table.name, other.id, changed)


def _updated_at(layout: Layout) -> ScalarAttribute:
    attribute = layout.model.attributes["updatedAt"]
    if not isinstance(attribute, ScalarAttribute):
        raise TypeError(f"{layout.model.uid}.updatedAt is not a scalar")
    return attribute


def _shared_columns(layout: Layout, names: Collection[str]) -> tuple[str, ...]:
    return tuple(
        layout.table.columns[name] for name in sorted(names) if name in layout.table.columns
    )


def _parts(layout: Layout, names: Collection[str]) -> frozenset[str]:
    """Return those of the attributes that are media or components."""
    return frozenset(name for name in names if name not in layout.table.columns)


def _columns_of(
    unit: UnitOfWork, layout: Layout, row_id: int, columns: Sequence[str]
) -> Program[Row]:
    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(layout.table.name)
        chosen = sa.select(*(table.c(name) for name in columns))
        return chosen.where(table.c("id") == builder.plain_slot(0))

    key = ("columns of", layout.table.name, tuple(columns))
    rows = yield from unit.engine.writes.run(key, build, (row_id,))
    if not rows:
        raise LookupError(f"{layout.table.name} has no row {row_id}")
    return rows[0]


def _different_parts(
    unit: UnitOfWork, layout: Layout, one: int, other: int, names: frozenset[str]
) -> Program[frozenset[str]]:
    if not names:
        return names
    ours = yield from _signatures(unit, layout, one, names)
    theirs = yield from _signatures(unit, layout, other, names)
    return frozenset(name for name in names if ours.get(name) != theirs.get(name))


Signatures = dict[str, list[tuple[object, ...]]]
"""By attribute, what stands in it, in a form in which equal contents are equal."""


def _signatures(
    unit: UnitOfWork, layout: Layout, row_id: int, names: Collection[str] | None = None
) -> Program[Signatures]:
    found: Signatures = {}
    for name, edge in layout.morph_targets:
        if names is None or name in names:
            rows = yield from _morph_ids(unit, edge, row_id)
            found[name] = [(far,) for (far,) in rows]
    links = yield from component_links(unit, layout, [row_id])
    for link in links:
        if names is not None and link.field not in names:
            continue
        inner = unit.layout(link.uid)
        row = yield from _columns_of(unit, inner, link.id, inner.columns)
        below = yield from _signatures(unit, inner, link.id)
        linked = yield from _linked(unit, inner, link.id)
        signature = (link.uid, *row, sorted(below.items()), linked)
        found.setdefault(link.field, []).append(signature)
    return found


def _morph_ids(unit: UnitOfWork, edge: MorphTargetEdge, row_id: int) -> Program[list[Row]]:
    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(edge.table)
        here = (
            table.c(edge.near_id) == builder.plain_slot(0),
            table.c(edge.near_type) == builder.plain_slot(1),
            table.c(FIELD) == builder.plain_slot(2),
        )
        chosen = sa.select(table.c(edge.far)).where(*here)
        return chosen.order_by(table.c("order"), table.c("id"))

    values = (row_id, edge.type_value, edge.field)
    return (yield from unit.engine.writes.run(("related", edge.table, edge.near_id), build, values))


def _linked(unit: UnitOfWork, layout: Layout, row_id: int) -> Program[list[list[Row]]]:
    found = []
    for _, edge in layout.links:

        def build(
            builder: StatementBuilder,
            table_name: str = edge.table,
            near: str = edge.near,
            far: str = edge.far,
            order: str | None = edge.order,
        ) -> sa.ClauseElement:
            table = builder.table(table_name)
            chosen = sa.select(table.c(far)).where(table.c(near) == builder.plain_slot(0))
            return chosen.order_by(table.c(order or "id"), table.c("id"))

        key = ("linked", edge.table, edge.near)
        found.append((yield from unit.engine.writes.run(key, build, (row_id,))))
    return found


def _clear(unit: UnitOfWork, layout: Layout, row_id: int, names: Collection[str]) -> Program[None]:
    """Take media and components of some attributes away."""
    if not names:
        return
    for name, edge in layout.morph_targets:
        if name in names:
            yield from _clear_morph(unit, edge, row_id)
    links = yield from component_links(unit, layout, [row_id])
    gone = [link for link in links if link.field in names]
    yield from detach_components(unit, layout, gone)


def _clear_morph(unit: UnitOfWork, edge: MorphTargetEdge, row_id: int) -> Program[None]:
    def build(builder: StatementBuilder) -> sa.ClauseElement:
        names = (edge.near_id, edge.near_type, FIELD)
        table = sa.table(edge.table, *(sa.column(name) for name in names))
        return sa.delete(table).where(
            table.c[edge.near_id] == builder.plain_slot(0),
            table.c[edge.near_type] == builder.plain_slot(1),
            table.c[FIELD] == builder.plain_slot(2),
        )

    values = (row_id, edge.type_value, edge.field)
    yield from unit.engine.writes.run(("clear related", edge.table), build, values)


def blank_lists(
    layout: Layout, data: Mapping[str, object], names: Collection[str]
) -> Mapping[str, object]:
    """Return data in which lists that will be taken over are not missed by validation."""
    blank: dict[str, object] = {}
    for name in names:
        attribute = layout.model.attributes[name]
        listed = isinstance(attribute, DynamicZoneAttribute) or (
            isinstance(attribute, ComponentAttribute) and attribute.repeatable
        )
        if listed and name not in data:
            blank[name] = []
    return {**blank, **data}
