"""Runs what code reads and writes: each by itself, or several within a transaction of the code."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import TypeVar

from quire.content_api.messages import Request
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.row_mappers import Item
from quire.database.program import Program
from quire.document_service.call_context import CallContext
from quire.document_service.commands import Command
from quire.document_service.read_service import ReadService
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import UnitOfWork
from quire.javascript.running.values import HostFunction, HostObject
from quire.javascript.scope import UNDEFINED

T = TypeVar("T")


class Session:
    """The reads and writes of one request, as its caller.

    ``version`` is the database's token of the present content, none once something was written.
    """

    def __init__(self, reader: ReadService, documents: DocumentService, request: Request) -> None:
        self._reader = reader
        self._context = CallContext("code of the project", documents, request.principal)
        self._stack: AsyncExitStack | None = None
        self.version = request.version

    @property
    def is_open(self) -> bool:
        """Whether a transaction of the code has begun, and has not ended."""
        return self._stack is not None

    async def items(self, prepared: PreparedRead) -> list[Item]:
        """Return the rows of a list."""
        return (await self.page(prepared))[0]

    async def page(self, prepared: PreparedRead) -> tuple[list[Item], int | None]:
        """Return the rows of a page, and how many there are in all."""
        if not self.is_open:
            return await self._reader.rows(prepared, self.version)
        return await self._context.read(prepared.rows)

    async def item(self, prepared: PreparedRead) -> Item | None:
        """Return the row of a read of at most one."""
        if not self.is_open:
            return await self._reader.row(prepared)
        items = await self._context.read(prepared.row)
        return items[0] if items else None

    async def total(self, prepared: PreparedRead) -> int:
        """Return how many rows a list has."""
        if not self.is_open:
            return await self._reader.total(prepared, self.version)
        return await self._context.read(prepared.total)

    async def write(
        self, act: Callable[[UnitOfWork], Program[T]], commands: Sequence[Command] = ()
    ) -> T:
        """Run a program that writes, in a transaction of its own or in that of the code."""
        self.version = None
        return await self._context.write(act, as_system=False, commands=commands)

    async def transaction(self, run: Callable[[HostObject], Awaitable[T]]) -> T:
        """Run a function of the code: all that it writes is kept, or nothing if it throws.

        It is given ``commit`` and ``rollback``, which end the transaction before the function does.
        Within another transaction they do nothing, and the outer one decides.
        """
        if self.is_open:
            return await run(_handles(_nothing, _nothing))
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._context.transaction())
            self._stack = stack
            stack.callback(self._close)
            self.version = None
            return await run(_handles(self._commit, self._roll_back))

    def _close(self) -> None:
        self._stack = None

    async def _commit(self, _given: list[object]) -> object:
        if self._stack is not None:
            await self._stack.aclose()
        return UNDEFINED

    async def _roll_back(self, _given: list[object]) -> object:
        if self._stack is not None:
            undone = _RolledBackError()
            await self._stack.__aexit__(type(undone), undone, None)
        return UNDEFINED


class _RolledBackError(Exception):
    """Ends a transaction of which code wants nothing to be kept."""


async def _nothing(_given: list[object]) -> object:
    return UNDEFINED


Call = Callable[[list[object]], Awaitable[object]]


def _handles(commit: Call, rollback: Call) -> HostObject:
    calls = {"commit": commit, "rollback": rollback}
    return HostObject({name: HostFunction(call, is_async=True) for name, call in calls.items()})
