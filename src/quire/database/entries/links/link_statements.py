"""The statements that write links: many rows per statement.

This module does not know kinds of relations. Tables and columns come from edges.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql.elements import ColumnElement

from quire.database.compile.statements import StatementBuilder, Values
from quire.database.compile.writes import Writes
from quire.database.program import Operand, Program, Rows, Statement, Value
from quire.schema.attributes.base import StorageKind

Build = Callable[[StatementBuilder], sa.ClauseElement]
Columns = Mapping[str, StorageKind]
"""Columns that take bound rows, with their column kinds."""

FixedColumns = Mapping[str, str | int]
"""Columns with one value for all rows of a statement."""

_NO_COLUMNS: FixedColumns = MappingProxyType({})
_ROW = "id"


class LinkStatements:
    """Programs of one statement each; a statement is compiled when its shape is new."""

    def __init__(self, writes: Writes) -> None:
        self._writes = writes
        self._dialect = writes.dialect

    def select(
        self, table: str, columns: Sequence[str], *, fixed: FixedColumns, order: Sequence[str]
    ) -> Program[Rows]:
        """Read columns of the rows with the given ``fixed`` columns."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = _table(table, (*columns, *fixed, *order))
            select = sa.select(*(table_clause.c[name] for name in columns))
            condition = select.where(*_matches(builder, table_clause, fixed))
            return condition.order_by(*(table_clause.c[name] for name in order))

        key = ("links.select", table, tuple(columns), tuple(fixed), tuple(order))
        rows = yield from self._run(key, build, tuple(fixed.values()))
        return rows

    def select_among(
        self,
        table: str,
        columns: Sequence[str],
        ids_of_column: tuple[str, Collection[int]],
        *,
        fixed: FixedColumns,
        order: Sequence[str],
    ) -> Program[Rows]:
        """Read columns of the rows whose column ``ids_of_column`` has one of some ids."""
        column, ids = ids_of_column

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = _table(table, (*columns, column, *fixed, *order))
            select = sa.select(*(table_clause.c[name] for name in columns)).where(
                self._dialect.member_of(table_clause.c[column], builder.parents()),
                *_matches(builder, table_clause, fixed),
            )
            return select.order_by(*(table_clause.c[name] for name in order))

        key = ("links.among", table, tuple(columns), column, tuple(fixed), tuple(order))
        rows = yield from self._run(key, build, tuple(fixed.values()), self._ids(ids))
        return rows

    def documents_of(self, table: str, ids: Collection[int]) -> Program[dict[int, str]]:
        """Return the document ids of rows."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            row = builder.table(table)
            is_member = self._dialect.member_of(row.c(_ROW), builder.parents())
            return sa.select(row.c(_ROW), row.c("document_id")).where(is_member)

        rows = yield from self._run(("links.documents", table), build, (), self._ids(ids))
        return {
            int(row_id or 0): str(document) for row_id, document in rows if document is not None
        }

    def insert(
        self,
        table: str,
        fixed: FixedColumns,
        columns: Columns,
        rows: Sequence[Sequence[Value]],
        *,
        row_columns: FixedColumns = _NO_COLUMNS,
        following: tuple[str, str] | None = None,
        appended: str | None = None,
    ) -> Program[None]:
        """Insert rows in their order; ``fixed`` and ``row_columns`` columns are the same in all.

        ``following`` is a column and the one that it counts within: rows without a value are
        numbered on after the highest. ``appended`` is a column that continues after the highest
        number among rows with the same ``fixed`` columns.
        """
        if not rows:
            return

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            value_rows = self._dialect.rows_of(builder.parents(), columns)
            values: dict[str, ColumnElement[Any]] = {
                name: builder.plain_slot(slot) for slot, name in enumerate((*fixed, *row_columns))
            }
            values |= {name: value_rows.c[name] for name in columns}
            table_clause = _table(table, (*values, *([appended] if appended else [])))
            if following is not None:
                counted, within = following
                other_rows = table_clause.alias("there")
                highest = _highest(
                    other_rows.c[counted], other_rows.c[within] == value_rows.c[within]
                )
                number = sa.func.row_number().over(
                    partition_by=value_rows.c[within], order_by=value_rows.c.position
                )
                values[counted] = sa.func.coalesce(value_rows.c[counted], highest + number)
            if appended is not None:
                other_rows = table_clause.alias("there")
                highest = _highest(other_rows.c[appended], *_matches(builder, other_rows, fixed))
                values[appended] = highest + value_rows.c.position + 1
            select = sa.select(*(values[name].label(name) for name in values))
            return sa.insert(table_clause).from_select(
                list(values), select.order_by(value_rows.c.position)
            )

        fixed_values = (*fixed.values(), *row_columns.values())
        key = ("links.insert", table, tuple(fixed), tuple(row_columns), tuple(columns), following)
        listed_rows = self._dialect.encode_rows(rows)
        yield from self._run((*key, appended), build, fixed_values, listed_rows)

    def renumber(self, table: str, column: str, values: Mapping[int, float]) -> Program[None]:
        """Set new values of a column, by the ids of the rows."""
        if not values:
            return

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            kinds = {_ROW: StorageKind.ID, column: StorageKind.FLOAT}
            value_rows = self._dialect.rows_of(builder.parents(), kinds)
            table_clause = _table(table, (_ROW, column))
            update = sa.update(table_clause).values({column: value_rows.c[column]})
            return update.where(table_clause.c[_ROW] == value_rows.c[_ROW])

        rows = self._dialect.encode_rows(list(values.items()))
        yield from self._run(("links.renumber", table, column), build, (), rows)

    def close_gaps(
        self, table: str, column: str, group_column: str, groups: Collection[int]
    ) -> Program[None]:
        """Number the rows of each group 1..n in a column, in their present order."""
        if not groups:
            return

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = _table(table, (_ROW, column, group_column))
            group_rows = table_clause.alias("there")
            position = sa.func.row_number().over(
                partition_by=group_rows.c[group_column],
                order_by=(group_rows.c[column], group_rows.c[_ROW]),
            )
            is_in_group = self._dialect.member_of(group_rows.c[group_column], builder.parents())
            new_places = (
                sa.select(group_rows.c[_ROW], position.label("place")).where(is_in_group).subquery()
            )
            has_other_place = table_clause.c[column].is_distinct_from(new_places.c.place)
            update = sa.update(table_clause).values({column: new_places.c.place})
            return update.where(table_clause.c[_ROW] == new_places.c[_ROW], has_other_place)

        key = ("links.close", table, column, group_column)
        yield from self._run(key, build, (), self._ids(groups))

    def delete(self, table: str, ids: Collection[int]) -> Program[None]:
        """Delete the rows with these ids."""
        yield from self._writes.delete(table, ids)

    def delete_all(
        self, table: str, fixed: FixedColumns, ids_of_column: tuple[str, Collection[int]]
    ) -> Program[None]:
        """Delete the rows with the given columns, whose other column has one of some ids."""
        column, ids = ids_of_column

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = _table(table, (*fixed, column))
            member = self._dialect.member_of(table_clause.c[column], builder.parents())
            return sa.delete(table_clause).where(*_matches(builder, table_clause, fixed), member)

        key = ("links.clear", table, tuple(fixed), column)
        yield from self._run(key, build, tuple(fixed.values()), self._ids(ids))

    def delete_rows(
        self, table: str, fixed: FixedColumns, columns: Columns, rows: Sequence[Sequence[Value]]
    ) -> Program[None]:
        """Delete the rows with the given columns, where ``columns`` are as in one of ``rows``."""
        if not rows:
            return

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = _table(table, (*fixed, *columns))
            value_rows = self._dialect.rows_of(builder.parents(), columns)
            conditions = (value_rows.c[name] == table_clause.c[name] for name in columns)
            is_listed = sa.select(value_rows.c.position).where(*conditions).exists()
            return sa.delete(table_clause).where(*_matches(builder, table_clause, fixed), is_listed)

        key = ("links.remove", table, tuple(fixed), tuple(columns))
        yield from self._run(key, build, tuple(fixed.values()), self._dialect.encode_rows(rows))

    def delete_of_others(
        self,
        table: str,
        target_ids: tuple[str, Collection[int]],
        excluded_sources: tuple[str, Collection[int]],
    ) -> Program[None]:
        """Delete the rows with one of the target ids, except those of the given source ids."""
        (target_column, targets), (source_column, excluded_ids) = target_ids, excluded_sources
        if not targets:
            return

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = _table(table, (target_column, source_column))
            return sa.delete(table_clause).where(
                self._dialect.member_of(table_clause.c[target_column], builder.parents()),
                sa.not_(
                    self._dialect.member_of(
                        table_clause.c[source_column], self._excluded_rows(builder)
                    )
                ),
            )

        key = ("links.release targets", table, target_column, source_column)
        yield from self._run(key, build, (list(excluded_ids),), self._ids(targets))

    def point(
        self, table: str, pointer: Mapping[str, str | int | None], ids: Collection[int]
    ) -> Program[None]:
        """Set columns of the rows with these ids."""
        if not ids:
            return

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = _table(table, (_ROW, *pointer))
            values = {name: builder.plain_slot(slot) for slot, name in enumerate(pointer)}
            member = self._dialect.member_of(table_clause.c[_ROW], builder.parents())
            return sa.update(table_clause).values(values).where(member)

        key = ("links.point", table, tuple(pointer))
        yield from self._run(key, build, tuple(pointer.values()), self._ids(ids))

    def release(
        self, table: str, pointer: FixedColumns, ids: Collection[int], *, other_rows: bool
    ) -> Program[None]:
        """Clear columns with the given values, in the rows with these ids.

        With ``other_rows``, in all other rows.
        """

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = _table(table, (_ROW, *pointer))
            is_member = self._dialect.member_of(table_clause.c[_ROW], builder.parents())
            return (
                sa.update(table_clause)
                .values(dict.fromkeys(pointer, sa.null()))
                .where(
                    *_matches(builder, table_clause, pointer),
                    sa.not_(is_member) if other_rows else is_member,
                )
            )

        key = ("links.release", table, tuple(pointer), other_rows)
        yield from self._run(key, build, tuple(pointer.values()), self._ids(ids))

    def _excluded_rows(self, builder: StatementBuilder) -> ColumnElement[Any]:
        return builder.list_slot(0, self._dialect.encoder(StorageKind.ID))

    def _ids(self, ids: Collection[int]) -> Operand:
        return self._dialect.encode_list(list(ids))

    def _run(
        self, key: Hashable, build: Build, values: Values, parents: Operand = None
    ) -> Program[Rows]:
        query = self._writes.query(key, build)
        bound_values = query.bind(values)
        if query.parents >= 0:
            bound_values[query.parents] = parents
        rows = yield Statement(query.sql, bound_values)
        return rows


def _table(name: str, columns: Collection[str]) -> sa.TableClause:
    return sa.table(name, *(sa.column(column) for column in dict.fromkeys(columns)))


def _matches(
    builder: StatementBuilder, table_clause: sa.FromClause, fixed: Collection[str]
) -> list[ColumnElement[bool]]:
    return [table_clause.c[name] == builder.plain_slot(slot) for slot, name in enumerate(fixed)]


def _highest(column: ColumnElement[Any], *where: ColumnElement[bool]) -> ColumnElement[Any]:
    select = sa.select(sa.func.coalesce(sa.func.max(column), 0)).where(*where)
    return select.scalar_subquery()
