"""Records the statements that a database driver runs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw
import pytest

from quire.database.dialects.postgresql.connection import PostgresConnection
from quire.database.program import Operand, Rows

_HOUSEKEEPING = (
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "PRAGMA",
    "SELECT count(*) FROM sqlite_master",
    "SELECT pg_current_snapshot()",
    "EXPLAIN",
    "/* what it costs */",
)


class StatementLog:
    """The statements that were run, but for transactions and what the driver asks for itself."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def note(self, sql: str) -> None:
        """Write down a statement."""
        if not sql.startswith(_HOUSEKEEPING):
            self.statements.append(sql)

    def since(self, position: int) -> Sequence[str]:
        """Return the statements from a position on."""
        return self.statements[position:]


@contextmanager
def log_statements() -> Iterator[StatementLog]:
    """Note what is run on connections that are opened within the block."""
    log = StatementLog()

    def trace(_cursor: apsw.Cursor, sql: str, _values: Any) -> bool:  # noqa: ANN401 - a hook
        log.note(sql)
        return True

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = trace

    opened: set[PostgresConnection] = set()
    set_up, run = PostgresConnection.watch, PostgresConnection.rows

    def began(connection: PostgresConnection) -> None:
        opened.add(connection)
        set_up(connection)

    async def noted(
        connection: PostgresConnection, sql: str, values: Sequence[Operand], most: int | None
    ) -> Rows:
        if connection in opened:
            log.note(sql)
        return await run(connection, sql, values, most)

    apsw.connection_hooks.append(watch)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(PostgresConnection, "watch", began)
            patch.setattr(PostgresConnection, "rows", noted)
            yield log
    finally:
        apsw.connection_hooks.remove(watch)


@contextmanager
def assert_statements(log: StatementLog, expected: int) -> Iterator[None]:
    """Fail unless exactly so many statements are run within the block."""
    before = len(log.statements)
    yield
    ran = log.since(before)
    assert len(ran) == expected, "\n".join([f"{len(ran)} statements, not {expected}:", *ran])
