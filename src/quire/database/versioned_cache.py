"""Content versions, and the caches of what was read in one of them.

A database numbers the states of its content (`Database.version`). For each step from one state to
the next, its `ContentVersions` knows which tables it may have changed: those that a transaction of
this process has written, or all tables if another process has committed. Everything that is cached
until the content changes is kept in a `VersionedCache` or a `VersionedValue`, with the tables that
it was read from. So it is valid until one of these tables may have changed.

The version is determined before the value is read. A value may show a later state when there is a
commit while it is read. That is safe: the tables of that commit count as changed after the version,
so the value is not valid in any later one. It never shows an earlier state.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from quire.metrics.caches import CacheCounter

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

Tables = frozenset[str] | None
"""Names of tables in lower case; ``None`` stands for all tables there are."""

NO_TABLES: frozenset[str] = frozenset()
"""The tables of values that depend on no rows: only commits of other processes invalidate them."""


class ContentVersions:
    """Numbers the states of one database. For use on the event loop only."""

    __slots__ = ("_all_changed", "_changed", "current")

    def __init__(self) -> None:
        self.current = 0
        """The number of the last state that was seen."""
        self._all_changed = 0
        """The first version after the last step that may have changed everything."""
        self._changed: dict[str, int] = {}
        """The first version after the last step that may have changed a table, by its name."""

    def advance(self, tables: Tables) -> int:
        """Number the next state, in which at most ``tables`` differ from the last one."""
        self.current += 1
        if tables is None:
            self._all_changed = self.current
            self._changed.clear()
        else:
            self._changed.update(dict.fromkeys(tables, self.current))
        return self.current

    def are_equal(self, first: int, second: int, tables: Tables) -> bool:
        """Tell whether ``tables`` are known to have the same rows in two versions."""
        if first == second:
            return True
        older = min(first, second)
        if tables is None or older < self._all_changed:
            return False
        changed_versions = self._changed
        return all(changed_versions.get(name, 0) <= older for name in tables)

    def is_outdated(self, version: int) -> bool:
        """Tell whether everything that was read in a version may have changed since."""
        return version < self._all_changed


class VersionedValue(Generic[V]):
    """A value that is valid until one of the tables that it was read from changes."""

    __slots__ = ("_tables", "_value", "_version", "_versions")

    def __init__(self, versions: ContentVersions, tables: Tables) -> None:
        self._versions = versions
        self._tables = tables
        self._version: int | None = None
        self._value: V | None = None

    def get(self, version: int | None) -> V | None:
        """Return the value if it is valid in a version; ``None`` if the version is unknown."""
        value_version = self._version
        if version is None or value_version is None:
            return None
        if version != value_version:
            if not self._versions.are_equal(value_version, version, self._tables):
                return None
            self._version = max(value_version, version)
        return self._value

    def set(self, version: int | None, value: V) -> None:
        """Replace the value by one that was read in a version, unless that is unknown."""
        self._version = version
        self._value = None if version is None else value


class _Entry(Generic[V]):
    """A cached value, with the last version in which it is known to be valid."""

    __slots__ = ("tables", "value", "version", "weight")

    def __init__(self, value: V, version: int, tables: Tables, weight: int) -> None:
        self.value = value
        self.version = version
        self.tables = tables
        self.weight = weight


class VersionedCache(Generic[K, V]):
    """LRU cache of values, each valid until one of the tables that it was read from changes.

    The total weight of the values is at most ``size``; ``weigh`` returns the weight of a value, 1
    by default. A value heavier than ``largest`` is not stored. Lookups are counted in ``counter``.
    For use on the event loop only.
    """

    def __init__(
        self,
        versions: ContentVersions,
        size: int,
        counter: CacheCounter | None = None,
        *,
        weigh: Callable[[K, V], int] | None = None,
        largest: int | None = None,
    ) -> None:
        self._versions = versions
        self._size = size
        self._largest = size if largest is None else largest
        self._weigh = weigh
        self._weight = 0
        self._version = 0
        """The last version in which a value was stored."""
        self._entries: OrderedDict[K, _Entry[V]] = OrderedDict()
        self._counter = counter or CacheCounter()
        self._counter.entries = self._entries.__len__

    def __len__(self) -> int:
        """Return the number of stored values, including some that are no longer valid."""
        return len(self._entries)

    def can_keep(self, version: int | None) -> bool:
        """Tell whether values that are read in a version can be stored."""
        return version is not None and self._size > 0

    def get(self, key: K, version: int | None) -> V | None:
        """Return the value of a key if it is valid in a version; ``None`` if that is unknown."""
        if version is None or not self._size:
            return None
        entry = self._entries.get(key) if self._entries else None  # hashing some keys is slow
        if entry is None or (entry.version != version and not self._is_valid(entry, version)):
            self._counter.misses += 1
            return None
        self._counter.hits += 1
        self._entries.move_to_end(key)
        return entry.value

    def keep(self, key: K, version: int | None, value: V, tables: Tables) -> None:
        """Store a value that was read from ``tables`` in a version, unless that is unknown.

        The least recently used values are evicted.
        """
        if version is None or not self._size:
            return
        if self._versions.is_outdated(self._version):
            # No stored value is valid any more, so free the memory.
            self._entries.clear()
            self._weight = 0
        weight = 1 if self._weigh is None else self._weigh(key, value)
        old_entry = self._entries.pop(key, None)
        if old_entry is not None:
            self._weight -= old_entry.weight
        if weight > self._largest:
            return
        while self._weight + weight > self._size:
            _, oldest = self._entries.popitem(last=False)
            self._weight -= oldest.weight
        self._entries[key] = _Entry(value, version, tables, weight)
        self._weight += weight
        self._version = max(self._version, version)

    def _is_valid(self, entry: _Entry[V], version: int) -> bool:
        """Tell whether an entry is valid in another version than its own."""
        entry_version = entry.version
        if not self._versions.are_equal(entry_version, version, entry.tables):
            return False
        entry.version = max(entry_version, version)
        return True
