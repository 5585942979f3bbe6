"""The context in which a hook or a route of a project runs: its unit of work and its principal.

The public functions of ``quire`` find it in a context variable; everything else is passed.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from contextvars import ContextVar
from copy import copy
from types import FrameType, TracebackType
from typing import Any, Self, TypeVar

import structlog

from quire.access.principal import Principal
from quire.database.program import Program
from quire.document_service.commands import Command
from quire.document_service.unit_of_work import WriteEngine, WriteProgram
from quire.hooks.errors import UnitOfWorkError
from quire.hooks.function_times import FunctionTimes, function_times
from quire.hooks.registry import CallCause

T = TypeVar("T")

_log = structlog.get_logger("quire.extensions")
_QUIRE_PREFIX = "quire."
_MAX_REPORTED = 1000
_reported: set[str] = set()
"""Lines of code that the log has named."""
current_unit_of_work: ContextVar["ExtensionContext"] = ContextVar("unit of work")


class ExtensionContext(ABC):
    """The unit of work of one call of a hook or a route; it ends with the call.

    ``principal`` is who acts, ``None`` where an administrator (the row ``editor``) or the server
    does. ``is_system`` says that the code was called for a write of the system. ``causes`` are the
    functions that led to the call.
    """

    is_ended = False
    has_read_principal = False
    """Whether the code has asked for the principal."""
    has_unrestricted = False
    """Whether documents were read without the permissions of the principal."""

    def __init__(
        self,
        name: str,
        engine: WriteEngine,
        principal: Principal | None,
        *,
        editor: int | None = None,
        is_system: bool = False,
        causes: tuple[CallCause, ...] = (),
    ) -> None:
        self.name = name
        self.causes = causes
        self.engine = engine
        self.principal = principal
        self.editor = editor
        self.is_system = is_system

    @property
    @abstractmethod
    def is_in_transaction(self) -> bool:
        """Whether a transaction is open, which blocks other writes."""

    @property
    def function_times(self) -> FunctionTimes | None:
        """The times of functions in the request, ``None`` where nobody measures."""
        return function_times.get()

    async def as_user(self, user_id: int) -> "ExtensionContext":
        """Return a context that acts as an end user.

        Raises UnitOfWorkError where that is not allowed.
        """
        del user_id
        message = (
            f"{self.name} acts as the caller: as_principal is for jobs, schedules, start and stop, "
            "and functions marked with @after_commit"
        )
        raise UnitOfWorkError(message)

    def for_cause(self, cause: CallCause, *, as_system: bool) -> Self:
        """Return a context of the same unit of work for a function that is called in it.

        With ``as_system`` that is for a write of the system.
        """
        context = copy(self)
        context.name, context.causes = cause.name, (*self.causes, cause)
        context.has_read_principal = context.has_unrestricted = False
        if as_system:
            context.principal, context.is_system = None, True
        return context

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of a plain function that runs in a thread of its own.

        Raises UnitOfWorkError where functions run in place.
        """
        coroutine.close()
        message = f"{self.name} does not run in a thread of its own: make it an async def"
        raise UnitOfWorkError(message)

    def activate(self) -> AbstractContextManager[None]:
        """Make it the current unit of work of a block, and of the tasks that the block starts."""
        return _Activation(self)

    @abstractmethod
    async def read(self, act: Callable[[], Program[T]]) -> T:
        """Run a program that reads. Raises what the program raises."""

    @abstractmethod
    async def write(
        self, act: WriteProgram[T], *, as_system: bool, commands: Sequence[Command] = ()
    ) -> T:
        """Run a program that writes, all of it or nothing. Raises what it raises.

        ``commands`` are those that it runs.
        """

    @abstractmethod
    def transaction(self) -> AbstractAsyncContextManager[None]:
        """Commit all writes of a block, or none if the block raises."""


class _Activation:
    """Sets the current unit of work of a block; a generator would cost each call of a hook more."""

    __slots__ = ("_context", "_token")

    def __init__(self, context: ExtensionContext) -> None:
        self._context = context

    def __enter__(self) -> None:
        self._token = current_unit_of_work.set(self._context)

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        current_unit_of_work.reset(self._token)


def optional_context() -> ExtensionContext | None:
    """Return the current unit of work, ``None`` outside of one."""
    return current_unit_of_work.get(None)


def current_context() -> ExtensionContext:
    """Return the current unit of work. Raises UnitOfWorkError outside of one."""
    context = current_unit_of_work.get(None)
    if context is None:
        message = "there is no unit of work here: it belongs to a hook or a route while that runs"
        raise UnitOfWorkError(message)
    if context.is_ended:
        message = f"the unit of work of {context.name} has ended: await what it starts within it"
        raise UnitOfWorkError(message)
    return context


def wait(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine from a plain ``def``, and return its result.

    It is for routes, jobs and functions of the start and stop, whose plain functions run in threads
    of their own: ``page = wait(documents(Article).find())``. Raises what the coroutine raises, and
    UnitOfWorkError elsewhere.
    """
    try:
        context = current_context()
    except UnitOfWorkError:
        coroutine.close()
        raise
    return context.wait(coroutine)


def refuse_in_transaction(call: str) -> None:
    """Refuse a call that waits for another server while a transaction is open.

    Raises UnitOfWorkError in development; in production the log says once for each line of code
    that it happened.
    """
    context = optional_context()
    if context is None or not context.is_in_transaction:
        return
    if context.engine.is_development:
        message = (
            f"{call} within a transaction: nobody else can write while it waits. "
            "Send it from a job, or from a function marked with @after_commit"
        )
        raise UnitOfWorkError(message)
    location = _caller()
    if location not in _reported and len(_reported) < _MAX_REPORTED:
        _reported.add(location)
        _log.warning("a request is sent within a transaction", place=location, code=context.name)


def _caller() -> str:
    """Return the file and line of the project's code that makes a call."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the stack has no other way in
    while frame is not None:
        if not str(frame.f_globals.get("__name__", "")).startswith(_QUIRE_PREFIX):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return "?"
