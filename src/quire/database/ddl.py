"""Making tables and indexes: what a fresh database needs, as a program.

How a statement is written is the dialect's business (`DdlWriter`); here is what is made, and in
which order.
"""

from typing import Protocol

from sqlalchemy import Index, MetaData, Table

from quire.database.program import Program, Statement
from quire.database.tables import sorted_indexes


class DdlWriter(Protocol):
    """Writes the statements that change the structure of a database."""

    def create_table(self, table: Table) -> str:
        """Write the table with its columns and foreign keys, without its indexes."""
        ...

    def create_index(self, index: Index) -> str:
        """Write one index of a table."""
        ...

    def drop_index(self, name: str, table: str) -> str:
        """Take an index away from a table."""
        ...


def create_program(metadata: MetaData, writer: DdlWriter) -> Program[None]:
    """Make all tables of a fresh database, then all indexes; run it in one transaction."""
    for table in metadata.tables.values():
        yield Statement(writer.create_table(table))
    for table in metadata.tables.values():
        for index in sorted_indexes(table):
            yield Statement(writer.create_index(index))
