"""Cached facts about lists: which are costly to find, their totals, and the keys of pages.

Totals and keys are valid until a table that they were read from changes.
"""

import time
from collections.abc import Awaitable, Callable, Hashable
from typing import NamedTuple

from quire.database.compile.strategies import PageStrategy
from quire.database.connection import Database, WouldBlockError
from quire.database.content_versions import ContentVersions, Tables, VersionedCache
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.reader import Keys, ListFacts
from quire.database.lru import BoundedCache
from quire.database.program import Statement
from quire.database.stores.slow_lists import SlowLists
from quire.metrics.caches import CacheCounters

LONGEST_PAGE = 250
"""How many keys of a page are stored at most; larger pages are not stored."""


_KINDS = 2000
_SECONDS = 60
"""How long an estimate of the database is used: tables grow, and indexes are added to them."""


class _Kind(NamedTuple):
    """Lists of about the same cost: a statement, the depth as a power of two, and a locale."""

    sql: str
    depth: int
    locale: Hashable


class _KnownCost(NamedTuple):
    """An estimate of the database, and until when it is used."""

    is_costly: bool
    until: float


async def ask_database(database: Database, statement: Statement) -> bool | None:
    """Return the estimate of the database, ``None`` when it cannot tell now."""
    return await database.is_costly(statement)


class StatementCosts:
    """Caches which statements are costly. For use on the event loop only."""

    def __init__(
        self,
        ask: Callable[[Database, Statement], Awaitable[bool | None]] = ask_database,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """``ask`` tells whether a statement is costly, ``now`` returns the time in seconds."""
        self._ask = ask
        self._now = now
        self._told: BoundedCache[_Kind, _KnownCost] = BoundedCache(_KINDS)

    async def is_costly(
        self,
        database: Database,
        statement: Statement,
        depth: int,
        locale: Hashable = None,
        *,
        may_wait: bool = True,
    ) -> bool:
        """Tell whether a database has to examine many rows to find those of a statement.

        ``depth`` is how many rows lie before them, ``locale`` that of the rows: there may be many
        of one and few of another. Raises what the database raises, and WouldBlockError where the
        database would have to be asked and ``may_wait`` is false.
        """
        kind = _Kind(statement.sql, depth.bit_length(), locale)
        now = self._now()
        is_costly = self._known(kind, now)
        if is_costly is None:
            if not may_wait:
                raise WouldBlockError
            is_costly = await self._ask(database, statement)
            if is_costly is None:  # it may be known the next time
                return False
            self._told[kind] = _KnownCost(is_costly, now + _SECONDS)
        return is_costly

    def _known(self, kind: _Kind, now: float) -> bool | None:
        told = self._told.get(kind)
        return None if told is None or told.until < now else told.is_costly


class ListCache:
    """Stores facts about lists: a limited number of totals and pages.

    For use on the event loop only: programs, which may run on another thread, receive facts.
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
        """The maximum numbers of totals, and of costly pages with their keys.

        Lists with costly pages are counted in ``slow_lists``, lookups in ``counters``.
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
        """Return the known facts about a list whose page is read in a certain way."""
        total, by_keys = read.total_statement, strategy == "by keys"
        return ListFacts(
            total=None if total is None else self._totals.get(_key(total), version),
            keys=self._pages.get(_key(read.keys), version) if by_keys else None,
            strategy=strategy,
        )

    def keep(self, read: PreparedRead, facts: ListFacts, version: int | None) -> None:
        """Store the facts that were found about a list."""
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
        """Store the total that a statement counts in ``tables``."""
        self._totals.keep(_key(statement), version, total, tables)


def _key(statement: Statement) -> Hashable:
    """Return the cache key for the rows of a statement."""
    return (statement.sql, *statement.values)
