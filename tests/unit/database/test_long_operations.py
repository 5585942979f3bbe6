"""Writes that Ctrl+C ends at their next step."""

import asyncio
import signal
from collections.abc import Callable
from typing import Any, cast

import pytest

from quire.database.interface import Database
from quire.database.long_operations import write_interruptible
from quire.database.program import Program

pytestmark = pytest.mark.whatever_the_database("no database is used")


class SlowDatabase:
    """A database whose write waits for its commit."""

    def __init__(self) -> None:
        self.has_begun = asyncio.Event()
        self.may_commit = asyncio.Event()

    async def write(self, program: Program[Any]) -> object:
        self.has_begun.set()
        await self.may_commit.wait()
        try:
            next(program)
        except StopIteration as done:
            return done.value
        raise AssertionError("the program has statements")


def program_with_step(step: Callable[[], None]) -> Program[str]:
    step()
    yield from ()
    return "done"


def program_without_step(_step: Callable[[], None]) -> Program[str]:
    yield from ()
    return "done"


async def test_a_write_that_has_ended_is_no_longer_interrupted() -> None:
    database = SlowDatabase()
    write = write_interruptible(cast("Database", database), program_without_step)
    task = asyncio.create_task(write)
    await database.has_begun.wait()
    task.cancel()
    database.may_commit.set()
    assert await task == "done"


async def test_an_interrupted_write_is_rolled_back() -> None:
    database = SlowDatabase()
    write = write_interruptible(cast("Database", database), program_with_step)
    task = asyncio.create_task(write)
    await database.has_begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    database.may_commit.set()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_second_interrupt_waits_for_the_commit() -> None:
    """Otherwise nobody would know whether the write was committed."""
    interrupts: list[int] = []

    def note(number: int, _frame: object) -> None:
        interrupts.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        database = SlowDatabase()
        write = write_interruptible(cast("Database", database), program_without_step)
        task = asyncio.create_task(write)
        await database.has_begun.wait()
        task.cancel()
        await asyncio.sleep(0)
        signal.raise_signal(signal.SIGINT)
        assert interrupts == []
        database.may_commit.set()
        assert await task == "done"
        signal.raise_signal(signal.SIGINT)
        assert interrupts == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)
