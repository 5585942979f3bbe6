"""Statistics of PostgreSQL, which renews them by itself (autovacuum), but not at once."""

from collections.abc import Mapping, Sequence

from quire.database.dialects.postgresql.ddl import quote
from quire.database.program import Program


class PostgresStatistics:
    """See `quire.database.statistics.Statistics`."""

    def row_counts(self) -> Program[Mapping[str, int]]:
        """See `Statistics.row_counts`."""
        yield from ()
        return {}

    def gather(self, table: str) -> Sequence[str]:
        """See `Statistics.gather`."""
        return (f"ANALYZE {quote(table)}",)
