"""DDL: creates the tables and indexes of a new database.

`DdlWriter` writes the statements, each database in its own form; `create_program` decides what is
created, and in which order.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    Column,
    DefaultClause,
    ForeignKeyConstraint,
    Index,
    MetaData,
    Table,
)

from quire.database.program import Program, Statement
from quire.database.tables.inspection import FoundTable
from quire.database.tables.metadata import index_columns, sorted_indexes, status_of_index
from quire.query.plan import Status


class DdlWriter(ABC):
    """Writes DDL statements."""

    @abstractmethod
    def quote(self, name: str) -> str:
        """Quote a name."""

    @abstractmethod
    def written_type(self, column: Column[Any]) -> str:
        """Return the type of a column as the database spells it: ``varchar(255)``."""

    @abstractmethod
    def create_table(self, table: Table) -> str:
        """Create the table with its columns, without its indexes."""

    @abstractmethod
    def add_foreign_keys(self, table: Table) -> Sequence[str]:
        """Add the foreign keys that `create_table` left out.

        Where a foreign key can only name an existing table, it has to wait for all tables.
        """

    @abstractmethod
    def create_index(self, index: Index) -> str:
        """Create an index over plain columns, of all rows or of those with one status."""

    @abstractmethod
    def drop_table(self, name: str) -> str:
        """Drop a table, with its rows and all references to it."""

    @abstractmethod
    def drop_index(self, name: str, table: str) -> str:
        """Drop an index of a table."""

    @abstractmethod
    def add_column(self, column: Column[Any]) -> Sequence[str]:
        """Add a column at the end of an existing table, with its foreign key."""

    def rename_table(self, before: str, after: str) -> str:
        """Rename a table; foreign keys that refer to it follow."""
        return f"ALTER TABLE {self.quote(before)} RENAME TO {self.quote(after)}"

    def rename_column(self, table: str, before: str, after: str) -> str:
        """Rename a column; indexes and foreign keys follow."""
        names = f"{self.quote(before)} TO {self.quote(after)}"
        return f"ALTER TABLE {self.quote(table)} RENAME COLUMN {names}"

    def drop_column(self, table: FoundTable, name: str) -> Program[None]:
        """Drop a column without an index, or set it to null where that is impossible."""
        yield Statement(f"ALTER TABLE {self.quote(table.name)} DROP COLUMN {self.quote(name)}")

    def drop_foreign_keys(self, table: FoundTable, target: str) -> Program[None]:  # noqa: ARG002 - `drop_table` drops them
        """Drop the foreign keys of a table to another one, before that is dropped."""
        yield from ()

    def copy_structure(self, copy: str, table: str, columns: Sequence[str]) -> str:
        """Create an empty table with some columns of another one, without keys and indexes."""
        names = ", ".join(map(self.quote, columns))
        select = f"SELECT {names} FROM {self.quote(table)} WHERE 1 = 0"  # noqa: S608 - quoted names
        return f"CREATE TABLE {self.quote(copy)} AS {select}"

    def type_name(self, column: Column[Any]) -> str:
        """Return the type of a column as an inspection finds it."""
        return "integer" if column.primary_key else self.written_type(column)

    # Parts of statements -----------------------------------------------------------------------

    def foreign_keys(self, table: Table) -> list[str]:
        """Return the foreign keys of a table as constraints, in the order of their columns."""
        positions = list(table.columns)
        keys = sorted(
            table.foreign_key_constraints, key=lambda key: positions.index(key.columns[0])
        )
        return [self.foreign_key(key) for key in keys]

    def foreign_key(self, key: ForeignKeyConstraint) -> str:
        """Return a foreign key as a constraint."""
        columns = ", ".join(map(self.quote, key.column_keys))
        referred = ", ".join(self.quote(element.column.name) for element in key.elements)
        return (
            f"CONSTRAINT {self.quote(str(key.name))} FOREIGN KEY ({columns})"
            f" REFERENCES {self.quote(key.referred_table.name)} ({referred})"
            f" ON DELETE {key.ondelete}"
        )

    def default(self, column: Column[Any]) -> str:
        """Return the default of a column, which may be empty."""
        default = column.server_default
        if not isinstance(default, DefaultClause):
            return ""
        text = str(default.arg).replace("'", "''")
        return f" DEFAULT '{text}'"

    def indexed(self, index: Index) -> tuple[str, str, str]:
        """Return the table, the columns and the condition of an index.

        Raises ValueError for one without a table.
        """
        table = index.table
        if table is None:
            raise ValueError(f"the index {index.name} belongs to no table")
        columns = ", ".join(
            f"{self.quote(name)} DESC" if descending else self.quote(name)
            for name, descending in index_columns(index)
        )
        return self.quote(table.name), columns, self._condition(status_of_index(index))

    def _condition(self, status: Status | None) -> str:
        """Return which rows an index holds, by their status."""
        if status is None:
            return ""
        negation = " NOT" if status == "published" else ""
        return f" WHERE {self.quote('published_at')} IS{negation} NULL"


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
