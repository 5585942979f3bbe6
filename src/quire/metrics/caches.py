"""Hits and misses of caches; the counters outlive the caches."""

from collections.abc import Callable, Iterator

from msgspec import Struct, field

from quire.metrics.catalogue import CACHE_ENTRIES, CACHE_HITS, CACHE_MISSES
from quire.metrics.families import MetricFamily, family


class CacheCounter:
    """Counts lookups of one cache; ``entries`` returns its present size."""

    __slots__ = ("entries", "hits", "misses")

    def __init__(self) -> None:
        self.hits = 0
        self.misses = 0
        self.entries: Callable[[], int] = _zero


def _zero() -> int:
    return 0


class CacheCounters(Struct, frozen=True, kw_only=True):
    """The counters of the caches of a process; each cache receives one when it is created."""

    responses: CacheCounter = field(default_factory=CacheCounter)
    plans: CacheCounter = field(default_factory=CacheCounter)
    totals: CacheCounter = field(default_factory=CacheCounter)
    pages: CacheCounter = field(default_factory=CacheCounter)
    credentials: CacheCounter = field(default_factory=CacheCounter)

    def families(self) -> Iterator[MetricFamily]:
        """Yield the metrics."""
        counters = {name: getattr(self, name) for name in self.__struct_fields__}
        yield family(CACHE_HITS, [((name,), counter.hits) for name, counter in counters.items()])
        yield family(
            CACHE_MISSES, [((name,), counter.misses) for name, counter in counters.items()]
        )
        yield family(
            CACHE_ENTRIES, [((name,), counter.entries()) for name, counter in counters.items()]
        )
