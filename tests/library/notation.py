"""A text notation of plans for tables of expectations.

============================  =====================================================================
``title = 'x'``               a comparison; ``not`` stands before a negated one
``title =~ 'x'``              the same without regard to case
``all (a, b)``                every one of the parts
``any (a, b)``                at least one of them
``some author (…)``           some related row for which the part holds
``some or no author (…)``     also, or no related row at all
``true``, ``false``           a filter that holds for every row or for none
============================  =====================================================================
"""

from quire.query.filter_operators import CustomPredicate, Predicate
from quire.query.plan import (
    Comparison,
    ConstantCondition,
    EdgeKind,
    Filter,
    Junction,
    PlanEdge,
    PlanNode,
    RelatedCondition,
    SortKey,
)
from quire.query.resolve import ResolvedRead, SlotValue

_SIGNS = {
    Predicate.EQUALS: "=",
    Predicate.LESS: "<",
    Predicate.LESS_OR_EQUAL: "<=",
    Predicate.GREATER: ">",
    Predicate.GREATER_OR_EQUAL: ">=",
    Predicate.IN: "in",
    Predicate.BETWEEN: "between",
    Predicate.CONTAINS: "contains",
    Predicate.STARTS_WITH: "starts with",
    Predicate.ENDS_WITH: "ends with",
}

Values = tuple[SlotValue, ...]


def show_filter(part: Filter | None, values: Values) -> str:
    """Write a filter with the values of its slots."""
    match part:
        case None:
            return ""
        case ConstantCondition(holds=holds):
            return "true" if holds else "false"
        case Comparison():
            return _comparison(part, values)
        case Junction(conjunction=every, parts=parts):
            shown = ", ".join(show_filter(inner, values) for inner in parts)
            return f"{'all' if every else 'any'} ({shown})"
        case RelatedCondition(attribute=attribute, part=inner, or_none=missing):
            which = "some or no" if missing else "some"
            return f"{which} {attribute} ({show_filter(inner, values)})"


def _comparison(part: Comparison, values: Values) -> str:
    negation = "not " if part.negated else ""
    if part.predicate is Predicate.IS_NULL:
        return f"{negation}{part.attribute} is null"
    predicate = part.predicate
    name = predicate.name if isinstance(predicate, CustomPredicate) else _SIGNS[predicate]
    sign = name + ("~" if part.fold else "")
    operand = " and ".join(repr(values[slot]) for slot in part.slots)
    return f"{negation}{part.attribute} {sign} {operand}"


def show_sort(keys: tuple[SortKey, ...]) -> str:
    """Write an order: ``author.name desc, title``."""
    return ", ".join(
        ".".join((*key.path, key.attribute)) + (" desc" if key.descending else "") for key in keys
    )


def show_edges(edges: tuple[PlanEdge, ...]) -> str:
    """Write what is populated: ``author, links (to), tags #`` (``#`` for a count)."""
    return ", ".join(_edge(edge) for edge in edges)


def _edge(edge: PlanEdge) -> str:
    if edge.kind is EdgeKind.COUNT:
        return f"{edge.attribute} #"
    below = " | ".join(inner for node in edge.nodes if (inner := show_edges(node.edges)))
    return f"{edge.attribute} ({below})" if below else edge.attribute


def show_node(node: PlanNode, values: Values) -> str:
    """Write what of a node is not as it would be by default: its filter and its order."""
    parts = [show_filter(node.filter, values), show_sort(node.sort)]
    return " by ".join(part for part in parts if part)


def shown_filter(resolved: ResolvedRead) -> str:
    """Write what a list is filtered by."""
    return show_filter(resolved.plan.root.filter, resolved.values)
