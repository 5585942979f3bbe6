"""``fields``: which scalar attributes to return, and what computed ones need to be read."""

from collections.abc import Iterator

from msgspec.structs import replace

from quire.hooks.computed import ComputedFields
from quire.query.plan import PlanEdge, PlanNode
from quire.query.querystring import QueryValue
from quire.query.resolve.errors import Pass
from quire.query.resolve.scope import Scope
from quire.schema.attributes.base import ScalarAttribute
from quire.schema.model import Component, Model


def with_needs(node: PlanNode, computed: ComputedFields) -> PlanNode:
    """Return a node whose computed fields are separate from those that are read.

    Fields that only they need are read, too, and are ``hidden``.
    """
    edges = tuple(_edge_with_needs(edge, computed) for edge in node.edges)
    computed_fields = computed.get(node.uid, {})
    names = tuple(name for name in node.fields if name in computed_fields)
    if not names:
        return node if edges == node.edges else replace(node, edges=edges)
    stored_fields = tuple(name for name in node.fields if name not in computed_fields)
    needs = dict.fromkeys(need for name in names for need in computed_fields[name].needs)
    hidden = tuple(need for need in needs if need not in stored_fields)
    return replace(
        node, fields=(*stored_fields, *hidden), hidden=hidden, computed=names, edges=edges
    )


def _edge_with_needs(edge: PlanEdge, computed: ComputedFields) -> PlanEdge:
    nodes = tuple(with_needs(node, computed) for node in edge.nodes)
    unlisted = tuple(with_needs(node, computed) for node in edge.unlisted)
    if nodes == edge.nodes and unlisted == edge.unlisted:
        return edge
    return replace(edge, nodes=nodes, unlisted=unlisted)


def computed_fields(node: PlanNode) -> Iterator[tuple[str, str]]:
    """Yield the uids and names of the computed fields of a plan, at all levels."""
    for name in node.computed:
        yield node.uid, name
    for edge in node.edges:
        for inner in (*edge.nodes, *edge.unlisted):
            yield from computed_fields(inner)


BAD_FIELDS = "Invalid fields parameter. Expected a string or an array of strings"


def default_fields(model: Model, *, private: bool = False) -> tuple[str, ...]:
    """Return every scalar attribute that may be shown, in the order of the schema."""
    return tuple(
        attribute.name
        for attribute in model.scalars
        if (private or not attribute.private) and not attribute.secret
    )


def shown_fields(model: Model, scope: Scope) -> tuple[str, ...]:
    """Return the fields of a model that are shown by default, including computed fields."""
    names = default_fields(model, private=scope.shows_private)
    computed = scope.computed.get(model.uid)
    if not computed or not scope.computes_by_default:
        return names
    return (*names, *(name for name, field in computed.items() if field.default))


def resolve_fields(value: QueryValue, model: Model, scope: Scope) -> tuple[str, ...]:
    """Parse a ``fields`` parameter; ``id`` (and ``documentId``) always come first."""
    names = _parse_names(value, scope)
    if names is None:
        return shown_fields(model, scope)
    allowed = [name for name in names if name == "*" or _is_selectable(name, model, scope)]
    identity = ("id",) if isinstance(model, Component) else ("id", "documentId")
    listed_names = tuple(name for name in allowed if name != "*")
    field_names = (*shown_fields(model, scope), *listed_names) if "*" in allowed else listed_names
    return tuple(dict.fromkeys((*identity, *field_names)))


def _parse_names(value: QueryValue, scope: Scope) -> list[str] | None:
    if value is None:
        return None
    if value == "" and not scope.nested:
        scope.report_unconvertible(BAD_FIELDS)
        return None
    if isinstance(value, str):
        return [name.strip() for name in value.split(",")] if value != "*" else ["*"]
    if isinstance(value, list) and all(item is None or isinstance(item, str) for item in value):
        texts = [item for item in value if isinstance(item, str)]
        if any("," in text for text in texts):
            scope.report_malformed(BAD_FIELDS, Pass.SHAPE)
        return [name.strip() for text in texts for name in text.split(",")]
    scope.report_malformed(BAD_FIELDS)
    return None


def _is_selectable(name: str, model: Model, scope: Scope) -> bool:
    attribute = model.attributes.get(name)
    if attribute is None and name in scope.computed.get(model.uid, ()):
        return True
    if attribute is None:
        scope.report_invalid_key(name, None)
        return False
    if scope.report_if_hidden(attribute, name):
        return False
    if not isinstance(attribute, ScalarAttribute):
        scope.report_invalid_key(name, name)
        return False
    return True
