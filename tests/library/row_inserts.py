"""Inserts of single rows into the tables of a schema, as another program would write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import orjson
from sqlalchemy import MetaData, Table

from quire.database.dialect import Dialect
from quire.database.program import Program, Statement, Value
from quire.database.tables.metadata import build_metadata, column_kind
from quire.database.tables.table_map import TableMap
from quire.database.target import DatabaseKind
from quire.schema.attributes.base import StorageKind
from quire.schema.model import Schema


def row_inserts(schema: Schema, tables: TableMap, kind: DatabaseKind) -> RowInserts:
    """Return what inserts rows into the tables of a schema."""
    return RowInserts(build_metadata(schema, tables, kind.column_types), kind.dialect())


class RowInserts:
    """Inserts rows into tables by name; rows with the same columns share one compiled statement."""

    def __init__(self, metadata: MetaData, dialect: Dialect) -> None:
        """``metadata`` describes the tables as `build_metadata` does."""
        self._metadata = metadata
        self._dialect = dialect
        self._known: dict[tuple[str, ...], _Insert] = {}

    def insert(self, table: str, row: Mapping[str, object]) -> Program[int]:
        """Insert a row, given by columns; returns its ``id``.

        Moments are epoch milliseconds. What goes into a JSON column is anything that JSON has a
        form for; other columns take scalars. Raises TypeError for what a column cannot hold.
        """
        described = self._metadata.tables[table]
        shape = (table, *row)
        if shape not in self._known:
            self._known[shape] = _compile(self._dialect, described, row)
        rows = yield _bind(self._known[shape], self._dialect, described, row)
        return int(rows[0][0] or 0)


class _Insert(NamedTuple):
    sql: str
    columns: tuple[str, ...]
    """The columns of the placeholders."""


def _compile(dialect: Dialect, table: Table, columns: Iterable[str]) -> _Insert:
    insert = table.insert().values(dict.fromkeys(columns)).returning(table.c.id)
    compiled = insert.compile(dialect=dialect.sqlalchemy_dialect())
    return _Insert(str(compiled), tuple(compiled.positiontup or ()))


def _bind(insert: _Insert, dialect: Dialect, table: Table, row: Mapping[str, object]) -> Statement:
    values = tuple(_encode(dialect, table, name, row[name]) for name in insert.columns)
    return Statement(insert.sql, values)


def _encode(dialect: Dialect, table: Table, name: str, value: object) -> Value:
    kind = column_kind(table.c[name])
    if value is None:
        return None
    if kind is StorageKind.JSON:
        return orjson.dumps(value).decode()
    if isinstance(value, str | int | float):
        return dialect.encoder(kind)(value)
    raise TypeError(f"{table.name}.{name} cannot hold {type(value).__name__}")
