"""Writes that Ctrl+C ends at their next step."""

import asyncio
import signal
from collections.abc import Callable
from typing import Any, cast

import pytest

from quire.database.interface import Database
from quire.database.long_operations import InterruptedWriteError, write_interruptible
from quire.database.program import Program, Statement

pytestmark = pytest.mark.whatever_the_database("no database is used")


class SlowDatabase:
    """A database whose write waits for its turn, and in the middle of the program."""

    def __init__(self, *, is_free: bool = True) -> None:
        self.has_begun = asyncio.Event()
        self.is_free = asyncio.Event()
        self.may_commit = asyncio.Event()
        if is_free:
            self.is_free.set()

    async def write(self, program: Program[Any]) -> object:
        if not self.is_free.is_set():
            self.has_begun.set()
            await self.is_free.wait()
        next(program)
        self.has_begun.set()
        await self.may_commit.wait()
        try:
            program.send([])
        except StopIteration as done:
            return done.value
        raise AssertionError("the program has more statements")


def program_with_step(step: Callable[[], None]) -> Program[str]:
    yield Statement("SELECT 1")
    step()
    return "done"


def program_without_step(_step: Callable[[], None]) -> Program[str]:
    yield Statement("SELECT 1")
    return "done"


async def test_a_write_that_waits_for_others_is_cancelled_at_once() -> None:
    database = SlowDatabase(is_free=False)
    write = write_interruptible(cast("Database", database), program_with_step)
    task = asyncio.create_task(write)
    await database.has_begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_thread_that_begins_a_cancelled_write_ends_it_at_once() -> None:
    programs: list[Program[Any]] = []

    class RecordingDatabase(SlowDatabase):
        async def write(self, program: Program[Any]) -> object:
            programs.append(program)
            return await super().write(program)

    database = RecordingDatabase(is_free=False)
    write = write_interruptible(cast("Database", database), program_without_step)
    task = asyncio.create_task(write)
    await database.has_begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(InterruptedWriteError):
        next(programs[0])


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
