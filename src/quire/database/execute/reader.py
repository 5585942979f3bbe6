"""Runs a compiled read: the page, then populated edges, joined to their parents.

There is one statement per edge, or one for several edges of a node; never one per row.
"""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from quire.database.compile.compiled_read import (
    Arguments,
    CompiledEdge,
    CompiledNode,
    SharedRows,
)
from quire.database.compile.read_strategy import PageStrategy
from quire.database.compile.union_queries import BRANCH, LINK, ORDER
from quire.database.dialect import Dialect
from quire.database.execute.json_encoding import ResponseBudget
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

if TYPE_CHECKING:
    from quire.database.execute.prepared_read import PreparedRead

_BRANCH_OF = itemgetter(BRANCH)


class _ReadRun(NamedTuple):
    """One execution of a read: its arguments, the dialect, and the budget of the response."""

    arguments: Arguments
    dialect: Dialect
    budget: ResponseBudget


Keys = tuple[Value, ...]
"""The ids of the rows of a page, in their order."""


class ListFacts(Struct):
    """Known facts about a list: which rows its page shows, and the total.

    A read uses the known facts, queries the missing ones, and adds them. The keys of a page are
    needed if the ``strategy`` is to read it by them. A known total ``is_current`` if it is of the
    state that is read.
    """

    total: int | None = None
    keys: Keys | None = None
    strategy: PageStrategy = "at once"
    is_current: bool = True


def read_program(
    read: PreparedRead, facts: ListFacts, budget: ResponseBudget
) -> Program[tuple[list[Item], int | None]]:
    """Read the page of a plan with everything populated, and its total if asked for.

    Facts that are missing in ``facts`` are queried and added. Known keys have to be those of the
    state that is read. Raises ValidationError when the ``budget`` is exceeded.
    """
    if facts.strategy == "by keys":
        items = yield from _page_by_keys(read, facts, budget)
        row_count = len(facts.keys or ())
    else:
        id_scan = read.id_scan if facts.strategy == "id scan" else None
        page = read.page_statement if id_scan is None else id_scan.page
        items = yield from page_program(read, page, budget)
        row_count = len(items)
    if read.total_statement is None:
        return items, None
    if facts.total is None:
        facts.total = _total_of_last_page(read, row_count)
    if facts.total is None:
        facts.total = yield from _count(read.total_statement)
    return items, facts.total


def _total_of_last_page(read: PreparedRead, row_count: int) -> int | None:
    """Return the total of a list if this is its last page, else ``None``."""
    limit = read.limit
    if (
        not read.compiled.counts_rows
        or limit is None
        or row_count >= limit
        or (read.offset and not row_count)
    ):
        return None
    return read.offset + row_count


def _count(total: Statement) -> Program[int]:
    rows = yield total
    return _require_integer(rows[0][0])


def _page_by_keys(
    read: PreparedRead, facts: ListFacts, budget: ResponseBudget
) -> Program[list[Item]]:
    """Read the rows of a page by their keys."""
    run = _ReadRun(read.arguments, read.compiled.dialect, budget)
    if facts.keys is None:
        facts.keys = yield from _find_keys(read, facts)
    keys = facts.keys
    run.budget.fetch(keys, "")
    if not keys:
        return []
    rows = yield run.arguments.for_parents(read.keyed.rows, run.dialect.encode_list(keys), None)
    position = read.keyed.key
    # Rows may be missing if keys and rows were read in two states: a row was deleted in between.
    by_key = {row[position]: row for row in rows}
    ordered_rows = [by_key[key] for key in keys if key in by_key]
    return (yield from _map_items(read.compiled.node, ordered_rows, None, run, ""))


def _find_keys(read: PreparedRead, facts: ListFacts) -> Program[Keys]:
    """Find the keys of a page, from the nearer end of the list.

    The order of a list ends with the id, so no two rows are equal in it and it can be reversed
    exactly.
    """
    limit, offset = read.limit, read.offset
    if (
        read.total_statement is not None
        and read.compiled.counts_rows
        and limit is not None
        and offset
    ):
        is_current = facts.total is None or facts.is_current
        if facts.total is None:
            facts.total = yield from _count(read.total_statement)
        page_rows = min(limit, facts.total - offset)
        rows_after = facts.total - offset - page_rows
        if is_current and page_rows <= 0:
            return ()
        if is_current and rows_after < offset:
            rows = yield read.keys_from_end(page_rows, rows_after)
            return tuple([key for (key,) in reversed(rows)])
    rows = yield read.keys
    return tuple([key for (key,) in rows])


def page_program(
    read: PreparedRead, page: Statement, budget: ResponseBudget
) -> Program[list[Item]]:
    """Read the rows of a plan with everything populated; ``page`` is the first statement.

    Raises ValidationError when the ``budget`` is exceeded.
    """
    rows: Rows = yield page
    budget.fetch(rows, "")
    return (
        yield from _map_items(
            read.compiled.node,
            rows,
            None,
            _ReadRun(read.arguments, read.compiled.dialect, budget),
            "",
        )
    )


