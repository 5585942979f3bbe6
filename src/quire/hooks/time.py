"""The present time for the code of a project."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

from msgspec import Struct

from quire.clock import Clock, now_ms


class ObservedTime(Struct):
    """A clock for one calculation, and whether it was read."""

    clock: Clock
    was_read: bool = False


_observed_time: ContextVar[ObservedTime | None] = ContextVar("observed time", default=None)


def now() -> datetime:
    """Return the present, in UTC.

    A response that depends on a rule which reads it is not cached.
    """
    observed_time = _observed_time.get()
    if observed_time is None:
        milliseconds = now_ms()
    else:
        observed_time.was_read = True
        milliseconds = observed_time.clock()
    return datetime.fromtimestamp(milliseconds / 1000, tz=UTC)


@contextmanager
def observe_time(clock: Clock) -> Iterator[ObservedTime]:
    """Set the clock of a ``with`` block, and record whether `now` is called in it."""
    observed_time = ObservedTime(clock)
    token = _observed_time.set(observed_time)
    try:
        yield observed_time
    finally:
        _observed_time.reset(token)
