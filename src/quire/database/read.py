"""Running a compiled read: the page, then what is populated, children joined to parents.

There is one statement per edge, or one for several edges of a node; never one per row.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct

from quire.database.branches import BRANCH, LINK, ORDER
from quire.database.compile import (
    CompiledBranch,
    CompiledEdge,
    CompiledNode,
    CompiledOthers,
    CompiledRead,
    CompiledSteps,
    Shared,
)
from quire.database.dialect import Dialect
from quire.database.mappers import Item
from quire.database.program import Operand, Program, Row, Rows, Statement, Value
from quire.database.statements import Query, Values
from quire.errors import ValidationError

_BRANCH_OF = itemgetter(BRANCH)


class BoundQuery(Struct, frozen=True):
    """A statement whose values are bound, but for the keys of parents."""

    sql: str
    values: list[Operand]
    parents: int

    def for_parents(self, keys: Operand, most: int | None) -> Statement:
        """Return the statement for these parents (keys as the dialect binds lists)."""
        values = self.values.copy()
        values[self.parents] = keys
        return Statement(self.sql, values, most)


class BoundUnited(Struct, frozen=True):
    """A statement that branches share, whose values are bound but for the keys of parents.

    ``keyed`` are the positions of these values, and those of the keys in a row of the parents.
    """

    sql: str
    values: list[Operand]
    keyed: tuple[tuple[int, int], ...]

    def for_parents(self, keys: Mapping[int, Operand], most: int) -> Statement:
        """Return the statement for parents whose keys stand by their position in a row."""
        values = self.values.copy()
        for position, key in self.keyed:
            values[position] = keys[key]
        return Statement(self.sql, values, most)


class BoundEdge(Struct, frozen=True):
    """An edge with bound statements."""

    edge: CompiledEdge
    branches: "tuple[BoundBranch, ...]"
    links: BoundQuery | None
    others: "BoundOthers | None" = None


class BoundEdges(Struct, frozen=True):
    """What is populated below a node: its edges, and the statements that several of them share."""

    edges: tuple[BoundEdge, ...]
    united: tuple[BoundUnited, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether anything is populated."""
        return bool(self.edges)


class BoundOthers(Struct, frozen=True):
    """Components that a zone does not list, with the values of the request."""

    query: BoundQuery
    others: CompiledOthers
    values: Values

    def branch(self, uid: str) -> "BoundBranch | None":
        """Return how the components of a uid are read, ``None`` when it is not known."""
        compiled = self.others.branch(uid)
        return None if compiled is None else _bind_branch(compiled, self.values)


class BoundBranch(Struct, frozen=True):
    """A branch with its bound statement, unless that is shared, and the bound edges below it."""

    query: BoundQuery | None
    shared: Shared | None
    near: int
    number: int
    row_id: int
    node: CompiledNode
    edges: BoundEdges


class BoundKeys(Struct, frozen=True):
    """How a page is read in two steps: its keys, then its rows, whose key is at a position."""

    keys: Statement
    rows: BoundQuery
    key: int


class BoundSteps(Struct, frozen=True):
    """What a page that may be costly is read by in two steps, made when it is first needed.

    ``offset`` is how many rows lie before the page.
    """

    offset: int
    keyed: Callable[[], BoundKeys]


class BoundRead(NamedTuple):
    """A compiled read with the values of one request: ready to run any number of times.

    A page that may be costly has ``steps``, which read what ``page`` reads at once. ``rows`` is how
    many rows it may fetch in all.
    """

    page: Statement
    steps: BoundSteps | None
    total: Statement | None
    node: CompiledNode
    edges: BoundEdges
    statements: int
    rows: int


def bind_read(compiled: CompiledRead, values: Values, rows: int) -> BoundRead:
    """Bind the values of a request to a compiled read, which may fetch so many rows."""
    count = compiled.count
    limit = None if compiled.limit is None else values[compiled.limit]
    # Fetching a page as a whole is quicker, but a page may be larger than all that may be fetched.
    most = None if isinstance(limit, int) and limit <= rows else rows + 1
    return BoundRead(
        page=Statement(compiled.page.sql, compiled.page.bind(values), most),
        steps=_bind_steps(compiled.steps, values, most),
        total=None if count is None else Statement(count.sql, count.bind(values)),
        node=compiled.node,
        edges=_bind_edges(compiled.node, values),
        statements=compiled.statements,
        rows=rows,
    )


