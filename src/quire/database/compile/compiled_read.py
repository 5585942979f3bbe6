"""Compiled reads: statements in the shape of the response, without the values of a request.

`Arguments` has these values: one list for each statement, in the order of its placeholders.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from quire.database.compile.statements import Query, ReadTables, Values
from quire.database.compile.strategies import DEEP
from quire.database.dialect import Dialect
from quire.database.execute.row_mappers import RowMapper
from quire.database.program import Operand, Statement
from quire.query.plan import ReadPlan, Slot
from quire.query.resolve.scope import SlotValue


class SharedRows(NamedTuple):
    """Whence the rows of a node come: a statement of its parents' node, its number in that."""

    statement: int
    branch: int


class CompiledNode(Struct, frozen=True, kw_only=True, eq=False):
    """Rows of one model: how they are found, become JSON, and what is populated below them.

    Below the root, ``query`` finds them by the keys of their parents; those of a node without one
    are among the rows of a ``shared`` statement. In a row ``near`` is the position of the parent's
    key, ``number`` that of the number of rows when only that is asked for, and ``row_id`` that of
    its id where some rows are skipped by it; mixed rows have order and id of their link at 1 and 2.
    ``united`` are the statements that nodes below several edges share.
    """

    uid: str
    mapper: RowMapper
    edges: "tuple[CompiledEdge, ...]" = ()
    united: tuple[Query, ...] = ()
    query: Query | None = None
    shared: SharedRows | None = None
    near: int = 0
    number: int = 0
    row_id: int = 0

    def queries(self) -> Iterator[Query]:
        """Yield the statements that are compiled for what is populated, at every depth."""
        yield from self.united
        for edge in self.edges:
            if edge.links is not None:
                yield edge.links
            if edge.others is not None:
                yield edge.others.query
            for node in edge.nodes:
                if node.query is not None:
                    yield node.query
                yield from node.queries()


class CompiledUnlisted(Struct, frozen=True, kw_only=True, eq=False):
    """The components of a zone that it does not list.

    ``query`` returns the uids of those that parents have; ``node`` compiles how the components of
    one are read, when it is first needed, and returns ``None`` for a uid that is not known.
    """

    query: Query
    node: Callable[[str], CompiledNode | None]


class CompiledEdge(Struct, frozen=True, kw_only=True, eq=False):
    """A populated attribute of a node.

    ``path`` is the dotted path from the root of the read. ``member`` is where items of the parent
    keep what is populated. ``parent_key`` and ``parent_id`` are positions in a row of the parent:
    of what links are found by, and of its id. Rows of a ``mixed`` edge come from several nodes
    and are put in the order of their links. ``links`` is the statement that lists
    ``(parent, id, kind)`` for relations to any type. ``skip_parents`` leaves out rows that are
    parents themselves (a document among its own localizations). ``others`` are components that a
    zone does not list.
    """

    path: str
    member: str
    to_many: bool
    parent_key: int
    parent_id: int
    nodes: tuple[CompiledNode, ...]
    counted: bool = False
    mixed: bool = False
    links: Query | None = None
    skip_parents: bool = False
    others: CompiledUnlisted | None = None


class CompiledKeys(Struct, frozen=True, kw_only=True, eq=False):
    """How a page is read by its keys.

    ``keys`` returns the ids of its rows in their order, ``backward`` those of rows as far from the
    end of the list, the last one first; ``rows`` returns these rows in any order, and ``key`` is
    the position of the id in such a row.
    """

    keys: Query
    backward: Query
    rows: Query
    key: int


class CompiledPages(Struct, frozen=True, kw_only=True, eq=False):
    """How pages are read that may be costly: those before which at least ``start`` rows lie.

    ``limit`` and ``offset`` are the slots that say how many rows a page has and how many lie before
    it, ``locale`` that of the locales whose rows are listed. The statements are compiled when they
    are first needed, which for many a list they never are: ``keys`` for pages that are read by
    their keys; ``walked`` for a page that is found by walking through the table in the order of
    ids, and ``collected`` for keys that are found by any index and then sorted. These two are
    ``None`` where rows do not come in that order.
    """

    start: int
    limit: Slot
    offset: Slot
    locale: Slot | None
    keys: Callable[[], CompiledKeys]
    walked: Callable[[], Query] | None
    collected: Callable[[], CompiledKeys] | None

    def keys_at(self, offset: int) -> CompiledKeys:
        """Return how a page at an offset is read by its keys."""
        if self.collected is not None and offset < DEEP:
            return self.collected()
        return self.keys()


class CompiledRead(Struct, frozen=True, kw_only=True, eq=False):
    """Everything that a plan needs from the database.

    ``page`` is the first statement. ``pages`` are other ways to read it, where it may be costly.
    ``counts_rows`` tells whether the total is that of rows, and not of documents; ``presented``
    whether anything is shown in another form than it is stored: that may be a form of the moment.
    ``changed`` is the member of an item that says when the entry was changed last, if it is read,
    ``ids`` are the placeholders of ``page`` for the id of the one document or row that is read, and
    ``computed`` tells whether it has computed fields, at any level.
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
    queries: tuple[Query, ...]
    """The statements of a page that is read at once: its own, the count, and those below it."""
    reads: ReadTables
    """The tables that its statements name, once it has been run."""


class Arguments:
    """The values of one request, as the arguments of statements.

    Those of ``queries`` are bound at once, so that a value which does not fit is found before
    anything runs; those of other statements when they are first needed.
    """

    __slots__ = ("_bound", "_values")

    def __init__(self, queries: Iterable[Query], values: Values) -> None:
        """``values`` are those of the slots of the plan. Raises ValidationError for a bad one."""
        self._values = values
        self._bound = {query: query.bind(values) for query in queries}

    def of(self, query: Query) -> list[Operand]:
        """Return the arguments of a statement, which are not to be changed."""
        found = self._bound.get(query)
        if found is None:
            found = self._bound[query] = query.bind(self._values)
        return found

    def slot(self, slot: Slot) -> SlotValue:
        """Return the value of a slot of the plan."""
        return self._values[slot]

    def statement(self, query: Query, most: int | None = None) -> Statement:
        """Return a statement that has no parents."""
        return Statement(query.sql, self.of(query), most)

    def with_slots(
        self, query: Query, values: Mapping[Slot, Operand], most: int | None
    ) -> Statement:
        """Return a statement with other values in some slots that it takes as they are."""
        arguments = [*self.of(query)]
        for slot, value in values.items():
            for position in query.positions(slot):
                arguments[position] = value
        return Statement(query.sql, arguments, most)

    def for_parents(self, query: Query, keys: Operand, most: int | None) -> Statement:
        """Return a statement for these parents (keys as the dialect binds lists)."""
        arguments = self.of(query).copy()
        arguments[query.parents] = keys
        return Statement(query.sql, arguments, most)

    def for_keyed_parents(
        self, query: Query, keys: Mapping[int, Operand], most: int | None
    ) -> Statement:
        """Return a shared statement for parents whose keys stand by their position in a row."""
        arguments = self.of(query).copy()
        for position, key in query.keyed:
            arguments[position] = keys[key]
        return Statement(query.sql, arguments, most)
