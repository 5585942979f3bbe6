"""Replaces the content version of a server that other tests use as well.

The setting that is followed is the default locale of the recorded project.
"""

from quire.database.dialects.postgresql.content_version import PostgresContentVersion, Snapshot
from quire.database.dialects.postgresql.driver import PostgresDatabase
from quire.database.interface import Database
from quire.database.program import Statement


class Commits:
    """Nobody has committed anything but what is counted here."""

    def __init__(self) -> None:
        self.count = 0

    async def snapshot(self, _: Statement | None) -> Snapshot:
        return Snapshot(f"{self.count}:{self.count}:", '"en"')

    def tell(self, database: Database) -> None:
        """Let a database go by this, if it is one on PostgreSQL."""
        if isinstance(database, PostgresDatabase):
            database._content_version = PostgresContentVersion(self.snapshot)  # noqa: SLF001 - nothing else leads there
