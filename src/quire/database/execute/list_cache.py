"""Cached totals and keys of lists, valid until something is committed."""

from collections.abc import Hashable

from quire.database.execute.costs import StatementCosts
from quire.database.execute.reader import BoundKeys, BoundRead, Keys, ListFacts
from quire.database.lru import BoundedCache
from quire.database.program import Statement
from quire.database.stores.slow_lists import SlowLists
from quire.database.versioned_value import VersionedValue

LONGEST_PAGE = 250
"""How many keys are remembered of a page at most; of one that has more, none are."""


class CachedLists:
    """Totals and pages of lists, all of one state of the content: at most so many of each."""

    def __init__(self, totals: int, pages: int) -> None:
        self._totals: BoundedCache[Hashable, int] = BoundedCache(totals)
        self._pages: BoundedCache[Hashable, Keys] = BoundedCache(pages)

    def facts(self, bound: BoundRead, keyed: BoundKeys | None) -> ListFacts:
        """Return what is known of a list, whose page is read by its keys if it is ``keyed``."""
        total = bound.total
        return ListFacts(
            total=None if total is None else self._totals.get(_key(total)),
            keys=None if keyed is None else self._pages.get(_key(keyed.keys)),
            keyed=keyed,
        )

    def keep(self, bound: BoundRead, facts: ListFacts) -> None:
        """Remember what was found out about a list."""
        if bound.total is not None and facts.total is not None:
            self._totals[_key(bound.total)] = facts.total
        keyed, keys = facts.keyed, facts.keys
        if keyed is not None and keys is not None and len(keys) <= LONGEST_PAGE:
            self._pages[_key(keyed.keys)] = keys

    def total(self, statement: Statement) -> int | None:
        """Return the total that a statement counts, if it is known."""
        return self._totals.get(_key(statement))

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
    ) -> None:
        """At most so many totals and keys of so many pages are kept, of those that are costly.

        Lists whose pages are costly to find are counted in ``slow_lists``.
        """
        self.costs = costs or StatementCosts()
        self.slow_lists = slow_lists or SlowLists()
        self._totals = totals
        self._pages = pages
        self._lists: VersionedValue[CachedLists] = VersionedValue()

    def at(self, version: int | None) -> CachedLists | None:
        """Return what holds at a version of the content; ``None`` while that is unknown."""
        return self._lists.get_or_make(version, self._make)

    def _make(self) -> CachedLists:
        return CachedLists(self._totals, self._pages)


def _key(statement: Statement) -> Hashable:
    """Return what the rows of a statement are remembered by."""
    return (statement.sql, *statement.values)
