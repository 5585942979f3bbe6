"""Prepares and runs reads; what a query means is cached.

A raw query string, together with what the caller may do, always means the same until the schema
changes. So the way from text to bound statements is taken once; after that a request runs
statements and writes JSON. Values of the path (document ids) are bound anew each time.
"""

# Functions are made for each request here, and their annotations are not evaluated each time.
from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, NamedTuple, TypeVar

from msgspec import Struct

from quire.access.ability import Ability
from quire.content_api.rewritten_query import read_query
from quire.database.compile.compiled_read import CompiledRead
from quire.database.compile.read_plan import NOTHING_PRESENTED, Presented, compile_read
from quire.database.connection import Database, WouldBlockError
from quire.database.execute.encoding import Present, Wrap, encode_entry, encode_list
from quire.database.execute.list_cache import ListCache
from quire.database.execute.lists import read_list, read_list_now
from quire.database.execute.reader import (
    BoundRead,
    ListFacts,
    bind_read,
    page_program,
    read_program,
)
from quire.database.execute.response_budget import ResponseBudget
from quire.database.execute.row_mappers import Item, member
from quire.database.lru import BoundedCache
from quire.database.program import Program, Statement
from quire.database.tables.table_map import TableMap
from quire.errors import ServiceUnavailableError
from quire.metrics.caches import CacheCounter
from quire.query.plan import ReadPlan, plan_size
from quire.query.querystring import QueryValue
from quire.query.resolve import (
    Pagination,
    ReadLimits,
    ResolvedRead,
    Resolver,
)
from quire.query.resolve.computed import has_computed
from quire.schema.model import ContentType, Schema

Mode = Literal[
    "list",
    "document",
    "single",
    "entry",
    "window",
    "first",
    "rows",
    "first row",
    "count",
    "populated",
    "written",
    "removed",
]

T = TypeVar("T")

Query = bytes | dict[str, QueryValue]
"""A raw query string, which is remembered, or a parsed one."""

_PreparedKey = tuple[str, Mode, bytes, Ability, bool]
_MAX_CACHED_QUERY = 4096
TOO_MANY_QUERIES = "Too many large queries are waiting"
_MOST_COMPILATIONS = 100
_LARGE_PLAN = 20
"""Plans of more parts are compiled on another thread: a part takes about a millisecond."""
_TAGGED = "updatedAt"
_ANY_DOCUMENT = ""
_ANY_ENTRY = 0


_compiling = ThreadPoolExecutor(1, thread_name_prefix="quire-compile")


class EncodedEntry(NamedTuple):
    """An entry as JSON, and when it was changed last, if that was read."""

    text: bytes
    changed: str | None


class PreparedRead(Struct, frozen=True, eq=False):
    """A query of one mode, resolved, compiled and bound, but for the id of the path."""

    plan: ReadPlan
    compiled: CompiledRead
    bound: BoundRead
    pagination: Pagination | None
    id_positions: tuple[int, ...]
    """Where the id of the path stands among the values of the first statement."""
    tag: str | None = None
    """The member of an item that says when the entry was changed last, if it is read."""
    volatile: bool = False
    """Whether it depends on the moment, so that neither it nor what is read is kept."""
    computed: bool = False
    """Whether it has computed fields, at any level."""

    @property
    def is_cacheable(self) -> bool:
        """Whether a response may be kept until something is committed."""
        return not (self.volatile or self.compiled.presented)

    def page_of(self, value: str | int) -> Statement:
        """Return the first statement of the read of one document or row."""
        sql, bound, most = self.bound.page
        values = [*bound]
        for position in self.id_positions:
            values[position] = value
        return Statement(sql, values, most)


