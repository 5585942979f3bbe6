"""An account of the statements that a database driver runs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw

_HOUSEKEEPING = ("BEGIN", "COMMIT", "ROLLBACK", "PRAGMA", "SELECT count(*) FROM sqlite_master")


class StatementLog:
    """The statements that were run, but for transactions and what the driver asks for itself."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def note(self, _cursor: apsw.Cursor, sql: str, _values: Any) -> bool:  # noqa: ANN401 - a hook
        """Write down a statement, and let it run."""
        if not sql.startswith(_HOUSEKEEPING):
            self.statements.append(sql)
        return True

    def since(self, position: int) -> Sequence[str]:
        """Return the statements from a position on."""
        return self.statements[position:]


@contextmanager
def log_statements() -> Iterator[StatementLog]:
    """Note what is run on connections that are opened within the block."""
    log = StatementLog()

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = log.note

    apsw.connection_hooks.append(watch)
    try:
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
