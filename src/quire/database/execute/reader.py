"""Runs a compiled read: the page, then populated edges, joined to their parents.

There is one statement per edge, or one for several edges of a node; never one per row.
"""

# Functions are made for each request here, and their annotations are not evaluated each time.
from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cache, partial
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct

from quire.database.compile.read_plan import (
    CompiledBranch,
    CompiledEdge,
    CompiledNode,
    CompiledRead,
    CompiledUnlisted,
    SharedRows,
)
from quire.database.compile.statements import Query, Values
from quire.database.compile.two_phase import DEEP
from quire.database.compile.union_queries import BRANCH, LINK, ORDER
from quire.database.dialect import Dialect
from quire.database.execute.response_budget import ResponseBudget
from quire.database.execute.row_mappers import Item
from quire.database.program import (
    LONG_COMPUTATION,
    Operand,
    Program,
    Row,
    Rows,
    Statement,
    Value,
)
from quire.query.plan import ReadPlan

_BRANCH_OF = itemgetter(BRANCH)
_PROBED_ROWS = 25
"""How many rows of a page in the order of ids are looked for to see whether it is costly."""


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


class BoundUnion(Struct, frozen=True):
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
    branches: tuple[BoundBranch, ...]
    links: BoundQuery | None
    others: BoundUnlisted | None = None


