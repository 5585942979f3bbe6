"""Programs: generators that yield SQL statements and receive rows, without any I/O of their own.

A *program* is a generator: it yields statements, is sent their rows, and returns its result. It
does not know whether a driver answers at once (SQLite) or after a wait (PostgreSQL), on which
thread, or inside which transaction; `Database.read` and `Database.write` decide that. Programs are
composed with ``yield from``.
"""

from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any, NamedTuple, TypeVar

Value = str | int | float | bytes | None
"""What drivers give, and take for a single value."""

Operand = Any
"""What one placeholder takes: a `Value`, or a list in the form that the dialect gave it."""

Row = tuple[Value, ...]
Rows = list[Row]

T = TypeVar("T")


class Statement(NamedTuple):
    """SQL text and the values bound to it, in the order of its placeholders.

    Text is made from names that the schema knows, never from what a client sent. No more than
    ``most`` rows are fetched; ``None`` fetches all.
    """

    sql: str
    values: Sequence[Operand] = ()
    most: int | None = None


Program = Generator[Statement, Rows, T]
"""Yields statements, is sent rows, returns a ``T``."""


def run_program(program: Program[T], execute: Callable[[Statement], Rows]) -> T:
    """Run a program on one thread, and return its result; ``execute`` returns a statement's rows.

    Drivers that read content have loops of their own, with deadlines or in the event loop. Raises
    what ``execute`` and the program raise.
    """
    try:
        statement = next(program)
        while True:
            statement = program.send(execute(statement))
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]  # the program's own result


LONG_COMPUTATION = Statement("SELECT 1 /* a long computation follows */")
"""Announces that the program computes for long before its next statement, as to map many rows.

A driver that runs programs in the event loop does that part on another thread. It tells this
statement by the identity of its text; whoever does not know of it runs a statement without any
effect. The rows that are sent for it are not looked at.
"""


_AWAIT = "SELECT 1 /* the program waits for a coroutine */"


def await_in_loop(make: Callable[[], Awaitable[None]]) -> Statement:
    """Return a statement by which a writing program waits for a coroutine, its transaction open.

    The driver awaits it in the event loop and sends no rows. What it raises ends the program.
    """
    return Statement(_AWAIT, (make,))


def awaited_by(sql: str, values: Sequence[Operand]) -> Callable[[], Awaitable[None]] | None:
    """Return what a statement of `await_in_loop` waits for; ``None`` for any other statement."""
    return values[0] if sql is _AWAIT else None


def is_query(statement: Statement) -> bool:
    """Tell whether a statement is one that the database executes, not a sign to its driver."""
    return statement.sql is not LONG_COMPUTATION.sql and statement.sql is not _AWAIT
