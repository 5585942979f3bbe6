"""A transaction that stays open while a coroutine runs, and runs programs for it.

The program of the transaction runs on the database's thread, and waits there for the programs of
the coroutine (`HeldTransaction.ask`); the coroutine runs in the event loop. Only one of the two
runs at a time. The coroutine has a deadline and a limit of statements, because other writers may
have to wait for the transaction.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, TypeVar

import structlog
from msgspec import Struct

from quire.database.program import Program, Resume, is_query, wait_for_loop
from quire.document_service.commands import Command
from quire.document_service.password_hashing import passwords_of
from quire.document_service.unit_of_work import UnitOfWork, WriteProgram
from quire.errors import ServiceUnavailableError
from quire.hooks.errors import CODE_ERRORS, StatementLimitError
from quire.hooks.registry import CallCause, CodeLimits

_log = structlog.get_logger("quire.transactions")

T = TypeVar("T")


class _Request(Struct, frozen=True, eq=False):
    """A program to run in the transaction, and the future for its result."""

    act: Callable[[], Program[Any]]
    reply: "asyncio.Future[Any]"
    counts: bool


class HeldTransaction:
    """Alternates between a program that holds a transaction and a coroutine.

    All methods except `serve` run in the event loop. ``limits`` say how long the transaction may
    take, and how many statements it may run; ``name`` is that of its owner.
    """

    def __init__(self, name: str, limits: CodeLimits) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self._name = name
        self._limits = limits
        self._statements = 0
        self._requests: deque[_Request] = deque()
        self._replies: list[Callable[[], None]] = []
        """Results that the coroutine has not received yet."""
        self._resume: Resume | None = None
        """Lets the program continue, while it waits."""
        self._deadline: asyncio.TimerHandle | None = None
        self._is_late = False
        self._is_ended = False
        self._is_closed = False

    @property
    def is_ended(self) -> bool:
        """Whether the coroutine will ask for nothing more."""
        return self._is_ended

    @property
    def statements(self) -> int:
        """How many statements the coroutine has run."""
        return self._statements

    async def ask(self, act: Callable[[], Program[T]], *, counts: bool = True) -> T:
        """Run a program in the transaction; returns its result.

        Its statements are limited unless ``counts`` is false: for statements of the server's own.
        Raises what the program raises, and ServiceUnavailableError when the transaction has ended
        because it took too long.
        """
        if self._is_closed:
            raise ServiceUnavailableError
        reply: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._requests.append(_Request(act, reply, counts))
        self._continue_program()
        return await reply

    def run_next(self, act: Callable[[], Program[None]]) -> None:
        """Run a program in the transaction before anything else; its statements are not limited.

        Nothing waits for it, so it cannot be cancelled. An error of it is logged. Raises
        ServiceUnavailableError when the transaction has ended because it took too long.
        """
        if self._is_closed:
            raise ServiceUnavailableError
        reply: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        reply.add_done_callback(_log_failure)
        self._requests.append(_Request(act, reply, counts=False))

    def end(self) -> None:
        """Let the program continue: nothing more will be asked."""
        self._is_ended = True
        if self._deadline is not None:
            self._deadline.cancel()
        # Otherwise the program runs what was asked for, and closes.
        self._is_closed |= not self._requests
        self._continue_program()

    def serve(self) -> Program[None]:
        """Run what the coroutine asks for until it ends."""
        try:
            while not self._is_ended or self._requests:
                yield wait_for_loop(self._continue_coroutine)
                if self._is_late:
                    self.raise_late_error()
                while self._requests:
                    yield from self._serve_request(self._requests.popleft())
        finally:
            was_closed, self._is_closed = self._is_closed, True
            has_pending = not was_closed or self._requests or self._replies
            if has_pending and self.loop is not None and not self.loop.is_closed():
                self.loop.call_soon_threadsafe(self._close)

    def on_begin(self) -> None:
        """Called once, when the transaction has begun."""

    def raise_late_error(self) -> None:
        """Raise the error of a transaction that takes too long."""
        raise ServiceUnavailableError

    def _continue_coroutine(self, resume: Resume) -> None:
        """Let the coroutine continue; the program waits until it asks for something or ends."""
        self._resume = resume
        if self.loop is None:
            self.loop = asyncio.get_running_loop()
            self._deadline = self.loop.call_later(self._limits.hook_seconds, self._on_deadline)
            self.on_begin()
        self._reply()
        if self._is_ended or self._is_late or self._requests:
            self._continue_program()

    def _continue_program(self) -> None:
        """Let the program continue if it waits."""
        resume, self._resume = self._resume, None
        if resume is not None:
            resume()

    def _on_deadline(self) -> None:
        """Let the program raise its error: the deadline has passed."""
        self._is_late = True
        self._continue_program()

    def _reply(self) -> None:
        for reply in self._replies:
            reply()
        self._replies.clear()

    def _close(self) -> None:
        """Fail all pending requests of a transaction that has ended."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._reply()
        for request in self._requests:
            _fail(request.reply, ServiceUnavailableError())
        self._requests.clear()

    def _serve_request(self, request: _Request) -> Program[None]:
        try:
            program = request.act()
            result = yield from self._count_statements(program) if request.counts else program
        except Exception as error:  # noqa: BLE001 - it is raised where the coroutine waits for it
            self._replies.append(partial(_fail, request.reply, error))
        else:
            self._replies.append(partial(_resolve, request.reply, result))

    def _count_statements(self, program: Program[T]) -> Program[T]:
        """Run a program, and raise StatementLimitError in it after too many statements.

        The error is raised once: statements that the program runs because of it, such as the roll
        back to a savepoint, must not fail.
        """
        is_refused = False
        try:
            statement = next(program)
            while True:
                self._statements += is_query(statement)
                if self._statements > self._limits.statements and not is_refused:
                    is_refused = True
                    statement = program.throw(self._too_many())
                    continue
                try:
                    rows = yield statement
                except Exception as error:  # noqa: BLE001 - it belongs to the program
                    statement = program.throw(error)
                else:
                    statement = program.send(rows)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]  # the program's own result
        finally:
            program.close()

    def _too_many(self) -> StatementLimitError:
        return StatementLimitError(
            f"{self._name} has run more than {self._limits.statements} statements in one "
            "transaction (extensions.statements): read or write several documents at once"
        )