class BoundEdges(Struct, frozen=True):
    """What is populated below a node: its edges, and the statements that several of them share."""

    edges: tuple[BoundEdge, ...]
    united: tuple[BoundUnion, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether anything is populated."""
        return bool(self.edges)


class BoundUnlisted(Struct, frozen=True):
    """Components that a zone does not list, with the values of the request."""

    query: BoundQuery
    others: CompiledUnlisted
    values: Values

    def branch(self, uid: str) -> BoundBranch | None:
        """Return how the components of a uid are read, ``None`` when it is not known."""
        compiled = self.others.branch(uid)
        return None if compiled is None else _bind_branch(compiled, self.values)


class BoundBranch(Struct, frozen=True):
    """A branch with its bound statement, unless that is shared, and the bound edges below it."""

    query: BoundQuery | None
    shared: SharedRows | None
    near: int
    number: int
    row_id: int
    node: CompiledNode
    edges: BoundEdges


class BoundKeys(Struct, frozen=True):
    """How a page is read in two steps: its keys, then its rows, whose key is at a position.

    ``backward`` finds keys from the end of the list; `from_end` says how many of them.
    """

    keys: Statement
    rows: BoundQuery
    key: int
    backward: Statement
    limit_positions: tuple[int, ...]
    offset_positions: tuple[int, ...]

    def from_end(self, limit: int, offset: int) -> Statement:
        """Return the statement for so many keys, after so many at the end; the last come first."""
        values = [*self.backward.values]
        for position in self.limit_positions:
            values[position] = limit
        for position in self.offset_positions:
            values[position] = offset
        return self.backward._replace(values=values)


class BoundSteps(Struct, frozen=True):
    """What a page that may be costly is read by in other ways, made when it is first needed.

    ``probe`` is the statement whose cost tells whether the page is costly. ``offset`` is how many
    rows lie before the page, ``locale`` that of the rows: the cost depends on them. ``keyed`` reads
    the page in two steps; ``walked`` in one that walks through the table in the order of ids, where
    that is the order, with a probe of its own. ``plan`` is what is read.
    """

    plan: ReadPlan
    probe: Statement
    offset: int
    locale: Hashable
    keyed: Callable[[], BoundKeys]
    walked: Callable[[], WalkedPage] | None


class WalkedPage(NamedTuple):
    """A page that is found by walking through the table, and what its cost is told by."""

    page: Statement
    probe: Statement


class BoundRead(NamedTuple):
    """A compiled read with the values of one request: ready to run any number of times.

    A page that may be costly has ``steps``, which read what ``page`` reads at once. ``rows`` is how
    many rows it may fetch in all. ``limit`` is how many rows a page has at most, ``None`` where it
    has any number of them; ``offset`` how many lie before it. ``counts_rows`` tells whether the
    total is that of rows.
    """

    page: Statement
    steps: BoundSteps | None
    total: Statement | None
    node: CompiledNode
    edges: BoundEdges
    statements: int
    rows: int
    limit: int | None
    offset: int
    counts_rows: bool


def bind_read(compiled: CompiledRead, values: Values, rows: int) -> BoundRead:
    """Bind the values of a request to a compiled read, which may fetch so many rows."""
    count = compiled.count
    limit = None if compiled.limit is None else values[compiled.limit]
    offset = None if compiled.offset is None else values[compiled.offset]
    # Fetching a page as a whole is quicker, but a page may be larger than all that may be fetched.
    most = None if isinstance(limit, int) and limit <= rows else rows + 1
    page = Statement(compiled.page.sql, compiled.page.bind(values), most)
    return BoundRead(
        page=page,
        steps=_bind_steps(compiled, values, page),
        total=None if count is None else Statement(count.sql, count.bind(values)),
        node=compiled.node,
        edges=_bind_edges(compiled.node, values),
        statements=compiled.statements,
        rows=rows,
        limit=limit if isinstance(limit, int) else None,
        offset=offset if isinstance(offset, int) else 0,
        counts_rows=compiled.counts_rows,
    )


def _bind_steps(compiled: CompiledRead, values: Values, page: Statement) -> BoundSteps | None:
    """Bind the other ways to read a page, if it is one that may be costly."""
    steps = compiled.steps
    if steps is None:
        return None
    offset = values[steps.offset]
    if not isinstance(offset, int) or offset < steps.start:
        return None
    walk, collected = steps.in_order_of_ids, steps.collected
    locale = None if steps.locale is None else values[steps.locale]

    def bound(query: Query) -> Statement:
        return Statement(query.sql, query.bind(values), page.most)

    def walked(compile_page: Callable[[], Query]) -> WalkedPage:
        query = compile_page()
        found = bound(query)
        return WalkedPage(found, _probe(found, query.positions(steps.limit)))

    @cache
    def keyed() -> BoundKeys:
        found = collected() if collected is not None and offset < DEEP else steps.keys()
        backward = found.backward
        return BoundKeys(
            keys=bound(found.keys),
            rows=_bind_query(found.rows, values),
            key=found.key,
            backward=bound(backward),
            limit_positions=backward.positions(steps.limit),
            offset_positions=backward.positions(steps.offset),
        )

    return BoundSteps(
        plan=steps.plan,
        probe=page if walk is None else _probe(page, compiled.page.positions(steps.limit)),
        offset=offset,
        locale=tuple(locale) if isinstance(locale, list) else locale,
        keyed=keyed,
        walked=None if walk is None else cache(partial(walked, walk)),
    )


def _probe(page: Statement, limit_positions: Sequence[int]) -> Statement:
    """Return a page in the order of ids with few rows: that there are many makes none costly."""
    values = [*page.values]
    for position in limit_positions:
        values[position] = min(_PROBED_ROWS, values[position])
    return page._replace(values=values)


def _bind_edges(node: CompiledNode, values: Values) -> BoundEdges:
    edges = tuple(
        BoundEdge(
            edge,
            tuple(_bind_branch(branch, values) for branch in edge.branches),
            None if edge.links is None else _bind_query(edge.links, values),
            None
            if edge.others is None
            else BoundUnlisted(_bind_query(edge.others.query, values), edge.others, values),
        )
        for edge in node.edges
    )
    united = tuple(BoundUnion(query.sql, query.bind(values), query.keyed) for query in node.united)
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


class _Run(NamedTuple):
    """One run of a read: the database's dialect, and what counts the response."""

    dialect: Dialect
    budget: ResponseBudget


Keys = tuple[Value, ...]
"""The ids of the rows of a page, in their order."""


class ListFacts(Struct):
    """What is known of a list: which rows its page shows, and how many there are in all.

    Whoever reads the list goes by what is known, asks for what is not, and adds it. A costly page
    is read by its keys, as ``keyed`` says; another one at once, by the statement ``page`` where it
    is not the one of the read itself, and its keys are not asked for. A total that is known
    ``is_current`` if it is of the very state that is read.
    """

    total: int | None = None
    keys: Keys | None = None
    keyed: BoundKeys | None = None
    page: Statement | None = None
    is_current: bool = True


def read_program(
    bound: BoundRead, dialect: Dialect, facts: ListFacts, budget: ResponseBudget
) -> Program[tuple[list[Item], int | None]]:
    """Read the page of a plan with everything populated, and its total when it is asked for.

    What is not among the ``facts`` yet is asked for and put there. Keys that are known have to be
    those of the state that is read. Raises ValidationError when the ``budget`` is exceeded.
    """
    if facts.keyed is None:
        page = facts.page or bound.page
        items = yield from page_program(bound, page, dialect, budget)
        shown = len(items)
    else:
        items = yield from _page_by_keys(bound, facts.keyed, _Run(dialect, budget), facts)
        shown = len(facts.keys or ())
    if bound.total is None:
        return items, None
    if facts.total is None:
        facts.total = _total_of_last_page(bound, shown)
    if facts.total is None:
        facts.total = yield from _count(bound.total)
    return items, facts.total


def _total_of_last_page(bound: BoundRead, shown: int) -> int | None:
    """Return the total of a list whose last page has so many rows, ``None`` for another page."""
    limit = bound.limit
    if not bound.counts_rows or limit is None or shown >= limit or (bound.offset and not shown):
        return None
    return bound.offset + shown


def _count(total: Statement) -> Program[int]:
    rows = yield total
    return _whole(rows[0][0])


def _page_by_keys(
    bound: BoundRead, keyed: BoundKeys, run: _Run, facts: ListFacts
) -> Program[list[Item]]:
    """Read the rows of a page by their keys."""
    if facts.keys is None:
        facts.keys = yield from _find_keys(bound, keyed, facts)
    keys = facts.keys
    run.budget.fetch(keys, "")
    if not keys:
        return []
    rows = yield keyed.rows.for_parents(run.dialect.encode_list(keys), None)
    position = keyed.key
    # Within one state all of them are there; otherwise what is gone is left out.
    by_key = {row[position]: row for row in rows}
    return (yield from _items(bound, [by_key[key] for key in keys if key in by_key], run))


def _find_keys(bound: BoundRead, keyed: BoundKeys, facts: ListFacts) -> Program[Keys]:
    """Find the keys of a page, from the end of the list that is nearer.

    The order of a list ends with the id, so no two rows share a place in it and the opposite order
    is exactly that.
    """
    limit, offset = bound.limit, bound.offset
    if bound.total is not None and bound.counts_rows and limit is not None and offset:
        is_current = facts.total is None or facts.is_current
        if facts.total is None:
            facts.total = yield from _count(bound.total)
        on_page = min(limit, facts.total - offset)
        after = facts.total - offset - on_page
        if is_current and on_page <= 0:
            return ()
        if is_current and after < offset:
            found = yield keyed.from_end(on_page, after)
            return tuple([key for (key,) in reversed(found)])
    found = yield keyed.keys
    return tuple([key for (key,) in found])


def page_program(
    bound: BoundRead, page: Statement, dialect: Dialect, budget: ResponseBudget
) -> Program[list[Item]]:
    """Read the rows of a plan with everything populated; ``page`` is the statement to begin with.

    Raises ValidationError when the ``budget`` is exceeded.
    """
    rows: Rows = yield page
    budget.fetch(rows, "")
    return (yield from _items(bound, rows, _Run(dialect, budget)))


def _items(bound: BoundRead, rows: Rows, run: _Run) -> Program[list[Item]]:
    """Make items of the rows of a page, with everything populated."""
    budget = run.budget
    budget.add(len(rows), "")
    if budget.is_long:
        yield LONG_COMPUTATION
    items = bound.node.mapper(rows)
    budget.measure(items, None, "")
    if bound.edges and items:
        yield from _populate(bound.edges, rows, items, None, run)
    return items


def _whole(value: Value) -> int:
    if not isinstance(value, int):
        message = "a count is not a number"
        raise TypeError(message)
    return value


_Parts = Mapping[SharedRows, Sequence[Row]]
"""The rows that came with statements which branches share, by the branch that they belong to."""

_NOTHING_SHARED: _Parts = MappingProxyType({})


_Times = Sequence[int] | None
"""How often each row of a level occurs in the response; ``None`` if each of them does once."""

_Occurrences = Mapping[Value, int] | None
"""How often the rows that belong to a key occur in the response; ``None`` if each does once."""


def _occurrences(rows: Sequence[Row], position: int, times: _Times) -> Mapping[Value, int]:
    """Count how often the keys at a position of the parents occur in the response."""
    if times is None:
        return Counter(map(itemgetter(position), rows))
    occurrences: dict[Value, int] = defaultdict(int)
    for row, number in zip(rows, times, strict=True):
        occurrences[row[position]] += number
    return occurrences


class _Parents(NamedTuple):
    """The rows of a level, whose keys are at a position: the keys, and how often they occur."""

    keys: Operand
    occurrences: _Occurrences


def _populate(
    bound: BoundEdges, rows: Sequence[Row], items: Sequence[Item], times: _Times, run: _Run
) -> Program[None]:
    parents: dict[int, _Parents] = {}
    for position in {edge.edge.parent_key for edge in bound.edges}:
        found = {row[position] for row in rows}
        once = times is None and len(found) == len(rows)
        occurrences = None if once else _occurrences(rows, position, times)
        found.discard(None)
        parents[position] = _Parents(run.dialect.encode_list(list(found)), occurrences)
    parts = _NOTHING_SHARED
    if bound.united:
        parts = yield from _shared_rows(bound, parents, run)
    for edge in bound.edges:
        wanted = parents[edge.edge.parent_key]
        if edge.edge.counted:
            yield from _count_edge(edge, rows, items, wanted, parts, run)
        elif edge.links is not None:
            yield from _morph_edge(edge, rows, items, wanted, run)
        elif edge.edge.mixed:
            yield from _mixed_edge(edge, rows, items, wanted, parts, run)
        else:
            yield from _plain_edge(edge, rows, items, wanted, parts, run)


def _shared_rows(bound: BoundEdges, parents: Mapping[int, _Parents], run: _Run) -> Program[_Parts]:
    """Read the rows of all branches that share statements."""
    keys = {position: found.keys for position, found in parents.items()}
    parts: dict[SharedRows, list[Row]] = defaultdict(list)
    for number, statement in enumerate(bound.united):
        rows: Rows = yield statement.for_parents(keys, run.budget.most)
        for branch, found in groupby(rows, key=_BRANCH_OF):
            parts[SharedRows(number, branch)] = list(found)
        exceeds = len(rows) >= run.budget.most
        run.budget.fetch(rows, _largest_edge(bound, parts) if exceeds else "")
    return parts


def _largest_edge(bound: BoundEdges, parts: _Parts) -> str:
    """Return the path of the edge to which most of the shared rows belong."""
    rows = {
        edge.edge.path: sum(
            len(parts.get(branch.shared, ()))
            for branch in edge.branches
            if branch.shared is not None
        )
        for edge in bound.edges
    }
    return max(rows, key=rows.__getitem__)


def _plain_edge(
    bound: BoundEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    wanted: _Parents,
    parts: _Parts,
    run: _Run,
) -> Program[None]:
    """Attach rows of one kind."""
    edge, branch = bound.edge, bound.branches[0]
    skipped = {parent[edge.parent_id] for parent in parents} if edge.skip_parents else ()
    rows, found = yield from _branch(branch, wanted, parts, run, edge.path, skipped)
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
    wanted: _Parents,
    parts: _Parts,
    run: _Run,
    path: str,
    skipped: Collection[Value] = (),
) -> Program[tuple[Sequence[Row], list[Item]]]:
    """Read the rows of one kind with everything below them, but for rows with ``skipped`` ids."""
    rows = yield from _rows(branch, wanted, parts, run, path)
    if skipped:
        rows = [row for row in rows if row[branch.row_id] not in skipped]
    occurrences, near = wanted.occurrences, branch.near
    times = None if occurrences is None else [occurrences.get(row[near], 0) for row in rows]
    budget = run.budget
    budget.add(len(rows) if times is None else sum(times), path)
    if budget.is_long:
        yield LONG_COMPUTATION
    found = branch.node.mapper(rows)
    budget.measure(found, times, path)
    if branch.edges and found:
        yield from _populate(branch.edges, rows, found, times, run)
    return rows, found


