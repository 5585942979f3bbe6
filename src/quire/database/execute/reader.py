"""Runs a compiled read: the page, then populated edges, joined to their parents.

There is one statement per edge, or one for several edges of a node; never one per row.
"""

# Functions are made for each request here, and their annotations are not evaluated each time.
from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct

from quire.database.compile.compiled_read import (
    Arguments,
    CompiledBranch,
    CompiledEdge,
    CompiledKeys,
    CompiledNode,
    CompiledPages,
    CompiledRead,
    SharedRows,
)
from quire.database.compile.statements import Query, Values
from quire.database.compile.strategies import PageStrategy
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

_BRANCH_OF = itemgetter(BRANCH)
_PROBED_ROWS = 25
"""How many rows of a page in the order of ids are looked for to see whether it is costly."""


class WalkedPage(NamedTuple):
    """A page that is found by walking through the table, and what its cost is told by."""

    page: Statement
    probe: Statement


class BoundRead(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """A compiled read with the arguments of one request: ready to run any number of times.

    ``page`` is the first statement, ``total`` the one that counts. ``rows`` is how many rows it may
    fetch in all. ``limit`` is how many rows a page has at most, ``None`` where it has any number of
    them; ``offset`` how many lie before it. ``pages`` says how the page is read if it is costly,
    ``None`` for one that is not.
    """

    compiled: CompiledRead
    arguments: Arguments
    page: Statement
    total: Statement | None
    pages: CompiledPages | None
    rows: int
    limit: int | None
    offset: int

    @cached_property
    def probe(self) -> Statement:
        """The statement whose cost tells whether the page is costly."""
        if self.pages is None or self.pages.walked is None:
            return self.page
        return self._probe(self.compiled.page, self.pages)

    @cached_property
    def walked(self) -> WalkedPage | None:
        """How the page is found by walking through the table, where that can be."""
        if self.pages is None or self.pages.walked is None:
            return None
        query = self.pages.walked()
        page = self.arguments.statement(query, self.page.most)
        return WalkedPage(page, self._probe(query, self.pages))

    @cached_property
    def locale(self) -> Hashable:
        """The locale of the rows of a list: the cost depends on it."""
        if self.pages is None or self.pages.locale is None:
            return None
        locale = self.arguments.slot(self.pages.locale)
        return tuple(locale) if isinstance(locale, list) else locale

    @cached_property
    def keys(self) -> Statement:
        """The statement that finds the keys of the page. Raises TypeError where there is none."""
        return self.arguments.statement(self.keyed.keys, self.page.most)

    @cached_property
    def keyed(self) -> CompiledKeys:
        """How the page is read by its keys. Raises TypeError where it cannot be."""
        if self.pages is None:
            message = "this page is read at once"
            raise TypeError(message)
        return self.pages.keys_at(self.offset)

    def keys_from_end(self, limit: int, offset: int) -> Statement:
        """Return the statement for so many keys, after so many at the end; the last come first."""
        if self.pages is None:
            message = "this page is read at once"
            raise TypeError(message)
        values = {self.pages.limit: limit, self.pages.offset: offset}
        return self.arguments.with_slots(self.keyed.backward, values, self.page.most)

    def _probe(self, query: Query, pages: CompiledPages) -> Statement:
        """Return a page in the order of ids with few rows: that there are many is no cost."""
        few = {pages.limit: _PROBED_ROWS if self.limit is None else min(_PROBED_ROWS, self.limit)}
        return self.arguments.with_slots(query, few, self.page.most)


def bind_read(compiled: CompiledRead, values: Values, rows: int) -> BoundRead:
    """Bind the values of a request to a compiled read, which may fetch so many rows.

    Raises ValidationError for a value that the database cannot take.
    """
    plan, arguments = compiled.plan, Arguments(compiled.queries, values)
    limit = None if plan.limit is None else values[plan.limit]
    offset = None if plan.offset is None else values[plan.offset]
    offset = offset if isinstance(offset, int) else 0
    # Fetching a page as a whole is quicker, but a page may be larger than all that may be fetched.
    most = None if isinstance(limit, int) and limit <= rows else rows + 1
    count, pages = compiled.count, compiled.pages
    return BoundRead(
        compiled=compiled,
        arguments=arguments,
        page=arguments.statement(compiled.page, most),
        total=None if count is None else arguments.statement(count),
        pages=None if pages is None or offset < pages.start else pages,
        rows=rows,
        limit=limit if isinstance(limit, int) else None,
        offset=offset,
    )


class _Run(NamedTuple):
    """One run of a read: its arguments, the dialect, and what counts the response."""

    arguments: Arguments
    dialect: Dialect
    budget: ResponseBudget


def _run(bound: BoundRead, budget: ResponseBudget) -> _Run:
    return _Run(bound.arguments, bound.compiled.dialect, budget)


Keys = tuple[Value, ...]
"""The ids of the rows of a page, in their order."""


class ListFacts(Struct):
    """What is known of a list: which rows its page shows, and how many there are in all.

    Whoever reads the list goes by what is known, asks for what is not, and adds it. The keys of a
    page are asked for where the ``strategy`` is to read it by them. A total that is known
    ``is_current`` if it is of the very state that is read.
    """

    total: int | None = None
    keys: Keys | None = None
    strategy: PageStrategy = "at once"
    is_current: bool = True


def read_program(
    bound: BoundRead, facts: ListFacts, budget: ResponseBudget
) -> Program[tuple[list[Item], int | None]]:
    """Read the page of a plan with everything populated, and its total when it is asked for.

    What is not among the ``facts`` yet is asked for and put there. Keys that are known have to be
    those of the state that is read. Raises ValidationError when the ``budget`` is exceeded.
    """
    if facts.strategy == "by keys":
        items = yield from _page_by_keys(bound, facts, budget)
        shown = len(facts.keys or ())
    else:
        walked = bound.walked if facts.strategy == "walked" else None
        page = bound.page if walked is None else walked.page
        items = yield from page_program(bound, page, budget)
        shown = len(items)
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
    if (
        not bound.compiled.counts_rows
        or limit is None
        or shown >= limit
        or (bound.offset and not shown)
    ):
        return None
    return bound.offset + shown


def _count(total: Statement) -> Program[int]:
    rows = yield total
    return _whole(rows[0][0])


def _page_by_keys(
    bound: BoundRead, facts: ListFacts, budget: ResponseBudget
) -> Program[list[Item]]:
    """Read the rows of a page by their keys."""
    run = _run(bound, budget)
    if facts.keys is None:
        facts.keys = yield from _find_keys(bound, facts)
    keys = facts.keys
    run.budget.fetch(keys, "")
    if not keys:
        return []
    rows = yield run.arguments.for_parents(bound.keyed.rows, run.dialect.encode_list(keys), None)
    position = bound.keyed.key
    # Within one state all of them are there; otherwise what is gone is left out.
    by_key = {row[position]: row for row in rows}
    return (yield from _items(bound, [by_key[key] for key in keys if key in by_key], run))


def _find_keys(bound: BoundRead, facts: ListFacts) -> Program[Keys]:
    """Find the keys of a page, from the end of the list that is nearer.

    The order of a list ends with the id, so no two rows share a place in it and the opposite order
    is exactly that.
    """
    limit, offset = bound.limit, bound.offset
    if bound.total is not None and bound.compiled.counts_rows and limit is not None and offset:
        is_current = facts.total is None or facts.is_current
        if facts.total is None:
            facts.total = yield from _count(bound.total)
        on_page = min(limit, facts.total - offset)
        after = facts.total - offset - on_page
        if is_current and on_page <= 0:
            return ()
        if is_current and after < offset:
            found = yield bound.keys_from_end(on_page, after)
            return tuple([key for (key,) in reversed(found)])
    found = yield bound.keys
    return tuple([key for (key,) in found])


def page_program(bound: BoundRead, page: Statement, budget: ResponseBudget) -> Program[list[Item]]:
    """Read the rows of a plan with everything populated; ``page`` is the statement to begin with.

    Raises ValidationError when the ``budget`` is exceeded.
    """
    rows: Rows = yield page
    budget.fetch(rows, "")
    return (yield from _items(bound, rows, _run(bound, budget)))


def _items(bound: BoundRead, rows: Rows, run: _Run) -> Program[list[Item]]:
    """Make items of the rows of a page, with everything populated."""
    budget = run.budget
    budget.add(len(rows), "")
    if budget.is_long:
        yield LONG_COMPUTATION
    node = bound.compiled.node
    items = node.mapper(rows)
    budget.measure(items, None, "")
    if node.edges and items:
        yield from _populate(node, rows, items, None, run)
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
    node: CompiledNode, rows: Sequence[Row], items: Sequence[Item], times: _Times, run: _Run
) -> Program[None]:
    parents: dict[int, _Parents] = {}
    for position in {edge.parent_key for edge in node.edges}:
        found = {row[position] for row in rows}
        once = times is None and len(found) == len(rows)
        occurrences = None if once else _occurrences(rows, position, times)
        found.discard(None)
        parents[position] = _Parents(run.dialect.encode_list(list(found)), occurrences)
    parts = _NOTHING_SHARED
    if node.united:
        parts = yield from _shared_rows(node, parents, run)
    for edge in node.edges:
        wanted = parents[edge.parent_key]
        if edge.counted:
            yield from _count_edge(edge, rows, items, wanted, parts, run)
        elif edge.links is not None:
            yield from _morph_edge(edge, rows, items, wanted, run)
        elif edge.mixed:
            yield from _mixed_edge(edge, rows, items, wanted, parts, run)
        else:
            yield from _plain_edge(edge, rows, items, wanted, parts, run)


