"""Chooses how the rows of a plan are read.

Where a database has to examine many rows to find those of a page, it reads only their ids first:
the page is read by its keys. Sorting whole rows costs about twice as much, and an index is enough
to skip the rows before a deep page. The keys can also be cached until the content changes.

The database estimates whether a page is costly (`quire.database.execute.cached_lists`). It is not
asked for a first page with a value that few entries share, nor for one in the order of ids without
other conditions: these are found at once.

Where every statement is a round trip, branches of several edges of a node share a statement
(`quire.database.compile.union_queries`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from quire.database.compile.sql_conditions import is_by_id, is_narrow
from quire.database.tables.table_map import Edge, MorphColumnEdge, MorphListEdge
from quire.query.plan import EdgeKind, LocaleScope, PlanEdge, PlanNode, ReadPlan
from quire.schema.model import ContentType, Schema, TypeKind

DEEP = 100
"""How many rows before a page make it potentially costly by themselves."""

MAX_SHARED_EDGES = 20
"""How many branches may share a statement: planning larger ones takes long."""


PageStrategy = Literal["at once", "id scan", "by keys"]
"""How a page is read.

``at once``: by the statement of the read. ``id scan``: by a statement that scans the table in the
order of ids, and so stops when the page is full. ``by keys``: first the ids, then their rows.
"""


class PageChoice(NamedTuple):
    """Which pages of a plan may be costly, and how these can be read by their keys.

    Pages with at least ``start`` rows before them may be costly. ``can_scan_by_id`` tells whether
    they may be found by a scan in the order of ids, ``can_sort_by_id`` whether their keys may be
    found by any index and then sorted.
    """

    start: int
    can_scan_by_id: bool = False
    can_sort_by_id: bool = False


def choose_pages(plan: ReadPlan, schema: Schema) -> PageChoice | None:
    """Return how costly pages of a plan are read.

    Returns ``None`` for a plan without pages and for a single document.
    """
    if plan.limit is None or plan.document is not None or plan.entry is not None:
        return None
    root, model = plan.root, schema.model(plan.root.uid)
    if isinstance(model, ContentType) and model.kind is TypeKind.SINGLE:
        return None
    if is_by_id(root) or is_narrow(root, schema):
        return PageChoice(DEEP)
    in_order, is_plain = _is_in_order_of_ids(root), _is_plain(plan)
    if not _has_versions(plan):
        return PageChoice(DEEP if is_plain and in_order else 0)
    is_unsorted = not root.sort and root.status_order is None
    return PageChoice(0, can_scan_by_id=in_order, can_sort_by_id=is_plain and is_unsorted)


def _is_plain(plan: ReadPlan) -> bool:
    """Tell whether the only conditions on rows are locale and status."""
    return plan.root.filter is None and plan.root.publication is None and plan.search is None


def _has_versions(plan: ReadPlan) -> bool:
    """Tell whether rows of a locale or status are asked for."""
    return plan.root.status is not None or plan.locale in {LocaleScope.ONE, LocaleScope.SOME}


def _is_in_order_of_ids(node: PlanNode) -> bool:
    """Tell whether rows are sorted by id, as they are when nothing else is asked for."""
    if not node.sort:
        return node.status_order is None
    return node.sort[0].attribute == "id" and not node.sort[0].path


def choose_shared(edges: Sequence[PlanEdge], tables: Mapping[str, Edge]) -> list[list[PlanEdge]]:
    """Return the edges of a node whose rows are read together, by their shared statement.

    ``tables`` says how each edge is stored. A statement is shared by at least two branches.
    """
    groups: list[list[PlanEdge]] = [[]]
    for edge in edges:
        if not _can_share(tables[edge.attribute], edge):
            continue
        if groups[-1] and _branches((*groups[-1], edge)) > MAX_SHARED_EDGES:
            groups.append([])
        groups[-1].append(edge)
    return [group for group in groups if _branches(group) > 1]


def _can_share(edge: Edge, plan: PlanEdge) -> bool:
    """Tell whether rows are found by their parents, in the order of links."""
    if isinstance(edge, MorphListEdge | MorphColumnEdge):
        return False
    return not any(node.sort for node in plan.nodes)


def _branches(edges: Iterable[PlanEdge]) -> int:
    """Count the branches of edges."""
    return sum(1 if edge.kind is EdgeKind.COUNT else len(edge.nodes) for edge in edges)
