"""The loop of a worker that claims rows of a queue in the database.

Every server process has one worker for each queue. Claimed rows are not claimed again until their
lease ends, so a lost process only delays the work that it had started. A worker checks its queue
when it is woken, when a row is due, and at least once a second. After a check it pauses for as long
as the check took, so that a queue of many rows that cannot be claimed does not occupy the database.
"""

import asyncio
import logging
import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Hashable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from time import monotonic
from typing import TypeVar

import structlog

from quire.database.interface import Database
from quire.database.outage_log import OutageLog, describe_failure
from quire.database.program import Program

T = TypeVar("T")

_BACKOFF_FACTOR = 4
_LONGEST_MS = 3_600_000
_JITTER = 0.2
_MAX_MESSAGE_LENGTH = 2000

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


class TimeLimitError(Exception):
    """A function of the project exceeded its time limit."""


@asynccontextmanager
async def limit_time(seconds: float) -> AsyncIterator[None]:
    """Cancel a block after some seconds. Raises TimeLimitError then."""
    timeout = asyncio.timeout(seconds)
    try:
        async with timeout:
            yield
    except TimeoutError as error:
        if not timeout.expired():
            raise
        raise TimeLimitError(f"It took longer than {seconds:g} seconds") from error


def message_of(error: BaseException, *unnamed: type[Exception]) -> str:
    """Return the message that is stored with the row of a failed call.

    It begins with the type of the error, but for time limits and those that are ``unnamed``.
    """
    prefix = "" if isinstance(error, (TimeLimitError, *unnamed)) else f"{type(error).__name__}: "
    return f"{prefix}{error}"[:_MAX_MESSAGE_LENGTH]


class QueueWorker(ABC):
    """Claims due rows, and processes each in its own task.

    ``name`` is that of the queue in the log.
    """

    def __init__(self, name: str, database: Database) -> None:
        self._name = name
        self._database = database
        self._running: dict[asyncio.Task[None], Hashable] = {}
        self._wanted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_stopped = False
        self._next_due = 0
        """When the next row is due, as far as is known (epoch milliseconds)."""

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
        self._next_due = 0
        self._wanted.set()

    @abstractmethod
    async def work(self) -> None:
        """Claim due rows and start to process them. Raises ServiceUnavailableError."""

    def seconds_to_next(self) -> float:
        """Return how long to wait; at most a second is waited."""
        return _ROUND_SECONDS

    async def _record_result(self, program: Program[T]) -> T:
        """Record the result of a row, also when the worker is stopping.

        Without the shield a cancellation would leave the row leased, and another process would
        process it a second time.
        """
        write = asyncio.ensure_future(self._database.write(program))
        try:
            return await asyncio.shield(write)
        except asyncio.CancelledError:
            return await write

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
            fields = describe_failure(error)
            _log.error("a result was not written down", queue=self._name, **fields)
        self.wake()

    async def _loop(self) -> None:
        outages = OutageLog(
            "quire.background",
            failure="a queue cannot be read",
            recovery="a queue can be read again",
            level=logging.ERROR,
            queue=self._name,
        )
        while not self._is_stopped:
            self._wanted.clear()
            started = monotonic()
            try:
                await self.work()
                outages.note_success()
            except Exception as error:  # noqa: BLE001 - the worker goes on when all is well again
                outages.note_failure(error)
            await self._pause(monotonic() - started)

    async def _pause(self, took: float) -> None:
        """Wait until there may be a due row, at least as many seconds as the last check took."""
        if self._is_stopped:
            return
        await asyncio.sleep(min(max(took, _SHORTEST_SECONDS), _ROUND_SECONDS))
        with suppress(TimeoutError):
            async with asyncio.timeout(min(self.seconds_to_next(), _ROUND_SECONDS)):
                await self._wanted.wait()
