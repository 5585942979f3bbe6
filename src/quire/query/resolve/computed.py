"""Computed fields in a plan: the fields that they need are read as well."""

from msgspec.structs import replace

from quire.hooks.computed import ComputedFields
from quire.query.plan import PlanEdge, PlanNode


def with_needs(node: PlanNode, computed: ComputedFields) -> PlanNode:
    """Return a node whose computed fields are separate from those that are read.

    Fields that only they need are read, too, and are ``hidden``.
    """
    edges = tuple(_edge(edge, computed) for edge in node.edges)
    own = computed.get(node.uid, {})
    names = tuple(name for name in node.fields if name in own)
    if not names:
        return node if edges == node.edges else replace(node, edges=edges)
    shown = tuple(name for name in node.fields if name not in own)
    needs = dict.fromkeys(need for name in names for need in own[name].needs)
    hidden = tuple(need for need in needs if need not in shown)
    return replace(node, fields=(*shown, *hidden), hidden=hidden, computed=names, edges=edges)


def _edge(edge: PlanEdge, computed: ComputedFields) -> PlanEdge:
    nodes = tuple(with_needs(node, computed) for node in edge.nodes)
    others = tuple(with_needs(node, computed) for node in edge.others)
    if nodes == edge.nodes and others == edge.others:
        return edge
    return replace(edge, nodes=nodes, others=others)


def has_computed(node: PlanNode) -> bool:
    """Tell whether a plan has computed fields at any level."""
    return bool(node.computed) or any(
        has_computed(inner) for edge in node.edges for inner in (*edge.nodes, *edge.others)
    )
