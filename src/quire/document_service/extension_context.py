"""The context in which a hook or a route of a project runs: its unit of work and its principal.

The public functions of ``quire`` find it in a context variable; everything else is passed.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from copy import copy
from typing import Self, TypeVar

from quire.access.principal import Principal
from quire.database.program import Program
from quire.document_service.commands import Command
from quire.document_service.unit_of_work import UnitOfWork, WriteEngine
from quire.hooks.errors import UnitOfWorkError
from quire.hooks.extensions import CallCause

T = TypeVar("T")
Act = Callable[[UnitOfWork], Program[T]]
"""The work that a unit of work belongs to."""

_current: ContextVar["ExtensionContext"] = ContextVar("unit of work")


class ExtensionContext(ABC):
    """The unit of work of one call of a hook or a route; it ends with the call.

    ``principal`` is who acts, ``None`` where an administrator (the row ``editor``) or the server
    does. ``is_system`` says that the code was called for a write of the system. ``causes`` are the
    functions that led to the call.
    """

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
        self.is_ended = False
        self.has_read_principal = False
        """Whether the code has asked for the principal."""
        self.has_unrestricted = False
        """Whether documents were read without the permissions of the principal."""

    @property
    @abstractmethod
    def is_in_transaction(self) -> bool:
        """Whether a transaction is open, which blocks other writes."""

    async def as_user(self, user_id: int) -> "ExtensionContext":
        """Return a context that acts as an end user.

        Raises UnitOfWorkError where that is not allowed.
        """
        del user_id
        message = (
            f"{self.name} acts as the caller: as_principal is for jobs, schedules, start and stop, "
            "and functions that are told of changes"
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

    @contextmanager
    def activate(self) -> Iterator[None]:
        """Make it the current unit of work of a block, and of the tasks that the block starts."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    @abstractmethod
    async def read(self, act: Callable[[], Program[T]]) -> T:
        """Run a program that reads. Raises what the program raises."""

    @abstractmethod
    async def write(self, act: Act[T], *, as_system: bool, commands: Sequence[Command] = ()) -> T:
        """Run a program that writes, all of it or nothing. Raises what it raises.

        ``commands`` are those that it runs.
        """

    @abstractmethod
    def transaction(self) -> AbstractAsyncContextManager[None]:
        """Commit all writes of a block, or none if the block raises."""


def optional_context() -> ExtensionContext | None:
    """Return the current unit of work, ``None`` outside of one."""
    return _current.get(None)


def current_context() -> ExtensionContext:
    """Return the current unit of work. Raises UnitOfWorkError outside of one."""
    context = _current.get(None)
    if context is None:
        message = "there is no unit of work here: it belongs to a hook or a route while that runs"
        raise UnitOfWorkError(message)
    if context.is_ended:
        message = f"the unit of work of {context.name} has ended: await what it starts within it"
        raise UnitOfWorkError(message)
    return context
