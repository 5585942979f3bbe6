"""Quire's own tables, created when the first row is written.

Strapi leaves unknown tables alone.
"""

import asyncio
from collections.abc import Mapping
from functools import cache, partial
from typing import Any, Generic

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.program import Program, Statement
from quire.database.retry_guard import for_everybody
from quire.database.stores.row_types import row_columns
from quire.database.stores.table import RowT, Table, open_table
from quire.database.tables.metadata import plain_column
from quire.database.target import DatabaseKind
from quire.errors import AppError
from quire.schema.attributes.base import StorageKind


class QuireTable(Struct, Generic[RowT], frozen=True, kw_only=True):
    """A table for rows of a type; ``indexes`` are by name, with their columns.

    ``unique`` names the unique indexes, which ignore nulls. Columns and indexes that a table of an
    earlier version lacks are added to it. So columns may be null, an index with other columns has
    another name, and a new unique index has a new column.
    """

    name: str
    row: type[RowT]
    indexes: Mapping[str, tuple[str, ...]] = {}
    unique: tuple[str, ...] = ()

    @property
    def columns(self) -> Mapping[str, StorageKind]:
        """The column kinds by name, without ``id``."""
        return _kinds(self.row)

    def open(self, writes: Writes) -> Table[RowT]:
        """Return the programs on its rows; they need an existing table."""
        return open_table(writes, self.name, self.row)


@cache
def _kinds(row: type[Struct]) -> Mapping[str, StorageKind]:
    return {column.name: column.kind for column in row_columns(row).values() if column.name != "id"}


class QuireTables:
    """Creates Quire's own tables in one database."""

    def __init__(self, database: Database, kind: DatabaseKind) -> None:
        self._database = database
        self._kind = kind
        self._there: set[str] = set()
        self._making = asyncio.Lock()

    def is_known(self, table: QuireTable[Any]) -> bool:
        """Tell whether a table is known to exist."""
        return table.name in self._there

    async def ensure(self, table: QuireTable[Any]) -> None:
        """Create a table if it does not exist. Raises ServiceUnavailableError."""
        if self.is_known(table):
            return
        async with self._making:
            if not await self._database.read(lambda: self._is_complete(table)):
                await self._make(table)
            self._there.add(table.name)

    async def ensure_existing(self, *tables: QuireTable[Any]) -> None:
        """Add the columns and indexes that tables of an earlier version lack; create no table.

        Until then `exists` does not recognize tables that lack columns. Raises
        ServiceUnavailableError.
        """
        for table in tables:
            columns_of = partial(self._kind.inspector.columns_of, table.name)
            if await self._database.read(columns_of):
                await self.ensure(table)

    def exists(self, table: QuireTable[Any]) -> Program[bool]:
        """Tell whether a table exists with all columns; another process may have created it."""
        if self.is_known(table):
            return True
        return table.columns.keys() <= (yield from self._kind.inspector.columns_of(table.name))

    def _is_complete(self, table: QuireTable[Any]) -> Program[bool]:
        """Tell whether a table exists with all columns and indexes."""
        if not (yield from self.exists(table)):
            return False
        indexes = yield from self._kind.inspector.index_names_of(table.name)
        return table.indexes.keys() <= indexes

    def ensure_in_transaction(self, table: QuireTable[Any]) -> Program[None]:
        """Create a table if it does not exist: part of the transaction that uses it."""
        if not self.is_known(table) and not (yield from self._is_complete(table)):
            yield from self._create_table(table)

    async def _make(self, table: QuireTable[Any]) -> None:
        try:
            with for_everybody():
                await self._database.write(self._create_table(table))
        except AppError:
            # Another process may have created it at the same moment.
            if not await self._database.read(lambda: self._is_complete(table)):
                raise

    def _create_table(self, table: QuireTable[Any]) -> Program[None]:
        kind = self._kind
        sqlalchemy_table = sa.Table(
            table.name,
            sa.MetaData(),
            plain_column(kind.column_types, "id", StorageKind.ID),
            *(
                plain_column(kind.column_types, name, kind_of_column)
                for name, kind_of_column in table.columns.items()
            ),
        )
        existing_columns = yield from kind.inspector.columns_of(table.name)
        if existing_columns:
            for name in table.columns.keys() - existing_columns:
                for sql in kind.ddl.add_column(sqlalchemy_table.c[name]):
                    yield Statement(sql)
        else:
            yield Statement(kind.ddl.create_table(sqlalchemy_table))
        existing_indexes = yield from kind.inspector.index_names_of(table.name)
        for name, columns in table.indexes.items():
            if name in existing_indexes:
                continue
            indexed = (sqlalchemy_table.c[column] for column in columns)
            index = sa.Index(name, *indexed, unique=name in table.unique)
            yield Statement(kind.ddl.create_index(index))
