"""A PostgreSQL database that is emptied after each test (a `Store`)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from quire.database.dialects.postgresql.connection import (
    PostgresConnection,
    PostgresOptions,
    open_connection,
)
from quire.database.dialects.postgresql.target import PostgresTarget
from quire.database.program import Program
from tests.databases.kind import Row
from tests.databases.numbered import numbered
from tests.databases.store import T
from tests.postgresql.session import wait

_RESTART = """
SELECT setval(c.oid, 1, false) FROM pg_class AS c
WHERE c.relkind = 'S' AND c.relnamespace = 'public'::regnamespace
"""


class PostgresqlStore:
    """See `Store`. All of a test is one transaction, which is taken back at its end."""

    def __init__(self, url: str) -> None:
        """The tables are there; nobody else uses the database."""
        options = PostgresOptions(dsn=url)
        self.kind = PostgresTarget(options).kind
        self.dialect = self.kind.dialect()
        self._connection: PostgresConnection = wait(open_connection(options))
        self._depth = 0

    def begin(self, *, restart: bool) -> None:
        """Begin the transaction; with ``restart`` the next ids are 1."""
        self._send("BEGIN")
        if restart:
            self._send(_RESTART)

    def run(self, program: Program[T]) -> T:
        """See `Store.run`."""
        return wait(self._connection.run(program))

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """See `Store.execute`."""
        return [tuple(row) for row in self._fetch(sql, values)]

    def records(self, sql: str) -> list[dict[str, Any]]:
        """See `Store.records`."""
        return [dict(row) for row in self._fetch(sql, ())]

    def moment(self, milliseconds: int) -> str:
        """See `Store.moment`."""
        return f"(to_timestamp({milliseconds} / 1000.0) AT TIME ZONE 'UTC')"

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See `Store.transaction`."""
        self._depth += 1
        name = f"test_{self._depth}"
        self._send(f"SAVEPOINT {name}")
        try:
            yield
        except BaseException:
            self._send(f"ROLLBACK TO {name}")
            raise
        finally:
            self._send(f"RELEASE {name}")
            self._depth -= 1

    @contextmanager
    def unwatched(self) -> Iterator[None]:
        """See `Store.unwatched`."""
        self._send("SET LOCAL session_replication_role = replica")
        yield
        self._send("SET LOCAL session_replication_role = DEFAULT")

    def close(self) -> None:
        """Take back whatever was done; the database can be used again."""
        self._send("ROLLBACK")

    def _end(self) -> None:
        wait(self._connection.close())

    def _fetch(self, sql: str, values: Sequence[object]) -> list[Any]:
        return cast("list[Any]", wait(self._connection.fetch(numbered(sql), *values)))

    def _send(self, sql: str) -> None:
        wait(self._connection.execute(sql))