def _rows(
    branch: BoundBranch, wanted: _Parents, parts: _Parts, run: _Run, path: str
) -> Program[Sequence[Row]]:
    """Return the rows of a branch: those that came with others, or those of its own statement."""
    if branch.query is None:
        return () if branch.shared is None else parts.get(branch.shared, ())
    rows: Rows = yield branch.query.for_parents(wanted.keys, run.budget.most)
    run.budget.fetch(rows, path)
    return rows


def _count_edge(
    bound: BoundEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    wanted: _Parents,
    parts: _Parts,
    run: _Run,
) -> Program[None]:
    edge, branch = bound.edge, bound.branches[0]
    rows = yield from _rows(branch, wanted, parts, run, edge.path)
    near, number = branch.near, branch.number
    counted = {row[near]: row[number] for row in rows}
    for parent, item in zip(parents, items, strict=True):
        setattr(item, edge.member, {"count": counted.get(parent[edge.parent_key], 0)})


def _mixed_edge(
    bound: BoundEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    wanted: _Parents,
    parts: _Parts,
    run: _Run,
) -> Program[None]:
    """Attach components of several kinds, in the order of their links."""
    edge = bound.edge
    groups: dict[Value, list[tuple[Any, Any, Item]]] = defaultdict(list)
    branches = [*bound.branches]
    if bound.others is not None:
        unlisted = yield bound.others.query.for_parents(wanted.keys, run.budget.most)
        run.budget.fetch(unlisted, edge.path)
        found_others = (bound.others.branch(str(uid)) for (uid,) in unlisted)
        branches += [branch for branch in found_others if branch is not None]
    for branch in branches:
        rows, found = yield from _branch(branch, wanted, parts, run, edge.path)
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
    wanted: _Parents,
    run: _Run,
) -> Program[None]:
    """Attach rows of any type: first the links, then the rows of each type that occurs."""
    if bound.links is None:
        return
    edge = bound.edge
    links: Rows = yield bound.links.for_parents(wanted.keys, run.budget.most)
    run.budget.fetch(links, edge.path)
    ids: dict[Value, dict[Value, int]] = defaultdict(lambda: defaultdict(int))
    for near, far, kind in links:
        ids[kind][far] += 1 if wanted.occurrences is None else wanted.occurrences.get(near, 0)
    by_kind: dict[Value, dict[Value, Item]] = {}
    for branch in bound.branches:
        of_kind = ids.get(branch.node.uid)
        if not of_kind:
            continue
        far_rows = _Parents(run.dialect.encode_list(list(of_kind)), of_kind)
        rows, found = yield from _branch(branch, far_rows, _NOTHING_SHARED, run, edge.path)
        by_kind[branch.node.uid] = {row[0]: item for row, item in zip(rows, found, strict=True)}
    groups: dict[Value, list[Item]] = defaultdict(list)
    for near, far, kind in links:
        linked = by_kind.get(kind, {}).get(far)
        if linked is not None:
            groups[near].append(linked)
    for parent, item in zip(parents, items, strict=True):
        setattr(item, edge.member, groups.get(parent[edge.parent_key], ()))
