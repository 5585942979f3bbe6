"""The audit log, a table of Quire's own.

Rows are added and read, never changed or deleted. The table is made when the first row comes; the
reference server leaves tables alone that it does not know.
"""

from collections.abc import Mapping

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.connection import Database
from quire.database.program import Program, Row, Value
from quire.database.stores.table import OwnTable, OwnTables
from quire.schema.attributes.base import StorageKind

AUDIT_TABLE = "quire_audit"
_COLUMNS: Mapping[str, StorageKind] = {
    "at": StorageKind.BIGINTEGER,
    "actor_id": StorageKind.INTEGER,
    "actor": StorageKind.TEXT,
    "action": StorageKind.TEXT,
    "target": StorageKind.TEXT,
    "details": StorageKind.TEXT,
    "status": StorageKind.INTEGER,
    "place": StorageKind.TEXT,
}
_TABLE = OwnTable(name=AUDIT_TABLE, columns=_COLUMNS)
FILTERED = ("actor", "action", "target")
"""Columns that can be asked for by their exact value."""
_LIKE_ESCAPE = str.maketrans({sign: f"\\{sign}" for sign in "\\%_"})


class AuditRow(Struct, frozen=True, kw_only=True):
    """Something that was done, or tried; ``at`` is epoch milliseconds, ``place`` an address."""

    at: int
    actor_id: int | None
    actor: str
    action: str
    target: str
    details: str
    status: int
    place: str
    id: int = 0


class AuditQuery(Struct, frozen=True, kw_only=True):
    """Which rows are wanted, the latest first; ``before`` is the id of a row that is known."""

    values: Mapping[str, str]
    limit: int
    before: int | None = None
    since: int | None = None
    until: int | None = None
    type: str | None = None
    """The uid of a content type: what was done to it and to its entries."""


class AuditLog:
    """Adds rows and reads them."""

    def __init__(self, database: Database, writes: Writes, tables: OwnTables) -> None:
        self._database = database
        self._writes = writes
        self._tables = tables

    async def ready(self) -> None:
        """See to it that rows can be added. Raises ServiceUnavailableError."""
        await self._tables.ensure(_TABLE)

    async def add(self, row: AuditRow) -> None:
        """Add a row."""
        await self.ready()
        await self._database.write(self.added(row))

    def added(self, row: AuditRow) -> Program[None]:
        """Return what adds a row, for the transaction of the change that it tells of."""
        values = {name: getattr(row, name) for name in _COLUMNS}
        yield from self._writes.insert(AUDIT_TABLE, values)

    async def find(self, query: AuditQuery) -> list[AuditRow]:
        """Return the rows that a query asks for."""
        await self._tables.ensure(_TABLE)
        return await self._database.read(lambda: self._found(query))

    def _found(self, query: AuditQuery) -> Program[list[AuditRow]]:
        bounds = {"before": query.before, "since": query.since, "until": query.until}
        asked = [name for name in FILTERED if name in query.values]
        limited = [name for name, value in bounds.items() if value is not None]

        of_type: list[Value] = []
        if query.type is not None:
            of_type = [query.type, f"{query.type.translate(_LIKE_ESCAPE)}/%"]
        bounded = len(asked) + len(limited)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(AUDIT_TABLE)
            comparisons = {
                "before": lambda bind: table.c("id") < bind,
                "since": lambda bind: table.c("at") >= bind,
                "until": lambda bind: table.c("at") < bind,
            }
            where = [table.c(name) == builder.plain_slot(slot) for slot, name in enumerate(asked)]
            where += [
                comparisons[name](builder.plain_slot(len(asked) + slot))
                for slot, name in enumerate(limited)
            ]
            if query.type is not None:
                itself, inside = (builder.plain_slot(bounded + at) for at in range(2))
                target = table.c("target")
                where.append(sa.or_(target == itself, target.like(inside, escape="\\")))
            columns = [table.c(name) for name in ("id", *_COLUMNS)]
            chosen = sa.select(*columns).where(*where).order_by(table.c("id").desc())
            return chosen.limit(builder.plain_slot(bounded + len(of_type)))

        values = [query.values[name] for name in asked]
        bound = [bounds[name] for name in limited]
        key = ("audit", *asked, "", *limited, "", len(of_type))
        rows = yield from self._writes.run(key, build, (*values, *bound, *of_type, query.limit))
        return [_row(row) for row in rows]


def _row(row: Row) -> AuditRow:
    id_, at, actor_id, actor, action, target, details, status, place = row
    return AuditRow(
        id=int(id_ or 0),
        at=int(at or 0),
        actor_id=None if actor_id is None else int(actor_id),
        actor=str(actor or ""),
        action=str(action or ""),
        target=str(target or ""),
        details=str(details or ""),
        status=int(status or 0),
        place=str(place or ""),
    )
