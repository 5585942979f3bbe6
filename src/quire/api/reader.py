"""Reading through the cache of plans: what a query means is worked out once.

A raw query string, together with what the caller may do, always means the same until the schema
changes. So the way from text to bound statements is taken once; after that a request runs
statements and writes JSON. Values of the path (document ids) are bound anew each time.
"""

from typing import Literal

from msgspec import Struct

from quire.access.ability import Ability
from quire.database.cache import BoundedCache
from quire.database.compile import NOTHING_PRESENTED, CompiledRead, Presented, compile_read
from quire.database.connection import Database
from quire.database.list_cache import ListCache
from quire.database.list_reading import read_list
from quire.database.mappers import Item, member
from quire.database.mapping import TableMap
from quire.database.program import Program, Statement
from quire.database.read import (
    BoundRead,
    ListFacts,
    bind_read,
    page_program,
    read_program,
)
from quire.query.plan import ReadPlan
from quire.query.querystring import QueryValue, parse
from quire.query.resolve import (
    Pagination,
    ReadLimits,
    ResolvedRead,
    Resolver,
)
from quire.schema.model import ContentType, Schema

Mode = Literal[
    "list", "document", "single", "entry", "window", "count", "populated", "written", "removed"
]

_MAX_CACHED_QUERY = 4096
_TAGGED = "updatedAt"
_ANY_DOCUMENT = ""
_ANY_ENTRY = 0


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

    def page_of(self, value: str | int) -> Statement:
        """Return the first statement of the read of one document or row."""
        sql, bound, most = self.bound.page
        values = [*bound]
        for position in self.id_positions:
            values[position] = value
        return Statement(sql, values, most)


class Reader:
    """Reads content for the content API."""

    def __init__(
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
    ) -> None:
        self.database = database
        self.schema = schema
        self.limits = limits
        self.default_locale = default_locale
        self._tables = tables
        self._presented = presented
        self._prepared: BoundedCache[tuple[str, Mode, bytes, Ability], PreparedRead] = BoundedCache(
            plan_cache
        )
        self._compiled: BoundedCache[ReadPlan, CompiledRead] = BoundedCache(plan_cache)
        self._lists = list_cache

    def adopt_default_locale(self, code: str | None) -> None:
        """Take another locale for the default one; what was worked out for the old one goes."""
        self.default_locale = code
        self._prepared.clear()

    def prepare(
        self, content_type: ContentType, mode: Mode, raw_query: bytes, ability: Ability
    ) -> PreparedRead:
        """Work out what a query means, or remember it.

        Raises the query's first fault as an AppError.
        """
        key = (content_type.uid, mode, raw_query, ability)
        prepared = self._prepared.get(key)
        if prepared is None:
            query = parse(raw_query.decode("latin-1"))
            prepared = self._prepare(content_type, mode, query, ability)
            if len(raw_query) <= _MAX_CACHED_QUERY:
                self._prepared[key] = prepared
        return prepared

    def prepare_query(
        self,
        content_type: ContentType,
        mode: Mode,
        query: dict[str, QueryValue],
        ability: Ability,
    ) -> PreparedRead:
        """Work out what a parsed query means; raises as `prepare` does."""
        return self._prepare(content_type, mode, query, ability)

    def _prepare(
        self,
        content_type: ContentType,
        mode: Mode,
        query: dict[str, QueryValue],
        ability: Ability,
    ) -> PreparedRead:
        resolver = Resolver(
            schema=self.schema,
            content_type=content_type,
            ability=ability,
            limits=self.limits,
            default_locale=self.default_locale,
        )
        resolved = _resolve(resolver, mode, query)
        compiled = self._compile(resolved.plan)
        plan = resolved.plan
        id_slot = plan.document if plan.document is not None else plan.entry
        return PreparedRead(
            plan,
            compiled,
            bind_read(compiled, resolved.values, self.limits.rows),
            resolved.pagination,
            () if id_slot is None else compiled.page.positions(id_slot),
            _tag_member(plan),
        )

    def _compile(self, plan: ReadPlan) -> CompiledRead:
        compiled = self._compiled.get(plan)
        if compiled is None:
            compiled = compile_read(
                plan, self.schema, self._tables, self.database.dialect, self._presented
            )
            self._compiled[plan] = compiled
        return compiled

    async def rows(
        self, prepared: PreparedRead, version: int | None
    ) -> tuple[list[Item], int | None]:
        """Run a list; ``version`` is the database's token of the present content."""
        bound, dialect = prepared.bound, self.database.dialect

        def program(facts: ListFacts) -> Program[tuple[list[Item], int | None]]:
            return read_program(bound, dialect, facts)

        return await read_list(
            self.database, self._lists, version, bound, program, key=prepared.compiled
        )

    async def row(self, prepared: PreparedRead, value: str | int | None = None) -> Item | None:
        """Run a read of at most one row; ``value`` is the id of the path."""
        items = await self.database.read(
            lambda: self.row_program(prepared, value),
            snapshot=prepared.bound.statements > 1,
            key=prepared.compiled,
        )
        return items[0] if items else None

    def row_program(
        self, prepared: PreparedRead, value: str | int | None = None
    ) -> Program[list[Item]]:
        """Return the program of `row`, for those who read within a transaction of their own."""
        bound = prepared.bound
        page = bound.page if value is None else prepared.page_of(value)
        return page_program(bound, page, self.database.dialect)

    async def total(self, prepared: PreparedRead, version: int | None) -> int:
        """Count the rows of a list without reading them."""
        statement = prepared.bound.total
        if statement is None:
            message = "this read has no count"
            raise TypeError(message)
        lists = self._lists.at(version)

        def program() -> Program[int]:
            rows = yield statement
            return int(rows[0][0] or 0)

        found = None if lists is None else lists.total(statement)
        if found is None:
            found = await self.database.read(program)
            if lists is not None:
                lists.keep_total(statement, found)
        return found


def _tag_member(plan: ReadPlan) -> str | None:
    fields = plan.root.fields
    return member(fields.index(_TAGGED)) if _TAGGED in fields else None


def _resolve(resolver: Resolver, mode: Mode, query: dict[str, QueryValue]) -> ResolvedRead:
    match mode:
        case "list":
            return resolver.list(query)
        case "document":
            return resolver.document(query, _ANY_DOCUMENT)
        case "single":
            return resolver.single(query)
        case "entry":
            return resolver.entry(query, _ANY_ENTRY)
        case "window":
            return resolver.window(query)
        case "populated":
            return resolver.entry({"populate": query.get("populate")}, _ANY_ENTRY)
        case "count":
            return resolver.window(query, count=True)
        case "written":
            return resolver.written(query)
        case "removed":
            return resolver.removed(query, _ANY_DOCUMENT)
