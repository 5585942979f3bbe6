"""How long the functions of a project take: in one request, and those that others wait for.

The functions of a request are measured in development alone. Plain functions are measured always:
nothing else runs in the event loop, or nobody else writes to SQLite, until they return.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from types import TracebackType
from typing import TypeVar

import structlog

from quire.hooks.checked_function import CheckedFunction

A = TypeVar("A")
R = TypeVar("R")

MAX_PLAIN_SECONDS = 0.02
"""Plain functions that take longer are reported."""
_MAX_REPORTED = 1000
_log = structlog.get_logger("quire.extensions")

FunctionTimes = dict[str, float]
"""Seconds by the name of the function."""
function_times: ContextVar[FunctionTimes | None] = ContextVar("function times", default=None)
"""The times of the present request, ``None`` where nobody measures."""


@contextmanager
def time_functions(times: FunctionTimes | None) -> Iterator[None]:
    """Add the times of the functions that a block calls to ``times``, also in another thread."""
    token = function_times.set(times)
    try:
        yield
    finally:
        function_times.reset(token)


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
        if self._times is not None:
            self._start = perf_counter()

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        """Add the time, also of a function that failed."""
        if self._times is not None:
            _add_time(self._times, self._name, perf_counter() - self._start)


def call_plain(
    function: CheckedFunction,
    call: Callable[[A], R],
    argument: A,
    times: FunctionTimes | None = None,
) -> R:
    """Return the result of a plain ``function``, which ``call`` calls; a slow one is reported.

    The time is added as `FunctionTimer` does. A coroutine function may be called, too: the call
    returns before the function begins.
    """
    start = perf_counter()
    try:
        return call(argument)
    finally:
        times = function_times.get() if times is None else times
        add_plain_call(function, perf_counter() - start, times)


def add_plain_call(function: CheckedFunction, seconds: float, times: FunctionTimes | None) -> None:
    """Add the time of a plain function to ``times``, if there are any; a slow one is reported."""
    if times is not None:
        _add_time(times, function.name, seconds)
    if seconds > MAX_PLAIN_SECONDS:
        slow_calls.add(function, seconds)


def _add_time(times: FunctionTimes, name: str, seconds: float) -> None:
    times[name] = times.get(name, 0.0) + seconds


class SlowCalls:
    """Calls of plain functions that took longer than 20 ms; the log names each function once."""

    def __init__(self) -> None:
        self.count = 0
        """How many there were."""
        self._reported: set[tuple[str, str]] = set()

    def add(self, function: CheckedFunction, seconds: float) -> None:
        """Count a call."""
        self.count += 1
        key = (function.name, function.place)
        if key not in self._reported and len(self._reported) < _MAX_REPORTED:
            self._reported.add(key)
            _log.warning(
                "a plain function delays others: calculate less, or wait for asyncio.to_thread in"
                " an async def",
                function=function.name,
                place=function.place,
                milliseconds=round(seconds * 1000),
            )


slow_calls = SlowCalls()
"""Those of this process."""
