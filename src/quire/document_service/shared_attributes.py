"""Attributes that are not localized: their values are equal in all locales of a document.

They are stored in the row of every locale, as in Strapi. So a change of one of them in one locale
writes all of them to the other locales of the same status, and a new locale starts with the present
values.
"""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from quire.database.entries.copy_version import copy_attributes
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.lookup import existing_ids, rows_of_documents
from quire.database.entries.row_comparison import Signatures, clear_parts, columns_of, signatures
from quire.database.entries.versions_query import EntryRow, entries_of
from quire.database.program import Program, Value
from quire.document_service.relation_targets import document_not_found
from quire.document_service.unit_of_work import UnitOfWork
from quire.schema.attributes.base import ScalarAttribute


def locale_template(unit: UnitOfWork, entries: Collection[EntryRow]) -> EntryRow | None:
    """Return the entry that a new locale copies from: a draft, of the default locale first."""
    drafts = [entry for entry in entries if not entry.published] or list(entries)
    default = unit.engine.default_locale
    return next((entry for entry in drafts if entry.locale == default), next(iter(drafts), None))


def shared_columns(
    unit: UnitOfWork, layout: EntryLayout, row_id: int, names: Collection[str]
) -> Program[dict[str, Value]]:
    """Return the stored values of attributes that have a column, by column."""
    columns = _shared_columns(layout, names)
    if not columns:
        return {}
    row = yield from columns_of(unit.store, layout, row_id, columns)
    return dict(zip(columns, row, strict=True))


def copy_shared_values(
    unit: UnitOfWork,
    layout: EntryLayout,
    source: EntryRow,
    target: EntryRow,
    names: Collection[str],
) -> Program[None]:
    """Copy shared media and components to the entry of a new locale.

    Raises ValidationError when a component links to an entry that the locale does not have.
    """
    parts = _attributes_without_column(layout, names)
    missing = yield from _copy_parts(unit, layout, source, target, parts)
    locale = target.locale or unit.engine.default_locale
    for uid, row_ids in missing.items():
        linked = unit.store.layout(uid)
        # Polymorphic links of deleted entries may be left.
        present_ids = yield from existing_ids(unit.store, uid, row_ids)
        for row_id in sorted(present_ids):
            columns = [linked.table.columns["documentId"]]
            (document_id,) = yield from columns_of(unit.store, linked, row_id, columns)
            rows = yield from rows_of_documents(unit.store, uid, locale, (str(document_id),))
            if not rows:
                raise document_not_found(str(document_id), locale)


class SharedValues(Struct, frozen=True):
    """The shared values of an entry in comparable form.

    ``columns`` are stored values, ``parts`` stand for media and components, which have no column.
    """

    columns: Mapping[str, Value]
    parts: Signatures


def shared_values_before(
    unit: UnitOfWork, layout: EntryLayout, entries: Collection[EntryRow], locale: str | None
) -> Program[SharedValues | None]:
    """Return the shared values of a document before it is changed in a locale.

    They are those of its first entry, drafts first and by locale; ``None`` if there is no other
    locale.
    """
    if not layout.shared or all(entry.locale == locale for entry in entries):
        return None
    return (yield from _read_shared_values(unit, layout, by_locale(entries)[0].id))


def by_locale(entries: Iterable[EntryRow]) -> list[EntryRow]:
    """Return entries by locale, drafts first, as Strapi finds them."""
    return sorted(entries, key=lambda entry: (entry.locale or "", entry.published, entry.id))


def sync_locales_later(
    unit: UnitOfWork,
    layout: EntryLayout,
    source: EntryRow,
    before: SharedValues | None,
    *,
    copied: bool = False,
) -> None:
    """Copy the shared values of an entry to the other locales of its status, after the response.

    This copies all shared values, and sets the update time, if any value differs from ``before``.
    In an entry that was ``copied`` from another version passwords count as changed: Strapi hashes
    them again.
    """
    if before is None:
        return

    def step() -> Program[None]:
        after = yield from _read_shared_values(unit, layout, source.id)
        if after == before and not (copied and _has_secret(layout, after)):
            return
        entries = yield from entries_of(unit.store, layout, source.document_id)
        for other in _other_locales(source, entries):
            yield from _copy_all(unit, layout, source, other, after)

    unit.postpone(step)


