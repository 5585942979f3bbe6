"""The last ids that SQLite assigned, per table."""

from collections.abc import Mapping

from quire.database.program import Program, Statement

_KNOWN = "SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_sequence'"
_READ = "SELECT name, seq FROM sqlite_sequence"
_RAISE = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?"
_ADD = """
INSERT INTO sqlite_sequence (name, seq)
SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
"""


class SqliteCounters:
    """See `quire.database.target.Counters`."""

    def read(self) -> Program[Mapping[str, int]]:
        """Return the highest id that each table has given."""
        if (yield Statement(_KNOWN)) == [(0,)]:
            return {}
        rows = yield Statement(_READ)
        return {str(name): int(highest or 0) for name, highest in rows}

    def raise_to(self, table: str, highest: int) -> Program[None]:
        """Let the next id of a table be higher than this."""
        yield Statement(_RAISE, (highest, table))
        yield Statement(_ADD, (table, highest))
