"""Standing in for what the server says of who has committed, since others use it as well."""

from quire.database.connection import Database
from quire.database.dialects.postgresql.driver import PostgresDatabase
from quire.database.dialects.postgresql.presence import Presence


class Commits:
    """Nobody has committed anything but what is counted here."""

    def __init__(self) -> None:
        self.count = 0

    async def told(self) -> str:
        return f"{self.count}:{self.count}:"

    def tell(self, database: Database) -> None:
        """Let a database go by this, if it is one on PostgreSQL."""
        if isinstance(database, PostgresDatabase):
            database._presence = Presence(self.told)  # noqa: SLF001 - nothing else leads there
