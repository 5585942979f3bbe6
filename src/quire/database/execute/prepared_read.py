"""Prepared reads: compiled, with the arguments of one request, and the programs that run them.

A program can run alone or within a transaction of others.
"""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from quire.database.compile.compiled_read import (
    Arguments,
    CompiledKeys,
    CompiledPages,
    CompiledRead,
)
from quire.database.compile.statements import Query
from quire.database.execute.json_encoding import (
    EntrySerializer,
    ResponseBudget,
    Wrap,
    encode_entry,
    encode_list,
)
from quire.database.execute.reader import ListFacts, page_program, read_program
from quire.database.execute.row_mappers import Item
from quire.database.program import Program, Statement
from quire.database.versioned_cache import Tables
from quire.query.plan import ReadPlan
from quire.query.resolve import Pagination, ResolvedRead
from quire.query.resolve.scope import ReadLimits

_PROBED_ROWS = 25
"""How many rows of a page in the order of ids are measured to see whether it is costly."""

EntryJson = dict[str, Any]
"""An entry in its content API form, by attribute."""


class EncodedEntry(NamedTuple):
    """An entry as JSON, and the time of its last change, if that was read."""

    text: bytes
    changed: str | None


class ResultPage(Struct, frozen=True, kw_only=True):
    """A page of documents, and its ``meta.pagination``."""

    documents: list[EntryJson]
    pagination: dict[str, int]


class IdScan(NamedTuple):
    """A page that is found by walking through the table, and the statement that shows its cost."""

    page: Statement
    probe: Statement


