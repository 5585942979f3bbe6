"""The present time for the code of a project."""

from contextvars import ContextVar, Token
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from quire.clock import Clock, now_ms


class ObservedTime:
    """Sets the clock of a ``with`` block, and records whether `now` is called in it.

    It is created for most calls of the project's functions, so it is no generator.
    """

    __slots__ = ("_token", "clock", "was_read")

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.was_read = False

    def __enter__(self) -> Self:
        self._token: Token[ObservedTime | None] = _observed_time.set(self)
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        _observed_time.reset(self._token)


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
