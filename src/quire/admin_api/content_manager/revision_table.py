"""The history of entries, with the tables that writes of administrators need."""

from msgspec import Struct

from quire.content_manager.revisions import RevisionLog
from quire.database.stores.entry_stages import ENTRY_STAGES
from quire.database.stores.quire_tables import QuireTables
from quire.database.stores.revisions import REVISIONS


class RevisionHistory(Struct, frozen=True):
    """A history, and the creation of its tables."""

    history: RevisionLog
    tables: QuireTables

    async def ready(self) -> RevisionLog:
        """Return the history once it can be written, and review stages can be read.

        Raises ServiceUnavailableError.
        """
        if self.history.max_revisions:
            await self.tables.ensure(REVISIONS)
        await self.tables.ensure(ENTRY_STAGES)
        return self.history