class ContentReader:
    """Reads content for the content API."""

    def __init__(  # noqa: PLR0913 - caches and limits of a process, given by name
        self,
        database: Database,
        schema: Schema,
        tables: TableMap,
        limits: ReadLimits,
        *,
        default_locale: str | None,
        plan_cache: int,
        list_cache: ListCache,
        presented: Presented = NOTHING_PRESENTED,
        counter: CacheCounter | None = None,
    ) -> None:
        """``counter`` counts the lookups of prepared reads."""
        self.database = database
        self.schema = schema
        self.limits = limits
        self.default_locale = default_locale
        self._tables = tables
        self._presented = presented
        self._prepared: BoundedCache[tuple[str, Mode, bytes, Ability, bool], PreparedRead] = (
            BoundedCache(plan_cache)
        )
        self._counter = counter or CacheCounter()
        self._counter.entries = self._prepared.__len__
        self._compiled: BoundedCache[ReadPlan, CompiledRead] = BoundedCache(plan_cache)
        self._compilations = 0
        """How many large plans are compiled or wait for it."""
        self._lists = list_cache
        self.slow_lists = list_cache.slow_lists

    def adopt_default_locale(self, code: str | None) -> None:
        """Take another locale for the default one; what was worked out for the old one goes."""
        self.default_locale = code
        self._prepared.clear()

    async def prepare(
        self,
        content_type: ContentType,
        mode: Mode,
        query: Query,
        ability: Ability,
        *,
        computes: bool = False,
    ) -> PreparedRead:
        """Work out what a query means, or remember it; large plans are compiled off the loop.

        With ``computes`` it may ask for computed fields, which the caller adds to what is read.
        Raises the query's first fault as an AppError, and ServiceUnavailableError when too many
        large plans wait to be compiled.
        """
        prepared = self._known(content_type, mode, query, ability, computes=computes)
        if prepared is None:
            default_locale = self.default_locale
            resolved = self._resolve(content_type, mode, query, ability, computes=computes)
            compiled = self._compile_if_small(resolved.plan)
            if compiled is None:
                compiled = await self._compile_on_thread(resolved.plan)
            prepared = self._bind(resolved, compiled)
            if self.default_locale == default_locale:  # it may have changed meanwhile
                self._keep(prepared, content_type, mode, query, ability, computes=computes)
        return prepared

    def prepare_now(
        self,
        content_type: ContentType,
        mode: Mode,
        query: bytes,
        ability: Ability,
        *,
        computes: bool = False,
    ) -> PreparedRead:
        """Do as `prepare` does without waiting.

        Raises WouldBlockError when a large plan has to be compiled.
        """
        prepared = self._known(content_type, mode, query, ability, computes=computes)
        if prepared is None:
            resolved = self._resolve(content_type, mode, query, ability, computes=computes)
            compiled = self._compile_if_small(resolved.plan)
            if compiled is None:
                raise WouldBlockError
            prepared = self._bind(resolved, compiled)
            self._keep(prepared, content_type, mode, query, ability, computes=computes)
        return prepared

    def prepare_small(
        self, content_type: ContentType, mode: Mode, query: Query, ability: Ability
    ) -> PreparedRead:
        """Do as `prepare` does, in the event loop: for queries that are known to be small."""
        prepared = self._known(content_type, mode, query, ability)
        if prepared is None:
            resolved = self._resolve(content_type, mode, query, ability)
            compiled = self._compiled.get(resolved.plan) or self._compile(resolved.plan)
            prepared = self._bind(resolved, compiled)
            self._keep(prepared, content_type, mode, query, ability)
        return prepared

    def _known(
        self,
        content_type: ContentType,
        mode: Mode,
        query: Query,
        ability: Ability,
        *,
        computes: bool = False,
    ) -> PreparedRead | None:
        if not isinstance(query, bytes):
            return None
        found = self._prepared.get((content_type.uid, mode, query, ability, computes))
        if found is None:
            self._counter.misses += 1
        else:
            self._counter.hits += 1
        return found

    def _keep(
        self,
        prepared: PreparedRead,
        content_type: ContentType,
        mode: Mode,
        query: Query,
        ability: Ability,
        *,
        computes: bool = False,
    ) -> None:
        self._compiled[prepared.plan] = prepared.compiled
        if prepared.volatile:
            return
        if isinstance(query, bytes) and len(query) <= _MAX_CACHED_QUERY:
            self._prepared[content_type.uid, mode, query, ability, computes] = prepared

    def _resolve(
        self,
        content_type: ContentType,
        mode: Mode,
        query: Query,
        ability: Ability,
        *,
        computes: bool = False,
    ) -> ResolvedRead:
        resolver = Resolver(
            schema=self.schema,
            content_type=content_type,
            ability=ability,
            limits=self.limits,
            default_locale=self.default_locale,
            computes=computes,
        )
        parsed = read_query(query) if isinstance(query, bytes) else query
        return _resolve(resolver, mode, parsed)

    def _bind(self, resolved: ResolvedRead, compiled: CompiledRead) -> PreparedRead:
        plan = resolved.plan
        id_slot = plan.document if plan.document is not None else plan.entry
        return PreparedRead(
            plan,
            compiled,
            bind_read(compiled, resolved.values, self.limits.rows),
            resolved.pagination,
            () if id_slot is None else compiled.page.positions(id_slot),
            _tag_member(plan),
            resolved.volatile,
            has_computed(plan.root),
        )

    def _compile_if_small(self, plan: ReadPlan) -> CompiledRead | None:
        """Return a compiled plan, ``None`` for a large one that has to be compiled."""
        compiled = self._compiled.get(plan)
        if compiled is None and plan_size(plan) <= _LARGE_PLAN:
            compiled = self._compile(plan)
        return compiled

    async def _compile_on_thread(self, plan: ReadPlan) -> CompiledRead:
        """Compile a large plan off the event loop.

        Raises ServiceUnavailableError when too many others wait to be compiled.
        """
        if self._compilations >= _MOST_COMPILATIONS:
            raise ServiceUnavailableError(TOO_MANY_QUERIES)
        self._compilations += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(_compiling, self._compile, plan)
        finally:
            self._compilations -= 1

    def _compile(self, plan: ReadPlan) -> CompiledRead:
        return compile_read(plan, self.schema, self._tables, self.database.dialect, self._presented)

    def budget(self) -> ResponseBudget:
        """Return what counts a response, for one run of a program."""
        return ResponseBudget(self.limits.rows, self.limits.response_size)

    async def rows(
        self, prepared: PreparedRead, version: int | None
    ) -> tuple[list[Item], int | None]:
        """Run a list; ``version`` is the database's token of the present content."""
        bound, dialect = prepared.bound, self.database.dialect

        def program(facts: ListFacts) -> Program[tuple[list[Item], int | None]]:
            return read_program(bound, dialect, facts, self.budget())

        return await self._read_list(prepared, version, program)

    def rows_program(self, prepared: PreparedRead) -> Program[tuple[list[Item], int | None]]:
        """Return the program of `rows`, for those who read within a transaction of their own."""
        return read_program(prepared.bound, self.database.dialect, ListFacts(), self.budget())

    async def encoded_rows(
        self,
        prepared: PreparedRead,
        version: int | None,
        *,
        present: Present | None = None,
        wrap: Callable[[object, int | None], object] | None = None,
    ) -> bytes:
        """Run a list; returns its entries as JSON, each as ``present`` turns it.

        ``wrap`` turns the entries and the total into what is encoded as a whole.
        """
        program = self._encoded_list(prepared, present, wrap)
        return await self._read_list(prepared, version, program)

    def encoded_rows_now(
        self,
        prepared: PreparedRead,
        version: int | None,
        *,
        present: Present | None = None,
        wrap: Callable[[object, int | None], object] | None = None,
    ) -> bytes:
        """Do as `encoded_rows` does without waiting. Raises WouldBlockError."""
        return read_list_now(
            self.database,
            self._lists,
            version,
            prepared.bound,
            self._encoded_list(prepared, present, wrap),
            key=prepared.compiled,
        )

    def _encoded_list(
        self,
        prepared: PreparedRead,
        present: Present | None,
        wrap: Callable[[object, int | None], object] | None,
    ) -> Callable[[ListFacts], Program[bytes]]:
        """Return what makes the programs of `encoded_rows`."""
        bound, dialect = prepared.bound, self.database.dialect

        def program(facts: ListFacts) -> Program[bytes]:
            budget = self.budget()
            items, total = yield from read_program(bound, dialect, facts, budget)
            whole = None if wrap is None else lambda data: wrap(data, total)
            return (yield from encode_list(bound.compiled.node, items, budget, present, whole))

        return program

    async def _read_list(
        self,
        prepared: PreparedRead,
        version: int | None,
        program: Callable[[ListFacts], Program[T]],
    ) -> T:
        return await read_list(
            self.database, self._lists, version, prepared.bound, program, key=prepared.compiled
        )

    async def row(self, prepared: PreparedRead, value: str | int | None = None) -> Item | None:
        """Run a read of at most one row; ``value`` is the id of the path."""
        items = await self._read_row(prepared, lambda: self.row_program(prepared, value))
        return items[0] if items else None

    async def encoded_row(
        self,
        prepared: PreparedRead,
        value: str | int | None = None,
        *,
        present: Present | None = None,
        wrap: Wrap | None = None,
    ) -> EncodedEntry | None:
        """Run a read of at most one row; returns it as JSON, wrapped as `encode_entry` says."""

        def program() -> Program[EncodedEntry | None]:
            return self.encoded_row_program(
                prepared, value, self.budget(), present=present, wrap=wrap
            )

        return await self._read_row(prepared, program)

    def encoded_row_now(
        self,
        prepared: PreparedRead,
        value: str | int | None = None,
        *,
        present: Present | None = None,
        wrap: Wrap | None = None,
    ) -> EncodedEntry | None:
        """Do as `encoded_row` does without waiting. Raises WouldBlockError."""

        def program() -> Program[EncodedEntry | None]:
            return self.encoded_row_program(
                prepared, value, self.budget(), present=present, wrap=wrap
            )

        return self.database.read_now(program, key=prepared.compiled)

    async def _read_row(self, prepared: PreparedRead, make: Callable[[], Program[T]]) -> T:
        several = len(prepared.compiled.queries) > 1
        return await self.database.read(make, snapshot=several, key=prepared.compiled)

    def row_program(
        self,
        prepared: PreparedRead,
        value: str | int | None = None,
        budget: ResponseBudget | None = None,
    ) -> Program[list[Item]]:
        """Return the program of `row`, for those who read within a transaction of their own."""
        bound = prepared.bound
        page = bound.page if value is None else prepared.page_of(value)
        return page_program(bound, page, self.database.dialect, budget or self.budget())

    def encoded_row_program(
        self,
        prepared: PreparedRead,
        value: str | int | None,
        budget: ResponseBudget,
        *,
        present: Present | None = None,
        wrap: Wrap | None = None,
    ) -> Program[EncodedEntry | None]:
        """Return the program of `encoded_row`, of a response that ``budget`` counts."""
        items = yield from self.row_program(prepared, value, budget)
        if not items:
            return None
        (item,) = items
        changed = None if prepared.tag is None else getattr(item, prepared.tag)
        text = yield from encode_entry(prepared.compiled.node, item, budget, present, wrap)
        return EncodedEntry(text, changed)

    async def total(self, prepared: PreparedRead, version: int | None) -> int:
        """Count the rows of a list without reading them."""
        statement = _total_of(prepared)
        lists = self._lists.at(version)
        found = None if lists is None else lists.total(statement)
        if found is None:
            found = await self.database.read(lambda: self.total_program(prepared))
            if lists is not None:
                lists.keep_total(statement, found)
        return found

    def total_program(self, prepared: PreparedRead) -> Program[int]:
        """Return the program of `total`, for those who read within a transaction of their own."""
        rows = yield _total_of(prepared)
        return int(rows[0][0] or 0)


