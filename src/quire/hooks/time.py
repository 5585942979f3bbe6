"""The present time for the code of a project."""

from contextvars import ContextVar, Token
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from msgspec import Struct

from quire.clock import Clock, now_ms


class ObservedTime(Struct, eq=False):
    """Sets the clock of a ``with`` block, and records whether `now` is called in it.

    It is created for most calls of the project's functions, so it is quick to create. Code that
    runs for each read sets `observed_time` itself, which saves two calls.
    """

    clock: Clock
    was_read: bool = False
    _token: "Token[ObservedTime | None] | None" = None

    def __enter__(self) -> Self:
        self._token = observed_time.set(self)
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        if self._token is not None:
            observed_time.reset(self._token)


observed_time: ContextVar[ObservedTime | None] = ContextVar("observed time", default=None)


def now() -> datetime:
    """Return the present, in UTC.

    A response that depends on a rule which reads it is not cached.
    """
    observed = observed_time.get()
    if observed is None:
        milliseconds = now_ms()
    else:
        observed.was_read = True
        milliseconds = observed.clock()
    return datetime.fromtimestamp(milliseconds / 1000, tz=UTC)
