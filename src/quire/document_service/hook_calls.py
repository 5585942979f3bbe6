"""Calls hooks within the transaction of a write.

A plain function is called in place. A coroutine runs in the event loop, while the program of the
write waits for it with its transaction open (`quire.document_service.held_transaction`).
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import structlog

from quire.database.program import Program
from quire.document_service.commands import Command
from quire.document_service.extension_context import Act, ExtensionContext
from quire.document_service.held_transaction import (
    HeldTransaction,
    savepoint_in,
    write_nested,
)
from quire.document_service.preparation import prepare_commands
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import AppError, InternalServerError, ServiceUnavailableError
from quire.hooks.errors import UnitOfWorkError
from quire.hooks.extensions import CallCause, Hook, require_depth
from quire.hooks.write import Write

T = TypeVar("T")


_log = structlog.get_logger("quire.extensions")


class HookContext(ExtensionContext):
    """The context of one call of a hook: the transaction of the write."""

    def __init__(self, unit: UnitOfWork, causes: tuple[CallCause, ...]) -> None:
        super().__init__(
            causes[-1].name,
            unit.engine,
            unit.principal,
            editor=unit.editor,
            # Whether the hook was called for a write of another hook as the system.
            is_system=unit.is_system,
            causes=causes,
        )
        self.task: HeldTransaction | None = None
        """Runs the programs of a coroutine; ``None`` while a plain function runs."""
        self._unit = unit

    @property
    def is_in_transaction(self) -> bool:
        """Always true in a hook."""
        return True

    async def read(self, act: Callable[[], Program[T]]) -> T:
        """Run a program that reads in the transaction of the hook."""
        return await self._task().ask(act)

    async def write(self, act: Act[T], *, as_system: bool, commands: Sequence[Command] = ()) -> T:
        """Run a program in the transaction of the hook, all of it or nothing.

        Raises what the program raises.
        """
        held = self._task()
        await prepare_commands(self._unit.prepared, commands, self, as_system=as_system)
        return await write_nested(
            held,
            self._unit,
            act,
            as_system=as_system,
            causes=self.causes,
            commands=commands,
        )

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """Commit the writes of a block, or roll them back to a savepoint."""
        async with savepoint_in(self._task(), self._unit):
            yield

    def _task(self) -> "HeldTransaction":
        if self.task is None:
            message = f"{self.name} is a plain def, which cannot query: make it an async def"
            raise UnitOfWorkError(message)
        return self.task


def call_hook(unit: UnitOfWork, hook: Hook, write: Write[Any]) -> Program[None]:
    """Call a hook, unless it caused this write to the same locale of the document itself.

    Raises AppErrors of the hook unchanged, InternalServerError for its other exceptions, and
    ServiceUnavailableError when it takes too long.
    """
    document_id, locale = write.document_id, write.locale
    if any(cause.is_of(hook, document_id, locale) for cause in unit.causes):
        return
    cause = CallCause(
        phase=hook.phase,
        name=hook.name,
        file=hook.file,
        line=hook.line,
        action=write.action,
        uid=write.uid,
        document_id=document_id,
        locale=locale,
    )
    causes = (*unit.causes, cause)
    try:
        require_depth(causes, unit.engine.code_limits)
        yield from _call(HookContext(unit, causes), hook, write)
    except AppError:
        raise
    except Exception as error:
        _log.error("a hook failed", hook=hook.name, phase=hook.phase, place=hook.place)
        raise InternalServerError from error


def _call(context: HookContext, hook: Hook, write: Write[Any]) -> Program[None]:
    with context.activate():
        # A coroutine function does not run yet. A plain function may return a coroutine, too.
        result = hook.function(write)
    try:
        if inspect.isawaitable(result):
            context.task = _HookTask(result, context, hook)
            yield from context.task.program()
    finally:
        context.is_ended = True


class _HookTask(HeldTransaction):
    """The coroutine of a hook, which alternates with the program that holds the transaction."""

    def __init__(self, awaitable: Awaitable[None], context: HookContext, hook: Hook) -> None:
        super().__init__(f"{hook.name} ({hook.place})", context.engine.code_limits)
        self._awaitable = awaitable
        self._context = context
        self._hook = hook
        self._task: asyncio.Task[None] | None = None

    def program(self) -> Program[None]:
        """Run what the coroutine asks for until it ends; raises what it raises."""
        try:
            yield from self.serve()
            if self._task is not None:
                self._finish(self._task)
        finally:
            if self.loop is not None and self._task is not None and not self._task.done():
                self.loop.call_soon_threadsafe(self._task.cancel)

    def on_begin(self) -> None:
        """Start the coroutine."""
        self._task = asyncio.get_running_loop().create_task(self._run())
        self._task.add_done_callback(lambda _: self.end())

    def on_cancel(self) -> None:
        """Cancel the coroutine with the program."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        with self._context.activate():
            await self._awaitable

    def refuse_late(self) -> None:
        """Raise ServiceUnavailableError."""
        hook = self._hook
        _log.error(
            "a hook took too long",
            hook=hook.name,
            place=hook.place,
            seconds=self._limits.hook_seconds,
        )
        raise ServiceUnavailableError

    def _finish(self, task: "asyncio.Task[None]") -> None:
        if task.cancelled():
            message = f"{self._hook.name} was cancelled"
            raise RuntimeError(message)
        task.result()
