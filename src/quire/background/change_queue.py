"""The outbox of changes, for whoever writes: rows are part of the transaction of the change."""

from collections.abc import Callable, Sequence

from quire.database.program import Program
from quire.database.stores.changes import CHANGES, ChangeRows, StoredChange
from quire.database.stores.own_tables import OwnTables


class ChangeQueue:
    """Stores changes within transactions of others."""

    def __init__(self, rows: ChangeRows, tables: OwnTables) -> None:
        self.rows = rows
        self.tables = tables
        self.added: Callable[[], None] = lambda: None
        """Is called when a change is durable."""

    async def prepare(self) -> None:
        """Make the table, unless it is there. Raises ServiceUnavailableError.

        Two transactions that make the table at the same time exclude one another.
        """
        await self.tables.ensure(CHANGES)

    def add(
        self, changes: Sequence[StoredChange], superseding: frozenset[str], now: int
    ) -> Program[None]:
        """Store changes; those of the listeners in ``superseding`` replace older ones."""
        yield from self.tables.ensure_in_transaction(CHANGES)
        newest: dict[object, StoredChange] = {}
        for place, change in enumerate(changes):
            is_only = change.listener in superseding
            same = (change.listener, change.document_id, change.locale) if is_only else place
            newest.pop(same, None)
            newest[same] = change
        # In one order, so that two transactions never wait for one another here.
        for change in sorted(newest.values(), key=lambda one: (one.listener, one.document_id)):
            if change.listener in superseding:
                yield from self.rows.supersede(change, now)
        yield from self.rows.add(list(newest.values()), now)
