"""The older response format, asked for with ``Strapi-Response-Format: v4``.

Entries keep ``id`` and ``documentId`` outside and everything else under ``attributes``; what
relations and files hold is wrapped in ``data``. Components stay flat.
"""

from collections.abc import Mapping
from typing import Any

from quire.database.mappers import Item
from quire.query.plan import EdgeKind, PlanEdge, PlanNode
from quire.schema.attributes.base import ComponentAttribute, DynamicZoneAttribute
from quire.schema.model import Component, Schema

HEADER = b"strapi-response-format"
VALUE = b"v4"


def nest(item: Item | None, node: PlanNode, schema: Schema) -> Item | None:
    """Return an entry in the older format, its populated attributes included."""
    if item is None:
        return None
    model = schema.model(node.uid)
    if isinstance(model, Component):
        return _flat(item, node, schema)
    attributes = {k: v for k, v in _flat(item, node, schema).items() if k not in _OUTSIDE}
    outside = {key: item[key] for key in _OUTSIDE if key in item}
    return {**outside, "attributes": attributes}


_OUTSIDE = ("id", "documentId")


def _flat(item: Item, node: PlanNode, schema: Schema) -> Item:
    edges = {edge.attribute: edge for edge in node.edges}
    return {
        name: _edge(value, edges[name], node, schema) if name in edges else value
        for name, value in item.items()
    }


def _edge(value: Any, edge: PlanEdge, node: PlanNode, schema: Schema) -> Any:
    attribute = schema.model(node.uid).attributes[edge.attribute]
    if isinstance(attribute, DynamicZoneAttribute):
        nodes = {inner.uid: inner for inner in edge.nodes}
        return [_flat(item, nodes[item["__component"]], schema) for item in value]
    if edge.kind is EdgeKind.COUNT:
        return value if isinstance(attribute, ComponentAttribute) else _wrap_count(value)
    if isinstance(attribute, ComponentAttribute):
        return _each(value, edge.nodes[0], schema)
    if len(edge.nodes) != 1:
        by_type = {inner.uid: inner for inner in edge.nodes}
        return {"data": [nest(item, by_type[item["__type"]], schema) for item in value]}
    return {"data": _each(value, edge.nodes[0], schema)}


def _wrap_count(value: Mapping[str, Any]) -> dict[str, Any]:
    return {"data": {"attributes": dict(value)}}


def _each(value: Any, node: PlanNode, schema: Schema) -> Any:
    if isinstance(value, list):
        return [nest(item, node, schema) for item in value]
    return nest(value, node, schema)
