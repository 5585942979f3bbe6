"""Long operations: their progress, and writes that Ctrl+C ends at their next step."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from quire.database.interface import Database
from quire.database.program import Program
from quire.errors import QuireError

T = TypeVar("T")


class Progress(Protocol):
    """Receives the progress of a long operation."""

    def begin(self, work: str, total: int | None) -> None:
        """Start a phase with a number of steps, ``None`` if it is unknown."""

    def advance(self, steps: int) -> None:
        """Report that so many steps are done."""


class InterruptedWriteError(QuireError):
    """A write that was interrupted and rolled back."""


async def write_interruptible(
    database: Database, make: Callable[[Callable[[], None]], Program[T]]
) -> T:
    """Run a program in one transaction, on a thread that cancelling this task does not end.

    ``make`` receives a function that the program calls at each step, and that raises
    InterruptedWriteError when the task was cancelled. If the program had already ended, its result
    is returned as if there had been no interruption. A write that still waits for others is
    cancelled at once.
    """
    begun, interrupted = threading.Event(), threading.Event()

    def step() -> None:
        if interrupted.is_set():
            raise InterruptedWriteError("The write was interrupted; nothing of it was kept.")

    def program() -> Program[T]:
        begun.set()
        step()
        return (yield from make(step))

    write_task = asyncio.ensure_future(database.write(program()))
    try:
        return await asyncio.shield(write_task)
    except asyncio.CancelledError:
        interrupted.set()
        if not begun.is_set():  # a thread that begins now ends at its first step
            write_task.cancel()
        with _no_further_interrupts():
            await asyncio.wait([write_task])
        if write_task.cancelled() or write_task.exception() is not None:
            raise
        return write_task.result()


@contextmanager
def _no_further_interrupts() -> Iterator[None]:
    """Ignore Ctrl+C in the block.

    The second one would end the event loop at once, before it is known whether the write was
    committed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
