"""Memory, processor time and open files of this process, and how late its event loop is."""

import asyncio
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from quire.clock import Clock
from quire.metrics.catalogue import CPU_SECONDS, LOOP_LAG, MEMORY, OPEN_FILES, START_TIME
from quire.metrics.families import Histogram, MetricFamily, histogram_family, single

_LAG_EVERY = 0.5
_OPEN_FILES = Path("/proc/self/fd")
_MEMORY = Path("/proc/self/statm")


class ProcessMetrics:
    """Measures this process from its start to its stop."""

    def __init__(self, clock: Clock) -> None:
        self._started_at = clock() / 1000
        self._lag = Histogram(LOOP_LAG)
        self._timer: asyncio.TimerHandle | None = None
        self._expected = 0.0

    def start(self) -> None:
        """Begin to measure how late the running event loop is."""
        loop = asyncio.get_running_loop()
        self._expected = loop.time() + _LAG_EVERY
        self._timer = loop.call_at(self._expected, self._measure, loop)

    def _measure(self, loop: asyncio.AbstractEventLoop) -> None:
        self._lag.observe(max(0.0, loop.time() - self._expected))
        self.start()

    def stop(self) -> None:
        """Measure no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def families(self) -> Iterator[MetricFamily]:
        """Yield the present figures; those that the system does not tell are left out."""
        yield single(CPU_SECONDS, time.process_time())
        yield single(START_TIME, self._started_at)
        yield single(MEMORY, _resident_bytes())
        with suppress(OSError):
            yield single(OPEN_FILES, len(list(_OPEN_FILES.iterdir())))
        yield histogram_family(LOOP_LAG, {(): self._lag})


def _resident_bytes() -> int:
    """Return the resident memory; where the system tells only the largest one so far, that."""
    try:
        pages = int(_MEMORY.read_text(encoding="ascii").split()[1])
    except OSError:
        largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return largest if sys.platform == "darwin" else largest * 1024
    return pages * resource.getpagesize()
