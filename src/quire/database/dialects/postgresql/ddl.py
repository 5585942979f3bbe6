"""DDL of PostgreSQL, with the types and names that Strapi uses."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Index,
    Integer,
    Numeric,
    String,
    Table,
    Text,
    Time,
)
from sqlalchemy.dialects import postgresql

from quire.database.tables.ddl import DdlWriter
from quire.database.tables.metadata import ColumnTypes
from quire.database.tables.system_tables import DATABASE_SCHEMA
from quire.errors import ApplicationError
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

_VERBATIM_JSON_COLUMN = (DATABASE_SCHEMA, "schema")
"""The one column whose JSON the reference keeps to the letter, not only what it means."""

_SYSTEM_COLUMNS = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})
"""Columns that every table has, so that none of its own can have their names."""

_DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy's


def quote(name: str) -> str:
    """Quote a name; without quotes it would be folded to lower case and could be a keyword."""
    return '"' + name.replace('"', '""') + '"'


class PostgresDdl(DdlWriter):
    """Writes the DDL of a PostgreSQL database."""

    def quote(self, name: str) -> str:
        """See `quote`."""
        return quote(name)

    def written_type(self, column: Column[Any]) -> str:
        """Return the type of a column as PostgreSQL spells it."""
        if (column.table.name, column.name) == _VERBATIM_JSON_COLUMN:
            return "json"
        return column.type.compile(dialect=_DIALECT).lower().replace(", ", ",")

    def create_table(self, table: Table) -> str:
        """Create a table; its foreign keys are added when all tables exist."""
        columns = ", ".join(map(self._column, table.columns))
        return f"CREATE TABLE {quote(table.name)} ({columns})"

    def add_foreign_keys(self, table: Table) -> Sequence[str]:
        """Add the foreign keys of a table."""
        return [f"ALTER TABLE {quote(table.name)} ADD {key}" for key in self.foreign_keys(table)]

    def create_index(self, index: Index) -> str:
        """Create an index; a unique index is a constraint, as in Strapi."""
        table, columns, condition = self.indexed(index)
        name = quote(str(index.name))
        if index.unique:
            return f"ALTER TABLE {table} ADD CONSTRAINT {name} UNIQUE ({columns})"
        return f"CREATE INDEX {name} ON {table} ({columns}){condition}"

    def drop_table(self, name: str) -> str:
        """Drop a table, with the foreign keys that refer to it.

        Views and functions of other programs that depend on it make this fail: `CASCADE` would drop
        them.
        """
        keys = (
            "SELECT conrelid::regclass AS source, conname FROM pg_catalog.pg_constraint"  # noqa: S608 - quoted names
            f" WHERE contype = 'f' AND confrelid = {_text(quote(name))}::regclass"
        )
        return (
            f"DO $$ DECLARE key record; BEGIN FOR key IN {keys} LOOP"
            " EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', key.source, key.conname);"
            f" END LOOP; DROP TABLE {quote(name)}; END $$"
        )

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

    def rename_column(self, table: str, before: str, after: str) -> str:
        """Rename a column. Raises ApplicationError for a name that no column can have."""
        _require_free_name(table, after)
        return super().rename_column(table, before, after)

    def add_column(self, column: Column[Any]) -> Sequence[str]:
        """Add a column at the end, and its foreign key."""
        table = quote(column.table.name)
        keys = [key.constraint for key in column.foreign_keys if key.constraint]
        return (
            f"ALTER TABLE {table} ADD COLUMN {self._column(column)}",
            *(f"ALTER TABLE {table} ADD {self.foreign_key(key)}" for key in keys),
        )

    def _column(self, column: Column[Any]) -> str:
        _require_free_name(column.table.name, column.name)
        if column.primary_key:
            serial = "bigserial" if isinstance(column.type, BigInteger) else "serial"
            return f"{quote(column.name)} {serial} PRIMARY KEY"
        null = "" if column.nullable else " NOT NULL"
        definition = f"{quote(column.name)} {self.written_type(column)}{null}"
        return f"{definition}{self.default(column)}"


def _require_free_name(table: str, column: str) -> None:
    if column in _SYSTEM_COLUMNS:
        raise ApplicationError(
            f"{table}.{column}: PostgreSQL has system columns of this name. Rename the attribute."
        )


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
