"""The audit log, one of Quire's own tables.

Rows are added and read, never changed; those that are too old for ``audit.log_days`` are deleted.
The table is created with the first row.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.quire_tables import QuireTable, QuireTables
from quire.database.stores.row_conditions import any_of, eq, ge, lt, starts_with
from quire.database.stores.row_types import BigInt, LongText

FILTER_COLUMNS = ("actor", "action", "target")
"""Columns that can be filtered by exact value."""


class AuditRow(Struct, frozen=True, kw_only=True):
    """An action, successful or not; ``at`` is epoch milliseconds, ``place`` an IP address."""

    at: BigInt
    actor_id: int | None
    actor: LongText
    action: LongText
    target: LongText
    details: LongText
    status: int
    place: LongText
    id: int = 0


AUDIT = QuireTable(name="quire_audit", row=AuditRow)


class AuditQuery(Struct, frozen=True, kw_only=True):
    """A query of the log, latest rows first; ``before`` is the id of the last known row."""

    values: Mapping[str, str]
    limit: int
    before: int | None = None
    since: int | None = None
    until: int | None = None
    type: str | None = None
    """The uid of a content type: actions on it and on its entries."""


class AuditLog:
    """Adds rows and reads them."""

    def __init__(self, database: Database, writes: Writes, tables: QuireTables) -> None:
        self._database = database
        self._table = AUDIT.open(writes)
        self._tables = tables

    async def ready(self) -> None:
        """Ensure that rows can be added. Raises ServiceUnavailableError."""
        await self._tables.ensure(AUDIT)

    async def add(self, row: AuditRow) -> None:
        """Add a row."""
        await self.ready()
        await self._database.write(self.insert(row))

    def insert(self, row: AuditRow) -> Program[None]:
        """Return a program that adds a row, for the transaction of the recorded change."""
        yield from self._table.insert(row)

    def add_in_transaction(self, rows: Sequence[AuditRow]) -> Program[None]:
        """Add rows in the transaction of what they record, and the table if it is missing."""
        yield from self._tables.ensure_in_transaction(AUDIT)
        yield from self._table.insert_many(rows)

    async def delete_before(self, time: int) -> None:
        """Delete the rows of before a time, in epoch milliseconds."""
        await self.ready()
        await self._database.write(self._table.delete(lt("at", time)))

    async def find(self, query: AuditQuery) -> list[AuditRow]:
        """Return the rows of a query."""
        await self.ready()
        return await self._database.read(lambda: self._select_rows(query))

    def _select_rows(self, query: AuditQuery) -> Program[list[AuditRow]]:
        conditions = [
            eq(name, query.values[name]) for name in FILTER_COLUMNS if name in query.values
        ]
        if query.before is not None:
            conditions.append(lt("id", query.before))
        if query.since is not None:
            conditions.append(ge("at", query.since))
        if query.until is not None:
            conditions.append(lt("at", query.until))
        if query.type is not None:
            is_entry_of_type = starts_with("target", f"{query.type}/")
            conditions.append(any_of(eq("target", query.type), is_entry_of_type))
        return (yield from self._table.select(*conditions, order=("-id",), limit=query.limit))
