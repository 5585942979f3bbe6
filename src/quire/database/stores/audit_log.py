"""The audit log, one of Quire's own tables.

Rows are added and read, never changed. Those that are too old for ``audit.log_days`` are deleted,
and those of writes as the system that are more than ``audit.system_rows``. The table is created
with the first row.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.quire_tables import QuireTable, QuireTables
from quire.database.stores.row_conditions import (
    Condition,
    any_of,
    eq,
    ge,
    gt,
    is_null,
    le,
    lt,
    starts_with,
)
from quire.database.stores.row_types import BigInt, LongText
from quire.database.versioned_cache import VersionedValue

FILTER_COLUMNS = ("actor", "action", "target")
"""Columns that can be filtered by exact value."""
SYSTEM_ACTION = "documents."
"""The prefix of the actions of writes as the system; those of requests begin with a method."""
_BATCH_SIZE = 1000
"""How many rows are deleted in one transaction: other writers wait for it."""
_IS_BY_SYSTEM = (is_null("actor_id"), starts_with("action", SYSTEM_ACTION))


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
        self._limited_to: VersionedValue[int] = VersionedValue(
            database.versions, frozenset({AUDIT.name})
        )
        """How many rows of writes as the system there are at most."""

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
        await self._delete_in_batches(lt("at", time))

    async def limit_system_rows(self, count: int) -> None:
        """Delete all but the last ``count`` rows of writes as the system.

        Nothing is read if the log has not changed since.
        """
        version = self._database.version()
        if self._limited_to.get(version) == count:
            return
        surplus = await self._database.read(lambda: self._surplus(count))
        if surplus:
            await self._delete_in_batches(*_IS_BY_SYSTEM, le("id", surplus[0].id))
        self._limited_to.set(version, count)

    def _surplus(self, count: int) -> Program[list[AuditRow]]:
        """Return the last row of writes as the system before the last ``count`` ones."""
        if not (yield from self._tables.exists(AUDIT)):
            return []
        return (
            yield from self._table.select(*_IS_BY_SYSTEM, order=("-id",), limit=1, offset=count)
        )

    async def _delete_in_batches(self, *where: Condition) -> None:
        first_id = 0
        while True:
            conditions = (*where, gt("id", first_id))
            last_of_batch = await self._database.read(
                partial(self._table.select, *conditions, limit=1, offset=_BATCH_SIZE - 1)
            )
            if not last_of_batch:
                await self._database.write(self._table.delete(*conditions))
                return
            first_id = last_of_batch[0].id
            await self._database.write(self._table.delete(*conditions, le("id", first_id)))

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
