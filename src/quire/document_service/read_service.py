"""Reads content: from a query and an ability to rows or JSON.

A read is prepared first (`quire.document_service.read_planner`), which raises the errors of a
query, and then run, with cached facts about lists. All reads of content use this service, whichever
API or code asks. Within a transaction the programs of a `PreparedRead` are run instead.
"""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from quire.database.compile.compiler import NO_SERIALIZERS, ValueSerializers
from quire.database.execute.cached_lists import ListCache, read_list
from quire.database.execute.json_encoding import EntrySerializer, ResponseBudget, Wrap, encode_list
from quire.database.execute.prepared_read import EncodedEntry, PreparedRead
from quire.database.execute.reader import ListFacts
from quire.database.execute.row_mappers import Item
from quire.database.interface import Database
from quire.database.program import Program
from quire.document_service.read_planner import ReadPlanner
from quire.query.resolve import ReadLimits
from quire.schema.model import Schema

T = TypeVar("T")

WrapList = Callable[[object, int | None], object]
"""Converts the entries of a list and its total to the value that is encoded."""


class ReadService:
    """Reads content of one database, within the limits of its planner."""

    def __init__(self, database: Database, planner: ReadPlanner, lists: ListCache) -> None:
        """``lists`` is the cache of list facts; several services may share it."""
        self.database = database
        self.planner = planner
        self.lists = lists
        self.prepare = planner.prepare
        self.prepare_small = planner.prepare_small

    @property
    def schema(self) -> Schema:
        """The schema of the content."""
        return self.planner.schema

    @property
    def limits(self) -> ReadLimits:
        """The limits of one read."""
        return self.planner.limits

    @property
    def default_locale(self) -> str | None:
        """The default locale of reads, ``None`` in a project without locales."""
        return self.planner.default_locale

    def with_schema(
        self,
        schema: Schema,
        limits: ReadLimits,
        *,
        plans: int,
        presented: ValueSerializers = NO_SERIALIZERS,
    ) -> ReadService:
        """Return a service that reads the same tables by another schema, with other limits."""
        planner = ReadPlanner(
            schema,
            self.planner.tables,
            self.database.dialect,
            limits,
            default_locale=None,
            plans=plans,
            presented=presented,
        )
        return ReadService(self.database, planner, self.lists)

    def rows(
        self, prepared: PreparedRead, version: int | None, *, may_wait: bool = True
    ) -> Awaitable[tuple[list[Item], int | None]]:
        """Run a list; ``version`` is the present content version."""
        return self.run_list(prepared, version, prepared.rows, may_wait=may_wait)

    def encoded_rows(
        self,
        prepared: PreparedRead,
        version: int | None,
        *,
        serializer: EntrySerializer | None = None,
        wrap: WrapList | None = None,
        may_wait: bool = True,
    ) -> Awaitable[bytes]:
        """Run a list; returns its entries as JSON, each converted by ``serializer``."""

        def program(facts: ListFacts) -> Program[bytes]:
            budget = prepared.budget()
            items, total = yield from prepared.rows(facts, budget)
            wrap_data = None if wrap is None else lambda data: wrap(data, total)
            return (
                yield from encode_list(prepared.compiled.node, items, budget, serializer, wrap_data)
            )

        return self.run_list(prepared, version, program, may_wait=may_wait)

    def run_list(
        self,
        prepared: PreparedRead,
        version: int | None,
        program: Callable[[ListFacts], Program[T]],
        *,
        snapshot: bool = False,
        may_wait: bool = True,
    ) -> Awaitable[T]:
        """Run a program that reads a list: see `quire.database.execute.cached_lists.read_list`."""
        return read_list(
            self.database,
            self.lists,
            version,
            prepared,
            program,
            snapshot=snapshot,
            may_wait=may_wait,
        )

    async def row(
        self, prepared: PreparedRead, value: str | int | None = None, *, may_wait: bool = True
    ) -> Item | None:
        """Run a read of at most one row; ``value`` is the id of the path."""
        items = await self._run(prepared, lambda: prepared.row(value), may_wait=may_wait)
        return items[0] if items else None

    async def encoded_row(
        self,
        prepared: PreparedRead,
        value: str | int | None = None,
        *,
        serializer: EntrySerializer | None = None,
        wrap: Wrap | None = None,
        may_wait: bool = True,
    ) -> EncodedEntry | None:
        """Run a read of at most one row; returns it as JSON, wrapped as `encode_entry` says.

        Raises WouldBlockError where the database has to be waited for and ``may_wait`` is false.
        """

        def program() -> Program[EncodedEntry | None]:
            return prepared.encoded_row(value, serializer=serializer, wrap=wrap)

        return await self._run(prepared, program, may_wait=may_wait)

    async def _run(
        self, prepared: PreparedRead, make: Callable[[], Program[T]], *, may_wait: bool
    ) -> T:
        if not may_wait:
            return self.database.read_now(make, key=prepared.compiled)
        return await self.run(prepared, make)

    async def run(self, prepared: PreparedRead, make: Callable[[], Program[T]]) -> T:
        """Run a program of a prepared read, on one state of the content."""
        compiled = prepared.compiled
        return await self.database.read(make, snapshot=len(compiled.queries) > 1, key=compiled)

    def budget(self) -> ResponseBudget:
        """Return a budget for a response that is made of several reads."""
        return ResponseBudget(self.limits.rows, self.limits.response_size)

    async def total(self, prepared: PreparedRead, version: int | None) -> int:
        """Count the rows of a list without reading them."""
        statement = prepared.total_statement
        count = None if statement is None else self.lists.total(statement, version)
        if count is None:
            count = await self.database.read(prepared.total)
            if statement is not None:
                self.lists.keep_total(statement, version, count, prepared.tables)
        return count