def _map_items(
    node: CompiledNode, rows: Sequence[Row], times: _Times, run: _ReadRun, path: str
) -> Program[list[Item]]:
    """Map the rows of a node to items, with everything populated below them.

    ``path`` is that of the rows from the root, ``times`` how often each occurs in the response.
    """
    budget = run.budget
    budget.add(len(rows) if times is None else sum(times), path)
    if budget.is_long:
        yield LONG_COMPUTATION
    items = node.mapper(rows)
    budget.measure(items, times, path)
    if node.edges and items:
        yield from _populate(node, rows, items, times, run)
    return items


def _require_integer(value: Value) -> int:
    if not isinstance(value, int):
        message = "a count is not a number"
        raise TypeError(message)
    return value


_SharedRowsByNode = Mapping[SharedRows, Sequence[Row]]
"""The rows of shared statements, by the node that they belong to."""

_NO_SHARED_ROWS: _SharedRowsByNode = MappingProxyType({})


_Times = Sequence[int] | None
"""How often each row of a level occurs in the response; ``None`` means once each."""

_Occurrences = Mapping[Value, int] | None
"""How often the rows of a key occur in the response; ``None`` means once each."""


def _count_occurrences(rows: Sequence[Row], position: int, times: _Times) -> Mapping[Value, int]:
    """Count how often the keys at a position of the parents occur in the response."""
    if times is None:
        return Counter(map(itemgetter(position), rows))
    occurrences: dict[Value, int] = defaultdict(int)
    for row, times_in_row in zip(rows, times, strict=True):
        occurrences[row[position]] += times_in_row
    return occurrences


class _Parents(NamedTuple):
    """The parents of a level: their keys at a position, and how often they occur."""

    keys: Operand
    occurrences: _Occurrences


def _populate(
    node: CompiledNode, rows: Sequence[Row], items: Sequence[Item], times: _Times, run: _ReadRun
) -> Program[None]:
    parents: dict[int, _Parents] = {}
    for position in {edge.parent_key for edge in node.edges}:
        keys = {row[position] for row in rows}
        occur_once = times is None and len(keys) == len(rows)
        occurrences = None if occur_once else _count_occurrences(rows, position, times)
        keys.discard(None)
        parents[position] = _Parents(run.dialect.encode_list(list(keys)), occurrences)
    parts = _NO_SHARED_ROWS
    if node.union_queries:
        parts = yield from _read_shared_rows(node, parents, run)
    for edge in node.edges:
        edge_parents = parents[edge.parent_key]
        if edge.is_count:
            yield from _attach_count_edge(edge, rows, items, edge_parents, parts, run)
        elif edge.links is not None or edge.target is not None:
            yield from _attach_morph_edge(edge, rows, items, edge_parents, run)
        elif edge.mixed:
            yield from _attach_mixed_edge(edge, rows, items, edge_parents, parts, run)
        else:
            yield from _attach_plain_edge(edge, rows, items, edge_parents, parts, run)


def _read_shared_rows(
    node: CompiledNode, parents: Mapping[int, _Parents], run: _ReadRun
) -> Program[_SharedRowsByNode]:
    """Read the rows of all nodes that share statements."""
    keys = {position: group.keys for position, group in parents.items()}
    parts: dict[SharedRows, list[Row]] = defaultdict(list)
    for number, query in enumerate(node.union_queries):
        rows: Rows = yield run.arguments.for_keyed_parents(query, keys, run.budget.fetch_limit)
        for branch, branch_rows in groupby(rows, key=_BRANCH_OF):
            parts[SharedRows(number, branch)] = list(branch_rows)
        exceeds = len(rows) >= run.budget.fetch_limit
        run.budget.fetch(rows, _largest_edge(node, parts) if exceeds else "")
    return parts


def _largest_edge(node: CompiledNode, parts: _SharedRowsByNode) -> str:
    """Return the path of the edge with most of the shared rows."""
    rows = {
        edge.path: sum(
            len(parts.get(edge_node.shared, ()))
            for edge_node in edge.nodes
            if edge_node.shared is not None
        )
        for edge in node.edges
    }
    return max(rows, key=rows.__getitem__)


def _attach_plain_edge(
    edge: CompiledEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    parent_rows: _Parents,
    parts: _SharedRowsByNode,
    run: _ReadRun,
) -> Program[None]:
    """Attach rows of one kind."""
    node = edge.nodes[0]
    skipped_ids = {parent[edge.parent_id] for parent in parents} if edge.skip_parents else ()
    rows, children = yield from _read_node(node, parent_rows, parts, run, edge.path, skipped_ids)
    key, member, parent_position = edge.parent_key, edge.member, node.parent_position
    if not edge.to_many:
        item_by_parent: dict[Value, Item] = {}
        for row, item in zip(rows, children, strict=True):
            item_by_parent.setdefault(row[parent_position], item)
        for parent, item in zip(parents, items, strict=True):
            setattr(item, member, item_by_parent.get(parent[key]))
        return
    groups: dict[Value, list[Item]] = defaultdict(list)
    for row, item in zip(rows, children, strict=True):
        groups[row[parent_position]].append(item)
    for parent, item in zip(parents, items, strict=True):
        setattr(item, member, groups.get(parent[key], ()))


