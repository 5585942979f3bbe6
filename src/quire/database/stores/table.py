"""Rows of one table as Structs: select, count, insert, update and delete them by conditions.

Every method is a program. Columns are named like the encoded fields of the row type. Values are
encoded and decoded here by the kinds of their columns, and nowhere else. A statement is compiled
when its shape is first used.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cached_property
from itertools import count
from typing import Any, Generic, TypeVar

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import BoundValue, Writes
from quire.database.dialect import Dialect
from quire.database.program import Program, Row, Rows, Value
from quire.database.stores.row_conditions import (
    Column,
    Condition,
    StatementScope,
    eq,
    expression,
    in_list,
)
from quire.database.stores.row_types import Decode, empty_texts, row_columns, row_decoders
from quire.schema.attributes.base import StorageKind

RowT = TypeVar("RowT", bound=Struct)

_BY_ID = ("id",)

Encode = Callable[[Any], Value]


class Table(Generic[RowT]):
    """The rows of a table; ``row`` is their type, of which a table may have several."""

    def __init__(self, writes: Writes, name: str, row: type[RowT]) -> None:
        self.writes = writes
        self.name = name
        self.row = row

    def select(
        self,
        *where: Condition,
        order: Sequence[str] = _BY_ID,
        limit: int | None = None,
        offset: int = 0,
    ) -> Program[list[RowT]]:
        """Return rows, sorted by columns; ``-`` is descending.

        With a ``limit``, ``offset`` rows are skipped.
        """
        rows = yield from self._select(where, order, limit, offset)
        return [self.decode(row) for row in rows]

    def first(self, *where: Condition, order: Sequence[str] = _BY_ID) -> Program[RowT | None]:
        """Return the first row in an order, ``None`` where there is none."""
        rows = yield from self._select(where, order, 1)
        return self.decode(rows[0]) if rows else None

    def get(self, row_id: int) -> Program[RowT | None]:
        """Return the row with an id."""
        rows = yield from self._select((eq("id", row_id),), (), None)
        return self.decode(rows[0]) if rows else None

    def by_ids(self, ids: Collection[int]) -> Program[list[RowT]]:
        """Return the rows with these ids, by their ids."""
        return (yield from self.select(in_list("id", sorted(ids)))) if ids else []

    def ids(self, *where: Condition) -> Program[list[int]]:
        """Return the ids of rows, in their order."""
        return [int(str(value)) for value in (yield from self.values("id", *where))]

    def values(self, column: str, *where: Condition) -> Program[list[object]]:
        """Return the values of a column, by row id."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            scope = self._alias_scope(builder)
            return self._select_columns(scope, (column,), where).order_by(scope.column("id"))

        rows = yield from self._run(("values", column), build, where)
        kind, decode = self.columns[column].kind, self.dialect.decode_value
        return [decode(kind, value) for (value,) in rows]

    def exists(self, *where: Condition) -> Program[bool]:
        """Tell whether there is any such row."""
        return bool((yield from self.first(*where)))

    def count(self, *where: Condition) -> Program[int]:
        """Count rows."""
        ((count,),) = yield from self._aggregate("count", lambda _: [sa.func.count()], where)
        return int(count or 0)

    def count_by(
        self, columns: tuple[str, ...], *where: Condition
    ) -> Program[dict[tuple[Value, ...], int]]:
        """Count rows, grouped by columns."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            scope = self._alias_scope(builder)
            group_columns = [scope.column(name) for name in columns]
            query = sa.select(*group_columns, sa.func.count()).select_from(scope.source)
            return query.where(
                *(expression(condition.shape, scope) for condition in where)
            ).group_by(*group_columns)

        rows = yield from self._run(("count by", columns), build, where)
        return {tuple(values): int(count or 0) for *values, count in rows}

    def lowest(self, column: str, *where: Condition) -> Program[int | None]:
        """Return the lowest number in a column, ``None`` without any."""
        ((lowest_value,),) = yield from self._aggregate(
            ("lowest", column), lambda scope: [sa.func.min(scope.column(column))], where
        )
        return None if lowest_value is None else int(lowest_value)

    def highest(self, column: str, *where: Condition) -> Program[int | None]:
        """Return the highest number in a column, ``None`` without any."""
        ((highest_value,),) = yield from self._aggregate(
            ("highest", column), lambda scope: [sa.func.max(scope.column(column))], where
        )
        return None if highest_value is None else int(highest_value)

    def count_and_lowest(self, column: str, *where: Condition) -> Program[tuple[int, int | None]]:
        """Count rows; return that and the lowest number in a column."""
        ((count, lowest_value),) = yield from self._aggregate(
            ("count and lowest", column),
            lambda scope: [sa.func.count(), sa.func.min(scope.column(column))],
            where,
        )
        return int(count or 0), None if lowest_value is None else int(lowest_value)

    def insert(self, row: RowT) -> Program[int]:
        """Insert a row, whose ``id`` the database assigns; returns the id."""
        values = dict(zip(self._written_columns, self._encode_row(row), strict=True))
        return (yield from self.writes.insert(self.name, values))

    def insert_values(self, values: Mapping[str, object]) -> Program[int]:
        """Insert a row with some columns; returns its id."""
        return (yield from self.writes.insert(self.name, self.encode_all(values)))

    def insert_many(self, rows: Sequence[RowT]) -> Program[None]:
        """Insert rows in this order, a bounded number per statement."""
        if rows:
            encoded_rows = [self._encode_row(row) for row in rows]
            yield from self.writes.insert_many(self.name, self._written_columns, encoded_rows)

    def upsert(self, row: RowT, *, by: tuple[str, ...]) -> Program[None]:
        """Insert a row, or update the one that is equal in the columns ``by`` of a unique index."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = self._table_clause()
            scope = self._scope(builder, table_clause)
            insert = self.dialect.insert(table_clause)
            keys = [self.columns[name].name for name in by]
            values = {name: scope.slot() for name in self._written_columns}
            updates = {name: insert.excluded[name] for name in values if name not in keys}
            statement: sa.ClauseElement = insert.values(values).on_conflict_do_update(
                index_elements=keys, set_=updates
            )
            return statement

        yield from self._run(("upsert", by), build, (), before=self._encode_row(row))

    def update(self, changes: Mapping[str, object], *where: Condition) -> Program[None]:
        """Set columns of rows; does nothing without columns."""
        if changes:
            yield from self._update(changes, where, returning=False)

    def changed(self, changes: Mapping[str, object], *where: Condition) -> Program[list[int]]:
        """Set columns of rows, and return the ids of these rows."""
        rows = yield from self._update(changes, where, returning=True)
        return [int(row[0] or 0) for row in rows]

    def delete(self, *where: Condition) -> Program[None]:
        """Delete rows."""
        yield from self._delete(where, returning=False)

    def deleted(self, *where: Condition) -> Program[list[int]]:
        """Delete rows, and return their ids."""
        rows = yield from self._delete(where, returning=True)
        return [int(row[0] or 0) for row in rows]

    def delete_ids(self, ids: Collection[int]) -> Program[None]:
        """Delete the rows with these ids; does nothing without ids."""
        yield from self.writes.delete(self.name, ids)

    # Columns and values ----------------------------------------------------------------------

    @property
    def dialect(self) -> Dialect:
        """The dialect of the database."""
        return self.writes.dialect

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """The columns by the names of fields."""
        return row_columns(self.row)

    def encode_all(self, values: Mapping[str, object]) -> dict[str, Value]:
        """Return the column values by their names in the database.

        Raises TypeError for a value that a column cannot hold.
        """
        columns, encoders = self.columns, self._encoders
        for name, value in values.items():
            is_scalar = value is None or isinstance(value, str | int | float)
            if not is_scalar and columns[name].kind is not StorageKind.JSON:
                raise TypeError(f"{self.name}.{name} cannot hold {type(value).__name__}")
        return {columns[name].name: encoders[name](item) for name, item in values.items()}

    def decode(self, row: Row) -> RowT:
        """Return a selected row."""
        values: dict[str, Any] = dict(zip(self._fields, row, strict=True))
        for name, decode in self._decoders:
            values[name] = decode(values[name])
        return self.row(**values)

    def _encode_row(self, row: RowT) -> list[Value]:
        """Return the values of the `_written_columns` of a row."""
        values = msgspec.structs.astuple(row)
        return [encode(values[position]) for position, encode in self._row_encoders]

    @cached_property
    def _encoders(self) -> Mapping[str, Encode]:
        """Encoders of values, by column."""
        return {name: self._encoder(name, column.kind) for name, column in self.columns.items()}

    def _encoder(self, name: str, kind: StorageKind) -> Encode:
        if name in self._empty:
            return lambda value: value or ""
        return self.dialect.encode_json if kind is StorageKind.JSON else self.dialect.encoder(kind)

    @cached_property
    def _row_encoders(self) -> list[tuple[int, Encode]]:
        """Encoders of the fields of a row, with their positions."""
        names = enumerate(self._selected_columns)
        return [(position, self._encoders[name]) for position, name in names if name != "id"]

    @cached_property
    def _selected_columns(self) -> tuple[str, ...]:
        return self.row.__struct_encode_fields__

    @cached_property
    def _fields(self) -> tuple[str, ...]:
        return self.row.__struct_fields__

    @cached_property
    def _written_columns(self) -> tuple[str, ...]:
        return tuple(self.columns[name].name for name in self._selected_columns if name != "id")

    @cached_property
    def _empty(self) -> frozenset[str]:
        return empty_texts(self.row)

    @cached_property
    def _decoders(self) -> list[tuple[str, Decode]]:
        return row_decoders(self.row, self.columns, self.dialect)

    # Statements ------------------------------------------------------------------------------

    def _run(
        self,
        key: Hashable,
        build: Callable[[StatementBuilder], sa.ClauseElement],
        where: Sequence[Condition],
        *,
        before: Sequence[BoundValue] = (),
        after: Sequence[BoundValue] = (),
    ) -> Program[Rows]:
        """Return a function that runs a statement of a shape.

        Conditions take the slots between those of ``before`` and ``after``.
        """
        shape = (self.name, self.row, key, *[condition.shape for condition in where])
        bound_values, encoders = [*before], self._encoders
        for condition in where:
            for column, value in condition.operands:
                encode = encoders[column]
                if isinstance(value, tuple):
                    bound_values.append([encode(item) for item in value])
                else:
                    bound_values.append(encode(value))
        bound_values += after
        return self.writes.run(shape, build, bound_values)

    def _select(
        self,
        where: Sequence[Condition],
        order: Sequence[str],
        limit: int | None,
        offset: int = 0,
    ) -> Program[Rows]:
        def build(builder: StatementBuilder) -> sa.ClauseElement:
            scope = self._alias_scope(builder)
            query = self._select_columns(scope, self._selected_columns, where).order_by(
                *_order_clauses(scope, order)
            )
            if limit is None:
                return query
            query = query.limit(scope.slot())
            return query.offset(scope.slot()) if offset else query

        key = ("select", *order, limit is None, offset == 0)
        bound_values = () if limit is None else (limit, offset) if offset else (limit,)
        return self._run(key, build, where, after=bound_values)

    def _update(
        self, changes: Mapping[str, object], where: Sequence[Condition], *, returning: bool
    ) -> Program[Rows]:
        encoded_changes = self.encode_all(changes)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = self._table_clause()
            scope = self._scope(builder, table_clause)
            change = sa.update(table_clause).values(
                {name: scope.slot() for name in encoded_changes}
            )
            change = change.where(*(expression(condition.shape, scope) for condition in where))
            return change.returning(table_clause.c.id) if returning else change

        key = ("update", *encoded_changes, returning)
        return (yield from self._run(key, build, where, before=[*encoded_changes.values()]))

    def _delete(self, where: Sequence[Condition], *, returning: bool) -> Program[Rows]:
        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = self._table_clause()
            scope = self._scope(builder, table_clause)
            change = sa.delete(table_clause).where(
                *(expression(condition.shape, scope) for condition in where)
            )
            return change.returning(table_clause.c.id) if returning else change

        return (yield from self._run(("delete", returning), build, where))

    def _aggregate(
        self, key: Hashable, make: Callable[[StatementScope], list[Any]], where: Sequence[Condition]
    ) -> Program[Rows]:
        def build(builder: StatementBuilder) -> sa.ClauseElement:
            scope = self._alias_scope(builder)
            query = sa.select(*make(scope)).select_from(scope.source)
            return query.where(*(expression(condition.shape, scope) for condition in where))

        return (yield from self._run(key, build, where))

    def _alias_scope(self, builder: StatementBuilder) -> StatementScope:
        return self._scope(builder, builder.table(self.name).source)

    def _scope(self, builder: StatementBuilder, source: sa.FromClause) -> StatementScope:
        return StatementScope(
            builder=builder,
            source=source,
            name=self.name,
            columns=self.columns,
            empty=self._empty,
            slots=count(),
        )

    def _table_clause(self) -> sa.TableClause:
        """Return the table for statements that change its rows."""
        columns = (column for column in self.columns.values() if column.link is None)
        names = dict.fromkeys(column.name for column in columns)
        return sa.table(self.name, *(sa.column(name) for name in names))

    def _select_columns(
        self, scope: StatementScope, names: Sequence[str], where: Sequence[Condition]
    ) -> sa.Select[Any]:
        query = sa.select(*(scope.column(name) for name in names)).select_from(scope.source)
        return query.where(*(expression(condition.shape, scope) for condition in where))


def open_table(writes: Writes, name: str, row: type[RowT]) -> Table[RowT]:
    """Return the rows of a table with a row type; derived data is cached."""
    tables, key = writes.tables, (name, row)
    if key not in tables:
        tables[key] = Table(writes, name, row)
    result: Table[RowT] = tables[key]
    return result


def _order_clauses(scope: StatementScope, order: Sequence[str]) -> list[Any]:
    return [
        scope.column(name[1:]).desc() if name.startswith("-") else scope.column(name)
        for name in order
    ]