def _total_of(prepared: PreparedRead) -> Statement:
    """Return the statement that counts. Raises TypeError for a read without one."""
    if prepared.bound.total is None:
        message = "this read has no count"
        raise TypeError(message)
    return prepared.bound.total


def _tag_member(plan: ReadPlan) -> str | None:
    fields = plan.root.fields
    return member(fields.index(_TAGGED)) if _TAGGED in fields else None


def _resolve(resolver: Resolver, mode: Mode, query: dict[str, QueryValue]) -> ResolvedRead:
    return _RESOLVE[mode](resolver, query)


_RESOLVE: Mapping[Mode, Callable[[Resolver, dict[str, QueryValue]], ResolvedRead]] = {
    "list": lambda resolver, query: resolver.list(query),
    "document": lambda resolver, query: resolver.document(query, _ANY_DOCUMENT),
    "single": lambda resolver, query: resolver.single(query),
    "entry": lambda resolver, query: resolver.entry(query, _ANY_ENTRY),
    "window": lambda resolver, query: resolver.window(query),
    "first": lambda resolver, query: resolver.first(query),
    "rows": lambda resolver, query: resolver.rows(query),
    "first row": lambda resolver, query: resolver.first(query, of_any_version=True),
    "populated": lambda resolver, query: resolver.entry(
        {"populate": query.get("populate")}, _ANY_ENTRY
    ),
    "count": lambda resolver, query: resolver.window(query, count=True),
    "written": lambda resolver, query: resolver.written(query),
    "removed": lambda resolver, query: resolver.removed(query, _ANY_DOCUMENT),
}
"""How the queries of each mode are resolved."""
