"""Compiled reads: statements in the shape of the response, without the values of a request.

`Arguments` holds these values: one list per statement, in the order of its placeholders.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from quire.database.compile.read_strategy import DEEP
from quire.database.compile.statements import Query, ReadTables, Values
from quire.database.dialect import Dialect
from quire.database.execute.row_mappers import RowMapper
from quire.database.program import Operand, Statement
from quire.query.plan import ReadPlan, Slot
from quire.query.resolve.scope import SlotValue


class SharedRows(NamedTuple):
    """Where the rows of a node come from: a statement of the parents' node, and its number."""

    statement: int
    branch: int


class CompiledNode(Struct, frozen=True, kw_only=True, eq=False):
    """Rows of one model: how they are found, become JSON, and what is populated below them.

    Below the root, ``query`` finds them by the keys of their parents; those of a node without one
    are among the rows of a ``shared`` statement. In a row, ``parent_position`` is the position of
    the parent's key, ``number`` that of the number of rows when only that is requested, and
    ``row_id`` that of its id where some rows are skipped by it; mixed rows have order and id of
    their link at 1 and 2.
    ``union_queries`` are the statements that nodes below several edges share.
    """

    uid: str
    mapper: RowMapper
    edges: "tuple[CompiledEdge, ...]" = ()
    union_queries: tuple[Query, ...] = ()
    query: Query | None = None
    shared: SharedRows | None = None
    parent_position: int = 0
    number: int = 0
    row_id: int = 0

    def queries(self) -> Iterator[Query]:
        """Yield the compiled statements of the populated attributes, at every depth."""
        yield from self.union_queries
        for edge in self.edges:
            if edge.links is not None:
                yield edge.links
            if edge.unlisted is not None:
                yield edge.unlisted.query
            for node in edge.nodes:
                if node.query is not None:
                    yield node.query
                yield from node.queries()


class CompiledUnlistedComponents(Struct, frozen=True, kw_only=True, eq=False):
    """The components of a dynamic zone that it does not allow.

    ``query`` returns the uids of those that parents have; ``node`` compiles the read of one
    component when it is first needed, and returns ``None`` for an unknown uid.
    """

    query: Query
    node: Callable[[str], CompiledNode | None]


class CompiledEdge(Struct, frozen=True, kw_only=True, eq=False):
    """A populated attribute of a node.

    ``path`` is the dotted path from the root of the read. ``member`` is the key of the populated
    value in items of the parent. ``parent_key`` and ``parent_id`` are positions in a row of the
    parent: of the key that links refer to, and of its id. Rows of a ``mixed`` edge come from
    several nodes and are put in the order of their links. ``links`` is the statement that lists
    ``(parent, id, kind)`` for relations to any type; ``target`` are the positions of id and kind in
    a row of the parent, if they are columns of it. ``skip_parents`` leaves out rows that are
    parents themselves (a document among its own localizations). ``unlisted`` are components that a
    zone does not list.
    """

    path: str
    member: str
    to_many: bool
    parent_key: int
    parent_id: int
    nodes: tuple[CompiledNode, ...]
    is_count: bool = False
    mixed: bool = False
    links: Query | None = None
    target: tuple[int, int] | None = None
    skip_parents: bool = False
    unlisted: CompiledUnlistedComponents | None = None


class CompiledKeys(Struct, frozen=True, kw_only=True, eq=False):
    """How a page is read by its keys.

    ``keys`` returns the ids of its rows in order, ``backward`` those of rows at the same distance
    from the end of the list, last first; ``rows`` returns these rows in any order, and ``key`` is
    the position of the id in such a row.
    """

    keys: Query
    backward: Query
    rows: Query
    key: int