def _shared_rows(node: CompiledNode, parents: Mapping[int, _Parents], run: _Run) -> Program[_Parts]:
    """Read the rows of all branches that share statements."""
    keys = {position: found.keys for position, found in parents.items()}
    parts: dict[SharedRows, list[Row]] = defaultdict(list)
    for number, query in enumerate(node.united):
        rows: Rows = yield run.arguments.for_keyed_parents(query, keys, run.budget.most)
        for branch, found in groupby(rows, key=_BRANCH_OF):
            parts[SharedRows(number, branch)] = list(found)
        exceeds = len(rows) >= run.budget.most
        run.budget.fetch(rows, _largest_edge(node, parts) if exceeds else "")
    return parts


def _largest_edge(node: CompiledNode, parts: _Parts) -> str:
    """Return the path of the edge to which most of the shared rows belong."""
    rows = {
        edge.path: sum(
            len(parts.get(branch.shared, ()))
            for branch in edge.branches
            if branch.shared is not None
        )
        for edge in node.edges
    }
    return max(rows, key=rows.__getitem__)


def _plain_edge(
    edge: CompiledEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    wanted: _Parents,
    parts: _Parts,
    run: _Run,
) -> Program[None]:
    """Attach rows of one kind."""
    branch = edge.branches[0]
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
    branch: CompiledBranch,
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
    if branch.node.edges and found:
        yield from _populate(branch.node, rows, found, times, run)
    return rows, found


