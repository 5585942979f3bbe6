"""The statistics of SQLite: what ``ANALYZE`` has found, in the table ``sqlite_stat1``."""

from collections.abc import Mapping, Sequence

from quire.database.dialects.sqlite.ddl import quote
from quire.database.program import Program, Statement

_KNOWN = "SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat1'"
_ROWS = "SELECT tbl, max(CAST(stat AS INTEGER)) FROM sqlite_stat1 GROUP BY tbl"
_ROWS_OF_AN_INDEX = 1000
"""How many rows of each index are looked at."""


class SqliteStatistics:
    """See `quire.database.statistics.Statistics`."""

    def row_counts(self) -> Program[Mapping[str, int]]:
        """See `Statistics.row_counts`."""
        if (yield Statement(_KNOWN)) == [(0,)]:
            return {}
        rows = yield Statement(_ROWS)
        return {str(table): int(count or 0) for table, count in rows}

    def gather(self, table: str) -> Sequence[str]:
        """See `Statistics.gather`."""
        return (f"PRAGMA analysis_limit = {_ROWS_OF_AN_INDEX}", f"ANALYZE {quote(table)}")
