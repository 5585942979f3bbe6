"""DDL: creates the tables and indexes of a new database.

The dialect writes the statements (`DdlWriter`); this module decides what is created, and in which
order.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from sqlalchemy import Column, Index, MetaData, Table

from quire.database.program import Program, Statement
from quire.database.tables.inspection import FoundTable
from quire.database.tables.metadata import sorted_indexes


class DdlWriter(Protocol):
    """Writes DDL statements."""

    def create_table(self, table: Table) -> str:
        """Create the table with its columns, without its indexes."""
        ...

    def add_foreign_keys(self, table: Table) -> Sequence[str]:
        """Add the foreign keys that `create_table` left out.

        Where a foreign key can only name an existing table, it has to wait for all tables.
        """
        ...

    def create_index(self, index: Index) -> str:
        """Create an index of a table."""
        ...

    def drop_table(self, name: str) -> str:
        """Drop a table, with its rows and all references to it."""
        ...

    def drop_index(self, name: str, table: str) -> str:
        """Drop an index of a table."""
        ...

    def rename_table(self, before: str, after: str) -> str:
        """Rename a table; foreign keys that refer to it follow."""
        ...

    def add_column(self, column: Column[Any]) -> Sequence[str]:
        """Add a column to an existing table, with its foreign key."""
        ...

    def rename_column(self, table: str, before: str, after: str) -> str:
        """Rename a column; indexes and foreign keys follow."""
        ...

    def drop_column(self, table: FoundTable, name: str) -> Sequence[str]:
        """Drop a column without an index, or set it to null where that is impossible."""
        ...

    def copy_structure(self, copy: str, table: str, columns: Sequence[str]) -> str:
        """Create an empty table with some columns of another one, without keys and indexes."""
        ...

    def type_name(self, column: Column[Any]) -> str:
        """Return the type of a column as an inspection finds it."""
        ...


def create_program(metadata: MetaData, writer: DdlWriter) -> Program[None]:
    """Create all tables of a new database, then all indexes; run it in one transaction."""
    tables = metadata.tables.values()
    for table in tables:
        yield Statement(writer.create_table(table))
    for table in tables:
        for sql in writer.add_foreign_keys(table):
            yield Statement(sql)
    for table in tables:
        for index in sorted_indexes(table):
            yield Statement(writer.create_index(index))
