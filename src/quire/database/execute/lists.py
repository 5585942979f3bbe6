"""Reads lists with cached totals and keys.

A page that can be read in two phases, or by walking through the table, is read so if the database
says that it is costly otherwise. Totals and the keys of pages are cached under the content version
that the read started with.

Total and rows may be of two states with a commit between them. Keys and rows may not: a row that is
found by keys of another state might be one that a rule or filter no longer allows. So rows are read
by cached keys in `Database.read_at` only, which returns rows only if they are of that version. The
same holds for keys that are found from the end of a list by a cached total.

An ordinary read may be of a later state, when there has been a commit since the version was
determined. Its result is cached under that version all the same, which is safe: see
`quire.database.content_versions`.
"""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from quire.database.compile.strategies import PageStrategy
from quire.database.connection import Database
from quire.database.execute.list_cache import ListCache, StatementCosts
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.reader import ListFacts
from quire.database.program import Program

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

    ``version`` is the token of the content; ``program`` goes by `read_program` with the facts that
    it is given. ``snapshot`` says that it has more statements than the list. Raises what the
    program and `Database.read` raise, and WouldBlockError where the database has to be waited for
    and ``may_wait`` is false.
    """
    strategy: PageStrategy = "at once"
    if read.pages is not None:
        strategy = await _choose(database, cache.costs, read, may_wait=may_wait)
    reading = _ListReading(cache, version, read, program, strategy)
    if not may_wait:
        at = version if reading.needs_version else None
        result = database.read_now(reading.begin, key=reading.key, version=at)
        reading.keep_facts()
        return result
    found: T | None = None
    if version is not None and reading.needs_version:
        found = await database.read_at(version, reading.begin, key=reading.key)
    if found is None:
        reading.forget_keys()
        several = snapshot or reading.statements > 1
        found = await database.read(reading.begin, snapshot=several, key=read.compiled)
    reading.keep_facts()
    return found


class _ListReading(Generic[T]):
    """One run of a program that reads a list, with the cached facts about the list."""

    __slots__ = ("_cache", "_facts", "_known", "_program", "_read", "_version", "needs_version")

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
        self._known = known = cache.facts(read, strategy, version)
        self._facts = known
        self.needs_version = strategy == "by keys" and (
            known.keys is not None or bool(known.total is not None and read.offset)
        )
        """Whether it uses facts that hold only in the state of the version."""

    def begin(self) -> Program[T]:
        """Return a fresh program: a repeated one reads everything again, in one state."""
        known = self._known
        facts = ListFacts(known.total, known.keys, known.strategy, known.is_current)
        self._facts = facts
        return self._program(facts)

    @property
    def key(self) -> Hashable:
        """The key of programs of this kind for `Database.read`."""
        compiled = self._read.compiled
        finds_keys = self.needs_version and self._known.keys is None
        return (_KEYS, compiled) if finds_keys else compiled

    def forget_keys(self) -> None:
        """Drop all facts that hold only in the state of the version."""
        self._known.keys, self._known.is_current = None, False

    @property
    def statements(self) -> int:
        """How many statements it has."""
        known = self._known
        by_keys = known.strategy == "by keys"
        return len(self._read.compiled.queries) + by_keys - (known.total is not None)

    def keep_facts(self) -> None:
        """Cache the facts that the program has found."""
        read, known, facts = self._read, self._known, self._facts
        if known.strategy == "by keys" and known.keys is None:
            self._cache.slow_lists.count(read.compiled.plan)
        if facts.total != known.total or facts.keys != known.keys:
            self._cache.keep(read, facts, self._version)


async def _choose(
    database: Database, costs: StatementCosts, read: PreparedRead, *, may_wait: bool
) -> PageStrategy:
    """Choose how a page that may be costly is read. Raises what the database raises."""
    offset, locale = read.offset, read.locale
    if not await costs.is_costly(database, read.probe, offset, locale, may_wait=may_wait):
        return "at once"
    walked = read.walked
    if walked is None or await costs.is_costly(
        database, walked.probe, offset, locale, may_wait=may_wait
    ):
        return "by keys"
    return "walked"
