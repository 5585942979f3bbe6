"""Inserts, updates and deletes of rows, compiled once per shape.

This module does not know documents, drafts or locales. Values are in the form that the driver takes
(see `Dialect.encoder`). A statement is compiled when its shape is first used.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, cast

import sqlalchemy as sa

from quire.database.compile.statements import Query, StatementBuilder, Values
from quire.database.dialect import Dialect
from quire.database.lru import BoundedCache
from quire.database.program import Program, Rows, Statement, Value

BoundValue = Value | Sequence[Value]
"""The value of a slot: a value as the driver takes it, or a list of them."""

_STATEMENTS = 5000
_ROWS_AT_ONCE = 50


class Writes:
    """Compiles the statements that write content, for one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._queries: BoundedCache[Hashable, Query] = BoundedCache(_STATEMENTS)
        self.tables: dict[Hashable, Any] = {}
        """The tables that `open_table` and `content_table` have made."""

    def query(self, key: Hashable, build: Callable[[StatementBuilder], sa.ClauseElement]) -> Query:
        """Return the statement of a shape; ``build`` makes it if ``key`` is new."""
        query = self._queries.get(key)
        if query is None:
            builder = StatementBuilder(self.dialect)
            query = self._queries[key] = builder.finish(build(builder))
        return query

    def run(
        self,
        key: Hashable,
        build: Callable[[StatementBuilder], sa.ClauseElement],
        values: Sequence[BoundValue] = (),
    ) -> Program[Rows]:
        """Run a statement with ``values`` in its slots; returns its rows."""
        query = self.query(key, build)
        rows = yield Statement(query.sql, query.bind(cast("Values", values)))
        return rows

    def run_listed(
        self,
        key: Hashable,
        build: Callable[[StatementBuilder], sa.ClauseElement],
        listed: Collection[Value],
        values: Sequence[BoundValue] = (),
    ) -> Program[Rows]:
        """Run a statement with one list (`StatementBuilder.parents`) and its slots."""
        query = self.query(key, build)
        bound = query.bind(cast("Values", values))
        bound[query.parents] = self.dialect.encode_list(list(listed))
        rows = yield Statement(query.sql, bound)
        return rows

    def insert(self, table: str, row: Mapping[str, Value]) -> Program[int]:
        """Insert a row, given by columns; returns its ``id``."""
        columns = tuple(row)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            described = sa.table(table, sa.column("id"), *(sa.column(name) for name in columns))
            values = {name: builder.plain_slot(slot) for slot, name in enumerate(columns)}
            return sa.insert(described).values(values).returning(described.c.id)

        rows = yield from self.run(("insert", table, columns), build, tuple(row.values()))
        return int(rows[0][0] or 0)

    def insert_many(
        self, table: str, columns: tuple[str, ...], rows: Sequence[Sequence[Value]]
    ) -> Program[None]:
        """Insert rows with the same columns, a bounded number per statement."""
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            some = rows[start : start + _ROWS_AT_ONCE]

            def build(builder: StatementBuilder, count: int = len(some)) -> sa.ClauseElement:
                described = sa.table(table, *(sa.column(name) for name in columns))
                width = len(columns)
                values = [
                    {
                        name: builder.plain_slot(row * width + slot)
                        for slot, name in enumerate(columns)
                    }
                    for row in range(count)
                ]
                return sa.insert(described).values(values)

            bound = [value for row in some for value in row]
            yield from self.run(("insert", table, columns, len(some)), build, bound)

    def copy(
        self, table: str, columns: Sequence[str], row_id: int, changes: Mapping[str, Value]
    ) -> Program[int]:
        """Insert a copy of a row's ``columns``, with other values in ``changes``; returns its id.

        Raises LookupError when there is no such row.
        """
        kept = tuple(name for name in columns if name not in changes)
        changed = tuple(changes)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            described = sa.table(table, sa.column("id"), *(sa.column(n) for n in kept + changed))
            source = builder.table(table)
            selection = [source.c(name) for name in kept]
            selection += [builder.plain_slot(slot) for slot in range(len(changed))]
            condition = source.c("id") == builder.plain_slot(len(changed))
            rows = sa.select(*selection).select_from(source.source).where(condition)
            insert = sa.insert(described).from_select([*kept, *changed], rows)
            return insert.returning(described.c.id)

        values = (*changes.values(), row_id)
        rows = yield from self.run(("copy", table, kept, changed), build, values)
        if not rows:
            raise LookupError(f"{table} has no row {row_id}")
        return int(rows[0][0] or 0)

    def update(self, table: str, row_id: int, row: Mapping[str, Value]) -> Program[None]:
        """Set columns of the row with this ``id``; does nothing without columns."""
        if not row:
            return
        columns = tuple(row)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            described = sa.table(table, sa.column("id"), *(sa.column(name) for name in columns))
            values = {name: builder.plain_slot(slot) for slot, name in enumerate(columns)}
            condition = described.c.id == builder.plain_slot(len(columns))
            return sa.update(described).values(values).where(condition)

        yield from self.run(("update", table, columns), build, (*row.values(), row_id))

    def fill(self, table: str, row_id: int, column: str, value: Value) -> Program[None]:
        """Set a column of a row if it is null."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            described = sa.table(table, sa.column("id"), sa.column(column))
            condition = described.c.id == builder.plain_slot(1)
            empty = described.c[column].is_(None)
            return (
                sa.update(described).values({column: builder.plain_slot(0)}).where(condition, empty)
            )

        yield from self.run(("fill", table, column), build, (value, row_id))

    def delete(self, table: str, ids: Collection[int], *, column: str = "id") -> Program[None]:
        """Delete the rows whose ``column`` is one of ``ids``; does nothing without ids."""
        if not ids:
            return

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            described = sa.table(table, sa.column(column))
            member = self.dialect.member_of(described.c[column], builder.parents())
            return sa.delete(described).where(member)

        yield from self.run_listed(("delete", table, column), build, ids)
