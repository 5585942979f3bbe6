"""Programs: generators that yield SQL statements and receive rows, without any I/O of their own.

A *program* is a generator: it yields statements, is sent their rows, and returns its result. It
does not know whether the driver is synchronous (SQLite) or not (PostgreSQL), which thread it runs
on, or which transaction it is in; `Database.read` and `Database.write` decide that. Programs are
composed with ``yield from``.
"""

from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple, TypeVar

Value = str | int | float | bytes | None
"""Values that drivers return and accept."""

Operand = Any
"""The value of one placeholder: a `Value`, or a list in the dialect's form."""

Row = tuple[Value, ...]
Rows = list[Row]

T = TypeVar("T")


class Statement(NamedTuple):
    """SQL text and its bound values, in the order of its placeholders.

    Text is made from names of the schema, never from client input. At most ``max_rows`` rows are
    fetched; ``None`` fetches all.
    """

    sql: str
    values: Sequence[Operand] = ()
    max_rows: int | None = None


Program = Generator[Statement, Rows, T]
"""Yields statements, is sent rows, returns a ``T``."""


def run_program(program: Program[T], execute: Callable[[Statement], Rows]) -> T:
    """Run a program on one thread, and return its result; ``execute`` returns a statement's rows.

    Drivers that read content have their own loops, with deadlines or in the event loop. Raises what
    ``execute`` and the program raise.
    """
    try:
        statement = next(program)
        while True:
            statement = program.send(execute(statement))
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]  # the program's own result


LONG_COMPUTATION = Statement("SELECT 1 /* a long computation follows */")
"""Announces a long computation before the next statement, such as mapping many rows.

A driver that runs programs in the event loop runs that part on another thread. It recognizes this
statement by the identity of its text; other drivers execute it, which has no effect. The rows that
are sent for it are ignored.
"""


_WAIT = "SELECT 1 /* the program waits for the event loop */"

Resume = Callable[[], None]
"""Lets a waiting program continue."""


def wait_for_loop(begin: Callable[[Resume], None]) -> Statement:
    """Return a statement at which a writing program waits, with its transaction open.

    The driver calls ``begin`` in the event loop, and continues the program, without rows, when the
    function that ``begin`` got is called; that is once, and in the event loop. An exception of
    ``begin`` ends the program.
    """
    return Statement(_WAIT, (begin,))


def loop_callback(sql: str, values: Sequence[Operand]) -> Callable[[Resume], None] | None:
    """Return the function of a statement of `wait_for_loop`; ``None`` for other statements."""
    return values[0] if sql is _WAIT else None


def is_query(statement: Statement) -> bool:
    """Tell whether the database executes a statement, rather than the driver."""
    return statement.sql is not LONG_COMPUTATION.sql and statement.sql is not _WAIT
