"""Prepared reads: resolved, compiled and bound, and the programs that run them.

A program may be run alone or within a transaction of others.
"""

# Functions are made for each request here, and their annotations are not evaluated each time.
from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from quire.database.execute.encoding import Present, Wrap, encode_entry, encode_list
from quire.database.execute.reader import BoundRead, ListFacts, page_program, read_program
from quire.database.execute.response_budget import ResponseBudget
from quire.database.execute.row_mappers import Item
from quire.database.program import Program, Statement
from quire.query.plan import ReadPlan
from quire.query.resolve import Pagination
from quire.query.resolve.scope import ReadLimits

Shown = dict[str, Any]
"""An entry as the content API shows it, by attribute."""


class EncodedEntry(NamedTuple):
    """An entry as JSON, and when it was changed last, if that was read."""

    text: bytes
    changed: str | None


class Page(Struct, frozen=True, kw_only=True):
    """Some of the documents that were found, and what ``meta.pagination`` says of them."""

    documents: list[Shown]
    pagination: dict[str, int]


class PreparedRead(Struct, frozen=True, kw_only=True, eq=False):
    """A query that is resolved, compiled and bound: ready to run any number of times.

    What is ``volatile`` depends on the moment, so that neither it nor what is read is kept.
    """

    bound: BoundRead
    limits: ReadLimits
    pagination: Pagination | None = None
    volatile: bool = False

    @property
    def plan(self) -> ReadPlan:
        """What is read."""
        return self.bound.compiled.plan

    @property
    def is_cacheable(self) -> bool:
        """Whether a response may be kept until something is committed."""
        return not (self.volatile or self.bound.compiled.presented)

    def budget(self) -> ResponseBudget:
        """Return what counts a response, for one run of a program."""
        return ResponseBudget(self.limits.rows, self.limits.response_size)

    def page_of(self, value: str | int) -> Statement:
        """Return the first statement of the read of one document or row."""
        sql, arguments, most = self.bound.page
        values = [*arguments]
        for position in self.bound.compiled.ids:
            values[position] = value
        return Statement(sql, values, most)

    def rows(
        self, facts: ListFacts | None = None, budget: ResponseBudget | None = None
    ) -> Program[tuple[list[Item], int | None]]:
        """Return the rows of a list, and how many there are in all if that was asked for.

        It goes by ``facts``, and adds what is not among them. Raises ValidationError when the
        ``budget`` is exceeded.
        """
        return read_program(self.bound, facts or ListFacts(), budget or self.budget())

    def row(
        self, value: str | int | None = None, budget: ResponseBudget | None = None
    ) -> Program[list[Item]]:
        """Return the row of a read of at most one; ``value`` is the id of the path."""
        page = self.bound.page if value is None else self.page_of(value)
        return page_program(self.bound, page, budget or self.budget())

    def encoded_row(
        self,
        value: str | int | None = None,
        budget: ResponseBudget | None = None,
        *,
        present: Present | None = None,
        wrap: Wrap | None = None,
    ) -> Program[EncodedEntry | None]:
        """Return the row of `row` as JSON, wrapped as `encode_entry` says."""
        budget = budget or self.budget()
        items = yield from self.row(value, budget)
        if not items:
            return None
        (item,) = items
        compiled = self.bound.compiled
        changed = None if compiled.changed is None else getattr(item, compiled.changed)
        text = yield from encode_entry(compiled.node, item, budget, present, wrap)
        return EncodedEntry(text, changed)

    def total(self) -> Program[int]:
        """Count the rows of a list without reading them."""
        rows = yield self.total_statement
        return int(rows[0][0] or 0)

    @property
    def total_statement(self) -> Statement:
        """The statement that counts. Raises TypeError for a read without one."""
        if self.bound.total is None:
            message = "this read has no count"
            raise TypeError(message)
        return self.bound.total

    def entries(
        self, facts: ListFacts | None = None, budget: ResponseBudget | None = None
    ) -> Program[tuple[list[Shown], int | None]]:
        """Do as `rows` does, with dictionaries; without a ``budget``, rows alone are bounded."""
        budget = budget or ResponseBudget(self.limits.rows)
        items, total = yield from read_program(self.bound, facts or ListFacts(), budget)
        text = yield from encode_list(self.bound.compiled.node, items, budget)
        return msgspec.json.decode(text), total

    def page(self) -> Program[Page]:
        """Return what is found, as a page. Raises ValidationError as `entries` does."""
        if self.pagination is None:
            raise TypeError("this read has no pages")
        entries, total = yield from self.entries()
        return Page(documents=entries, pagination=self.pagination.meta(total))

    def first(self, budget: ResponseBudget | None = None) -> Program[Shown | None]:
        """Return the one entry that is found, if any. Raises ValidationError as `entries` does."""
        entries, _ = yield from self.entries(budget=budget)
        return entries[0] if entries else None
