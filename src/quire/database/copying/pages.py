"""Reads and writes the rows of a table page by page."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.selectable import Select

from quire.database.copying.plan import ID, CopiedTable
from quire.database.dialect import Dialect
from quire.database.program import Program, Row, Rows, Statement, Value

_MAX_VALUES = 15_000
"""Bound values per statement; both databases accept twice as many."""
_MAX_ROWS = 500
_PLACEHOLDER = re.compile(r"\$(\d+)")


class NamedStatement(NamedTuple):
    """A statement with named parameters."""

    sql: str
    names: tuple[str, ...]
    defaults: Mapping[str, Value]

    def bind(self, **values: Value) -> Statement:
        """Bind values; parameters without one keep the value of the expression."""
        return Statement(
            self.sql, tuple(values.get(name, self.defaults.get(name)) for name in self.names)
        )


def compile_expression(query: sa.ClauseElement, dialect: Dialect) -> NamedStatement:
    """Return an expression as a statement of a database."""
    compiled = query.compile(dialect=dialect.sqlalchemy_dialect())
    if not isinstance(compiled, SQLCompiler):
        raise TypeError(f"{query} has no values")
    return NamedStatement(str(compiled), tuple(compiled.positiontup or ()), compiled.params)


class TablePages:
    """Reads and writes the rows of one table in a database of one kind."""

    def __init__(self, copied: CopiedTable, dialect: Dialect) -> None:
        """The table exists, on whichever side this is."""
        self.copied = copied
        self._dialect = dialect
        self._table = sa.table(copied.name, *(sa.column(name) for name in copied.columns))
        self._read = [
            dialect.exact(column) if column.name in copied.exact else column
            for column in self._table.c
        ]

    def count(self) -> Program[int]:
        """Count the rows."""
        query = sa.select(sa.func.count()).select_from(self._table)
        rows = yield self._compile(query).bind()
        return int(rows[0][0] or 0)

    def read(self, after: int | None, size: int) -> Program[Rows]:
        """Read the rows after an id in the order of ids; ``None`` starts at the first one.

        The rows of a table without ids are all returned at once.
        """
        if not self.copied.identified:
            return (yield self._select_all.bind())
        if after is None:
            return (yield self._select_first_page.bind(size=size))
        return (yield self._select_next_page.bind(after=after, size=size))

    def write(self, rows: Sequence[Row]) -> Program[None]:
        """Insert rows, many with one statement."""
        width = len(self.copied.columns)
        batch_size = min(_MAX_ROWS, max(1, _MAX_VALUES // width))
        for start in range(0, len(rows), batch_size):
            batch = rows[start : start + batch_size]
            values = tuple(value for row in batch for value in row)
            yield Statement(self._insert(len(batch)), values)

    def last_id(self, rows: Sequence[Row]) -> int | None:
        """Return the id after which the next page starts."""
        if not (rows and self.copied.identified):
            return None
        return parse_id(rows[-1][self._id])

    def name_of(self, row: Row) -> str:
        """Name a row for people."""
        row_name = f"row {parse_id(row[self._id])}" if self.copied.identified else "a row"
        return f"{row_name} of {self.copied.name}"

    @cached_property
    def _id(self) -> int:
        return list(self.copied.columns).index(ID)

    @cached_property
    def _select_all(self) -> NamedStatement:
        return self._compile(sa.select(*self._read))

    @cached_property
    def _select_first_page(self) -> NamedStatement:
        return self._compile(self._select_ordered())

    @cached_property
    def _select_next_page(self) -> NamedStatement:
        after_id: sa.BindParameter[int] = sa.bindparam("after", type_=sa.BigInteger())
        return self._compile(self._select_ordered().where(self._table.c[ID] > after_id))

    def _select_ordered(self) -> "Select[tuple[object, ...]]":
        size: sa.BindParameter[int] = sa.bindparam("size", type_=sa.Integer())
        return sa.select(*self._read).order_by(self._table.c[ID]).limit(size)

    def _insert(self, count: int) -> str:
        """Repeat the values of an insert of one row."""
        head, _, row = self._select_row.partition(" VALUES ")
        width = len(self.copied.columns)

        def shift_placeholders(offset: int) -> str:
            return _PLACEHOLDER.sub(lambda match: f"${int(match[1]) + offset}", row)

        rows = ", ".join(shift_placeholders(number * width) for number in range(count))
        return f"{head} VALUES {rows}"

    @cached_property
    def _select_row(self) -> str:
        return self._compile(self._table.insert().values(dict.fromkeys(self.copied.columns))).sql

    def _compile(self, query: sa.ClauseElement) -> NamedStatement:
        return compile_expression(query, self._dialect)


def parse_id(value: Value) -> int:
    """Return an id as a number."""
    return int(value or 0)
