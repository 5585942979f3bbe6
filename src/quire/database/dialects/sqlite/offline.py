"""Looks into a SQLite file without changing it: before a start, and beside a running server."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import apsw

from quire.database.dialects.sqlite.driver import SqliteOptions, open_connection
from quire.database.dialects.sqlite.errors import translate
from quire.database.program import Program, Statement

T = TypeVar("T")

_MOST_FAULTS = 20


class ReadOnlyFile:
    """A SQLite file that is only read."""

    def __init__(self, connection: apsw.Connection) -> None:
        """Use :func:`open_readonly`."""
        self._connection = connection

    def run(self, program: Program[T]) -> T:
        """Run a program that only reads. Raises what the server would raise."""
        try:
            statement: Statement = next(program)
            while True:
                rows = self._connection.execute(statement.sql, statement.values).fetchall()
                statement = program.send(rows)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]  # the program's own result
        except apsw.Error as error:
            raise translate(error) from error


@contextmanager
def open_readonly(options: SqliteOptions) -> Iterator[ReadOnlyFile]:
    """Open a file for reading. Raises DatabaseOpenError when it cannot be opened as it is."""
    # Not with the flag for reading alone: then a file that a crash left in the midst of a write
    # could not be opened, because it has to be put right first.
    connection = open_connection(options, readonly=False)
    try:
        connection.execute("PRAGMA query_only = ON")
        yield ReadOnlyFile(connection)
    finally:
        connection.close()


def damage_program() -> Program[tuple[str, ...]]:
    """Look for damage of the file, which reads all of it; returns what was found, a line each."""
    rows = yield Statement(f"PRAGMA quick_check({_MOST_FAULTS})")
    found = tuple(str(line) for (line,) in rows)
    return () if found == ("ok",) else found
