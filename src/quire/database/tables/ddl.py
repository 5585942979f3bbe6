"""DDL: creates the tables and indexes of a new database.

How a statement is written is the dialect's business (`DdlWriter`); here is what is made, and in
which order.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from sqlalchemy import Column, Index, MetaData, Table

from quire.database.program import Program, Statement
from quire.database.tables.inspection import FoundTable
from quire.database.tables.metadata import sorted_indexes


class DdlWriter(Protocol):
    """Writes the statements that change the structure of a database."""

    def create_table(self, table: Table) -> str:
        """Write the table with its columns, without its indexes."""
        ...

    def add_foreign_keys(self, table: Table) -> Sequence[str]:
        """Write the foreign keys that `create_table` left out, to be added to the table later.

        Where a foreign key can only name a table that is there, it has to wait for all tables.
        """
        ...

    def create_index(self, index: Index) -> str:
        """Write one index of a table."""
        ...

    def drop_table(self, name: str) -> str:
        """Take a table away, with its rows and with what leads to it."""
        ...

    def drop_index(self, name: str, table: str) -> str:
        """Take an index away from a table."""
        ...

    def rename_table(self, before: str, after: str) -> str:
        """Give a table another name; foreign keys that lead to it follow."""
        ...

    def add_column(self, column: Column[Any]) -> Sequence[str]:
        """Add a column of a table that is there, with its foreign key."""
        ...

    def rename_column(self, table: str, before: str, after: str) -> str:
        """Give a column another name; indexes and foreign keys follow."""
        ...

    def drop_column(self, table: FoundTable, name: str) -> Sequence[str]:
        """Take away a column that no index speaks of any more, or empty it where that cannot be."""
        ...

    def copy_structure(self, copy: str, table: str, columns: Sequence[str]) -> str:
        """Make an empty table with some columns of another one, without keys and indexes."""
        ...

    def type_name(self, column: Column[Any]) -> str:
        """Return the type of a column as an inspection finds it."""
        ...


def create_program(metadata: MetaData, writer: DdlWriter) -> Program[None]:
    """Make all tables of a fresh database, then all indexes; run it in one transaction."""
    tables = metadata.tables.values()
    for table in tables:
        yield Statement(writer.create_table(table))
    for table in tables:
        for sql in writer.add_foreign_keys(table):
            yield Statement(sql)
    for table in tables:
        for index in sorted_indexes(table):
            yield Statement(writer.create_index(index))
