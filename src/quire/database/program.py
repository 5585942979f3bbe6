"""Work for a database, without any input or output of its own.

A *program* is a generator: it yields statements, is sent their rows, and returns its result. It
does not know whether a driver answers at once (SQLite) or after a wait (PostgreSQL), on which
thread, or inside which transaction; `Database.read` and `Database.write` decide that. Programs are
composed with ``yield from``.
"""

from collections.abc import Generator, Sequence
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
