"""The base of functions of a project whose marks were checked when its code was loaded."""

import asyncio
from collections.abc import Callable, Mapping
from contextvars import copy_context
from functools import partial
from typing import Any

from msgspec import Struct


class CheckedFunction(Struct, frozen=True, kw_only=True, eq=False):
    """A function, or class, of a project; the log names it by ``name`` and ``place``."""

    name: str
    file: str
    line: int

    @property
    def place(self) -> str:
        """The file and line of the function."""
        return f"{self.file}:{self.line}"


def call_in_thread(function: Callable[..., Any], **arguments: object) -> "asyncio.Future[Any]":
    """Call a plain function of a project on a thread, as it may block.

    `asyncio.to_thread` is not for code of others: its task would pass SystemExit to the loop, and a
    future that gets StopIteration never ends.
    """
    call = partial(copy_context().run, _without_stop_iteration, function, arguments)
    return asyncio.get_running_loop().run_in_executor(None, call)


def _without_stop_iteration(function: Callable[..., Any], arguments: Mapping[str, object]) -> Any:  # noqa: ANN401 - what the function returns
    try:
        return function(**arguments)
    except StopIteration as error:
        # That of an `async def` becomes this, too.
        raise RuntimeError("StopIteration was raised") from error
