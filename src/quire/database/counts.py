"""Totals of lists, remembered for as long as nobody commits anything."""

from collections.abc import Hashable

from quire.database.cache import BoundedCache
from quire.database.read import Counts


class CountCache:
    """Keeps at most ``size`` totals of the present content."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._counts: BoundedCache[Hashable, int] = BoundedCache(size)
        self._version: int | None = None

    def at(self, version: int | None) -> Counts | None:
        """Return the totals that hold at a version of the content; ``None`` while it is unknown."""
        if version is None:
            return None
        if version != self._version:
            # Not cleared: a read that is under way would put what it has found before into it.
            self._counts = BoundedCache(self._size)
            self._version = version
        return self._counts
