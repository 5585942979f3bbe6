"""The loop of a worker that claims rows of a queue in the database.

Every server process has one worker for each queue. Claimed rows are not claimed again until their
lease ends, so a lost process only delays the work that it had started. A worker checks its queue
when it is woken, when a row is due, and at least once a second. After a check it pauses for as long
as the check took, so that a queue of many rows that cannot be claimed does not occupy the database.
"""

import asyncio
import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Hashable
from contextlib import AbstractContextManager, nullcontext, suppress
from time import monotonic

import structlog

_BACKOFF_FACTOR = 4
_LONGEST_MS = 3_600_000
_JITTER = 0.2

_log = structlog.get_logger("quire.background")

_ROUND_SECONDS, _SHORTEST_SECONDS = 1.0, 0.02

StartSpan = Callable[[str, Collection[str | None]], AbstractContextManager[object]]
"""Starts the span of background work.

Takes its name, and for each row the ``traceparent`` of the request that caused it, if any.
"""


def no_span(name: str, parents: Collection[str | None]) -> AbstractContextManager[object]:  # noqa: ARG001 - a `StartSpan`
    """Start no span."""
    return nullcontext()


def backoff_ms(failures: int) -> int:
    """Return the delay after a number of failures: 1 s, 4 s, 16 s and so on to an hour.

    The delays vary by a fifth, so that rows which failed together are not all retried together.
    """
    # Limit the exponent: the delay does not grow after a few failures.
    exact: int = min(1000 * _BACKOFF_FACTOR ** min(failures - 1, 10), _LONGEST_MS)
    jitter = random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 - spreads load, guards nothing
    return min(max(round(exact * jitter), 1000), _LONGEST_MS)


class QueueWorker(ABC):
    """Claims due rows, and processes each in its own task.

    ``name`` is that of the queue in the log.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._running: dict[asyncio.Task[None], Hashable] = {}
        self._wanted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_stopped = False

    def start(self) -> None:
        """Start to claim."""
        self._is_stopped = False
        self._task = asyncio.get_running_loop().create_task(self._loop())

    async def stop(self, seconds: float = 5) -> None:
        """Stop claiming, wait some seconds for running tasks, then cancel them."""
        self._is_stopped = True
        self._wanted.set()
        if self._task is not None:
            # A cancelled claim would leave rows claimed that nobody processes.
            await asyncio.wait([self._task], timeout=seconds)
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=seconds)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    def wake(self) -> None:
        """Check the queue now."""
        self._wanted.set()

    @abstractmethod
    async def work(self) -> None:
        """Claim due rows and start to process them. Raises ServiceUnavailableError."""

    def seconds_to_next(self) -> float:
        """Return how long to wait; at most a second is waited."""
        return _ROUND_SECONDS

    def _begin(self, work: Coroutine[object, object, None], key: Hashable) -> "asyncio.Task[None]":
        """Process a claimed row; ``key`` is its key in `_count_of`."""
        task = asyncio.get_running_loop().create_task(work)
        self._running[task] = key
        task.add_done_callback(self._ended)
        return task

    def _count_of(self, key: Hashable) -> int:
        return Counter(self._running.values())[key]

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a result was not written down", queue=self._name, exc_info=error)
        self.wake()

    async def _loop(self) -> None:
        failing = False
        while not self._is_stopped:
            self._wanted.clear()
            started = monotonic()
            try:
                await self.work()
                failing = False
            except Exception as error:  # noqa: BLE001 - the worker goes on when all is well again
                if not failing:
                    _log.error("a queue cannot be read", queue=self._name, exc_info=error)
                failing = True
            await self._pause(monotonic() - started)

    async def _pause(self, took: float) -> None:
        """Wait until there may be a due row, at least as many seconds as the last check took."""
        if self._is_stopped:
            return
        await asyncio.sleep(min(max(took, _SHORTEST_SECONDS), _ROUND_SECONDS))
        with suppress(TimeoutError):
            async with asyncio.timeout(min(self.seconds_to_next(), _ROUND_SECONDS)):
                await self._wanted.wait()