class CompiledPages(Struct, frozen=True, kw_only=True, eq=False):
    """How potentially costly pages are read: those with at least ``start`` rows before them.

    ``limit`` and ``offset`` are the slots for the page size and the number of rows before the page,
    ``locale`` the slot for the listed locales. The statements are compiled when they are first
    needed, which for many lists never happens: ``keys`` for pages that are read by their keys;
    ``id_scan`` for a page that is found by a scan of the table in the order of ids; ``id_sort`` for
    keys that are found by any index and then sorted. The last two are ``None`` where rows are not
    sorted by id.
    """

    start: int
    limit: Slot
    offset: Slot
    locale: Slot | None
    keys: Callable[[], CompiledKeys]
    id_scan: Callable[[], Query] | None
    id_sort: Callable[[], CompiledKeys] | None

    def keys_at(self, offset: int) -> CompiledKeys:
        """Return how a page at an offset is read by its keys."""
        if self.id_sort is not None and offset < DEEP:
            return self.id_sort()
        return self.keys()


class CompiledRead(Struct, frozen=True, kw_only=True, eq=False):
    """The statements of a plan.

    ``page`` is the first statement. ``pages`` are other ways to read it, for pages that may be
    costly. ``counts_rows`` tells whether the total counts rows rather than documents; ``presented``
    whether any value is shown in another form than it is stored, which may depend on the time.
    ``changed`` is the key of the time of the last change in an item, if it is read, ``ids`` are the
    placeholders of ``page`` for the id of the one document or row that is read. ``computed`` tells
    whether it has computed fields, at any level, and ``may_wait`` whether code that computes some
    of them may wait.
    """

    plan: ReadPlan
    dialect: Dialect
    page: Query
    pages: CompiledPages | None
    node: CompiledNode
    count: Query | None
    counts_rows: bool
    presented: bool
    changed: str | None
    ids: tuple[int, ...]
    computed: bool
    may_wait: bool
    queries: tuple[Query, ...]
    """The statements of a page that is read in one phase: page, count, and populated nodes."""
    reads: ReadTables
    """The tables that its statements name; complete once it has been run."""


class Arguments:
    """The values of one request, as the arguments of statements.

    Arguments of ``queries`` are bound at once, so that an invalid value is found before anything
    runs; those of other statements when they are first needed.
    """

    __slots__ = ("_bound", "_values")

    def __init__(self, queries: Iterable[Query], values: Values) -> None:
        """``values`` are those of the plan's slots. Raises ValidationError for an invalid one."""
        self._values = values
        self._bound = {query: query.bind(values) for query in queries}

    def of(self, query: Query) -> list[Operand]:
        """Return the arguments of a statement; do not modify them."""
        arguments = self._bound.get(query)
        if arguments is None:
            arguments = self._bound[query] = query.bind(self._values)
        return arguments

    def slot(self, slot: Slot) -> SlotValue:
        """Return the value of a slot of the plan."""
        return self._values[slot]

    def statement(self, query: Query, limit: int | None = None) -> Statement:
        """Return a statement that has no parents."""
        return Statement(query.sql, self.of(query), limit)

    def with_slots(
        self, query: Query, values: Mapping[Slot, Operand], limit: int | None
    ) -> Statement:
        """Return the arguments of a statement with other values in some plain slots."""
        arguments = [*self.of(query)]
        for slot, value in values.items():
            for position in query.positions(slot):
                arguments[position] = value
        return Statement(query.sql, arguments, limit)

    def for_parents(self, query: Query, keys: Operand, limit: int | None) -> Statement:
        """Return the arguments of a statement for parents (keys as the dialect binds lists)."""
        arguments = self.of(query).copy()
        arguments[query.parents] = keys
        return Statement(query.sql, arguments, limit)

    def for_keyed_parents(
        self, query: Query, keys: Mapping[int, Operand], limit: int | None
    ) -> Statement:
        """Return the arguments of a shared statement for parents, by positions in their rows."""
        arguments = self.of(query).copy()
        for position, key in query.keyed:
            arguments[position] = keys[key]
        return Statement(query.sql, arguments, limit)
