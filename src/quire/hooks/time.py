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
    observed = _observed_time.get()
    if observed is None:
        milliseconds = now_ms()
    else:
        observed.was_read = True
        milliseconds = observed.clock()
    return datetime.fromtimestamp(milliseconds / 1000, tz=UTC)


@contextmanager
def observe_time(clock: Clock) -> Iterator[ObservedTime]:
    """Set the clock of a ``with`` block, and record whether `now` is called in it."""
    observed = ObservedTime(clock)
    token = _observed_time.set(observed)
    try:
        yield observed
    finally:
        _observed_time.reset(token)
