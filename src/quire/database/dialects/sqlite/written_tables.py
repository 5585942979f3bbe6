"""Tells which tables a transaction writes.

While SQLite prepares a statement, it calls the authorizer for every table that the statement
writes, also by triggers and foreign key actions.
"""

from collections.abc import Sequence

import apsw

from quire.database.content_versions import Tables
from quire.database.program import Operand

_ANYTHING = "*"
"""Stands for all tables."""
_STATEMENTS = 10_000
"""How many statements are remembered with their tables."""
_READS = frozenset(
    {
        apsw.SQLITE_FUNCTION,
        apsw.SQLITE_READ,
        apsw.SQLITE_RECURSIVE,
        apsw.SQLITE_SAVEPOINT,
        apsw.SQLITE_SELECT,
        apsw.SQLITE_TRANSACTION,
    }
)
_WRITES = frozenset({apsw.SQLITE_DELETE, apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE})
_READING_PRAGMAS = frozenset({"foreign_key_list", "index_info", "index_list", "table_info"})
_OF_SQLITE = "sqlite_"


class WrittenTables:
    """Executes the statements of a connection and collects the tables that they write."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute = connection.execute
        self._written: set[str] = set()
        self._prepared: set[str] = set()
        """The tables of statements that were prepared since `begin`."""
        self._by_statement: dict[str, frozenset[str]] = {}
        connection.authorizer = self._note

    def begin(self) -> None:
        """Forget the tables of former transactions."""
        self._written.clear()

    def tables(self) -> Tables:
        """Return the tables that the statements since `begin` write."""
        return None if _ANYTHING in self._written else frozenset(self._written)

    def execute(self, sql: str, values: Sequence[Operand]) -> apsw.Cursor:
        """Execute a statement. Raises apsw.Error."""
        known = self._by_statement.get(sql)
        prepared = self._prepared
        prepared.clear()
        # An already prepared statement would not call the authorizer again.
        cursor = self._execute(sql, values, can_cache=known is not None)
        # SQLite prepares statements again by itself when tables or triggers have changed.
        if known is None or prepared:
            if len(self._by_statement) >= _STATEMENTS:
                self._by_statement.clear()
            known = self._by_statement[sql] = frozenset(prepared).union(known or ())
        self._written |= known
        return cursor

    def _note(
        self, action: int, first: str | None, _second: str | None, _schema: str | None, _by: object
    ) -> int:
        """Record an action of a statement that is being prepared."""
        if action in _READS:
            return apsw.SQLITE_OK
        table = (first or "").lower()
        if action in _WRITES and not table.startswith(_OF_SQLITE):
            self._prepared.add(table)
        elif action != apsw.SQLITE_PRAGMA or table not in _READING_PRAGMAS:
            self._prepared.add(_ANYTHING)
        return apsw.SQLITE_OK
