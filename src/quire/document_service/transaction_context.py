"""The context of routes and jobs: one transaction for each read or write, or for several."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from quire.access.principal import Principal
from quire.database.program import Program
from quire.document_service.commands import Command, PreparedCommands
from quire.document_service.extension_context import ExtensionContext
from quire.document_service.held_transaction import HeldTransaction, savepoint_in, write_nested
from quire.document_service.prepare_calls import prepare_commands
from quire.document_service.unit_of_work import UnitOfWork, WriteProgram
from quire.errors import ServiceUnavailableError, UnauthorizedError
from quire.hooks.errors import Forbidden, UnitOfWorkError
from quire.hooks.registry import CallCause, CodeLimits

if TYPE_CHECKING:
    # It makes contexts for functions that are called before a transaction.
    from quire.document_service.service import DocumentService

T = TypeVar("T")
FindUser = Callable[[int], Awaitable[Principal]]
"""Finds an end user with their present permissions. Raises UnauthorizedError."""


class CallContext(ExtensionContext):
    """The context of one call of a function that is not part of a write.

    ``causes`` are the functions that led to the call; ``origin`` is that of its events.
    ``find_user`` finds an end user to act as, if the call has no principal.
    """

    def __init__(
        self,
        name: str,
        documents: "DocumentService",
        principal: Principal | None,
        *,
        causes: tuple[CallCause, ...] = (),
        origin: str = "api",
        find_user: FindUser | None = None,
        editor: int | None = None,
    ) -> None:
        if principal is not None:
            principal = documents.engine.rules.narrow(principal)
        super().__init__(name, documents.engine, principal, editor=editor, causes=causes)
        self._documents = documents
        self._origin = origin
        self._find_user = find_user
        self._open: _BlockTransaction | None = None
        self._loop = asyncio.get_running_loop()

    @property
    def is_in_transaction(self) -> bool:
        """Whether a block of `transaction` is open."""
        return self._open is not None

    async def as_user(self, user_id: int) -> ExtensionContext:
        """Return a context that acts as an end user, with their present permissions.

        Raises Forbidden when there is no such user, or they may not sign in, and UnitOfWorkError
        within a transaction and where the call acts as its caller.
        """
        find_user = self._find_user
        if find_user is None:
            return await super().as_user(user_id)
        if self._open is not None:
            message = "a transaction is open: begin it within as_principal"
            raise UnitOfWorkError(message)
        try:
            user = await find_user(user_id)
        except UnauthorizedError as error:
            raise Forbidden from error
        return CallContext(
            self.name, self._documents, user, causes=self.causes, origin=self._origin
        )

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of a plain function in the event loop, while its thread waits.

        Raises UnitOfWorkError in the event loop itself.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()
        return super().wait(coroutine)

    async def read(self, act: Callable[[], Program[T]]) -> T:
        """Run a program that reads, in the transaction of the block if there is one."""
        if self._open is None:
            return await self._documents.read(act)
        return await self._open.ask(act)

    async def write(
        self, act: WriteProgram[T], *, as_system: bool, commands: Sequence[Command] = ()
    ) -> T:
        """Run a program that writes, in its own transaction or that of the block."""
        block = self._open
        prepared = PreparedCommands() if block is None else block.unit.prepared
        await prepare_commands(prepared, commands, self, as_system=as_system)
        if block is not None:
            return await write_nested(
                block,
                block.unit,
                act,
                as_system=as_system,
                causes=self.causes,
                commands=commands,
            )

        def acting(unit: UnitOfWork) -> Program[T]:
            unit.is_system = as_system
            unit.causes = self.causes
            return act(unit)

        principal = None if as_system else self.principal
        return await self._documents.run(
            acting,
            commands=commands,
            prepared=prepared,
            principal=principal,
            origin=self._origin,
        )

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """Commit all writes of a block, or roll them back; nested blocks use savepoints."""
        if self._open is not None:
            async with savepoint_in(self._open, self._open.unit):
                yield
            return
        block = self._open = _BlockTransaction(self.name, self.engine.code_limits)
        running = asyncio.ensure_future(
            self._documents.run(block.program, principal=self.principal, origin=self._origin)
        )
        running.add_done_callback(lambda _: block.has_begun.set())
        try:
            await block.has_begun.wait()
            if running.done():
                running.result()
            yield
        except BaseException:
            block.roll_back()
            raise
        finally:
            self._open = None
            block.end()
            await asyncio.wait([running])
            failed = running.exception()
        if failed is not None:
            raise failed


class _RollbackError(Exception):
    """Ends the program of a transaction that is rolled back."""


class _BlockTransaction(HeldTransaction):
    """A transaction that is held open for a block of a function."""

    unit: UnitOfWork

    def __init__(self, name: str, limits: CodeLimits) -> None:
        super().__init__(name, limits)
        self.has_begun = asyncio.Event()
        self._is_undone = False
        self._has_run = False

    def program(self, unit: UnitOfWork) -> Program[None]:
        """Run what the block asks for. Raises ServiceUnavailableError instead of a restart.

        The database may be too busy for a transaction, or end it in favor of another one. The
        Python side effects of the block cannot be undone.
        """
        if self._has_run:
            raise ServiceUnavailableError
        self._has_run = True
        self.unit = unit
        yield from self.serve()
        if self._is_undone:
            raise _RollbackError

    def on_begin(self) -> None:
        """Start the block."""
        self.has_begun.set()

    def roll_back(self) -> None:
        """Roll back everything that was written."""
        self._is_undone = True
