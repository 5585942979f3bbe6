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
from quire.schema.attributes.base import StorageKind

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
        list_values: Collection[Value],
        values: Sequence[BoundValue] = (),
    ) -> Program[Rows]:
        """Run a statement with one list (`StatementBuilder.parents`) and its slots."""
        query = self.query(key, build)
        arguments = query.bind(cast("Values", values))
        arguments[query.parents] = self.dialect.encode_list(list(list_values))
        rows = yield Statement(query.sql, arguments)
        return rows

    def insert(self, table: str, row: Mapping[str, Value]) -> Program[int]:
        """Insert a row, given by columns; returns its ``id``."""
        columns = tuple(row)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = sa.table(table, sa.column("id"), *(sa.column(name) for name in columns))
            values = {name: builder.plain_slot(slot) for slot, name in enumerate(columns)}
            return sa.insert(table_clause).values(values).returning(table_clause.c.id)

        rows = yield from self.run(("insert", table, columns), build, tuple(row.values()))
        return int(rows[0][0] or 0)

    def insert_many(
        self, table: str, columns: tuple[str, ...], rows: Sequence[Sequence[Value]]
    ) -> Program[None]:
        """Insert rows with the same columns, a bounded number per statement."""
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            batch = rows[start : start + _ROWS_AT_ONCE]

            def build(builder: StatementBuilder, count: int = len(batch)) -> sa.ClauseElement:
                table_clause = sa.table(table, *(sa.column(name) for name in columns))
                width = len(columns)
                values = [
                    {
                        name: builder.plain_slot(row * width + slot)
                        for slot, name in enumerate(columns)
                    }
                    for row in range(count)
                ]
                return sa.insert(table_clause).values(values)

            arguments = [value for row in batch for value in row]
            yield from self.run(("insert", table, columns, len(batch)), build, arguments)

    def copy(
        self, table: str, columns: Sequence[str], row_id: int, changes: Mapping[str, Value]
    ) -> Program[int]:
        """Insert a copy of a row's ``columns``, with other values in ``changes``; returns its id.

        Raises LookupError when there is no such row.
        """
        copied_columns = tuple(name for name in columns if name not in changes)
        changed_columns = tuple(changes)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = sa.table(
                table,
                sa.column("id"),
                *(sa.column(name) for name in copied_columns + changed_columns),
            )
            source = builder.table(table)
            expressions = [source.c(name) for name in copied_columns]
            expressions += [builder.plain_slot(slot) for slot in range(len(changed_columns))]
            condition = source.c("id") == builder.plain_slot(len(changed_columns))
            rows = sa.select(*expressions).select_from(source.source).where(condition)
            insert = sa.insert(table_clause).from_select([*copied_columns, *changed_columns], rows)
            return insert.returning(table_clause.c.id)

        values = (*changes.values(), row_id)
        rows = yield from self.run(("copy", table, copied_columns, changed_columns), build, values)
        if not rows:
            raise LookupError(f"{table} has no row {row_id}")
        return int(rows[0][0] or 0)

    def copy_many(
        self,
        table: str,
        columns: Sequence[str],
        row_ids: Sequence[int],
        changes: Mapping[str, Value],
    ) -> Program[list[int]]:
        """Insert copies of rows by one statement, see `copy`; returns their ids in this order.

        Raises LookupError when one of the rows does not exist.
        """
        if len(row_ids) == 1:
            return [(yield from self.copy(table, columns, row_ids[0], changes))]
        copied_columns = tuple(name for name in columns if name not in changes)
        changed_columns = tuple(changes)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            names = (*copied_columns, *changed_columns)
            table_clause = sa.table(table, sa.column("id"), *(sa.column(name) for name in names))
            source = builder.table(table)
            listed = self.dialect.list_of(builder.parents(), StorageKind.ID)
            expressions = [source.c(name) for name in copied_columns]
            expressions += [builder.plain_slot(slot) for slot in range(len(changed_columns))]
            joined = listed.join(source.source, source.c("id") == listed.c.value)
            rows = sa.select(*expressions).select_from(joined).order_by(listed.c.position)
            return sa.insert(table_clause).from_select(names, rows).returning(table_clause.c.id)

        key = ("copy many", table, copied_columns, changed_columns)
        rows = yield from self.run_listed(key, build, row_ids, tuple(changes.values()))
        if len(rows) != len(row_ids):
            raise LookupError(f"{table} has only {len(rows)} of the rows {row_ids}")
        # Ids are assigned in the order of insertion, but may be returned in another one.
        return sorted(int(row[0] or 0) for row in rows)

    def update(self, table: str, row_id: int, row: Mapping[str, Value]) -> Program[None]:
        """Set columns of the row with this ``id``; does nothing without columns."""
        if not row:
            return
        columns = tuple(row)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = sa.table(table, sa.column("id"), *(sa.column(name) for name in columns))
            values = {name: builder.plain_slot(slot) for slot, name in enumerate(columns)}
            condition = table_clause.c.id == builder.plain_slot(len(columns))
            return sa.update(table_clause).values(values).where(condition)

        yield from self.run(("update", table, columns), build, (*row.values(), row_id))

    def fill(
        self, table: str, row_ids: Collection[int], column: str, value: Value
    ) -> Program[None]:
        """Set a column of rows in which it is null."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = sa.table(table, sa.column("id"), sa.column(column))
            condition = self.dialect.member_of(table_clause.c.id, builder.parents())
            empty = table_clause.c[column].is_(None)
            return (
                sa.update(table_clause)
                .values({column: builder.plain_slot(0)})
                .where(condition, empty)
            )

        yield from self.run_listed(("fill", table, column), build, row_ids, (value,))

    def delete(self, table: str, ids: Collection[int], *, column: str = "id") -> Program[None]:
        """Delete the rows whose ``column`` is one of ``ids``; does nothing without ids."""
        if not ids:
            return

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = sa.table(table, sa.column(column))
            condition = self.dialect.member_of(table_clause.c[column], builder.parents())
            return sa.delete(table_clause).where(condition)

        yield from self.run_listed(("delete", table, column), build, ids)
