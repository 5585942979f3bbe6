"""The present time for the code of a project, and whether code has asked for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

from quire.clock import Clock, now_ms

_clock: ContextVar[Clock] = ContextVar("clock", default=now_ms)


@contextmanager
def use_clock(clock: Clock) -> Iterator[None]:
    """Let `now` return the time of ``clock`` in a block."""
    token = _clock.set(clock)
    try:
        yield
    finally:
        _clock.reset(token)


class ClockReads:
    """Tells whether code has called `now`: ``last`` is another object after each call.

    For plain functions, which only other threads interrupt: their calls count, too. It takes less
    time than `TimeObserver`, which matters for rules: they run for each read.
    """

    __slots__ = ("last",)

    def __init__(self) -> None:
        self.last = object()


clock_reads = ClockReads()
"""Those of this process."""


class TimeObserver:
    """Tells whether `now` was called in a block, which may wait for others."""

    __slots__ = ("was_read",)

    def __init__(self) -> None:
        self.was_read = False


_observer: ContextVar[TimeObserver | None] = ContextVar("time observer", default=None)


@contextmanager
def observe_time() -> Iterator[TimeObserver]:
    """Observe the calls of `now` in a block."""
    observer = TimeObserver()
    token = _observer.set(observer)
    try:
        yield observer
    finally:
        _observer.reset(token)


def now() -> datetime:
    """Return the present, in UTC.

    A response that depends on a rule which reads it is not cached.
    """
    clock_reads.last = object()
    observer = _observer.get()
    if observer is not None:
        observer.was_read = True
    return datetime.fromtimestamp(_clock.get()() / 1000, tz=UTC)