def _rows(
    branch: CompiledBranch, wanted: _Parents, parts: _Parts, run: _Run, path: str
) -> Program[Sequence[Row]]:
    """Return the rows of a branch: those that came with others, or those of its own statement."""
    if branch.query is None:
        return () if branch.shared is None else parts.get(branch.shared, ())
    rows: Rows = yield run.arguments.for_parents(branch.query, wanted.keys, run.budget.most)
    run.budget.fetch(rows, path)
    return rows


def _count_edge(
    edge: CompiledEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    wanted: _Parents,
    parts: _Parts,
    run: _Run,
) -> Program[None]:
    branch = edge.branches[0]
    rows = yield from _rows(branch, wanted, parts, run, edge.path)
    near, number = branch.near, branch.number
    counted = {row[near]: row[number] for row in rows}
    for parent, item in zip(parents, items, strict=True):
        setattr(item, edge.member, {"count": counted.get(parent[edge.parent_key], 0)})


def _mixed_edge(
    edge: CompiledEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    wanted: _Parents,
    parts: _Parts,
    run: _Run,
) -> Program[None]:
    """Attach components of several kinds, in the order of their links."""
    groups: dict[Value, list[tuple[Any, Any, Item]]] = defaultdict(list)
    branches, others = [*edge.branches], edge.others
    if others is not None:
        unlisted = yield run.arguments.for_parents(others.query, wanted.keys, run.budget.most)
        run.budget.fetch(unlisted, edge.path)
        found_others = (others.branch(str(uid)) for (uid,) in unlisted)
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
    edge: CompiledEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    wanted: _Parents,
    run: _Run,
) -> Program[None]:
    """Attach rows of any type: first the links, then the rows of each type that occurs."""
    if edge.links is None:
        return
    links: Rows = yield run.arguments.for_parents(edge.links, wanted.keys, run.budget.most)
    run.budget.fetch(links, edge.path)
    ids: dict[Value, dict[Value, int]] = defaultdict(lambda: defaultdict(int))
    for near, far, kind in links:
        ids[kind][far] += 1 if wanted.occurrences is None else wanted.occurrences.get(near, 0)
    by_kind: dict[Value, dict[Value, Item]] = {}
    for branch in edge.branches:
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
