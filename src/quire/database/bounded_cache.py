"""Bounded caches that remove the oldest entry."""

from collections.abc import Callable, Hashable, Iterator, MutableMapping
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(MutableMapping[K, V], Generic[K, V]):
    """A mapping of at most ``size`` entries. With size 0 it stores nothing.

    Several threads may use it.
    """

    __slots__ = ("_entries", "_lock", "_size", "get")

    get: Callable[..., V | None]  # type: ignore[assignment]  # the method of the dict
    """Returns an entry or the default."""

    def __init__(self, size: int) -> None:
        self._entries: dict[K, V] = {}
        self._size = size
        self._lock = Lock()
        # Each request looks up several entries: this saves a call for each of them.
        self.get = self._entries.get

    def __getitem__(self, key: K) -> V:
        """Return an entry. Raises KeyError when it is missing or was evicted."""
        return self._entries[key]

    def __setitem__(self, key: K, value: V) -> None:
        """Store an entry; the oldest is evicted when the cache is full."""
        with self._lock:
            if key not in self._entries and len(self._entries) >= self._size:
                if self._size == 0:
                    return
                del self._entries[next(iter(self._entries))]
            self._entries[key] = value

    def __delitem__(self, key: K) -> None:
        with self._lock:
            del self._entries[key]

    def __iter__(self) -> Iterator[K]:
        """Iterate over the keys, oldest first."""
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def clear(self) -> None:
        """Delete all entries."""
        with self._lock:
            self._entries.clear()