def _bind_steps(steps: CompiledSteps | None, values: Values, most: int | None) -> BoundSteps | None:
    """Bind the two steps of a page, if it is one that may be costly."""
    if steps is None:
        return None
    offset = values[steps.offset]
    if not isinstance(offset, int) or offset < steps.start:
        return None

    @cache
    def keyed() -> BoundKeys:
        compiled = steps.keys()
        keys = Statement(compiled.keys.sql, compiled.keys.bind(values), most)
        return BoundKeys(keys, _bind_query(compiled.rows, values), compiled.key)

    return BoundSteps(offset, keyed)


def _bind_edges(node: CompiledNode, values: Values) -> BoundEdges:
    edges = tuple(
        BoundEdge(
            edge,
            tuple(_bind_branch(branch, values) for branch in edge.branches),
            None if edge.links is None else _bind_query(edge.links, values),
            None
            if edge.others is None
            else BoundOthers(_bind_query(edge.others.query, values), edge.others, values),
        )
        for edge in node.edges
    )
    united = tuple(BoundUnited(query.sql, query.bind(values), query.keyed) for query in node.united)
    return BoundEdges(edges, united)


def _bind_branch(branch: CompiledBranch, values: Values) -> BoundBranch:
    return BoundBranch(
        query=None if branch.query is None else _bind_query(branch.query, values),
        shared=branch.shared,
        near=branch.near,
        number=branch.number,
        row_id=branch.row_id,
        node=branch.node,
        edges=_bind_edges(branch.node, values),
    )


def _bind_query(query: Query, values: Values) -> BoundQuery:
    return BoundQuery(query.sql, query.bind(values), query.parents)


class _Run:
    """One run of a read: the database's dialect, and how many rows may still be fetched.

    Statements ask for one row more than is left, so that too many show without all being fetched.
    """

    __slots__ = ("_left", "_rows", "dialect")

    def __init__(self, dialect: Dialect, rows: int) -> None:
        self.dialect = dialect
        self._rows = self._left = rows

    @property
    def most(self) -> int:
        """How many rows the next statement fetches at most."""
        return self._left + 1

    def spend(self, rows: Rows) -> None:
        """Take fetched rows off what is left. Raises ValidationError when it was too little."""
        self._left -= len(rows)
        if self._left < 0:
            raise too_many_rows(self._rows)


def too_many_rows(most: int) -> ValidationError:
    """Return what a read is refused with that needs more rows than it may fetch."""
    message = (
        f"The request needs more than {most} rows (limits.rows); "
        "ask for smaller pages, or populate less"
    )
    return ValidationError(message)


Keys = tuple[Value, ...]
"""The ids of the rows of a page, in their order."""


class ListFacts(Struct):
    """What is known of a list: which rows its page shows, and how many there are in all.

    Whoever reads the list goes by what is known, asks for what is not, and adds it. A costly page
    is read by its keys, as ``keyed`` says; another one at once, and its keys are not asked for.
    """

    total: int | None = None
    keys: Keys | None = None
    keyed: BoundKeys | None = None


def read_program(
    bound: BoundRead, dialect: Dialect, facts: ListFacts
) -> Program[tuple[list[Item], int | None]]:
    """Read the page of a plan with everything populated, and its total when it is asked for.

    What is not among the ``facts`` yet is asked for and put there. Keys that are known have to be
    those of the state that is read. Raises ValidationError when more rows are needed than the read
    may fetch.
    """
    if facts.keyed is None:
        items = yield from page_program(bound, bound.page, dialect)
    else:
        items = yield from _page_by_keys(bound, facts.keyed, dialect, facts)
    if bound.total is None:
        return items, None
    if facts.total is None:
        rows = yield bound.total
        facts.total = _whole(rows[0][0])
    return items, facts.total


