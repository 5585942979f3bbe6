"""Writes one entry: its row, components and links.

It writes the rows that the actions name, and decides nothing about drafts and locales.
"""

from collections.abc import Collection, Mapping, Sequence

from quire.database.entries.components import (
    ComponentLink,
    attach_components,
    component_links,
)
from quire.database.entries.deletion import detach_components
from quire.database.entries.entry_layout import EntryLayout
from quire.database.program import LONG_COMPUTATION, Program, Value
from quire.database.tables.table_map import ORDER
from quire.document_service.entry_values import ComponentValues, EntryValues
from quire.document_service.relation_targets import ResolvedTargets
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ApplicationError, ForeignComponentError
from quire.schema.attributes.base import Attribute, DynamicZoneAttribute

NOT_RELATED = "Some of the provided components in {} are not related to the entity"


def insert_entry(
    unit: UnitOfWork,
    layout: EntryLayout,
    values: EntryValues,
    columns: Mapping[str, Value],
    resolution: ResolvedTargets,
) -> Program[int]:
    """Insert a row with its components and links; returns its id.

    ``columns`` are those that the server sets.
    """
    row = {**unit.encode(layout, values.scalars), **columns}
    row_id = yield from unit.store.writes.insert(layout.table.name, row)
    for name, components in values.components.items():
        yield from _add_components(unit, layout, row_id, name, components, resolution)
    yield from _apply_relations(unit, layout, row_id, values, resolution, creating=True)
    return row_id


def update_entry(
    unit: UnitOfWork,
    layout: EntryLayout,
    row_id: int,
    values: EntryValues,
    columns: Mapping[str, Value],
    resolution: ResolvedTargets,
    siblings: Collection[int] = (),
) -> Program[None]:
    """Change attributes of a row: those in ``values``, and ``columns``, which the server sets.

    ``siblings`` are the other versions of its document. In a relation with exclusive targets
    (one-to-one, one-to-many) the row takes targets from other documents, but not from them. Raises
    ApplicationError for a component that belongs to another entry.
    """
    row = {**unit.encode(layout, values.scalars), **columns}
    yield from unit.store.writes.update(layout.table.name, row_id, row)
    if values.components:
        links = yield from component_links(unit.store, layout, [row_id])
        for name, components in values.components.items():
            attribute_links = [link for link in links if link.field == name]
            yield from _replace_components(
                unit, layout, row_id, name, components, attribute_links, resolution
            )
    yield from _apply_relations(
        unit, layout, row_id, values, resolution, creating=False, siblings=siblings
    )


def _apply_relations(
    unit: UnitOfWork,
    layout: EntryLayout,
    row_id: int,
    values: EntryValues,
    resolution: ResolvedTargets,
    *,
    creating: bool,
    siblings: Collection[int] = (),
) -> Program[None]:
    uid = layout.model.uid
    for name, change in values.relations.items():
        if change.is_large:
            yield LONG_COMPUTATION
        links = resolution.link_change(unit, layout, name, change)
        yield from unit.store.links.apply(
            uid, name, row_id, links, creating=creating, siblings=siblings
        )


def _add_components(
    unit: UnitOfWork,
    layout: EntryLayout,
    row_id: int,
    name: str,
    components: Sequence[ComponentValues],
    resolution: ResolvedTargets,
) -> Program[None]:
    links: list[tuple[int, int, str, str, float | None]] = []
    is_list = _is_list(layout.model.attributes[name])
    for position, component in enumerate(components, 1):
        component_id = yield from _insert_component(unit, component, resolution)
        links.append((row_id, component_id, component.uid, name, position if is_list else None))
    yield from attach_components(unit.store, layout, links)


def _insert_component(
    unit: UnitOfWork, component: ComponentValues, resolution: ResolvedTargets
) -> Program[int]:
    layout = unit.layout(component.uid)
    return (yield from insert_entry(unit, layout, component.values, {}, resolution))


def _is_list(attribute: Attribute) -> bool:
    return isinstance(attribute, DynamicZoneAttribute) or getattr(attribute, "repeatable", False)


def _replace_components(
    unit: UnitOfWork,
    layout: EntryLayout,
    row_id: int,
    name: str,
    components: Sequence[ComponentValues],
    current_links: Sequence[ComponentLink],
    resolution: ResolvedTargets,
) -> Program[None]:
    """Replace the components of an attribute.

    Those with the id of a present component are updated, so that ids are stable, the others are
    inserted, and present ones that are not in ``components`` are deleted.
    """
    attribute = layout.model.attributes[name]
    is_list = _is_list(attribute)
    links_by_key = {(link.uid, link.id): link for link in current_links}
    _reject_foreign(attribute, components, links_by_key)
    component_keys = {(component.uid, component.id) for component in components}
    removed_links = [link for key, link in links_by_key.items() if key not in component_keys]
    yield from detach_components(unit.store, layout, removed_links)
    new_links: list[tuple[int, int, str, str, float | None]] = []
    for position, component in enumerate(components, 1):
        order = position if is_list else None
        if component.id is None:
            component_id = yield from _insert_component(unit, component, resolution)
            new_links.append((row_id, component_id, component.uid, name, order))
            continue
        inner = unit.layout(component.uid)
        yield from update_entry(unit, inner, component.id, component.values, {}, resolution)
        link = links_by_key[(component.uid, component.id)]
        if link.order != order:
            table = layout.table.components_table
            yield from unit.store.writes.update(table, link.link_id, {ORDER: order})
    yield from attach_components(unit.store, layout, new_links)


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
