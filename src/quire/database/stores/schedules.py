"""The table of schedules: when each of them is due next, in all server processes together."""

from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program, Value
from quire.database.stores.table import OwnTable
from quire.schema.attributes.base import StorageKind

_NAME = "quire_schedules"
SCHEDULES = OwnTable(
    name=_NAME,
    columns={
        "name": StorageKind.STRING,
        "expression": StorageKind.STRING,
        "next_due": StorageKind.BIGINTEGER,
        "last_due": StorageKind.BIGINTEGER,
    },
    indexes={"quire_schedules_name": ("name",)},
    unique=("quire_schedules_name",),
)


class StoredSchedule(Struct, frozen=True, kw_only=True):
    """A row; ``last_due`` is the due time that was run for last. Both are epoch milliseconds."""

    id: int
    name: str
    expression: str
    next_due: int
    last_due: int | None


class ScheduleRows:
    """Programs that write and read schedules."""

    def __init__(self, writes: Writes) -> None:
        self._writes = writes

    def find(self, name: str) -> Program[StoredSchedule | None]:
        """Return a schedule by its name."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            columns = (table.c(column) for column in ("id", *SCHEDULES.columns))
            chosen = sa.select(*columns).select_from(table.source)
            return chosen.where(table.c("name") == builder.plain_slot(0))

        rows = yield from self._writes.run((_NAME, "find"), build, (name,))
        if not rows:
            return None
        values: dict[str, Any] = dict(zip(("id", *SCHEDULES.columns), rows[0], strict=True))
        return StoredSchedule(**values)

    def add(self, name: str, expression: str, next_due: int) -> Program[None]:
        """Store a new schedule. Raises ValidationError when another process has just done so."""
        row: dict[str, Value] = {"name": name, "expression": expression, "next_due": next_due}
        yield from self._writes.insert(_NAME, row)

    def change(self, row_id: int, expression: str, next_due: int) -> Program[None]:
        """Let a schedule be due at another time."""
        row: dict[str, Value] = {"expression": expression, "next_due": next_due}
        yield from self._writes.update(_NAME, row_id, row)

    def advance(self, found: StoredSchedule, *, last_due: int, next_due: int) -> Program[bool]:
        """Move a schedule on to its next due time; tells whether nobody has done so before."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            names = ("id", *SCHEDULES.columns)
            taken = sa.table(_NAME, *(sa.column(column) for column in names))
            change = sa.update(taken).values(
                next_due=builder.plain_slot(0), last_due=builder.plain_slot(1)
            )
            here = taken.c.id == builder.plain_slot(2)
            unmoved = taken.c.next_due == builder.plain_slot(3)
            return change.where(here, unmoved).returning(taken.c.id)

        values = (next_due, last_due, found.id, found.next_due)
        return bool((yield from self._writes.run((_NAME, "advance"), build, values)))