def _page_by_keys(
    bound: BoundRead, keyed: BoundKeys, dialect: Dialect, facts: ListFacts
) -> Program[list[Item]]:
    """Read the rows of a page by their keys."""
    if facts.keys is None:
        found = yield keyed.keys
        facts.keys = tuple([key for (key,) in found])
    keys = facts.keys
    if len(keys) > bound.rows:
        raise too_many_rows(bound.rows)
    if not keys:
        return []
    rows = yield keyed.rows.for_parents(dialect.encode_list(keys), None)
    position = keyed.key
    # Within one state all of them are there; otherwise what is gone is left out.
    by_key = {row[position]: row for row in rows}
    return (yield from _items(bound, [by_key[key] for key in keys if key in by_key], dialect))


def page_program(bound: BoundRead, page: Statement, dialect: Dialect) -> Program[list[Item]]:
    """Read the rows of a plan with everything populated; ``page`` is the statement to begin with.

    Raises ValidationError when more rows are needed than the read may fetch.
    """
    rows: Rows = yield page
    if len(rows) > bound.rows:
        raise too_many_rows(bound.rows)
    return (yield from _items(bound, rows, dialect))


def _items(bound: BoundRead, rows: Rows, dialect: Dialect) -> Program[list[Item]]:
    """Make items of the rows of a page, with everything populated."""
    items = bound.node.mapper(rows)
    if bound.edges and items:
        run = _Run(dialect, bound.rows)
        run.spend(rows)
        yield from _populate(bound.edges, rows, items, run)
    return items


def _whole(value: Value) -> int:
    if not isinstance(value, int):
        message = "a count is not a number"
        raise TypeError(message)
    return value


_Parts = Mapping[Shared, Sequence[Row]]
"""The rows that came with statements which branches share, by the branch that they belong to."""

_NOTHING_SHARED: _Parts = MappingProxyType({})


def _populate(
    bound: BoundEdges, rows: Sequence[Row], items: Sequence[Item], run: _Run
) -> Program[None]:
    keys: dict[int, Operand] = {}
    for position in {edge.edge.parent_key for edge in bound.edges}:
        found = {row[position] for row in rows}
        found.discard(None)
        keys[position] = run.dialect.encode_list(list(found))
    parts = _NOTHING_SHARED
    if bound.united:
        parts = yield from _shared_rows(bound.united, keys, run)
    for edge in bound.edges:
        wanted = keys[edge.edge.parent_key]
        if edge.edge.counted:
            yield from _count_edge(edge, rows, items, wanted, parts, run)
        elif edge.links is not None:
            yield from _morph_edge(edge, rows, items, wanted, run)
        elif edge.edge.mixed:
            yield from _mixed_edge(edge, rows, items, wanted, parts, run)
        else:
            yield from _plain_edge(edge, rows, items, wanted, parts, run)


def _shared_rows(
    united: Sequence[BoundUnited], keys: Mapping[int, Operand], run: _Run
) -> Program[_Parts]:
    """Read the rows of all branches that share statements."""
    parts: dict[Shared, list[Row]] = defaultdict(list)
    for number, statement in enumerate(united):
        rows: Rows = yield statement.for_parents(keys, run.most)
        run.spend(rows)
        for branch, found in groupby(rows, key=_BRANCH_OF):
            parts[Shared(number, branch)] = list(found)
    return parts


def _plain_edge(
    bound: BoundEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    wanted: Operand,
    parts: _Parts,
    run: _Run,
) -> Program[None]:
    """Attach rows of one kind."""
    edge, branch = bound.edge, bound.branches[0]
    skipped = {parent[edge.parent_id] for parent in parents} if edge.skip_parents else ()
    rows, found = yield from _branch(branch, wanted, parts, run, skipped)
    key, place, near = edge.parent_key, edge.member, branch.near
    if not edge.to_many:
        single: dict[Value, Item] = {}
        for row, item in zip(rows, found, strict=True):
            single.setdefault(row[near], item)
        for parent, item in zip(parents, items, strict=True):
            setattr(item, place, single.get(parent[key]))
        return
    groups: dict[Value, list[Item]] = defaultdict(list)
    for row, item in zip(rows, found, strict=True):
        groups[row[near]].append(item)
    for parent, item in zip(parents, items, strict=True):
        setattr(item, place, groups.get(parent[key], ()))


