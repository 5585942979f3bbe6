"""Reads lists with cached totals and keys.

A page that the database estimates to be costly is read by a scan in the order of ids, or in two
phases: its keys, then its rows (`quire.database.compile.read_strategy`). Totals and the keys of
pages are cached under the content version that the read started with.

Total and rows may be of two states with a commit between them. Keys and rows may not: a row that is
found by keys of another state might be one that a rule or filter no longer allows. So rows are read
by cached keys in `Database.read_at` only, which returns rows only if they are of that version. The
same holds for keys that are found from the end of a list by a cached total.

An ordinary read may be of a later state, when there has been a commit since the version was
determined. Its result is cached under that version all the same, which is safe: see
`quire.database.versioned_cache`.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, NamedTuple, TypeVar

from quire.database.bounded_cache import BoundedCache
from quire.database.compile.read_strategy import PageStrategy
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.reader import Keys, ListFacts
from quire.database.interface import Database, WouldBlockError
from quire.database.program import Program, Statement
from quire.database.stores.slow_lists import SlowLists
from quire.database.versioned_cache import ContentVersions, Tables, VersionedCache
from quire.metrics.caches import CacheCounters

LONGEST_PAGE = 250
"""How many keys of a page are stored at most; larger pages are not stored."""


_MAX_ESTIMATES = 2000
_ESTIMATE_SECONDS = 60
"""How long an estimate of the database is used: tables grow, and indexes are added to them."""


class _ListKind(NamedTuple):
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
        self._estimates: BoundedCache[_ListKind, _KnownCost] = BoundedCache(_MAX_ESTIMATES)

    def estimate(self, statement: Statement, depth: int, locale: Hashable = None) -> bool | None:
        """Tell whether a database has to examine many rows to find those of a statement.

        ``None`` means that there is no estimate yet (`ask`). ``depth`` is the number of rows before
        those of the statement, ``locale`` that of the rows: locales may have very different numbers
        of rows.
        """
        cost = self._estimates.get(_ListKind(statement.sql, depth.bit_length(), locale))
        return None if cost is None or cost.until < self._now() else cost.is_costly

    async def ask(
        self, database: Database, statement: Statement, depth: int, locale: Hashable = None
    ) -> bool:
        """Ask a database whether a statement is costly. Raises what the database raises."""
        now = self._now()
        is_costly = await self._ask(database, statement)
        if is_costly is None:  # it may be known the next time
            return False
        list_kind = _ListKind(statement.sql, depth.bit_length(), locale)
        self._estimates[list_kind] = _KnownCost(is_costly, now + _ESTIMATE_SECONDS)
        return is_costly


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
            total=None if total is None else self._totals.get(_cache_key(total), version),
            keys=self._pages.get(_cache_key(read.keys), version) if by_keys else None,
            strategy=strategy,
        )

    def keep(self, read: PreparedRead, facts: ListFacts, version: int | None) -> None:
        """Store the facts that were found about a list."""
        tables = read.tables
        if read.total_statement is not None and facts.total is not None:
            self._totals.keep(_cache_key(read.total_statement), version, facts.total, tables)
        keys = facts.keys
        if keys is not None and len(keys) <= LONGEST_PAGE:
            self._pages.keep(_cache_key(read.keys), version, keys, tables)

    def total(self, statement: Statement, version: int | None) -> int | None:
        """Return the total that a statement counts, if it is known."""
        return self._totals.get(_cache_key(statement), version)

    def keep_total(
        self, statement: Statement, version: int | None, total: int, tables: Tables
    ) -> None:
        """Store the total that a statement counts in ``tables``."""
        self._totals.keep(_cache_key(statement), version, total, tables)


def _cache_key(statement: Statement) -> Hashable:
    """Return the cache key for the rows of a statement."""
    return (statement.sql, *statement.values)


T = TypeVar("T")

_KEYS = "keys"
"""Distinguishes reads that find keys from those of the same kind that know them."""


async def read_list(
    database: Database,
    cache: ListCache,
    version: int | None,
    read: PreparedRead,
    program: Callable[[ListFacts], Program[T]],
    *,
    snapshot: bool = False,
    may_wait: bool = True,
) -> T:
    """Run a program that reads a list, with its cached facts, and cache what it finds.

    ``version`` is the token of the content; ``program`` calls `read_program` with the facts that it
    receives. ``snapshot`` means that it has more statements than the list. Raises the errors of the
    program and of `Database.read`, and WouldBlockError if it has to wait for the database and
    ``may_wait`` is false.
    """
    strategy: PageStrategy = "at once"
    if read.pages is not None:
        strategy = await _choose_strategy(database, cache.costs, read, may_wait=may_wait)
    reading = _ListReading(cache, version, read, program, strategy)
    if not may_wait:
        required_version = version if reading.needs_version else None
        immediate_result = database.read_now(
            reading.begin, key=reading.key, version=required_version
        )
        reading.keep_facts()
        return immediate_result
    result: T | None = None
    if version is not None and reading.needs_version:
        result = await database.read_at(version, reading.begin, key=reading.key)
    if result is None:
        reading.forget_keys()
        needs_snapshot = snapshot or reading.statements > 1
        result = await database.read(reading.begin, snapshot=needs_snapshot, key=read.compiled)
    reading.keep_facts()
    return result


class _ListReading(Generic[T]):
    """One run of a program that reads a list, with the cached facts about the list."""

    __slots__ = (
        "_cache",
        "_cached_facts",
        "_facts",
        "_program",
        "_read",
        "_version",
        "needs_version",
    )

    def __init__(
        self,
        cache: ListCache,
        version: int | None,
        read: PreparedRead,
        program: Callable[[ListFacts], Program[T]],
        strategy: PageStrategy,
    ) -> None:
        self._cache = cache
        self._read = read
        self._program = program
        self._version = version
        self._cached_facts = cached_facts = cache.facts(read, strategy, version)
        self._facts = cached_facts
        self.needs_version = strategy == "by keys" and (
            cached_facts.keys is not None or bool(cached_facts.total is not None and read.offset)
        )
        """Whether it uses facts that hold only in the state of the version."""

    def begin(self) -> Program[T]:
        """Return a fresh program: a repeated one reads everything again, in one state."""
        cached_facts = self._cached_facts
        facts = ListFacts(
            cached_facts.total, cached_facts.keys, cached_facts.strategy, cached_facts.is_current
        )
        self._facts = facts
        return self._program(facts)

    @property
    def key(self) -> Hashable:
        """The key of programs of this kind for `Database.read`."""
        compiled = self._read.compiled
        finds_keys = self.needs_version and self._cached_facts.keys is None
        return (_KEYS, compiled) if finds_keys else compiled

    def forget_keys(self) -> None:
        """Drop all facts that hold only in the state of the version."""
        self._cached_facts.keys, self._cached_facts.is_current = None, False

    @property
    def statements(self) -> int:
        """How many statements it has."""
        cached_facts = self._cached_facts
        by_keys = cached_facts.strategy == "by keys"
        return len(self._read.compiled.queries) + by_keys - (cached_facts.total is not None)

    def keep_facts(self) -> None:
        """Cache the facts that the program has found."""
        read, cached_facts, facts = self._read, self._cached_facts, self._facts
        if cached_facts.strategy == "by keys" and cached_facts.keys is None:
            self._cache.slow_lists.count(read.compiled.plan)
        if facts.total != cached_facts.total or facts.keys != cached_facts.keys:
            self._cache.keep(read, facts, self._version)


async def _choose_strategy(
    database: Database, costs: StatementCosts, read: PreparedRead, *, may_wait: bool
) -> PageStrategy:
    """Choose how a potentially costly page is read.

    Raises the errors of the database, and WouldBlockError if a query is needed and ``may_wait`` is
    false.
    """
    offset, locale = read.offset, read.locale
    strategies: tuple[PageStrategy, ...] = ("at once", "id scan")
    for strategy in strategies:
        # The scan is compiled only for pages that are costly to read at once.
        page = read if strategy == "at once" else read.id_scan
        if page is None:
            break
        is_costly = costs.estimate(page.probe, offset, locale)
        if is_costly is None:
            if not may_wait:
                raise WouldBlockError
            is_costly = await costs.ask(database, page.probe, offset, locale)
        if not is_costly:
            return strategy
    return "by keys"
