"""The entries of an archive as clients would send them, for hooks.

An archive has stored values, with password hashes, and relations apart from the entries.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from quire.database.entries.entry_layout import EntryLayout
from quire.database.tables.table_map import ColumnEdge
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import AUTOMATIC_NAMES, Model, Schema
from quire.transfer.archive_format import EntityLine
from quire.transfer.staged_entries import StagedLink

_COMPONENT_KEY = "__component"

Data = dict[str, Any]
MapComponentId = Callable[[str, int], int | None]
"""Maps the uid and id of a component to another id, or to none."""


def wire_data(
    schema: Schema, layout: EntryLayout, line: EntityLine, links: Iterable[StagedLink]
) -> Data:
    """Return the values of an entry that a client could have sent.

    Attributes without a value are left out, and so are passwords, which are hashes in an archive.
    Relations are lists of document ids, or one; files are ids. Components have their ids, without
    their relations, which an update by id keeps.
    """
    data = _values(schema, layout.model, line.data) | _relations(layout, links)
    fields = layout.model.writable_names
    return {name: value for name, value in data.items() if name in fields}


def changed_values(before: Mapping[str, Any], after: Mapping[str, Any]) -> Data:
    """Return the values that differ; what is missing afterwards is null."""
    return {
        name: after.get(name)
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    }


def with_component_ids(
    schema: Schema, model: Model, data: Mapping[str, Any], map_id: MapComponentId
) -> Data:
    """Return data with other ids of components, at every depth."""
    return {
        name: _with_ids(schema, model.attributes.get(name), value, map_id)
        for name, value in data.items()
    }


def without_component_ids(schema: Schema, model: Model, data: Mapping[str, Any]) -> Data:
    """Return data without ids of components: what two versions of a document have in common."""
    return with_component_ids(schema, model, data, lambda _uid, _id: None)


def component_ids(
    schema: Schema, model: Model, data: Mapping[str, Any]
) -> Iterator[tuple[str, int]]:
    """Iterate over the components of data, at every depth, by uid and id."""
    ids: list[tuple[str, int]] = []

    def collect(uid: str, component_id: int) -> None:
        ids.append((uid, component_id))

    with_component_ids(schema, model, data, collect)
    return iter(ids)


def _values(schema: Schema, model: Model, data: Mapping[str, Any]) -> Data:
    values: Data = {}
    for name, attribute in model.attributes.items():
        value = data.get(name)
        if name in AUTOMATIC_NAMES or value is None or value == []:
            continue
        if isinstance(attribute, ScalarAttribute):
            if not attribute.secret:
                present = model.presented.get(name)
                values[name] = value if present is None else msgspec.to_builtins(present(value))
        elif isinstance(attribute, ComponentAttribute | DynamicZoneAttribute):
            items = [
                _component(schema, attribute, item)
                for item in (value if isinstance(value, list) else [value])
            ]
            values[name] = items if isinstance(value, list) else items[0]
    return values


def _component(
    schema: Schema, attribute: ComponentAttribute | DynamicZoneAttribute, item: Mapping[str, Any]
) -> Data:
    component = schema.components[_component_uid(attribute, item)]
    kept = {name: item[name] for name in ("id", _COMPONENT_KEY) if name in item}
    return {**kept, **_values(schema, component, item)}


def _component_uid(
    attribute: ComponentAttribute | DynamicZoneAttribute, item: Mapping[str, Any]
) -> str:
    if isinstance(attribute, ComponentAttribute):
        return attribute.component
    return str(item.get(_COMPONENT_KEY))


def _relations(layout: EntryLayout, links: Iterable[StagedLink]) -> Data:
    relations: Data = {}
    for link in links:
        attribute = layout.model.attributes.get(link.name)
        if not isinstance(attribute, RelationAttribute | MediaAttribute):
            continue
        target = _target(layout, attribute, link)
        if attribute.to_many:
            relations.setdefault(link.name, []).append(target)
        else:
            relations[link.name] = target
    return relations


def _target(
    layout: EntryLayout, attribute: RelationAttribute | MediaAttribute, link: StagedLink
) -> object:
    # Relations that are stored in columns take ids of rows only, and files have no other.
    by_row = isinstance(attribute, MediaAttribute) or isinstance(
        layout.table.edges.get(link.name), ColumnEdge
    )
    identity = link.target_id if by_row or link.document_id is None else link.document_id
    if isinstance(attribute, RelationAttribute) and attribute.target is None:
        key = "id" if identity is link.target_id else "documentId"
        return {"__type": link.target_uid, key: identity}
    return identity


def _with_ids(
    schema: Schema, attribute: Attribute | None, value: object, map_id: MapComponentId
) -> object:
    """Return the value of an attribute with other ids of components."""
    if not isinstance(attribute, ComponentAttribute | DynamicZoneAttribute):
        return value
    if isinstance(value, list):
        return [_with_ids(schema, attribute, item, map_id) for item in value]
    component = (
        schema.components.get(_component_uid(attribute, value))
        if isinstance(value, Mapping)
        else None
    )
    if component is None or not isinstance(value, Mapping):
        return value
    mapped = with_component_ids(schema, component, value, map_id)
    component_id = mapped.pop("id", None)
    new_id = map_id(component.uid, component_id) if isinstance(component_id, int) else None
    return mapped if new_id is None else {"id": new_id, **mapped}