def write_to_locales_later(
    unit: UnitOfWork,
    layout: EntryLayout,
    source: EntryRow,
    entries: Iterable[EntryRow],
    names: Collection[str],
) -> None:
    """Copy attributes of an entry to the other locales of its status, after the response.

    ``entries`` are all of the document; those with the same values are unchanged, and attributes
    that belong to their locale are left out.
    """
    shared = layout.shared.intersection(names)
    other_entries = _other_locales(source, entries)
    if not shared or not other_entries:
        return

    def step() -> Program[None]:
        for other in other_entries:
            yield from _write_parts(unit, layout, source, other, shared)

    unit.postpone(step)


def _other_locales(source: EntryRow, entries: Iterable[EntryRow]) -> list[EntryRow]:
    """Return the entries of the other locales with the status of an entry."""
    return [
        entry
        for entry in entries
        if entry.published == source.published and entry.locale != source.locale
    ]


def _read_shared_values(
    unit: UnitOfWork, layout: EntryLayout, row_id: int
) -> Program[SharedValues]:
    columns = yield from shared_columns(unit, layout, row_id, layout.shared)
    names = _attributes_without_column(layout, layout.shared)
    if not names:
        return SharedValues(columns, {})
    return SharedValues(columns, (yield from signatures(unit.store, layout, row_id, names)))


def _has_secret(layout: EntryLayout, values: SharedValues) -> bool:
    return any(
        attribute.secret and values.columns.get(layout.table.columns[attribute.name]) is not None
        for attribute in layout.model.scalars
    )


def _copy_all(
    unit: UnitOfWork, layout: EntryLayout, source: EntryRow, other: EntryRow, values: SharedValues
) -> Program[None]:
    parts = _attributes_without_column(layout, layout.shared)
    yield from _write(unit, layout, source, other, values.columns, parts)


def _write_parts(
    unit: UnitOfWork, layout: EntryLayout, source: EntryRow, other: EntryRow, names: Collection[str]
) -> Program[None]:
    columns = _shared_columns(layout, names)
    changed_columns: dict[str, Value] = {}
    if columns:
        source_values = yield from columns_of(unit.store, layout, source.id, columns)
        current_values = yield from columns_of(unit.store, layout, other.id, columns)
        changed_columns = {
            column: value
            for column, value, current_value in zip(
                columns, source_values, current_values, strict=True
            )
            if value != current_value
        }
    parts = yield from _differing_attributes(
        unit, layout, source.id, other.id, _attributes_without_column(layout, names)
    )
    if changed_columns or parts:
        yield from _write(unit, layout, source, other, changed_columns, parts)


def _write(
    unit: UnitOfWork,
    layout: EntryLayout,
    source: EntryRow,
    other: EntryRow,
    columns: Mapping[str, Value],
    parts: frozenset[str],
) -> Program[None]:
    """Write columns to an entry, and replace its parts by those of the source."""
    yield from clear_parts(unit.store, layout, other.id, parts)
    yield from _copy_parts(unit, layout, source, other, parts)
    stamp = unit.store.dialect.encoder(_updated_at(layout).storage)(unit.tick())
    row = {**columns, layout.table.columns["updatedAt"]: stamp}
    yield from unit.store.writes.update(layout.table.name, other.id, row)


def _copy_parts(
    unit: UnitOfWork,
    layout: EntryLayout,
    source: EntryRow,
    target: EntryRow,
    names: frozenset[str],
) -> Program[Mapping[str, Collection[int]]]:
    """Copy parts to an entry of another locale, see `copy_attributes`."""
    return (
        yield from copy_attributes(
            unit.store,
            layout,
            source.id,
            target.id,
            names,
            published=source.published if layout.is_versioned() else None,
            locale=target.locale,
        )
    )


def _updated_at(layout: EntryLayout) -> ScalarAttribute:
    attribute = layout.model.attributes["updatedAt"]
    if not isinstance(attribute, ScalarAttribute):
        raise TypeError(f"{layout.model.uid}.updatedAt is not a scalar")
    return attribute


def _shared_columns(layout: EntryLayout, names: Collection[str]) -> tuple[str, ...]:
    return tuple(
        layout.table.columns[name] for name in sorted(names) if name in layout.table.columns
    )


def _attributes_without_column(layout: EntryLayout, names: Collection[str]) -> frozenset[str]:
    """Return the attributes that are media or components."""
    return frozenset(name for name in names if name not in layout.table.columns)


def _differing_attributes(
    unit: UnitOfWork, layout: EntryLayout, first_id: int, second_id: int, names: frozenset[str]
) -> Program[frozenset[str]]:
    if not names:
        return names
    first_signatures = yield from signatures(unit.store, layout, first_id, names)
    second_signatures = yield from signatures(unit.store, layout, second_id, names)
    return frozenset(
        name for name in names if first_signatures.get(name) != second_signatures.get(name)
    )
