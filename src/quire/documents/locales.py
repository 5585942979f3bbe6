"""What the locales of a document have in common: attributes that are not localized.

They are stored with every locale all the same. So whoever writes one locale writes them to the
others of the same status too, and a new locale begins with what the document has already. The
drafts of a document agree at all times, and so do its published entries.
"""

from collections.abc import Collection, Iterable, Mapping

from quire.database.content.finding import Entry
from quire.database.content.layout import Layout
from quire.database.content.parts import clear_parts, columns_of, signatures
from quire.database.content.versions import copy_attributes
from quire.database.program import Program, Value
from quire.documents.unit import UnitOfWork
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
    row = yield from columns_of(unit.store, layout, row_id, columns)
    return dict(zip(columns, row, strict=True))


def take_over(
    unit: UnitOfWork, layout: Layout, source: Entry, target: int, names: Collection[str]
) -> Program[None]:
    """Copy shared media and components to the row of a new locale."""
    yield from copy_attributes(
        unit.store, layout, source.id, target, _parts(layout, names), published=source.published
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
        wanted = yield from columns_of(unit.store, layout, source.id, columns)
        present = yield from columns_of(unit.store, layout, other.id, columns)
        changed = {
            column: value
            for column, value, old in zip(columns, wanted, present, strict=True)
            if value != old
        }
    parts = yield from _different_parts(unit, layout, source.id, other.id, _parts(layout, names))
    if not changed and not parts:
        return
    yield from clear_parts(unit.store, layout, other.id, parts)
    yield from copy_attributes(
        unit.store, layout, source.id, other.id, parts, published=source.published
    )
    stamp = unit.store.dialect.encoder(_updated_at(layout).storage)(unit.tick())
    changed[layout.table.columns["updatedAt"]] = stamp
    yield from unit.store.writes.update(layout.table.name, other.id, changed)


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


def _different_parts(
    unit: UnitOfWork, layout: Layout, one: int, other: int, names: frozenset[str]
) -> Program[frozenset[str]]:
    if not names:
        return names
    ours = yield from signatures(unit.store, layout, one, names)
    theirs = yield from signatures(unit.store, layout, other, names)
    return frozenset(name for name in names if ours.get(name) != theirs.get(name))


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
