"""DDL of SQLite, in the form that Strapi can parse.

Strapi alters a table by reading its stored ``CREATE`` text and writing it anew. Its parser requires
quotes around every name, and foreign keys have to be in the table from the beginning, because
Strapi never adds them to an existing table.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    DefaultClause,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    Text,
    Time,
)
from sqlalchemy.dialects import sqlite

from quire.database.tables.inspection import FoundTable
from quire.database.tables.metadata import ColumnTypes, index_columns, status_of_index
from quire.query.plan import Status
from quire.schema.attributes.base import StorageKind

COLUMN_TYPES = ColumnTypes(
    kinds=MappingProxyType(
        {
            StorageKind.ID: Integer(),
            StorageKind.STRING: String(255),
            StorageKind.TEXT: Text(),
            StorageKind.JSON: JSON(),
            StorageKind.INTEGER: Integer(),
            StorageKind.BIGINTEGER: BigInteger(),
            StorageKind.FLOAT: Float(),
            StorageKind.DECIMAL: Float(),
            StorageKind.BOOLEAN: Boolean(),
            StorageKind.DATE: Date(),
            StorageKind.TIME: Time(),
            StorageKind.DATETIME: DateTime(),
            StorageKind.TIMESTAMP: DateTime(),
        }
    ),
    reference=Integer(),
    order=Float(),
    exact="numeric_text",
)
"""Column types, which are hints for SQLite.

Timestamps are epoch milliseconds, booleans 0 and 1. Columns with the hint "text" store text
unchanged, while numbers become floats of 53 bits.
"""

_DIALECT = sqlite.dialect()


class SqliteDdl:
    """Writes the DDL of a SQLite database (a `DdlWriter`)."""

    def create_table(self, table: Table) -> str:
        """Create a table in one line, each foreign key as a named constraint at the end."""
        foreign_keys = sorted(table.foreign_key_constraints, key=lambda key: _position(table, key))
        parts = [_column(column) for column in table.columns]
        parts += [_foreign_key(key) for key in foreign_keys]
        return f"CREATE TABLE {quote(table.name)} ({', '.join(parts)})"

    def add_foreign_keys(self, table: Table) -> Sequence[str]:  # noqa: ARG002 - none is left out
        """Return nothing: foreign keys are part of their tables, and SQLite resolves them late."""
        return ()

    def create_index(self, index: Index) -> str:
        """Create an index over plain columns, of all rows or of those with one status."""
        unique = "UNIQUE " if index.unique else ""
        table = index.table
        if table is None:
            raise ValueError(f"the index {index.name} belongs to no table")
        columns = ", ".join(
            f"{quote(name)} DESC" if descending else quote(name)
            for name, descending in index_columns(index)
        )
        name = quote(str(index.name))
        some = _SOME_ROWS[status_of_index(index)]
        return f"CREATE {unique}INDEX {name} on {quote(table.name)} ({columns}){some}"

    def drop_table(self, name: str) -> str:
        """Drop a table; foreign keys that refer to it stay in their tables."""
        return f"DROP TABLE {quote(name)}"

    def drop_index(self, name: str, table: str) -> str:  # noqa: ARG002 - names of indexes are unique here
        """Drop an index."""
        return f"DROP INDEX {quote(name)}"

    def rename_table(self, before: str, after: str) -> str:
        """Rename a table; foreign keys that refer to it follow."""
        return f"ALTER TABLE {quote(before)} RENAME TO {quote(after)}"

    def add_column(self, column: Column[Any]) -> Sequence[str]:
        """Add a column at the end, together with its foreign key."""
        keys = [_inline_key(key.constraint) for key in column.foreign_keys if key.constraint]
        parts = " ".join([_column(column), *keys])
        return (f"ALTER TABLE {quote(column.table.name)} ADD COLUMN {parts}",)

    def rename_column(self, table: str, before: str, after: str) -> str:
        """Rename a column; indexes and foreign keys follow."""
        return f"ALTER TABLE {quote(table)} RENAME COLUMN {quote(before)} TO {quote(after)}"

    def drop_column(self, table: FoundTable, name: str) -> Sequence[str]:
        """Drop a column without an index; one with a foreign key is only set to null.

        SQLite cannot remove a foreign key from a table.
        """
        if any(key.column == name for key in table.foreign_keys):
            return (f"UPDATE {quote(table.name)} SET {quote(name)} = NULL",)  # noqa: S608 - names
        return (f"ALTER TABLE {quote(table.name)} DROP COLUMN {quote(name)}",)

    def copy_structure(self, copy: str, table: str, columns: Sequence[str]) -> str:
        """Create an empty table with some columns of another one, without keys and indexes."""
        names = ", ".join(quote(name) for name in columns)
        chosen = f"SELECT {names} FROM {quote(table)} WHERE 0"  # noqa: S608 - quoted names
        return f"CREATE TABLE {quote(copy)} AS {chosen}"

    def type_name(self, column: Column[Any]) -> str:
        """Return the type of a column as an inspection finds it."""
        return "integer" if column.primary_key else type_name(column)


_SOME_ROWS: Mapping[Status | None, str] = MappingProxyType(
    {
        None: "",
        "published": " WHERE `published_at` IS NOT NULL",
        "draft": " WHERE `published_at` IS NULL",
    }
)
"""Which rows an index holds, by their status."""


def quote(name: str) -> str:
    """Quote a name."""
    return "`" + name.replace("`", "``") + "`"


def type_name(column: Column[object]) -> str:
    """Return the type of a column as SQLite's tables spell it: ``varchar(255)``."""
    return column.type.compile(dialect=_DIALECT).lower()


def _column(column: Column[object]) -> str:
    if column.primary_key:
        return f"{quote(column.name)} integer PRIMARY KEY AUTOINCREMENT NOT NULL"
    null = "NULL" if column.nullable else "NOT NULL"
    return f"{quote(column.name)} {type_name(column)} {null}{_default(column)}"


def _default(column: Column[object]) -> str:
    default = column.server_default
    if not isinstance(default, DefaultClause):
        return ""
    text = str(default.arg).replace("'", "''")
    return f" DEFAULT '{text}'"


def _position(table: Table, key: ForeignKeyConstraint) -> int:
    return list(table.columns).index(key.columns[0])


def _inline_key(key: ForeignKeyConstraint) -> str:
    target = quote(key.referred_table.name)
    name = quote(str(key.name))
    return f"CONSTRAINT {name} REFERENCES {target} ({quote('id')}) ON DELETE {key.ondelete}"


def _foreign_key(key: ForeignKeyConstraint) -> str:
    columns = ", ".join(quote(name) for name in key.column_keys)
    target = key.referred_table
    referred = ", ".join(quote(element.column.name) for element in key.elements)
    return (
        f"CONSTRAINT {quote(str(key.name))} FOREIGN KEY ({columns})"
        f" REFERENCES {quote(target.name)} ({referred}) ON DELETE {key.ondelete}"
    )
