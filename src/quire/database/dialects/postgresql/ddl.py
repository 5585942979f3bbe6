"""DDL of PostgreSQL, with the types and names that Strapi uses."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    DefaultClause,
    ForeignKeyConstraint,
    Index,
    Integer,
    Numeric,
    String,
    Table,
    Text,
    Time,
)
from sqlalchemy.dialects import postgresql

from quire.database.tables.inspection import FoundTable
from quire.database.tables.metadata import ColumnTypes, index_columns, status_of_index
from quire.database.tables.system import DATABASE_SCHEMA
from quire.query.plan import Status
from quire.schema.attributes.base import StorageKind

COLUMN_TYPES = ColumnTypes(
    kinds=MappingProxyType(
        {
            StorageKind.ID: Integer(),
            StorageKind.STRING: String(255),
            StorageKind.TEXT: Text(),
            StorageKind.JSON: postgresql.JSONB(),
            StorageKind.INTEGER: Integer(),
            StorageKind.BIGINTEGER: BigInteger(),
            StorageKind.FLOAT: postgresql.DOUBLE_PRECISION(),
            StorageKind.DECIMAL: Numeric(10, 2),
            StorageKind.BOOLEAN: Boolean(),
            StorageKind.DATE: Date(),
            StorageKind.TIME: Time(),
            StorageKind.DATETIME: postgresql.TIMESTAMP(precision=6),
            StorageKind.TIMESTAMP: postgresql.TIMESTAMP(precision=6),
        }
    ),
    reference=Integer(),
    order=postgresql.DOUBLE_PRECISION(),
    exact="numeric",
)
"""Timestamps without time zone, in microseconds (see ``timestamps``)."""

_KEPT_AS_WRITTEN = (DATABASE_SCHEMA, "schema")
"""The one column whose JSON the reference keeps to the letter, not only what it means."""

_DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy's


class PostgresDdl:
    """Writes the DDL of a PostgreSQL database (a `DdlWriter`)."""

    def create_table(self, table: Table) -> str:
        """Create a table; its foreign keys are added when all tables exist."""
        columns = ", ".join(_column(column) for column in table.columns)
        return f"CREATE TABLE {quote(table.name)} ({columns})"

    def add_foreign_keys(self, table: Table) -> Sequence[str]:
        """Add the foreign keys of a table, in the order of their columns."""
        positions = list(table.columns)
        keys = sorted(
            table.foreign_key_constraints, key=lambda key: positions.index(key.columns[0])
        )
        return tuple(f"ALTER TABLE {quote(table.name)} ADD {_foreign_key(key)}" for key in keys)

    def create_index(self, index: Index) -> str:
        """Create an index over plain columns; a unique index is a constraint, as in Strapi."""
        table = index.table
        if table is None:
            raise ValueError(f"the index {index.name} belongs to no table")
        columns = ", ".join(
            f"{quote(name)} DESC" if descending else quote(name)
            for name, descending in index_columns(index)
        )
        name = quote(str(index.name))
        if index.unique:
            return f"ALTER TABLE {quote(table.name)} ADD CONSTRAINT {name} UNIQUE ({columns})"
        some = _SOME_ROWS[status_of_index(index)]
        return f"CREATE INDEX {name} ON {quote(table.name)} ({columns}){some}"

    def drop_table(self, name: str) -> str:
        """Drop a table, with the foreign keys that refer to it."""
        return f"DROP TABLE {quote(name)} CASCADE"

    def drop_index(self, name: str, table: str) -> str:
        """Drop an index or the unique constraint that it belongs to.

        A foreign key may have the same name, and stays.
        """
        unique = (
            f"SELECT FROM pg_catalog.pg_constraint WHERE conname = {_text(name)}"
            f" AND conrelid = {_text(quote(table))}::regclass AND contype = 'u'"
        )
        return (
            f"DO $$ BEGIN IF EXISTS ({unique}) "
            f"THEN ALTER TABLE {quote(table)} DROP CONSTRAINT {quote(name)}; "
            f"ELSE DROP INDEX IF EXISTS {quote(name)}; END IF; END $$"
        )

    def rename_table(self, before: str, after: str) -> str:
        """Rename a table; foreign keys that refer to it follow."""
        return f"ALTER TABLE {quote(before)} RENAME TO {quote(after)}"

    def add_column(self, column: Column[Any]) -> Sequence[str]:
        """Add a column at the end, and its foreign key."""
        table = quote(column.table.name)
        keys = [key.constraint for key in column.foreign_keys if key.constraint]
        return (
            f"ALTER TABLE {table} ADD COLUMN {_column(column)}",
            *(f"ALTER TABLE {table} ADD {_foreign_key(key)}" for key in keys),
        )

    def rename_column(self, table: str, before: str, after: str) -> str:
        """Rename a column; indexes and foreign keys follow."""
        return f"ALTER TABLE {quote(table)} RENAME COLUMN {quote(before)} TO {quote(after)}"

    def drop_column(self, table: FoundTable, name: str) -> Sequence[str]:
        """Drop a column, with its foreign key."""
        return (f"ALTER TABLE {quote(table.name)} DROP COLUMN {quote(name)}",)

    def copy_structure(self, copy: str, table: str, columns: Sequence[str]) -> str:
        """Create an empty table with some columns of another one, without keys and indexes."""
        names = ", ".join(quote(name) for name in columns)
        chosen = f"SELECT {names} FROM {quote(table)} WHERE false"  # noqa: S608 - quoted names
        return f"CREATE TABLE {quote(copy)} AS {chosen}"

    def type_name(self, column: Column[Any]) -> str:
        """Return the type of a column as an inspection finds it."""
        return "integer" if column.primary_key else type_name(column)


_SOME_ROWS: Mapping[Status | None, str] = MappingProxyType(
    {
        None: "",
        "published": ' WHERE "published_at" IS NOT NULL',
        "draft": ' WHERE "published_at" IS NULL',
    }
)
"""Which rows an index holds, by their status."""


def quote(name: str) -> str:
    """Quote a name; without quotes it would be folded to lower case and could be a keyword."""
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def type_name(column: Column[object]) -> str:
    """Return the type of a column as PostgreSQL spells it: ``varchar(255)``."""
    if (column.table.name, column.name) == _KEPT_AS_WRITTEN:
        return "json"
    return column.type.compile(dialect=_DIALECT).lower()


def _column(column: Column[object]) -> str:
    if column.primary_key:
        return f"{quote(column.name)} serial PRIMARY KEY"
    null = "" if column.nullable else " NOT NULL"
    return f"{quote(column.name)} {type_name(column)}{null}{_default(column)}"


def _default(column: Column[object]) -> str:
    default = column.server_default
    if not isinstance(default, DefaultClause):
        return ""
    text = str(default.arg).replace("'", "''")
    return f" DEFAULT '{text}'"


def _foreign_key(key: ForeignKeyConstraint) -> str:
    columns = ", ".join(quote(name) for name in key.column_keys)
    target = key.referred_table
    referred = ", ".join(quote(element.column.name) for element in key.elements)
    return (
        f"CONSTRAINT {quote(str(key.name))} FOREIGN KEY ({columns})"
        f" REFERENCES {quote(target.name)} ({referred}) ON DELETE {key.ondelete}"
    )