class PreparedRead(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """A compiled read with the arguments of one request: ready to run, also more than once.

    ``page_statement`` is the first statement, ``total_statement`` the one that counts. ``limit`` is
    the maximum number of rows of a page, ``None`` for no limit; ``offset`` is the number of rows
    before it. ``pages`` says how the page is read if it is costly, ``None`` for one that is not. A
    ``volatile`` read depends on the time, so neither it nor its result is cached.
    """

    compiled: CompiledRead
    arguments: Arguments
    limits: ReadLimits
    page_statement: Statement
    total_statement: Statement | None
    pages: CompiledPages | None
    limit: int | None
    offset: int
    pagination: Pagination | None = None
    volatile: bool = False

    @property
    def plan(self) -> ReadPlan:
        """The plan of the read."""
        return self.compiled.plan

    @property
    def is_cacheable(self) -> bool:
        """Whether a response may be cached until the content changes."""
        return not (self.volatile or self.compiled.presented)

    @property
    def tables(self) -> Tables:
        """The tables that it reads; complete once it has been run."""
        return self.compiled.reads.tables

    def budget(self) -> ResponseBudget:
        """Return a budget of a response, for one run of a program."""
        return ResponseBudget(self.limits.rows, self.limits.response_size)

    def page_of(self, value: str | int) -> Statement:
        """Return the first statement of the read of one document or row."""
        sql, arguments, max_rows = self.page_statement
        values = [*arguments]
        for position in self.compiled.ids:
            values[position] = value
        return Statement(sql, values, max_rows)

    def rows(
        self, facts: ListFacts | None = None, budget: ResponseBudget | None = None
    ) -> Program[tuple[list[Item], int | None]]:
        """Return the rows of a list, and the total if that was asked for.

        Uses ``facts``, and adds what is missing. Raises ValidationError when the ``budget`` is
        exceeded.
        """
        return read_program(self, facts or ListFacts(), budget or self.budget())

    def row(
        self, value: str | int | None = None, budget: ResponseBudget | None = None
    ) -> Program[list[Item]]:
        """Return the row of a read of at most one; ``value`` is the id of the path."""
        page = self.page_statement if value is None else self.page_of(value)
        return page_program(self, page, budget or self.budget())

    def encoded_row(
        self,
        value: str | int | None = None,
        budget: ResponseBudget | None = None,
        *,
        serializer: EntrySerializer | None = None,
        wrap: Wrap | None = None,
    ) -> Program[EncodedEntry | None]:
        """Return the row of `row` as JSON, wrapped as `encode_entry` says."""
        budget = budget or self.budget()
        items = yield from self.row(value, budget)
        if not items:
            return None
        (item,) = items
        text = yield from encode_entry(self.compiled.node, item, budget, serializer, wrap)
        return EncodedEntry(text, self.changed_at(item))

    def changed_at(self, item: Item) -> str | None:
        """Return the time of the last change of an item, if it was read."""
        changed = self.compiled.changed
        return None if changed is None else getattr(item, changed)

    def total(self) -> Program[int]:
        """Count the rows of a list without reading them. Raises TypeError if there is no count."""
        if self.total_statement is None:
            message = "this read has no count"
            raise TypeError(message)
        rows = yield self.total_statement
        return int(rows[0][0] or 0)

    def entries(
        self, facts: ListFacts | None = None, budget: ResponseBudget | None = None
    ) -> Program[tuple[list[EntryJson], int | None]]:
        """Do what `rows` does, with dictionaries; without a ``budget`` only rows are limited."""
        budget = budget or ResponseBudget(self.limits.rows)
        items, total = yield from read_program(self, facts or ListFacts(), budget)
        text = yield from encode_list(self.compiled.node, items, budget)
        return msgspec.json.decode(text), total

    def page(self) -> Program[ResultPage]:
        """Return the result as a page. Raises ValidationError as `entries` does."""
        if self.pagination is None:
            raise TypeError("this read has no pages")
        entries, total = yield from self.entries()
        return ResultPage(documents=entries, pagination=self.pagination.meta(total))

    def first(self, budget: ResponseBudget | None = None) -> Program[EntryJson | None]:
        """Return the only entry, if any. Raises ValidationError as `entries` does."""
        entries, _ = yield from self.entries(budget=budget)
        return entries[0] if entries else None

    # How the page is found -----------------------------------------------------------------

    @cached_property
    def probe(self) -> Statement:
        """The statement whose cost shows whether the page is costly."""
        if self.pages is None or self.pages.id_scan is None:
            return self.page_statement
        return self._probe_statement(self.compiled.page, self.pages)

    @cached_property
    def id_scan(self) -> IdScan | None:
        """How the page is found by a scan of the table in the order of ids, if possible."""
        if self.pages is None or self.pages.id_scan is None:
            return None
        query = self.pages.id_scan()
        page = self.arguments.statement(query, self.page_statement.max_rows)
        return IdScan(page, self._probe_statement(query, self.pages))

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
        return self.arguments.statement(self.keyed.keys, self.page_statement.max_rows)

    @cached_property
    def keyed(self) -> CompiledKeys:
        """How the page is read by its keys. Raises TypeError where that is impossible."""
        if self.pages is None:
            message = "this page is read at once"
            raise TypeError(message)
        return self.pages.keys_at(self.offset)

    def keys_from_end(self, limit: int, offset: int) -> Statement:
        """Return the statement for some keys after an offset from the end, in reverse order."""
        if self.pages is None:
            message = "this page is read at once"
            raise TypeError(message)
        values = {self.pages.limit: limit, self.pages.offset: offset}
        return self.arguments.with_slots(self.keyed.backward, values, self.page_statement.max_rows)

    def _probe_statement(self, query: Query, pages: CompiledPages) -> Statement:
        """Return a page in the order of ids with few rows, so that its size costs nothing."""
        slot_values = {
            pages.limit: _PROBED_ROWS if self.limit is None else min(_PROBED_ROWS, self.limit)
        }
        return self.arguments.with_slots(query, slot_values, self.page_statement.max_rows)


def bind_read(compiled: CompiledRead, resolved: ResolvedRead, limits: ReadLimits) -> PreparedRead:
    """Bind the values of a request to a compiled read, within ``limits``.

    Raises ValidationError for a value that the database cannot take.
    """
    plan, values = compiled.plan, resolved.values
    arguments = Arguments(compiled.queries, values)
    limit = None if plan.limit is None else values[plan.limit]
    offset = None if plan.offset is None else values[plan.offset]
    offset = offset if isinstance(offset, int) else 0
    # Fetching a page as a whole is quicker, but a page may be larger than the limit.
    max_rows = None if isinstance(limit, int) and limit <= limits.rows else limits.rows + 1
    count, pages = compiled.count, compiled.pages
    return PreparedRead(
        compiled=compiled,
        arguments=arguments,
        limits=limits,
        page_statement=arguments.statement(compiled.page, max_rows),
        total_statement=None if count is None else arguments.statement(count),
        pages=None if pages is None or offset < pages.start else pages,
        limit=limit if isinstance(limit, int) else None,
        offset=offset,
        pagination=resolved.pagination,
        volatile=resolved.volatile,
    )
