"""Reads lists with cached totals and keys.

A page that can be read in two steps, or by walking through the table, is read so where the database
says that it is costly to find otherwise. Totals and the keys of pages are remembered under the
token of the content that whoever reads has been told. Total and rows may be of two moments with a
commit between them. Keys and rows may not: a row that is shown by keys of another state might be
one that a rule or filter no longer lets through. So rows are read by remembered keys in
`Database.read_at` alone, which returns what it has read only if that is the state of the token. So
are keys that are found from the end of a list by a remembered total.

What is read in the ordinary way may be of a later state, when somebody has committed since the
token was told. It is remembered under that token all the same, which does no harm: see
`quire.database.content_versions`.
"""

# Functions are made for each request here, and their annotations are not evaluated each time.
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
"""What tells reads that find keys from those of the same kind that know them."""


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
    """Run a program that reads a list, with what is remembered of it, and remember what it finds.

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
    """One run of a program that reads a list, with what is remembered of the list."""

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
        """Whether it goes by facts that hold in the state of the version alone."""

    def begin(self) -> Program[T]:
        """Return a fresh program: what is begun again asks again, to be of one state as a whole."""
        known = self._known
        facts = ListFacts(known.total, known.keys, known.strategy, known.is_current)
        self._facts = facts
        return self._program(facts)

    @property
    def key(self) -> Hashable:
        """What `Database.read` tells programs of this kind by."""
        compiled = self._read.compiled
        finds_keys = self.needs_version and self._known.keys is None
        return (_KEYS, compiled) if finds_keys else compiled

    def forget_keys(self) -> None:
        """Go by nothing that holds in the state of the version alone."""
        self._known.keys, self._known.is_current = None, False

    @property
    def statements(self) -> int:
        """How many statements it has."""
        known = self._known
        by_keys = known.strategy == "by keys"
        return len(self._read.compiled.queries) + by_keys - (known.total is not None)

    def keep_facts(self) -> None:
        """Remember what the program has found out."""
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
