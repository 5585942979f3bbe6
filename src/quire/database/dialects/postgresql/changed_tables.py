"""Tells which tables differ between two snapshots if only this process has committed.

A transaction that writes a table holds a lock on it until its end, also where a trigger or a
foreign key writes it. So its number and locks are read before it is committed.
"""

from collections.abc import Iterator
from typing import NamedTuple

from quire.database.program import Program, Statement
from quire.database.versioned_cache import Tables

_ALL_TABLES = "*"
"""Stands for all tables."""
_MAX_TRANSACTIONS = 1000
"""How many transactions are remembered."""
_CURRENT_TRANSACTION = Statement(
    """
    SELECT pg_current_xact_id_if_assigned()::text, coalesce(locked.names, '{}')
    FROM (
        SELECT array_agg(
            CASE
                WHEN l.mode = 'RowExclusiveLock' AND c.relkind = 'r' AND NOT c.relispartition
                THEN lower(c.relname::text)
                ELSE '*'
            END
        ) AS names
        FROM pg_locks AS l LEFT JOIN pg_class AS c ON c.oid = l.relation
        WHERE l.locktype = 'relation' AND l.pid = pg_backend_pid()
            AND l.mode NOT IN ('AccessShareLock', 'RowShareLock')
            AND coalesce(c.relkind NOT IN ('i', 'I', 'S', 't'), true)
    ) AS locked
    """
)
"""The number of the transaction, and the tables that it has written or changed."""


class OwnTransaction(NamedTuple):
    """The number of a transaction, and the tables that it writes."""

    number: int
    tables: Tables


def written_program() -> Program[OwnTransaction | None]:
    """Return the present transaction; ``None`` for one that has written nothing."""
    ((number, names),) = yield _CURRENT_TRANSACTION
    if number is None:
        return None
    tables: frozenset[str] = frozenset(names)  # type: ignore[arg-type]  # here it is a list
    return OwnTransaction(int(number), None if _ALL_TABLES in tables else tables)


class OwnTransactions:
    """The last transactions that this process has committed or tried to commit."""

    def __init__(self) -> None:
        self._tables: dict[int, Tables] = {}

    def add(self, transaction: OwnTransaction) -> None:
        """Remember a transaction before it is committed.

        If it is rolled back, its number shows in snapshots as well, and nothing differs.
        """
        while len(self._tables) >= _MAX_TRANSACTIONS:
            del self._tables[next(iter(self._tables))]
        self._tables[transaction.number] = transaction.tables

    def changed_tables(self, previous: str | None, current: str) -> Tables:
        """Return the tables that may differ between two snapshots (``pg_current_snapshot``)."""
        if previous is None:
            return None
        table_names: set[str] = set()
        before, after = _Snapshot.parse(previous), _Snapshot.parse(current)
        if after.next < before.next:
            return None
        for number in _finished_numbers(before, after):
            tables = self._tables.get(number)
            if tables is None:
                return None
            table_names |= tables
        return frozenset(table_names)


class _Snapshot(NamedTuple):
    """A parsed snapshot: the number of the next transaction, and the running ones before it."""

    next: int
    running: frozenset[int]

    @classmethod
    def parse(cls, text: str) -> "_Snapshot":
        _, following, running = text.split(":")
        return cls(int(following), frozenset(map(int, running.split(",") if running else ())))


def _finished_numbers(previous: _Snapshot, current: _Snapshot) -> Iterator[int]:
    """Yield the transactions that were finished between two snapshots."""
    yield from previous.running - current.running
    for number in range(previous.next, current.next):
        if number not in current.running:
            yield number
