"""Records changes in the table of revisions, which is created when it is first needed."""

from msgspec import Struct

from quire.content_manager.revisions import RevisionLog
from quire.database.stores.revisions import REVISIONS
from quire.database.stores.table import OwnTables


class RevisionHistory(Struct, frozen=True):
    """A history, and what makes its table."""

    history: RevisionLog
    tables: OwnTables

    async def ready(self) -> RevisionLog:
        """Return the history once it can be written to. Raises ServiceUnavailableError."""
        if self.history.most:
            await self.tables.ensure(REVISIONS)
        return self.history
