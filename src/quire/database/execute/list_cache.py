"""Cached totals and keys of lists, valid until something is committed."""

from collections.abc import Hashable
from typing import TypeVar

from quire.database.compile.strategies import PageStrategy
from quire.database.execute.costs import StatementCosts
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.reader import Keys, ListFacts
from quire.database.lru import BoundedCache
from quire.database.program import Statement
from quire.database.stores.slow_lists import SlowLists
from quire.database.versioned_value import VersionedValue
from quire.metrics.caches import CacheCounter, CacheCounters

V = TypeVar("V")

LONGEST_PAGE = 250
"""How many keys are remembered of a page at most; of one that has more, none are."""


class CachedLists:
    """Totals and pages of lists, all of one state of the content: at most so many of each."""

    def __init__(self, totals: int, pages: int, counters: CacheCounters | None = None) -> None:
        self._counters = counters = counters or CacheCounters()
        self._totals: BoundedCache[Hashable, int] = BoundedCache(totals)
        self._pages: BoundedCache[Hashable, Keys] = BoundedCache(pages)
        counters.totals.entries = self._totals.__len__
        counters.pages.entries = self._pages.__len__

    def facts(self, read: PreparedRead, strategy: PageStrategy) -> ListFacts:
        """Return what is known of a list whose page is read in such a way."""
        total, counters, by_keys = read.total_statement, self._counters, strategy == "by keys"
        return ListFacts(
            total=None if total is None else _found(self._totals, total, counters.totals),
            keys=_found(self._pages, read.keys, counters.pages) if by_keys else None,
            strategy=strategy,
        )

    def keep(self, read: PreparedRead, facts: ListFacts) -> None:
        """Remember what was found out about a list."""
        if read.total_statement is not None and facts.total is not None:
            self._totals[_key(read.total_statement)] = facts.total
        keys = facts.keys
        if keys is not None and len(keys) <= LONGEST_PAGE:
            self._pages[_key(read.keys)] = keys

    def total(self, statement: Statement) -> int | None:
        """Return the total that a statement counts, if it is known."""
        return _found(self._totals, statement, self._counters.totals)

    def keep_total(self, statement: Statement, total: int) -> None:
        """Remember the total that a statement counts."""
        self._totals[_key(statement)] = total


class ListCache:
    """Keeps what was found out about lists of the present content.

    It is for the event loop alone: programs, which may run on another thread, are given facts and
    not this.
    """

    def __init__(
        self,
        totals: int,
        pages: int,
        costs: StatementCosts | None = None,
        slow_lists: SlowLists | None = None,
        counters: CacheCounters | None = None,
    ) -> None:
        """At most so many totals and keys of so many pages are kept, of those that are costly.

        Lists whose pages are costly to find are counted in ``slow_lists``, lookups in ``counters``.
        """
        self._counters = counters or CacheCounters()
        self.costs = costs or StatementCosts()
        self.slow_lists = slow_lists or SlowLists()
        self._totals = totals
        self._pages = pages
        self._lists: VersionedValue[CachedLists] = VersionedValue()

    def at(self, version: int | None) -> CachedLists | None:
        """Return what holds at a version of the content; ``None`` while that is unknown."""
        return self._lists.get_or_make(version, self._make)

    def _make(self) -> CachedLists:
        return CachedLists(self._totals, self._pages, self._counters)


def _found(
    cache: BoundedCache[Hashable, V], statement: Statement, counter: CacheCounter
) -> V | None:
    """Look up what is remembered of a statement, and count that."""
    found = cache.get(_key(statement))
    if found is None:
        counter.misses += 1
    else:
        counter.hits += 1
    return found


def _key(statement: Statement) -> Hashable:
    """Return what the rows of a statement are remembered by."""
    return (statement.sql, *statement.values)