def _read_node(
    node: CompiledNode,
    parents: _Parents,
    parts: _SharedRowsByNode,
    run: _ReadRun,
    path: str,
    skipped: Collection[Value] = (),
) -> Program[tuple[Sequence[Row], list[Item]]]:
    """Read the rows of one kind with everything below them, except rows with ``skipped`` ids."""
    rows = yield from _read_rows(node, parents, parts, run, path)
    if skipped:
        rows = [row for row in rows if row[node.row_id] not in skipped]
    occurrences, parent_position = parents.occurrences, node.parent_position
    times = (
        None if occurrences is None else [occurrences.get(row[parent_position], 0) for row in rows]
    )
    return rows, (yield from _map_items(node, rows, times, run, path))


def _read_rows(
    node: CompiledNode, parents: _Parents, parts: _SharedRowsByNode, run: _ReadRun, path: str
) -> Program[Sequence[Row]]:
    """Return the rows of a node, from a shared statement or its own."""
    if node.query is None:
        return () if node.shared is None else parts.get(node.shared, ())
    rows: Rows = yield run.arguments.for_parents(node.query, parents.keys, run.budget.fetch_limit)
    run.budget.fetch(rows, path)
    return rows


def _attach_count_edge(
    edge: CompiledEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    parent_rows: _Parents,
    parts: _SharedRowsByNode,
    run: _ReadRun,
) -> Program[None]:
    node = edge.nodes[0]
    rows = yield from _read_rows(node, parent_rows, parts, run, edge.path)
    parent_position, number = node.parent_position, node.number
    counts = {row[parent_position]: row[number] for row in rows}
    for parent, item in zip(parents, items, strict=True):
        setattr(item, edge.member, {"count": counts.get(parent[edge.parent_key], 0)})


def _attach_mixed_edge(
    edge: CompiledEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    parent_rows: _Parents,
    parts: _SharedRowsByNode,
    run: _ReadRun,
) -> Program[None]:
    """Attach components of several kinds, in the order of their links."""
    groups: dict[Value, list[tuple[Any, Any, Item]]] = defaultdict(list)
    nodes, unlisted = [*edge.nodes], edge.unlisted
    if unlisted is not None:
        uid_rows = yield run.arguments.for_parents(
            unlisted.query, parent_rows.keys, run.budget.fetch_limit
        )
        run.budget.fetch(uid_rows, edge.path)
        unlisted_nodes = (unlisted.node(str(uid)) for (uid,) in uid_rows)
        nodes += [node for node in unlisted_nodes if node is not None]
    for node in nodes:
        rows, children = yield from _read_node(node, parent_rows, parts, run, edge.path)
        parent_position = node.parent_position
        for row, item in zip(rows, children, strict=True):
            groups[row[parent_position]].append((_null_first(row[ORDER]), row[LINK], item))
    for parent, item in zip(parents, items, strict=True):
        group = sorted(groups.get(parent[edge.parent_key], ()), key=_link_order)
        setattr(item, edge.member, [entry for _, _, entry in group])


def _null_first(order: Value) -> Value:
    return float("-inf") if order is None else order


def _link_order(entry: tuple[Any, Any, Item]) -> tuple[Any, Any]:
    return entry[0], entry[1]


def _attach_morph_edge(
    edge: CompiledEdge,
    parents: Sequence[Row],
    items: Sequence[Item],
    parent_rows: _Parents,
    run: _ReadRun,
) -> Program[None]:
    """Attach rows of any type: find the links, then read the rows of each type that occurs."""
    links: Sequence[Row] = ()
    if edge.links is not None:
        links = yield run.arguments.for_parents(
            edge.links, parent_rows.keys, run.budget.fetch_limit
        )
        run.budget.fetch(links, edge.path)
    elif edge.target is not None:
        link_of = itemgetter(edge.parent_key, *edge.target)
        links = [link for link in dict.fromkeys(map(link_of, parents)) if None not in link]
    ids: dict[Value, dict[Value, int]] = defaultdict(lambda: defaultdict(int))
    for source_id, target_id, kind in links:
        ids[kind][target_id] += (
            1 if parent_rows.occurrences is None else parent_rows.occurrences.get(source_id, 0)
        )
    items_by_kind: dict[Value, dict[Value, Item]] = {}
    for node in edge.nodes:
        occurrences = ids.get(node.uid)
        if not occurrences:
            continue
        targets = _Parents(run.dialect.encode_list(list(occurrences)), occurrences)
        rows, children = yield from _read_node(node, targets, _NO_SHARED_ROWS, run, edge.path)
        items_by_kind[node.uid] = {row[0]: item for row, item in zip(rows, children, strict=True)}
    groups: dict[Value, list[Item]] = defaultdict(list)
    for source_id, target_id, kind in links:
        target = items_by_kind.get(kind, {}).get(target_id)
        if target is not None:
            groups[source_id].append(target)
    for parent, item in zip(parents, items, strict=True):
        group = groups.get(parent[edge.parent_key], ())
        setattr(item, edge.member, group if edge.to_many else next(iter(group), None))
