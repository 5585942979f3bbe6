"""The response format of Strapi 4, requested by ``Strapi-Response-Format: v4``.

Entries have ``id`` and ``documentId`` outside and everything else under ``attributes``; relations
and files are wrapped in ``data``. Components stay flat, and so do relations to any type, with all
that is populated below them.
"""

from typing import Any

from quire.database.execute.row_mappers import Item, members
from quire.javascript.interpreter.values import is_nullish
from quire.query.plan import EdgeKind, PlanEdge, PlanNode
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    LocalizationsAttribute,
    MediaAttribute,
    RelationAttribute,
)
from quire.schema.model import FILE_UID, Component, Model, Schema

HEADER = b"strapi-response-format"
VALUE = b"v4"


def to_v4(
    item: Item | dict[str, Any] | None, node: PlanNode, schema: Schema
) -> dict[str, Any] | None:
    """Return an entry, or its JSON form, in the v4 format, with its populated attributes."""
    if item is None:
        return None
    flat = _flat(_members(item), node, schema)
    if isinstance(schema.model(node.uid), Component):
        return flat
    attributes = {name: value for name, value in flat.items() if name not in _TOP_LEVEL_FIELDS}
    top_level = {name: flat[name] for name in _TOP_LEVEL_FIELDS if name in flat}
    return {**top_level, "attributes": attributes}


_TOP_LEVEL_FIELDS = ("id", "documentId")


def _members(item: Item | dict[str, Any]) -> dict[str, Any]:
    return item if isinstance(item, dict) else members(item)


def _flat(item: dict[str, Any], node: PlanNode, schema: Schema) -> dict[str, Any]:
    edges = {edge.attribute: edge for edge in node.edges}
    return {
        name: _edge(value, edges[name], node, schema) if name in edges else value
        for name, value in item.items()
    }


def _edge(value: object, edge: PlanEdge, node: PlanNode, schema: Schema) -> object:
    attribute = schema.model(node.uid).attributes[edge.attribute]
    if edge.kind is EdgeKind.COUNT:
        is_component = isinstance(attribute, ComponentAttribute)
        return value if is_component else {"data": {"attributes": value}}
    if isinstance(attribute, DynamicZoneAttribute):
        return _nest_list(value, edge, schema)
    if isinstance(attribute, ComponentAttribute):
        return _nest_items(value, edge.nodes[0], schema)
    if isinstance(attribute, RelationAttribute) and attribute.target is None:
        return value
    return {"data": _nest_items(value, edge.nodes[0], schema)}


def _nest_list(value: object, edge: PlanEdge, schema: Schema) -> list[Any]:
    """Nest a list of components that tell their kind."""
    nodes = {node.uid: node for node in edge.nodes}
    items = value if isinstance(value, list | tuple) else ()
    return [to_v4(item, nodes[_members(item)["__component"]], schema) for item in items]


def _nest_items(value: object, node: PlanNode, schema: Schema) -> object:
    if isinstance(value, list | tuple):
        return [to_v4(item, node, schema) for item in value]
    return to_v4(value, node, schema) if isinstance(value, Item | dict) else None


def made_entry_to_v4(entry: object, model: Model | None, schema: Schema) -> object:
    """Return what code has made as an entry, or a list of them, in the v4 format.

    Unlike what is read, it may contain anything. Raises TypeError for an entry that is no object.
    """
    if is_nullish(entry):
        return entry
    if isinstance(entry, list):
        return [made_entry_to_v4(item, model, schema) for item in entry]
    if not isinstance(entry, dict):
        raise TypeError
    known_attributes = {} if model is None else model.attributes
    attributes = {
        name: _made_attribute(value, known_attributes.get(name), schema)
        for name, value in entry.items()
        if name not in _TOP_LEVEL_FIELDS
    }
    if isinstance(model, Component):
        return {"id": entry["id"], **attributes} if "id" in entry else attributes
    top_level = {name: entry[name] for name in _TOP_LEVEL_FIELDS if name in entry}
    return {**top_level, "attributes": attributes}


def _made_attribute(value: object, attribute: Attribute | None, schema: Schema) -> object:
    if value is not None and not isinstance(value, dict | list):
        return value
    match attribute:
        case RelationAttribute(target=str(uid)) | LocalizationsAttribute(target=uid):
            return {"data": made_entry_to_v4(value, schema.content_types.get(uid), schema)}
        case MediaAttribute():
            return {"data": made_entry_to_v4(value, schema.content_types[FILE_UID], schema)}
        case ComponentAttribute(component=uid):
            return made_entry_to_v4(value, schema.components[uid], schema)
        case DynamicZoneAttribute() if isinstance(value, list):
            return [made_entry_to_v4(item, _component_of(item, schema), schema) for item in value]
        case _:
            return value


def _component_of(item: object, schema: Schema) -> Component | None:
    uid = item.get("__component") if isinstance(item, dict) else None
    return schema.components.get(uid) if isinstance(uid, str) else None
