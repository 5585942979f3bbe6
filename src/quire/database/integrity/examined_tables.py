"""The tables of a schema that exist in a database."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.sql.elements import ColumnElement

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.dialect import Dialect
from quire.database.program import Program, Rows, Statement
from quire.database.tables.inspection import FoundTables
from quire.database.tables.table_map import TableMap
from quire.schema.model import Schema

Build = Callable[[StatementBuilder], sa.ClauseElement]
"""Builds one statement."""

DamageQuery = Callable[[StatementBuilder], sa.Select[Any]]
"""Builds a query for the ids of damaged rows, in one column called ``id``."""


class ExaminedTables(Struct, frozen=True, kw_only=True):
    """A schema, its database, and which of its tables exist.

    Rules examine only existing tables and columns; missing ones are reported elsewhere.
    """

    schema: Schema
    tables: TableMap
    existing_tables: FoundTables
    dialect: Dialect

    def has(self, table: str, *columns: str) -> bool:
        """Tell whether the database has a table, with all of these columns."""
        existing_table = self.existing_tables.get(table)
        return existing_table is not None and existing_table.columns.keys() >= set(columns)

    def has_table(self, uid: str) -> bool:
        """Tell whether a uid is in the schema and has its table."""
        return uid in self.tables.tables and self.has(self.tables[uid].name, "id")

    def run(self, build: Build) -> Program[Rows]:
        """Build a statement, run it and return its rows."""
        builder = StatementBuilder(self.dialect)
        query = builder.finish(build(builder))
        rows = yield Statement(query.sql, query.bind(()))
        return rows

    def bind_ids(self, builder: StatementBuilder, values: list[int]) -> ColumnElement[Any]:
        """Bind any number of ids as one value, for `Dialect.member_of`."""
        return builder.constant(self.dialect.encode_list(values))


def is_missing(
    builder: StatementBuilder, table: str, id_: ColumnElement[Any]
) -> ColumnElement[bool]:
    """Return the condition that no row of a table has this id, or that the id is null."""
    aliased = builder.table(table)
    return ~sa.exists(sa.select(sa.literal_column("1")).where(aliased.c("id") == id_))


def is_same(left: ColumnElement[Any], right: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return the condition that two columns are equal or both null."""
    return left.is_not_distinct_from(right)


def plain_table(name: str, *columns: str) -> sa.TableClause:
    """Describe a table, without an alias, for statements that change it."""
    return sa.table(name, *(sa.column(column) for column in columns))


def ids_of(source: AliasedTable, *conditions: ColumnElement[bool]) -> sa.Select[Any]:
    """Select the ids of rows under conditions."""
    return sa.select(source.c("id").label("id")).where(*conditions)
