"""DDL of SQLite, in the form that Strapi can parse.

Strapi alters a table by reading its stored ``CREATE`` text and writing it anew. Its parser requires
quotes around every name, and foreign keys have to be in the table from the beginning, because
Strapi never adds them to an existing table.
"""

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
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

from quire.database.program import Program, Statement
from quire.database.tables.ddl import DdlWriter
from quire.database.tables.inspection import FoundTable
from quire.database.tables.metadata import ColumnTypes
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
_SELECT_DEFINITION = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
_SET_DEFINITION = "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?"
_SELECT_FOREIGN_KEY = 'SELECT 1 FROM pragma_foreign_key_list(?) WHERE "from" = ?'
_IDENTIFIER = r"""(?:`[^`]+`|"[^"]+"|\[[^\]]+\]|\w+)"""
_REFERENCES = (
    rf"REFERENCES\s+{_IDENTIFIER}(?:\s*\(\s*{_IDENTIFIER}\s*\))?"
    r"(?:\s+ON\s+(?:DELETE|UPDATE)\s+(?:SET\s+NULL|SET\s+DEFAULT|CASCADE|RESTRICT|NO\s+ACTION))*"
    r"(?:\s+(?:NOT\s+)?DEFERRABLE(?:\s+INITIALLY\s+(?:DEFERRED|IMMEDIATE))?)?"
)


def quote(name: str) -> str:
    """Quote a name."""
    return "`" + name.replace("`", "``") + "`"


class SqliteDdl(DdlWriter):
    """Writes the DDL of a SQLite database."""

    def quote(self, name: str) -> str:
        """See `quote`."""
        return quote(name)

    def written_type(self, column: Column[Any]) -> str:
        """Return the type of a column as SQLite's tables spell it."""
        return column.type.compile(dialect=_DIALECT).lower()

    def create_table(self, table: Table) -> str:
        """Create a table in one line, each foreign key as a named constraint at the end."""
        parts = [*map(self._column, table.columns), *self.foreign_keys(table)]
        return f"CREATE TABLE {quote(table.name)} ({', '.join(parts)})"

    def add_foreign_keys(self, table: Table) -> Sequence[str]:  # noqa: ARG002 - none is left out
        """Return nothing: foreign keys are part of their tables, and SQLite resolves them late."""
        return ()

    def create_index(self, index: Index) -> str:
        """Create an index."""
        unique = "UNIQUE " if index.unique else ""
        table, columns, condition = self.indexed(index)
        return f"CREATE {unique}INDEX {quote(str(index.name))} on {table} ({columns}){condition}"

    def drop_table(self, name: str) -> str:
        """Drop a table; see `drop_foreign_keys`."""
        return f"DROP TABLE {quote(name)}"

    def drop_index(self, name: str, table: str) -> str:  # noqa: ARG002 - names of indexes are unique here
        """Drop an index."""
        return f"DROP INDEX {quote(name)}"

    def add_column(self, column: Column[Any]) -> Sequence[str]:
        """Add a column at the end, together with its foreign key."""
        keys = [_inline_key(key.constraint) for key in column.foreign_keys if key.constraint]
        parts = " ".join([self._column(column), *keys])
        return (f"ALTER TABLE {quote(column.table.name)} ADD COLUMN {parts}",)

    def drop_column(self, table: FoundTable, name: str) -> Program[None]:
        """Drop a column without an index; first its foreign key, with which SQLite cannot.

        A foreign key in a form that neither Quire nor Strapi writes stays; then the column is set
        to null.
        """
        if any(key.column == name for key in table.foreign_keys):
            yield from _drop_foreign_key(table.name, name)
            if (yield Statement(_SELECT_FOREIGN_KEY, (table.name, name))):
                update = f"UPDATE {quote(table.name)} SET {quote(name)} = NULL"  # noqa: S608 - names
                yield Statement(update)
                return
        yield from super().drop_column(table, name)

    def drop_foreign_keys(self, table: FoundTable, target: str) -> Program[None]:
        """Drop foreign keys, whose rows SQLite would delete or change when it drops their target.

        Later it would refuse to write any row of the table.
        """
        for key in table.foreign_keys:
            if key.target == target:
                yield from _drop_foreign_key(table.name, key.column)

    def _column(self, column: Column[Any]) -> str:
        if column.primary_key:
            return f"{quote(column.name)} integer PRIMARY KEY AUTOINCREMENT NOT NULL"
        null = "NULL" if column.nullable else "NOT NULL"
        definition = f"{quote(column.name)} {self.written_type(column)} {null}"
        return f"{definition}{self.default(column)}"


def _inline_key(key: ForeignKeyConstraint) -> str:
    target = quote(key.referred_table.name)
    name = quote(str(key.name))
    return f"CONSTRAINT {name} REFERENCES {target} ({quote('id')}) ON DELETE {key.ondelete}"


def _drop_foreign_key(table: str, column: str) -> Program[None]:
    """Rewrite the definition of a table, as https://sqlite.org/lang_altertable.html describes."""
    [(text,)] = yield Statement(_SELECT_DEFINITION, (table,))
    definition = _without_foreign_key(str(text), column)
    if definition != text:
        yield Statement("PRAGMA writable_schema = ON")
        yield Statement(_SET_DEFINITION, (definition, table))
        yield Statement("PRAGMA writable_schema = RESET")


def _without_foreign_key(definition: str, column: str) -> str:
    """Return the ``CREATE TABLE`` of a table without the foreign keys of a column.

    They are constraints at the end, or part of the definition of the column.
    """
    name = re.escape(column)
    quoted_column = rf"""(?:`{name}`|"{name}"|\[{name}\]|\b{name}\b)"""
    constraint, end = rf"(?:CONSTRAINT\s+{_IDENTIFIER}\s+)?", r"(?=\s*[,)])"
    at_end = rf",\s*{constraint}FOREIGN\s+KEY\s*\(\s*{quoted_column}\s*\)\s*{_REFERENCES}{end}"
    in_column = rf"({quoted_column}[^,()]*?)\s+{constraint}{_REFERENCES}{end}"
    shorter = re.sub(at_end, "", definition, flags=re.IGNORECASE)
    return re.sub(in_column, r"\1", shorter, flags=re.IGNORECASE)