def _branch(
    branch: BoundBranch,
    wanted: Operand,
    parts: _Parts,
    run: _Run,
    skipped: Collection[Value] = (),
) -> Program[tuple[Sequence[Row], list[Item]]]:
    """Read the rows of one kind with everything below them, but for rows with ``skipped`` ids."""
    rows = yield from _rows(branch, wanted, parts, run)
    if skipped:
        rows = [row for row in rows if row[branch.row_id] not in skipped]
    found = branch.node.mapper(rows)
    if branch.edges and found:
        yield from _populate(branch.edges, rows, found, run)
    return rows, found


def _rows(branch: BoundBranch, wanted: Operand, parts: _Parts, run: _Run) -> Program[Sequence[Row]]:
    """Return the rows of a branch: those that came with others, or those of its own statement."""
    if branch.query is None:
        return () if branch.shared is None else parts.get(branch.shared, ())
    rows: Rows = yield branch.query.for_parents(wanted, run.most)
    run.spend(rows)
    return rows


def _count_edge(
    bound: BoundEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    wanted: Operand,
    parts: _Parts,
    run: _Run,
) -> Program[None]:
    edge, branch = bound.edge, bound.branches[0]
    rows = yield from _rows(branch, wanted, parts, run)
    near, number = branch.near, branch.number
    counted = {row[near]: row[number] for row in rows}
    for parent, item in zip(parents, items, strict=True):
        setattr(item, edge.member, {"count": counted.get(parent[edge.parent_key], 0)})


def _mixed_edge(
    bound: BoundEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    wanted: Operand,
    parts: _Parts,
    run: _Run,
) -> Program[None]:
    """Attach components of several kinds, in the order of their links."""
    edge = bound.edge
    groups: dict[Value, list[tuple[Any, Any, Item]]] = defaultdict(list)
    branches = [*bound.branches]
    if bound.others is not None:
        unlisted = yield bound.others.query.for_parents(wanted, run.most)
        run.spend(unlisted)
        found_others = (bound.others.branch(str(uid)) for (uid,) in unlisted)
        branches += [branch for branch in found_others if branch is not None]
    for branch in branches:
        rows, found = yield from _branch(branch, wanted, parts, run)
        near = branch.near
        for row, item in zip(rows, found, strict=True):
            groups[row[near]].append((_null_first(row[ORDER]), row[LINK], item))
    for parent, item in zip(parents, items, strict=True):
        group = sorted(groups.get(parent[edge.parent_key], ()), key=_link_order)
        setattr(item, edge.member, [entry for _, _, entry in group])


def _null_first(order: Value) -> Value:
    return float("-inf") if order is None else order


def _link_order(entry: tuple[Any, Any, Item]) -> tuple[Any, Any]:
    return entry[0], entry[1]


def _morph_edge(
    bound: BoundEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    wanted: Operand,
    run: _Run,
) -> Program[None]:
    """Attach rows of any type: first the links, then the rows of each type that occurs."""
    if bound.links is None:
        return
    edge = bound.edge
    links: Rows = yield bound.links.for_parents(wanted, run.most)
    run.spend(links)
    ids: dict[Value, set[Value]] = defaultdict(set)
    for _, far, kind in links:
        ids[kind].add(far)
    by_kind: dict[Value, dict[Value, Item]] = {}
    for branch in bound.branches:
        of_kind = ids.get(branch.node.uid)
        if not of_kind:
            continue
        wanted = run.dialect.encode_list(list(of_kind))
        rows, found = yield from _branch(branch, wanted, _NOTHING_SHARED, run)
        by_kind[branch.node.uid] = {row[0]: item for row, item in zip(rows, found, strict=True)}
    groups: dict[Value, list[Item]] = defaultdict(list)
    for near, far, kind in links:
        linked = by_kind.get(kind, {}).get(far)
        if linked is not None:
            groups[near].append(linked)
    for parent, item in zip(parents, items, strict=True):
        setattr(item, edge.member, groups.get(parent[edge.parent_key], ()))
