"""Tables and indexes as PostgreSQL statements, with the types and names of the reference server."""

from collections.abc import Sequence
from types import MappingProxyType

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

from quire.database.bookkeeping import DATABASE_SCHEMA
from quire.database.tables import ColumnTypes, is_of_published
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
)
"""Moments are what the clock on the wall shows, to the microsecond (see ``moments``)."""

_KEPT_AS_WRITTEN = (DATABASE_SCHEMA, "schema")
"""The one column whose JSON the reference keeps to the letter, not only what it means."""

_DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy's


class PostgresDdl:
    """Writes the structure of a PostgreSQL database (a `DdlWriter`)."""

    def create_table(self, table: Table) -> str:
        """Write a table; its foreign keys wait until all tables are there."""
        columns = ", ".join(_column(column) for column in table.columns)
        return f"CREATE TABLE {quote(table.name)} ({columns})"

    def add_foreign_keys(self, table: Table) -> Sequence[str]:
        """Write the foreign keys of a table, in the order of their columns."""
        positions = list(table.columns)
        keys = sorted(
            table.foreign_key_constraints, key=lambda key: positions.index(key.columns[0])
        )
        return tuple(f"ALTER TABLE {quote(table.name)} ADD {_foreign_key(key)}" for key in keys)

    def create_index(self, index: Index) -> str:
        """Write an index over plain columns; a unique one is a constraint, as the reference's."""
        table = index.table
        if table is None:
            raise ValueError(f"the index {index.name} belongs to no table")
        columns = ", ".join(quote(column.name) for column in index.columns)
        name = quote(str(index.name))
        if index.unique:
            return f"ALTER TABLE {quote(table.name)} ADD CONSTRAINT {name} UNIQUE ({columns})"
        some = f" WHERE {quote('published_at')} IS NOT NULL" if is_of_published(index) else ""
        return f"CREATE INDEX {name} ON {quote(table.name)} ({columns}){some}"

    def drop_table(self, name: str) -> str:
        """Take a table away, with the foreign keys that lead to it."""
        return f"DROP TABLE {quote(name)} CASCADE"

    def drop_index(self, name: str, table: str) -> str:
        """Take an index away, whether it belongs to a constraint or not."""
        # The constraint goes with its index; where there is none, the index alone is left.
        return (
            f"DO $$ BEGIN ALTER TABLE {quote(table)} DROP CONSTRAINT IF EXISTS {quote(name)}; "
            f"DROP INDEX IF EXISTS {quote(name)}; END $$"
        )


def quote(name: str) -> str:
    """Quote a name; without, it would be folded to lower case and could be a keyword."""
    return '"' + name.replace('"', '""') + '"'


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
