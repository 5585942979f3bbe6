"""The progress of a copy, stored in the target.

It is written together with the rows that it counts, so an interrupted copy can be resumed.
"""

import sqlalchemy as sa
from msgspec import Struct

from quire.database.copying.pages import compile_expression
from quire.database.dialect import Dialect
from quire.database.program import Program, Statement
from quire.database.tables.ddl import DdlWriter
from quire.database.tables.metadata import ColumnTypes, plain_column
from quire.schema.attributes.base import StorageKind

STATE_TABLE = "quire_copy"
_ORIGIN = ""
"""The name under which the table stores the identifier of the source."""

COPYING, COPIED, FINISHED = "copying", "copied", "finished"


class TableState(Struct, frozen=True):
    """``phase`` is copying, copied (all rows are there) or finished (indexes and keys as well).

    ``last`` is the id of the last copied row.
    """

    phase: str
    last: int | None


class CopyState(Struct, frozen=True):
    """The state table, for databases of one kind."""

    dialect: Dialect

    def create(self, types: ColumnTypes, ddl: DdlWriter, origin: str) -> Program[None]:
        """Create the table and store the identifier of the source."""
        table = sa.Table(
            STATE_TABLE,
            sa.MetaData(),
            plain_column(types, "name", StorageKind.TEXT, nullable=False),
            plain_column(types, "phase", StorageKind.TEXT, nullable=False),
            plain_column(types, "last", StorageKind.BIGINTEGER),
        )
        yield Statement(ddl.create_table(table))
        yield from self.begin(_ORIGIN, origin)

    def begin(self, name: str, phase: str = COPYING) -> Program[None]:
        """Record that the copy of a table has started."""
        yield self._bind(_STATE.insert().values(name=name, phase=phase))

    def reach(self, name: str, phase: str, last: int | None) -> Program[None]:
        """Record the progress of a table."""
        values = {"phase": phase} if last is None else {"phase": phase, "last": last}
        yield self._bind(_STATE.update().values(values).where(_STATE.c.name == name))

    def read(self) -> Program[tuple[str, dict[str, TableState]]]:
        """Return the identifier of the source, and the state of each table."""
        rows = yield self._bind(sa.select(*_STATE.c))
        states = {
            str(name): TableState(str(phase), None if last is None else int(last))
            for name, phase, last in rows
        }
        origin = states.pop(_ORIGIN, TableState("", None))
        return origin.phase, states

    def _bind(self, query: sa.ClauseElement) -> Statement:
        return compile_expression(query, self.dialect).bind()


_STATE = sa.table(
    STATE_TABLE,
    sa.column("name", sa.Text()),
    sa.column("phase", sa.Text()),
    sa.column("last", sa.BigInteger()),
)
