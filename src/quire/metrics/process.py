"""Memory, processor time, open files and event loop latency of this process."""

import asyncio
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from quire.clock import Clock
from quire.metrics.catalogue import CPU_SECONDS, LOOP_LAG, MEMORY, OPEN_FILES, START_TIME
from quire.metrics.families import Histogram, MetricFamily, histogram_family, single

_EVERY = 0.5
_OPEN_FILES = Path("/proc/self/fd")
_MEMORY = Path("/proc/self/statm")


class ProcessMetrics:
    """Measures this process from its start to its stop."""

    def __init__(self, clock: Clock) -> None:
        self._started_at = clock() / 1000
        self._lag = Histogram(LOOP_LAG)
        self._timer: asyncio.TimerHandle | None = None
        self._expected = 0.0

    def start(self, aggregate: Callable[[], None]) -> None:
        """Start to measure the latency of the running event loop.

        ``aggregate`` is called twice a second; see `Histogram.aggregate`.
        """
        loop = asyncio.get_running_loop()
        self._expected = loop.time() + _EVERY
        self._timer = loop.call_at(self._expected, self._measure, loop, aggregate)

    def _measure(self, loop: asyncio.AbstractEventLoop, aggregate: Callable[[], None]) -> None:
        self._lag.observe(max(0.0, loop.time() - self._expected))
        self._lag.aggregate()
        aggregate()
        self.start(aggregate)

    def stop(self) -> None:
        """Stop to measure."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def families(self) -> Iterator[MetricFamily]:
        """Yield the present values; those that the system does not provide are left out."""
        yield single(CPU_SECONDS, time.process_time())
        yield single(START_TIME, self._started_at)
        yield single(MEMORY, _resident_bytes())
        with suppress(OSError):
            yield single(OPEN_FILES, len(list(_OPEN_FILES.iterdir())))
        yield histogram_family(LOOP_LAG, {(): self._lag})


def _resident_bytes() -> int:
    """Return the resident memory, or the maximum so far if the system provides only that."""
    try:
        pages = int(_MEMORY.read_text(encoding="ascii").split()[1])
    except OSError:
        largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return largest if sys.platform == "darwin" else largest * 1024
    return pages * resource.getpagesize()
