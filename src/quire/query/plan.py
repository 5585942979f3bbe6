"""Read plans: a tree in the shape of the response, without values.

A node says which fields of which model are read, of which rows, and what is populated below. Values
are separate, in *slots* (positions in a tuple), so that requests that differ only in values have
equal plans; a plan is hashable and is the cache key of compiled statements. All values of this
module are frozen for that reason.
"""

from enum import Enum
from typing import Literal

from msgspec import Struct

from quire.query.filter_operators import CustomPredicate, Predicate

Slot = int
"""Position of a bound value."""

Status = Literal["draft", "published"]


class Comparison(Struct, frozen=True):
    """An attribute compared with bound values.

    ``slots`` has none (is null), one, two (between), or the one slot of a list. ``negated`` negates
    the comparison, with the database's rule for null: an unknown comparison stays unknown.
    """

    attribute: str
    predicate: Predicate | CustomPredicate
    slots: tuple[Slot, ...]
    negated: bool = False
    fold: bool = False


class Junction(Struct, frozen=True):
    """The conjunction or disjunction of several filters. Never empty."""

    conjunction: bool
    parts: "tuple[Filter, ...]"


class RelatedCondition(Struct, frozen=True):
    """A filter on related rows: at least one of them must satisfy ``part``.

    With ``or_none``, rows without any related row satisfy it too. ``part`` is ``None`` if any
    related row satisfies it. Only rows that satisfy ``row_filter`` count as related.
    """

    attribute: str
    part: "Filter | None"
    or_none: bool
    row_filter: "Filter | None" = None


class ConstantCondition(Struct, frozen=True):
    """A filter that matches every row or none."""

    holds: bool


Filter = Comparison | Junction | RelatedCondition | ConstantCondition


class SortKey(Struct, frozen=True):
    """One key of an order: an attribute, possibly of related rows, and a direction."""

    path: tuple[str, ...]
    attribute: str
    descending: bool


Order = Literal["ascending", "descending"]


class EdgeKind(Enum):
    """How a populated attribute is shown in the response."""

    ROWS = "rows"
    COUNT = "count"


class PublicationFilter(Enum):
    """How a version relates to the other version of its document."""

    NEVER_PUBLISHED = "never-published"
    HAS_PUBLISHED_VERSION = "has-published-version"
    MODIFIED = "modified"
    UNMODIFIED = "unmodified"
    NEVER_PUBLISHED_DOCUMENT = "never-published-document"
    HAS_PUBLISHED_VERSION_DOCUMENT = "has-published-version-document"
    PUBLISHED_WITHOUT_DRAFT = "published-without-draft"
    PUBLISHED_WITH_DRAFT = "published-with-draft"


PublicationFilterName = Literal[
    "never-published",
    "has-published-version",
    "modified",
    "unmodified",
    "never-published-document",
    "has-published-version-document",
    "published-without-draft",
    "published-with-draft",
]
"""The values of `PublicationFilter`, as code writes them."""


class PlanNode(Struct, frozen=True, kw_only=True):
    """Rows of one model: which, in what order, which fields, what is populated below.

    ``fields`` are scalar attributes in the order of the response; those of them that are ``hidden``
    are read only for ``computed`` fields. ``status`` and ``publication`` restrict rows of draft &
    publish types, and ``missing_locale`` (the slot of a code) those of localized ones to documents
    without a version in that locale. Without ``sort`` related rows keep the order of their links.
    Rows that are equal by ``sort`` are in ``status_order``: drafts, modified and published ones.
    """

    uid: str
    fields: tuple[str, ...]
    edges: "tuple[PlanEdge, ...]" = ()
    filter: Filter | None = None
    sort: tuple[SortKey, ...] = ()
    status_order: Order | None = None
    status: Status | None = None
    publication: PublicationFilter | None = None
    missing_locale: Slot | None = None
    hidden: tuple[str, ...] = ()
    computed: tuple[str, ...] = ()


class PlanEdge(Struct, frozen=True, kw_only=True):
    """One populated attribute.

    ``nodes`` has one node for most attributes and one per component for dynamic zones (and per
    content type for polymorphic relations). ``unlisted`` are components that a zone does not allow;
    entries may contain them all the same, and they are read where one occurs.
    """

    attribute: str
    nodes: tuple[PlanNode, ...]
    kind: EdgeKind = EdgeKind.ROWS
    unlisted: tuple[PlanNode, ...] = ()


class SearchCondition(Struct, frozen=True):
    """Full-text search: the term in ``slot`` is searched in every one of ``attributes``."""

    attributes: tuple[str, ...]
    slot: Slot


class LocaleScope(Enum):
    """Which locales of a localized type are read."""

    IGNORED = "ignored"
    ONE = "one"
    SOME = "some"
    ALL = "all"


class ReadPlan(Struct, frozen=True, kw_only=True):
    """One read of a content type.

    ``document`` is the slot of a document id, ``entry`` the slot of a row id; ``locale_slot`` goes
    with the scopes ONE and SOME (a list). ``limit`` and ``offset`` are slots; without a limit all
    rows are read. ``count`` asks for the number of rows before the limit, or with
    ``count_documents`` for that of their documents. With ``published_only`` drafts of related
    documents are ignored, in filters, orders and populated values. ``prefers_few_statements`` asks
    for few statements, even on a database where each of them is cheap.
    """

    root: PlanNode
    search: SearchCondition | None = None
    locale: LocaleScope = LocaleScope.IGNORED
    locale_slot: Slot | None = None
    document: Slot | None = None
    entry: Slot | None = None
    limit: Slot | None = None
    offset: Slot | None = None
    count: bool = False
    count_documents: bool = False
    published_only: bool = False
    prefers_few_statements: bool = False


def follows_relation(filter_: Filter | None) -> bool:
    """Tell whether a filter has a condition on related rows."""
    match filter_:
        case RelatedCondition():
            return True
        case Junction(parts=parts):
            return any(follows_relation(inner) for inner in parts)
        case _:
            return False


def with_sorted_fields(fields: tuple[str, ...], sort: tuple[SortKey, ...]) -> tuple[str, ...]:
    """Put the attributes that rows are sorted by before the requested fields.

    Such is the key order of Strapi's responses where its statement joins related rows, unless the
    rows are also sorted by attributes of these.
    """
    if any(key.path for key in sort):
        return fields
    return tuple(dict.fromkeys((*(key.attribute for key in sort), *fields)))


def plan_size(plan: ReadPlan) -> int:
    """Return the number of parts of a plan: nodes, comparisons and followed relations."""
    return _node_size(plan.root)


def _node_size(node: PlanNode) -> int:
    below = (inner for edge in node.edges for inner in edge.nodes)
    size = 1 + sum(1 + len(key.path) for key in node.sort) + sum(map(_node_size, below))
    return size + _filter_size(node.filter)


def _filter_size(filter_: Filter | None) -> int:
    match filter_:
        case RelatedCondition(part=inner, row_filter=row_filter):
            return 1 + _filter_size(inner) + _filter_size(row_filter)
        case Junction(parts=parts):
            return sum(map(_filter_size, parts))
        case None:
            return 0
        case _:
            return 1
