"""The principal of the current unit of work, and transactions, for the code of projects."""

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from pathlib import PurePath
from types import FrameType

from msgspec import Struct

from quire.document_service.extension_context import ExtensionContext, current_context
from quire.document_service.project_rules import acting
from quire.hooks.errors import Forbidden
from quire.hooks.principal import Principal, may_act_as_system


class SystemReason(Struct, frozen=True):
    """Why code acts as the system, and the file and line of `as_system`."""

    text: str
    place: str


_system: ContextVar[SystemReason | None] = ContextVar("system reason", default=None)


def principal() -> Principal:
    """Return the principal of the current unit of work. Raises UnitOfWorkError outside of one."""
    context = current_context()
    context.has_read_principal = True
    return Principal(kind="system") if _system.get() is not None else caller_of(context)


def caller_of(context: ExtensionContext) -> Principal:
    """Return the principal of a unit of work, whatever `as_system` says."""
    if context.is_system:
        return Principal(kind="system")
    if context.principal is not None:
        return acting(context.principal)
    if context.editor is not None:
        return Principal(kind="admin", id=context.editor)
    return Principal(kind="nobody")


def as_system(reason: str) -> AbstractContextManager[None]:
    """Act as the system within a ``with`` block: without permissions, rules and private fields.

    Validation, uniqueness and hooks still apply. The audit log has ``reason`` for every write.
    Raises ValueError if it is empty, and Forbidden in the code of a package that the settings do
    not allow it.
    """
    if not reason.strip():
        message = "as_system needs a reason"
        raise ValueError(message)
    frame = sys._getframe(1)  # noqa: SLF001 - who calls
    module = str(frame.f_globals.get("__name__", ""))
    if not may_act_as_system(module):
        raise Forbidden
    return _acting_as_system(SystemReason(reason, _place(frame, module)))


def _place(frame: FrameType, module: str) -> str:
    """Return the file of a module, from its top-level package on, and the line."""
    path = PurePath(frame.f_code.co_filename)
    depth = module.count(".") + (2 if path.stem == "__init__" else 1)
    return f"{PurePath(*path.parts[-depth:]).as_posix()}:{frame.f_lineno}"


@contextmanager
def _acting_as_system(reason: SystemReason) -> Iterator[None]:
    token = _system.set(reason)
    try:
        yield
    finally:
        _system.reset(token)


@contextmanager
def not_as_system() -> Iterator[None]:
    """Let a block begin without the `as_system` of whoever calls it."""
    token = _system.set(None)
    try:
        yield
    finally:
        _system.reset(token)


@asynccontextmanager
async def as_principal(principal: Principal) -> AsyncIterator[None]:
    """Act as an end user within an ``async with`` block, with their present permissions.

    It is for code without a principal: jobs, schedules, functions that run after the commit.
    ``principal`` can be an argument of a job. Raises ValueError for any principal except end users,
    Forbidden when the user was deleted or may not sign in, and UnitOfWorkError within a transaction
    and where a caller acts.
    """
    if principal.kind != "user" or principal.id is None:
        raise ValueError(f"as_principal takes an end user, not {principal}")
    context = await current_context().as_user(principal.id)
    try:
        with not_as_system(), context.activate():
            yield
    finally:
        context.is_ended = True


def system_reason() -> SystemReason | None:
    """Return the reason of the innermost `as_system`, ``None`` outside of one."""
    return _system.get()


@asynccontextmanager
async def transaction() -> AsyncIterator[None]:
    """Commit all writes of an ``async with`` block, or none if it raises.

    In a hook it is a savepoint of the hook's transaction; in a route it is a transaction, which may
    take two seconds: it blocks other writes meanwhile. Raises UnitOfWorkError outside of both.
    """
    async with current_context().transaction():
        yield
