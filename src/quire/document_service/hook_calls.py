"""Calls hooks within the transaction of a write, and knows the current unit of work.

A plain function is called in place. A coroutine runs in the event loop, while the program of the
write waits for it with its transaction open: what the coroutine asks of the database
(`WorkInHook.run`) is handed to the program, which does it in the same transaction.
"""

import asyncio
import inspect
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

import structlog
from msgspec import Struct

from quire.access.principal import Principal
from quire.database.program import Program, await_in_loop
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import AppError, InternalServerError, ServiceUnavailableError
from quire.hooks.errors import HookLoopError, UnitOfWorkError
from quire.hooks.extensions import Cause, Hook
from quire.hooks.write import Write

T = TypeVar("T")

_SECONDS = 2.0
"""How long a hook may take: as long as it does, nobody else writes."""
_DEPTH = 8
"""How many hooks may cause one another."""

_log = structlog.get_logger("quire.extensions")
_current: ContextVar["WorkInHook"] = ContextVar("unit of work")


def current_work() -> "WorkInHook":
    """Return the unit of work of the hook that runs. Raises UnitOfWorkError outside of hooks."""
    work = _current.get(None)
    if work is None:
        message = "there is no unit of work here: it belongs to a hook while that runs"
        raise UnitOfWorkError(message)
    if work.is_ended:
        message = f"the unit of work of {work.name} has ended: await what the hook starts within it"
        raise UnitOfWorkError(message)
    return work


class WorkInHook:
    """A unit of work as one call of a hook has it."""

    def __init__(self, unit: UnitOfWork, causes: tuple[Cause, ...]) -> None:
        self.unit = unit
        self.name = causes[-1].hook.name
        self.is_system = unit.is_system
        """Whether the hook was called for what another one wrote as the system."""
        self.is_ended = False
        self.task: _HookTask | None = None
        """The coroutine of the hook; ``None`` while a plain function runs."""
        self._causes = causes

    @property
    def principal(self) -> Principal | None:
        """Who writes, as the hook was called for."""
        return self.unit.principal

    async def read(self, act: Callable[[], Program[T]]) -> T:
        """Run a program that reads in the transaction of the hook."""
        return await self._task().ask(act)

    async def write(self, act: Callable[[], Program[T]], *, as_system: bool) -> T:
        """Run a program in the transaction of the hook, all of it or nothing.

        Raises what the program raises.
        """
        nested = partial(self.unit.nested, act, as_system=as_system, causes=self._causes)
        return await self._task().ask(nested)

    def _task(self) -> "_HookTask":
        if self.task is None:
            message = f"{self.name} is a plain def, which cannot query: make it an async def"
            raise UnitOfWorkError(message)
        return self.task


def call_hook(unit: UnitOfWork, hook: Hook, write: Write[Any]) -> Program[None]:
    """Call a hook, unless it was itself the cause of a write to the same locale of the document.

    Raises AppErrors of the hook as they are, InternalServerError in place of all else that it
    raises, and ServiceUnavailableError when it takes too long.
    """
    document_id, locale = write.document_id, write.locale
    if any(cause.is_of(hook, document_id, locale) for cause in unit.causes):
        return
    cause = Cause(
        hook=hook, action=write.action, uid=write.uid, document_id=document_id, locale=locale
    )
    causes = (*unit.causes, cause)
    try:
        _require_depth(causes)
        yield from _call(WorkInHook(unit, causes), hook, write)
    except AppError:
        raise
    except Exception as error:
        _log.error("a hook failed", hook=hook.name, phase=hook.phase, place=hook.place)
        raise InternalServerError from error


def _require_depth(causes: tuple[Cause, ...]) -> None:
    if len(causes) > _DEPTH:
        chain = "\n  ".join(map(str, causes))
        message = f"hooks cause one another more than {_DEPTH} levels deep:\n  {chain}"
        raise HookLoopError(message)


def _call(work: WorkInHook, hook: Hook, write: Write[Any]) -> Program[None]:
    token = _current.set(work)
    try:
        # Of a coroutine function nothing runs yet. A plain function may return a coroutine, too.
        result = hook.function(write)
    finally:
        _current.reset(token)
    try:
        if inspect.isawaitable(result):
            work.task = _HookTask(result, work, hook)
            yield from work.task.program()
    finally:
        work.is_ended = True


class _Request(Struct, frozen=True, eq=False):
    """What a coroutine asks of the transaction, and where the result goes."""

    act: Callable[[], Program[Any]]
    reply: "asyncio.Future[Any]"


class _HookTask:
    """The coroutine of a hook, which takes turns with the program that holds the transaction.

    All but `program` runs in the event loop.
    """

    def __init__(self, awaitable: Awaitable[None], work: WorkInHook, hook: Hook) -> None:
        self._awaitable = awaitable
        self._work = work
        self._hook = hook
        self._requests: deque[_Request] = deque()
        self._replies: list[Callable[[], None]] = []
        """Results that the coroutine does not have yet."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._deadline = 0.0
        self._is_late = False

    async def ask(self, act: Callable[[], Program[T]]) -> T:
        """Have a program run in the transaction; returns its result."""
        reply: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._requests.append(_Request(act, reply))
        self._wake.set()
        return await reply

    def program(self) -> Program[None]:
        """Do what the coroutine asks for until it ends; raises what it raises."""
        try:
            while self._task is None or not self._task.done() or self._requests:
                yield await_in_loop(self._turn)
                if self._is_late:
                    self._refuse_late()
                while self._requests:
                    yield from self._do(self._requests.popleft())
            self._finish(self._task)
        finally:
            if self._loop is not None and self._task is not None and not self._task.done():
                self._loop.call_soon_threadsafe(self._task.cancel)

    async def _turn(self) -> None:
        """Let the coroutine go on until it asks for something or ends."""
        if self._task is None:
            self._loop = asyncio.get_running_loop()
            self._deadline = self._loop.time() + _SECONDS
            self._task = self._loop.create_task(self._run())
            self._task.add_done_callback(lambda _: self._wake.set())
        for reply in self._replies:
            reply()
        self._replies.clear()
        try:
            async with asyncio.timeout_at(self._deadline):
                await self._wake.wait()
        except TimeoutError:
            self._is_late = True
        except asyncio.CancelledError:
            self._task.cancel()
            raise
        self._wake.clear()

    async def _run(self) -> None:
        _current.set(self._work)
        await self._awaitable

    def _do(self, request: _Request) -> Program[None]:
        try:
            result = yield from request.act()
        except Exception as error:  # noqa: BLE001 - it is raised where the coroutine waits for it
            self._replies.append(partial(_fail, request.reply, error))
        else:
            self._replies.append(partial(_resolve, request.reply, result))

    def _refuse_late(self) -> None:
        hook = self._hook
        _log.error("a hook took too long", hook=hook.name, place=hook.place, seconds=_SECONDS)
        raise ServiceUnavailableError

    def _finish(self, task: "asyncio.Task[None]") -> None:
        if task.cancelled():
            message = f"{self._hook.name} was cancelled"
            raise RuntimeError(message)
        task.result()


def _resolve(reply: "asyncio.Future[T]", result: T) -> None:
    if not reply.done():
        reply.set_result(result)


def _fail(reply: "asyncio.Future[Any]", error: Exception) -> None:
    if not reply.done():
        reply.set_exception(error)
