"""Tells which tables a transaction writes, and which differ between two states of this process.

While SQLite prepares a statement, it calls the authorizer for every table that the statement
writes, also by triggers and foreign key actions.

A state is identified by the head of the WAL-index, which counts all commits, without the parts that
checkpoints change. The writer thread holds the write lock from the beginning of a transaction to
its commit. So the state at its beginning is followed by the one after its own commit, if the head
then counts one commit more.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import apsw

from quire.database.dialects.sqlite.wal_index import WalIndex, commits_of, is_begun_anew
from quire.database.program import Operand
from quire.database.versioned_cache import Tables

_ALL_TABLES = "*"
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
_INTERNAL_PREFIX = "sqlite_"


class WriteTracker:
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
        return None if _ALL_TABLES in self._written else frozenset(self._written)

    def execute(self, sql: str, values: Sequence[Operand]) -> apsw.Cursor:
        """Execute a statement. Raises apsw.Error."""
        tables = self._by_statement.get(sql)
        prepared = self._prepared
        prepared.clear()
        # An already prepared statement would not call the authorizer again.
        cursor = self._execute(sql, values, can_cache=tables is not None)
        # SQLite prepares statements again by itself when tables or triggers have changed.
        if tables is None or prepared:
            if len(self._by_statement) >= _STATEMENTS:
                self._by_statement.clear()
            tables = self._by_statement[sql] = frozenset(prepared).union(tables or ())
        self._written |= tables
        return cursor

    def _note(
        self, action: int, first: str | None, _second: str | None, _schema: str | None, _by: object
    ) -> int:
        """Record an action of a statement that is being prepared."""
        if action in _READS:
            return apsw.SQLITE_OK
        table = (first or "").lower()
        if action in _WRITES and not table.startswith(_INTERNAL_PREFIX):
            self._prepared.add(table)
        elif action != apsw.SQLITE_PRAGMA or table not in _READING_PRAGMAS:
            self._prepared.add(_ALL_TABLES)
        return apsw.SQLITE_OK


_MAX_COMMITS = 1000
"""How many commits are remembered that nobody has asked for."""
_PATIENCE_S = 0.05
"""How long the event loop waits at most for a visible commit to be recorded."""


class OwnCommits:
    """The commits of this process, recorded by the writer thread and read in the event loop."""

    def __init__(self, index: WalIndex) -> None:
        self._index = index
        self._after: dict[bytes, tuple[bytes, Tables]] = {}
        """By state: the next state, and the tables that differ."""
        self._visible = threading.Lock()
        """Held from before a commit until it is recorded."""
        self._before: bytes | None = None
        """The state before the running commit."""
        self._begun_anew: bytes | None = None
        """The last seen state before that commit, if the log was restarted in it."""

    def state(self) -> bytes | None:
        """Return the present state; ``None`` while it is unknown."""
        return self._index.state()

    @contextmanager
    def committing(self, before: bytes | None, tables: Tables) -> Iterator[None]:
        """Record the commit that the block makes: of ``tables``, after a state.

        The caller has held the write lock since before it read the state.
        """
        if before is None:
            yield
            return
        with self._visible:
            self._before = before
            try:
                yield
                after = self.state()
                if after is not None and commits_of(after) == commits_of(before) + 1:
                    self._note(before, after, tables)
            finally:
                self._before = None

    def _note(self, before: bytes, after: bytes, tables: Tables) -> None:
        if len(self._after) >= _MAX_COMMITS:
            self._after.clear()
        self._after[before] = after, tables
        begun_anew = self._begun_anew
        if begun_anew is not None and is_begun_anew(before, begun_anew):
            self._after[begun_anew] = after, tables

    def changed_tables(self, before: bytes | None, after: bytes | None) -> Tables:
        """Return the tables that may differ between two states, an earlier and a later one."""
        if before is None or after is None:
            return None
        tables: set[str] = set()
        while before != after:
            if before == self._before and is_begun_anew(before, after):
                # Only the writer of this process can have done so.
                self._begun_anew = before = after
                continue
            step = self._after.pop(before, None) or self._take_recorded_step(before, after)
            if step is None or step[1] is None:
                return None
            before = step[0]
            tables |= step[1]
        return frozenset(tables)

    def _take_recorded_step(self, before: bytes, after: bytes) -> tuple[bytes, Tables] | None:
        """Return the step after a state, once a visible commit is recorded."""
        expected = self._before
        is_visible = expected is not None and commits_of(after) == commits_of(expected) + 1
        if is_visible and self._visible.acquire(timeout=_PATIENCE_S):
            self._visible.release()
        return self._after.pop(before, None)
