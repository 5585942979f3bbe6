"""Writes entries: their rows, components and links.

It writes the rows that the actions name, and decides nothing about drafts and locales.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from quire.database.entries.components import (
    ComponentLink,
    attach_components,
    component_links,
)
from quire.database.entries.deletion import detach_components
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.links.link_change import RowLinkChange
from quire.database.program import LONG_COMPUTATION, Program, Value
from quire.database.tables.table_map import ORDER
from quire.document_service.entry_values import ComponentValues, EntryValues
from quire.document_service.relation_targets import ResolvedTargets
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ApplicationError, ForeignComponentError
from quire.schema.attributes.base import Attribute, DynamicZoneAttribute

NOT_RELATED = "Some of the provided components in {} are not related to the entity"


class EntryUpdate(Struct, frozen=True, kw_only=True):
    """The change of a row: those attributes in ``values``, and columns that the server sets.

    ``siblings`` are the other versions of its document. In a relation with exclusive targets
    (one-to-one, one-to-many) the row takes targets from other documents, but not from them.
    """

    row_id: int
    values: EntryValues
    columns: Mapping[str, Value] = field(default_factory=dict)
    siblings: Collection[int] = ()


class _NewEntry(NamedTuple):
    """The values of a row to insert, and the columns that the server sets.

    For ``siblings`` see `EntryUpdate`.
    """

    values: EntryValues
    columns: Mapping[str, Value]
    siblings: Collection[int] = ()


def insert_entry(
    unit: UnitOfWork,
    layout: EntryLayout,
    values: EntryValues,
    columns: Mapping[str, Value],
    resolution: ResolvedTargets,
    siblings: Collection[int] = (),
) -> Program[int]:
    """Insert a row with its components and links; returns its id.

    ``columns`` are those that the server sets; for ``siblings`` see `EntryUpdate`.
    """
    entry = _NewEntry(values, columns, siblings)
    (row_id,) = yield from _insert_entries(unit, layout, [entry], resolution)
    return row_id


def update_entry(
    unit: UnitOfWork, layout: EntryLayout, update: EntryUpdate, resolution: ResolvedTargets
) -> Program[None]:
    """Change a row, see `update_entries`."""
    yield from update_entries(unit, layout, [update], resolution)


def update_entries(
    unit: UnitOfWork,
    layout: EntryLayout,
    updates: Sequence[EntryUpdate],
    resolution: ResolvedTargets,
) -> Program[None]:
    """Change rows of one model that are not linked to each other.

    The result is that of changing them one after the other, but where possible each step is one
    statement for all of them. Raises ApplicationError for a component that belongs to another
    entry.
    """
    rows = {
        update.row_id: {**unit.encode(layout, update.values.scalars), **update.columns}
        for update in updates
    }
    yield from unit.store.writes.update_all(layout.table.name, rows)
    with_components = [update for update in updates if update.values.components]
    if with_components:
        ids = [update.row_id for update in with_components]
        links = yield from component_links(unit.store, layout, ids)
        for name in _names_in(layout, (update.values.components for update in with_components)):
            changes = [
                _ComponentListChange(
                    update.row_id,
                    update.values.components[name],
                    [link for link in links if (link.entity, link.field) == (update.row_id, name)],
                )
                for update in with_components
                if name in update.values.components
            ]
            yield from _replace_components(unit, layout, name, changes, resolution)
    yield from _apply_relations(unit, layout, updates, resolution, creating=False)


def _names_in(layout: EntryLayout, values: Iterable[Collection[str]]) -> list[str]:
    """Return the attributes that any values have, in the order of the model."""
    names = {name for named_values in values for name in named_values}
    return [name for name in layout.model.attributes if name in names]


def _apply_relations(
    unit: UnitOfWork,
    layout: EntryLayout,
    updates: Sequence[EntryUpdate],
    resolution: ResolvedTargets,
    *,
    creating: bool,
) -> Program[None]:
    for name in _names_in(layout, (update.values.relations for update in updates)):
        linking = [update for update in updates if name in update.values.relations]
        if any(update.values.relations[name].is_large for update in linking):
            yield LONG_COMPUTATION
        changes = [
            RowLinkChange(
                row_id=update.row_id,
                change=resolution.link_change(unit, layout, name, update.values.relations[name]),
                siblings=update.siblings,
            )
            for update in linking
        ]
        yield from unit.store.links.apply_all(layout.model.uid, name, changes, creating=creating)


def _insert_entries(
    unit: UnitOfWork,
    layout: EntryLayout,
    entries: Sequence[_NewEntry],
    resolution: ResolvedTargets,
) -> Program[list[int]]:
    """Insert rows of one model with their components and links; returns their ids."""
    rows = [{**unit.encode(layout, entry.values.scalars), **entry.columns} for entry in entries]
    row_ids = yield from unit.store.writes.insert_all(layout.table.name, rows)
    for name in _names_in(layout, (entry.values.components for entry in entries)):
        is_list = _is_list(layout.model.attributes[name])
        components = [
            _PositionedComponent(row_id, component, position if is_list else None)
            for row_id, entry in zip(row_ids, entries, strict=True)
            for position, component in enumerate(entry.values.components.get(name, ()), 1)
        ]
        yield from _add_components(unit, layout, name, components, resolution)
    updates = [
        EntryUpdate(row_id=row_id, values=entry.values, siblings=entry.siblings)
        for row_id, entry in zip(row_ids, entries, strict=True)
    ]
    yield from _apply_relations(unit, layout, updates, resolution, creating=True)
    return row_ids


class _PositionedComponent(NamedTuple):
    """A component of a row, and its position in a list."""

    row_id: int
    component: ComponentValues
    order: int | None


def _add_components(
    unit: UnitOfWork,
    layout: EntryLayout,
    name: str,
    components: Sequence[_PositionedComponent],
    resolution: ResolvedTargets,
) -> Program[None]:
    """Insert components of an attribute of rows, and link them."""
    ids: dict[int, int] = {}
    for group in _group_by_model(components):
        inner = unit.layout(components[group[0]].component.uid)
        entries = [_NewEntry(components[index].component.values, {}) for index in group]
        inserted_ids = yield from _insert_entries(unit, inner, entries, resolution)
        ids |= zip(group, inserted_ids, strict=True)
    links = [
        (positioned.row_id, ids[index], positioned.component.uid, name, positioned.order)
        for index, positioned in enumerate(components)
    ]
    yield from attach_components(unit.store, layout, links)


def _group_by_model(components: Sequence[_PositionedComponent]) -> Iterable[list[int]]:
    """Return the indexes of components that are written together: those of one model.

    The components of a single row are written one after the other, in the order of the request, so
    that the ids of their own components are in that order, too. So are all where a present one is
    given twice.
    """
    present = [
        (positioned.component.uid, positioned.component.id)
        for positioned in components
        if positioned.component.id
    ]
    if len({positioned.row_id for positioned in components}) < 2 or len(set(present)) < len(
        present
    ):
        return [[index] for index in range(len(components))]
    groups: dict[str, list[int]] = {}
    for index, positioned in enumerate(components):
        groups.setdefault(positioned.component.uid, []).append(index)
    return groups.values()


def _is_list(attribute: Attribute) -> bool:
    return isinstance(attribute, DynamicZoneAttribute) or getattr(attribute, "repeatable", False)


class _ComponentListChange(NamedTuple):
    """The components that an attribute of a row will have, and the links of the present ones."""

    row_id: int
    components: Sequence[ComponentValues]
    links: Sequence[ComponentLink]


def _replace_components(
    unit: UnitOfWork,
    layout: EntryLayout,
    name: str,
    changes: Sequence[_ComponentListChange],
    resolution: ResolvedTargets,
) -> Program[None]:
    """Replace the components of an attribute of rows.

    Those with the id of a present component are updated, so that ids are stable, the others are
    inserted, and present ones that are not in ``components`` are deleted.
    """
    attribute = layout.model.attributes[name]
    is_list = _is_list(attribute)
    removed_links: list[ComponentLink] = []
    new_components: list[_PositionedComponent] = []
    present_components: list[_PositionedComponent] = []
    orders: dict[int, dict[str, Value]] = {}
    for change in changes:
        links_by_key = {(link.uid, link.id): link for link in change.links}
        _reject_foreign(attribute, change.components, links_by_key)
        component_keys = {(component.uid, component.id) for component in change.components}
        removed_links += [link for key, link in links_by_key.items() if key not in component_keys]
        for position, component in enumerate(change.components, 1):
            positioned = _PositionedComponent(
                change.row_id, component, position if is_list else None
            )
            if component.id is None:
                new_components.append(positioned)
                continue
            present_components.append(positioned)
            link = links_by_key[component.uid, component.id]
            if link.order != positioned.order:
                orders[link.link_id] = {ORDER: positioned.order}
    yield from detach_components(unit.store, layout, removed_links)
    for group in _group_by_model(present_components):
        inner = unit.layout(present_components[group[0]].component.uid)
        updates = [
            EntryUpdate(row_id=component.id or 0, values=component.values)
            for component in (present_components[index].component for index in group)
        ]
        yield from update_entries(unit, inner, updates, resolution)
    yield from unit.store.writes.update_all(layout.table.components_table, orders)
    yield from _add_components(unit, layout, name, new_components, resolution)


def _reject_foreign(
    attribute: Attribute,
    components: Sequence[ComponentValues],
    links_by_key: Mapping[tuple[str, int], ComponentLink],
) -> None:
    """Reject ids of components of other entries, which a client could change otherwise."""
    for component in components:
        if component.id is not None and (component.uid, component.id) not in links_by_key:
            message = NOT_RELATED.format(attribute.name)
            if isinstance(attribute, DynamicZoneAttribute):
                raise ForeignComponentError(message)
            raise ApplicationError(message)
