"""Cached totals and keys of lists, valid until a table that they were read from changes."""

from collections.abc import Hashable

from quire.database.compile.strategies import PageStrategy
from quire.database.content_versions import ContentVersions, Tables, VersionedCache
from quire.database.execute.costs import StatementCosts
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.reader import Keys, ListFacts
from quire.database.program import Statement
from quire.database.stores.slow_lists import SlowLists
from quire.metrics.caches import CacheCounters

LONGEST_PAGE = 250
"""How many keys are remembered of a page at most; of one that has more, none are."""


class ListCache:
    """Keeps what was found out about lists: at most so many totals and pages.

    It is for the event loop alone: programs, which may run on another thread, are given facts and
    not this.
    """

    def __init__(
        self,
        versions: ContentVersions,
        totals: int,
        pages: int,
        costs: StatementCosts | None = None,
        slow_lists: SlowLists | None = None,
        counters: CacheCounters | None = None,
    ) -> None:
        """At most so many totals and keys of so many pages are kept, of those that are costly.

        Lists whose pages are costly to find are counted in ``slow_lists``, lookups in ``counters``.
        """
        counters = counters or CacheCounters()
        self.costs = costs or StatementCosts()
        self.slow_lists = slow_lists or SlowLists()
        self._totals: VersionedCache[Hashable, int] = VersionedCache(
            versions, totals, counters.totals
        )
        self._pages: VersionedCache[Hashable, Keys] = VersionedCache(
            versions, pages, counters.pages
        )

    def facts(self, read: PreparedRead, strategy: PageStrategy, version: int | None) -> ListFacts:
        """Return what is known of a list whose page is read in such a way."""
        total, by_keys = read.total_statement, strategy == "by keys"
        return ListFacts(
            total=None if total is None else self._totals.get(_key(total), version),
            keys=self._pages.get(_key(read.keys), version) if by_keys else None,
            strategy=strategy,
        )

    def keep(self, read: PreparedRead, facts: ListFacts, version: int | None) -> None:
        """Remember what was found out about a list."""
        tables = read.tables
        if read.total_statement is not None and facts.total is not None:
            self._totals.keep(_key(read.total_statement), version, facts.total, tables)
        keys = facts.keys
        if keys is not None and len(keys) <= LONGEST_PAGE:
            self._pages.keep(_key(read.keys), version, keys, tables)

    def total(self, statement: Statement, version: int | None) -> int | None:
        """Return the total that a statement counts, if it is known."""
        return self._totals.get(_key(statement), version)

    def keep_total(
        self, statement: Statement, version: int | None, total: int, tables: Tables
    ) -> None:
        """Remember the total that a statement counts in ``tables``."""
        self._totals.keep(_key(statement), version, total, tables)


def _key(statement: Statement) -> Hashable:
    """Return what the rows of a statement are remembered by."""
    return (statement.sql, *statement.values)
