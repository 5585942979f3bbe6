"""Loads rows into a new SQLite file, in any order."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import apsw

from quire.database.dialects.sqlite.errors import translate
from quire.database.dialects.sqlite.file_handles import (
    SqliteOptions,
    create_empty_file,
    open_connection,
    open_error,
)
from quire.database.dialects.sqlite.readonly_inspection import SqliteFile
from quire.database.program import Program

T = TypeVar("T")


class BulkLoadFile(SqliteFile):
    """A SQLite file that only one program writes to, for initial rows."""

    async def write(self, program: Program[T]) -> T:
        """Run a program in one transaction: all of it is committed, or nothing."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            result = await self.run(program)
            self._connection.execute("COMMIT")
        except apsw.Error as error:
            raise translate(error) from error
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        return result


@contextmanager
def open_for_bulk_load(options: SqliteOptions) -> Iterator[BulkLoadFile]:
    """Open a file, and create it if there is none. Raises DatabaseOpenError on failure.

    Foreign keys are not checked. Committed transactions survive a crash of the machine completely
    or not at all.
    """
    create_empty_file(options.path)
    connection = open_connection(options, readonly=False)
    try:
        try:
            for pragma in ("foreign_keys = OFF", "journal_mode = WAL", "synchronous = NORMAL"):
                connection.execute(f"PRAGMA {pragma}").fetchall()
        except apsw.Error as error:
            raise open_error(options.path, error) from error
        yield BulkLoadFile(connection)
    finally:
        connection.close()
