"""How long the functions of a project take in one request; measured in development alone."""

from contextvars import ContextVar
from time import perf_counter
from types import TracebackType

from quire.hooks.checked_function import CheckedFunction

FunctionTimes = dict[str, float]
"""Seconds by the name of the function."""
function_times: ContextVar[FunctionTimes | None] = ContextVar("function times", default=None)
"""The times of the present request, ``None`` where nobody measures."""


class FunctionTimer:
    """Adds the time of a block, which calls a function, to the times of the request.

    ``times`` replace those of the context, for calls in another thread.
    """

    __slots__ = ("_name", "_start", "_times")

    def __init__(self, function: CheckedFunction, times: FunctionTimes | None = None) -> None:
        self._name = function.name
        self._times = function_times.get() if times is None else times
        self._start = 0.0

    def __enter__(self) -> None:
        """Begin to measure."""
        if self._times is not None:
            self._start = perf_counter()

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        """Add the time, also of a function that failed."""
        if self._times is not None:
            spent = perf_counter() - self._start
            self._times[self._name] = self._times.get(self._name, 0.0) + spent