async def write_nested(
    transaction: HeldTransaction,
    unit: UnitOfWork,
    act: WriteProgram[T],
    *,
    as_system: bool,
    causes: tuple[CallCause, ...],
    commands: Sequence[Command],
) -> T:
    """Run a program within a savepoint of a held transaction. Raises what it raises.

    ``commands`` are those that it runs, which have been prepared.
    """
    hash_password = unit.hash_password
    for password in passwords_of(unit.engine.schema, unit.prepared.all(commands)):
        if password not in unit.hashed and hash_password is not None:
            hashed = await asyncio.to_thread(hash_password, password.text, password.rounds)
            unit.hashed = {**unit.hashed, password: hashed}
    nested = partial(unit.nested, partial(act, unit), as_system=as_system, causes=causes)
    return await transaction.ask(nested)


@asynccontextmanager
async def savepoint_in(transaction: HeldTransaction, unit: UnitOfWork) -> AsyncIterator[None]:
    """Commit the writes of a block, or roll them back to a savepoint if it raises.

    That works, too, when the transaction has no more statements left.
    """
    savepoint = unit.savepoint()
    await transaction.ask(savepoint.begin)
    try:
        yield
    except asyncio.CancelledError:
        # After a timeout of the code's own, the transaction goes on without the block.
        with suppress(ServiceUnavailableError):  # unless it has ended
            transaction.run_next(savepoint.roll_back)
        raise
    except CODE_ERRORS:
        await transaction.ask(savepoint.roll_back, counts=False)
        raise
    # If it were waited for, the block could be cancelled after its writes have become permanent.
    transaction.run_next(savepoint.release)


def _log_failure(reply: "asyncio.Future[None]") -> None:
    error = None if reply.cancelled() else reply.exception()
    if error is not None and not isinstance(error, ServiceUnavailableError):
        _log.error("a savepoint was not ended", exc_info=error)


def _resolve(reply: "asyncio.Future[T]", result: T) -> None:
    if not reply.done():
        reply.set_result(result)


def _fail(reply: "asyncio.Future[Any]", error: Exception) -> None:
    if not reply.done():
        reply.set_exception(error)
