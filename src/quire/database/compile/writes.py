"""Inserts, updates and deletes of rows, compiled once per shape.

This module does not know documents, drafts or locales. Values are in the form that the driver takes
(see `Dialect.encoder`). A statement is compiled when its shape is first used.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, cast

import sqlalchemy as sa

from quire.database.bounded_cache import BoundedCache
from quire.database.compile.statements import Query, StatementBuilder, Values
from quire.database.dialect import Dialect
from quire.database.program import Program, Rows, Statement, Value
from quire.schema.attributes.base import StorageKind

BoundValue = Value | Sequence[Value]
"""The value of a slot: a value as the driver takes it, or a list of them."""

_STATEMENTS = 5000
_ROWS_AT_ONCE = 50
_MAX_VALUES = 32_000
"""How many values one statement has at most: SQLite allows 32,766 and PostgreSQL 65,535."""


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

    def insert_all(self, table: str, rows: Sequence[Mapping[str, Value]]) -> Program[list[int]]:
        """Insert rows, see `insert`; returns their ids. Rows with the same columns share one."""
        ids: dict[int, int] = {}
        for columns, indexes in _by_columns(enumerate(rows)).items():
            if len(indexes) == 1 or not columns:
                for index in indexes:
                    ids[index] = yield from self.insert(table, rows[index])
                continue
            count_at_once = _rows_at_once(len(columns))
            for start in range(0, len(indexes), count_at_once):
                batch = indexes[start : start + count_at_once]

                def build(
                    builder: StatementBuilder,
                    columns: tuple[str, ...] = columns,
                    count: int = len(batch),
                ) -> sa.ClauseElement:
                    insert, table_clause = _insert_rows(builder, table, columns, count)
                    return insert.returning(table_clause.c.id)

                arguments = [value for index in batch for value in rows[index].values()]
                key = ("insert all", table, columns, len(batch))
                inserted = yield from self.run(key, build, arguments)
                # Ids are assigned in the order of insertion, but may be returned in another one.
                new_ids = sorted(int(row[0] or 0) for row in inserted)
                ids |= zip(batch, new_ids, strict=True)
        return [ids[index] for index in range(len(rows))]

    def insert_many(
        self, table: str, columns: tuple[str, ...], rows: Sequence[Sequence[Value]]
    ) -> Program[None]:
        """Insert rows with the same columns, a bounded number per statement."""
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            batch = rows[start : start + _ROWS_AT_ONCE]

            def build(builder: StatementBuilder, count: int = len(batch)) -> sa.ClauseElement:
                insert, _ = _insert_rows(builder, table, columns, count)
                return insert

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
        if not (copied_columns or changed_columns):
            # Components of relations and files only have no columns besides their ids.
            return (yield from self.insert(table, {}))

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
        if not (copied_columns or changed_columns):
            return (yield from self.insert_all(table, [{} for _ in row_ids]))

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

    def update_all(self, table: str, rows: Mapping[int, Mapping[str, Value]]) -> Program[None]:
        """Set columns of rows by their ids; rows with the same columns share a statement."""
        for columns, ids in _by_columns(rows.items()).items():
            if len(ids) == 1:
                yield from self.update(table, ids[0], rows[ids[0]])
            if len(ids) == 1 or not columns:
                continue
            count_at_once = _rows_at_once(len(columns) + 1)
            for start in range(0, len(ids), count_at_once):
                batch = ids[start : start + count_at_once]

                def build(
                    builder: StatementBuilder,
                    columns: tuple[str, ...] = columns,
                    count: int = len(batch),
                ) -> sa.ClauseElement:
                    return _update_rows(builder, table, columns, count)

                arguments = [
                    value for row_id in batch for value in (row_id, *rows[row_id].values())
                ]
                yield from self.run(("update all", table, columns, len(batch)), build, arguments)

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


def _rows_at_once(width: int) -> int:
    """Return how many rows of ``width`` values one statement writes."""
    return max(1, min(_ROWS_AT_ONCE, _MAX_VALUES // width))


def _by_columns(
    rows: Iterable[tuple[int, Mapping[str, Value]]],
) -> dict[tuple[str, ...], list[int]]:
    """Group rows by their columns; returns the keys of the rows in each group."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for key, row in rows:
        groups.setdefault(tuple(row), []).append(key)
    return groups


def _insert_rows(
    builder: StatementBuilder, table: str, columns: tuple[str, ...], count: int
) -> tuple[sa.Insert, sa.TableClause]:
    """Build the insertion of rows, whose values follow each other in the slots."""
    table_clause = sa.table(table, sa.column("id"), *(sa.column(name) for name in columns))
    width = len(columns)
    values = [
        {name: builder.plain_slot(row * width + slot) for slot, name in enumerate(columns)}
        for row in range(count)
    ]
    return sa.insert(table_clause).values(values), table_clause


def _update_rows(
    builder: StatementBuilder, table: str, columns: tuple[str, ...], count: int
) -> sa.ClauseElement:
    """Build the update of rows; for each one the slots have its id and its values."""
    names = ("id", *columns)
    table_clause = sa.table(table, *(sa.column(name) for name in names))
    # PostgreSQL gives placeholders the types of the first branch of the union, which has no rows.
    typed_rows = table_clause.alias("typed")
    typed = sa.select(*(typed_rows.c[name] for name in names)).where(sa.false())
    width = len(names)
    branches = [
        sa.select(*(builder.plain_slot(row * width + slot) for slot in range(width)))
        for row in range(count)
    ]
    new_rows = sa.union_all(typed, *branches).subquery()
    new_values = {name: new_rows.c[name] for name in columns}
    update = sa.update(table_clause).values(new_values)
    return update.where(table_clause.c.id == new_rows.c.id)
