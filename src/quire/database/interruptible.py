"""Long writes that can be interrupted: Ctrl+C ends them at their next step, and keeps nothing."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

from quire.database.connection import Database
from quire.database.program import Program
from quire.errors import QuireError

T = TypeVar("T")


class InterruptedWriteError(QuireError):
    """A write that was interrupted; nothing of it was kept."""


async def write_interruptible(
    database: Database, make: Callable[[Callable[[], None]], Program[T]]
) -> T:
    """Run a program in one transaction, on a thread that cancelling this task does not end.

    ``make`` is given a function that the program calls at each step, and that raises
    InterruptedWriteError when the task was cancelled. Where the program had ended by then, its
    result is returned as if nobody had interrupted it.
    """
    interrupted = threading.Event()

    def step() -> None:
        if interrupted.is_set():
            raise InterruptedWriteError("The write was interrupted; nothing of it was kept.")

    writing = asyncio.ensure_future(database.write(make(step)))
    try:
        return await asyncio.shield(writing)
    except asyncio.CancelledError:
        interrupted.set()
        await asyncio.wait([writing])
        if writing.exception() is not None:
            raise
        return writing.result()
