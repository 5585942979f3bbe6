"""A SQLite database in memory (a `Store`)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw

from quire.database.dialects.sqlite.target import SQLITE
from quire.database.program import Program, run_program
from quire.schema.model import Schema
from tests.databases.kind import Row
from tests.databases.store import T, creating


class SqliteStore:
    """See `Store`."""

    kind = SQLITE

    def __init__(self, connection: apsw.Connection | None = None) -> None:
        """Use a connection, or a new database."""
        self.dialect = SQLITE.dialect()
        self.connection = connection or apsw.Connection(":memory:")
        self.connection.execute("PRAGMA foreign_keys = ON")

    def make_tables(self, schema: Schema) -> None:
        """Make the tables of a schema."""
        with self.connection:
            for sql in creating(SQLITE, schema):
                self.connection.execute(sql)

    def run(self, program: Program[T]) -> T:
        """See `Store.run`."""
        return run_program(program, lambda one: self.execute(one.sql, one.values))

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """See `Store.execute`."""
        return self.connection.execute(sql, values).fetchall()

    def records(self, sql: str) -> list[dict[str, Any]]:
        """See `Store.records`."""
        cursor = self.connection.execute(sql)
        try:
            names = [name for name, *_ in cursor.get_description()]
        except apsw.ExecutionCompleteError:
            return []
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def moment(self, milliseconds: int) -> str:
        """See `Store.moment`."""
        return str(milliseconds)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See `Store.transaction`."""
        with self.connection:
            yield

    @contextmanager
    def unwatched(self) -> Iterator[None]:
        """See `Store.unwatched`."""
        self.connection.execute("PRAGMA foreign_keys = OFF")
        yield
        self.connection.execute("PRAGMA foreign_keys = ON")

    def close(self) -> None:
        """See `Store.close`."""
        self.connection.close()
