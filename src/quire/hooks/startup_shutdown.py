"""Functions that run when a server process starts or stops: the decorators, and checked ones."""

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from msgspec import Struct

from quire.hooks.checked_function import CheckedFunction
from quire.hooks.marks import add_mark

F = TypeVar("F", bound=Callable[[], Any])
Moment = Literal["on_start", "on_stop"]


class LifecycleMark(Struct, frozen=True, kw_only=True):
    """The arguments of the decorator, unchecked."""

    phase: Moment


class LifecycleFunction(CheckedFunction, frozen=True, kw_only=True, eq=False):
    """A function that runs when a server process starts, or when it stops."""

    moment: Moment
    function: Callable[[], Any]


def on_start(function: F) -> F:
    """Run a function when a server process starts, before it handles requests and runs jobs.

    It takes no arguments, and has no principal. An exception prevents the start.
    """
    return add_mark(function, LifecycleMark(phase="on_start"))


def on_stop(function: F) -> F:
    """Run a function when a server process stops, after its last request and job.

    It takes no arguments, and has no principal. Exceptions are logged.
    """
    return add_mark(function, LifecycleMark(phase="on_stop"))
