"""The table of schedules: their next due times, shared by all server processes."""

from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.stores.quire_tables import QuireTable
from quire.database.stores.row_conditions import eq
from quire.database.stores.row_types import BigInt


class StoredSchedule(Struct, frozen=True, kw_only=True):
    """A schedule as stored; ``last_due`` is the due time of the last run.

    Both are epoch milliseconds.
    """

    id: int = 0
    name: str
    expression: str
    next_due: BigInt
    last_due: BigInt | None = None


SCHEDULES = QuireTable(
    name="quire_schedules",
    row=StoredSchedule,
    indexes={"quire_schedules_name": ("name",)},
    unique=("quire_schedules_name",),
)


class ScheduleRows:
    """Programs that write and read schedules."""

    def __init__(self, writes: Writes) -> None:
        self._table = SCHEDULES.open(writes)

    def find(self, name: str) -> Program[StoredSchedule | None]:
        """Return a schedule by its name."""
        return (yield from self._table.first(eq("name", name)))

    def add(self, name: str, expression: str, next_due: int) -> Program[None]:
        """Add a new schedule. Raises ValidationError when another process has just added it."""
        row = StoredSchedule(name=name, expression=expression, next_due=next_due)
        yield from self._table.insert(row)

    def change(self, row_id: int, expression: str, next_due: int) -> Program[None]:
        """Change the due time of a schedule."""
        changes = {"expression": expression, "next_due": next_due}
        yield from self._table.update(changes, eq("id", row_id))

    def advance(self, schedule: StoredSchedule, *, last_due: int, next_due: int) -> Program[bool]:
        """Move a schedule on to its next due time; tells whether no other process has done so."""
        changes = {"next_due": next_due, "last_due": last_due}
        unmoved = (eq("id", schedule.id), eq("next_due", schedule.next_due))
        return bool((yield from self._table.changed(changes, *unmoved)))
