"""Which tables are copied, and how they are created in the target.

Tables and columns of the schema are created as it defines them. Those that the schema does not
know, tables of other programs or former columns, are created as the source describes them.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Column, DefaultClause, ForeignKeyConstraint, Index, MetaData, Table
from sqlalchemy.schema import sort_tables_and_constraints
from sqlalchemy.types import TypeEngine, UserDefinedType

from quire.database.tables.inspection import FoundColumn, FoundTable, FoundTables
from quire.database.tables.metadata import ColumnTypes, column_kind, plain_column
from quire.database.tables.system_tables import OWN_PREFIX
from quire.schema.attributes.base import StorageKind

ID = "id"

_ID_KINDS = frozenset({StorageKind.INTEGER, StorageKind.BIGINTEGER})
"""The kinds of columns named ``id`` that become a primary key; others are columns like others."""

_NUMBERS = re.compile(r"(numeric|decimal|numeric_text)(\(\d+(?:, ?-?\d+)?\))?")
"""A numeric type with a number of digits."""

_KINDS: Sequence[tuple[str, StorageKind]] = (
    (r"jsonb?", StorageKind.JSON),
    (r"bool(ean)?", StorageKind.BOOLEAN),
    (r"(bigint|int8|bigserial)", StorageKind.BIGINTEGER),
    (r"(numeric|decimal).*", StorageKind.DECIMAL),
    (r"(tiny|small|medium)?int(eger)?\d?( unsigned)?|serial", StorageKind.INTEGER),
    (r"(float|real|double).*", StorageKind.FLOAT),
    (r"(datetime|timestamp).*", StorageKind.DATETIME),
    (r"date", StorageKind.DATE),
    (r"time.*", StorageKind.TIME),
    (r"(varchar|character varying|char|character)\(\d+\)", StorageKind.STRING),
)
"""The column kinds of types that the schema does not know; anything else is text."""


class CopiedTable(Struct, frozen=True):
    """A table that is copied, as the target will have it.

    ``columns`` are those of the source, with their kinds. Numbers in ``exact`` columns, which the
    schema does not know, keep all their digits. Rows are identified and ordered by their id; a
    table without one (``identified`` is false) is copied in one piece.
    """

    table: Table
    columns: Mapping[str, StorageKind]
    identified: bool
    exact: Collection[str] = frozenset()

    @property
    def name(self) -> str:
        """The name of the table, the same on both sides."""
        return self.table.name


class CopyPlan(Struct, frozen=True):
    """All that is copied: tables in an order in which each comes after those that it refers to.

    ``unknown`` names tables and columns that the schema does not know, ``left_out`` the parts of
    the source that cannot be created in the target.
    """

    copied: Sequence[CopiedTable]
    unknown: Sequence[str]
    left_out: Sequence[str]


def plan_structure(
    existing_tables: FoundTables,
    expected_tables: MetaData,
    *,
    source: ColumnTypes,
    target: ColumnTypes,
) -> CopyPlan:
    """Plan the tables of a copy.

    ``existing_tables`` is the inspected source, ``expected_tables`` the tables of the schema with
    the types of the target; ``source`` and ``target`` are the column types of both sides.
    ``expected_tables`` is consumed.
    """
    build = _PlanBuilder(
        existing_tables=existing_tables,
        expected_tables=expected_tables,
        source=source,
        types=target,
        metadata=MetaData(),
        unknown=[],
        exact=defaultdict(set),
    )
    for table in existing_tables.values():
        build.table(table)
    left_out = [
        line for table in existing_tables.values() for line in build.keys_and_indexes(table)
    ]
    copied_tables = [
        CopiedTable(
            table=table,
            columns={column.name: column_kind(column) for column in table.columns},
            identified=ID in table.c and table.c[ID].primary_key,
            exact=frozenset(build.exact[table.name]),
        )
        for table in _sort_tables(build.metadata)
    ]
    return CopyPlan(copied_tables, build.unknown, left_out)


class _PlanBuilder(Struct, frozen=True, kw_only=True):
    existing_tables: FoundTables
    expected_tables: MetaData
    source: ColumnTypes
    types: ColumnTypes
    metadata: MetaData
    unknown: list[str]
    exact: defaultdict[str, set[str]]

    def table(self, existing_table: FoundTable) -> None:
        """Add a table with the columns of the source."""
        expected_table = self.expected_tables.tables.get(existing_table.name)
        if expected_table is None and not existing_table.name.startswith(OWN_PREFIX):
            self.unknown.append(f"the table {existing_table.name}")
        columns = []
        for column in existing_table.columns.values():
            if expected_table is not None and column.name in expected_table.c:
                columns.append(_copy_column(expected_table.c[column.name]))
            else:
                if expected_table is not None:
                    self.unknown.append(f"the column {existing_table.name}.{column.name}")
                columns.append(self._column(existing_table.name, column))
        Table(existing_table.name, self.metadata, *columns)

    def keys_and_indexes(self, existing_table: FoundTable) -> Iterator[str]:
        """Add foreign keys and indexes; yields those that cannot be created."""
        table = self.metadata.tables[existing_table.name]
        expected_table = self.expected_tables.tables.get(existing_table.name)
        if expected_table is not None:
            self._add_expected_keys(expected_table, table)
            self._add_expected_indexes(expected_table, table)
        self._add_existing_keys(existing_table, table)
        yield from self._add_existing_indexes(existing_table, table)

    def _column(self, table: str, existing_column: FoundColumn) -> Column[Any]:
        kind = kind_of_type(existing_column.type)
        is_id = existing_column.name == ID and kind in _ID_KINDS
        if is_id and kind is StorageKind.INTEGER:
            kind = StorageKind.ID
        column = plain_column(
            self.types, existing_column.name, kind, nullable=existing_column.nullable and not is_id
        )
        column.primary_key = is_id
        if kind is StorageKind.DECIMAL:
            column.type = self._numbers(existing_column.type.strip().lower())
            self.exact[table].add(existing_column.name)
        return column

    def _numbers(self, type_name: str) -> TypeEngine[Any]:
        """Return a type for the numbers of a column, as narrow as that of the source."""
        match = _NUMBERS.fullmatch(type_name)
        if match is None:
            return _NamedType(self.types.exact)
        if self.source is self.types:
            return _NamedType(match[0])
        name, bounds = match.groups("")
        return _NamedType(self.types.exact + (bounds if name == self.source.exact else ""))

    def _add_expected_keys(self, expected_table: Table, table: Table) -> None:
        for key in expected_table.foreign_key_constraints:
            target = self.metadata.tables.get(key.referred_table.name)
            if target is not None and all(name in table.c for name in key.column_keys):
                self._add_key(table, str(key.name), key.column_keys[0], target, str(key.ondelete))

    def _add_existing_keys(self, existing_table: FoundTable, table: Table) -> None:
        keyed_columns = {key.column_keys[0] for key in table.foreign_key_constraints}
        for key in sorted(existing_table.foreign_keys, key=lambda key: key.column):
            target = self.metadata.tables.get(key.target)
            if key.column not in keyed_columns and target is not None:
                name = f"{table.name}_{key.column}_fk"[-63:]
                self._add_key(table, name, key.column, target, key.on_delete)

    @staticmethod
    def _add_key(table: Table, name: str, column: str, target: Table, on_delete: str) -> None:
        table.append_constraint(
            ForeignKeyConstraint([table.c[column]], [target.c[ID]], name=name, ondelete=on_delete)
        )

    @staticmethod
    def _add_expected_indexes(expected_table: Table, table: Table) -> None:
        for index in expected_table.indexes:
            names = [column.name for column in index.columns]
            if all(name in table.c for name in names):
                Index(
                    index.name,
                    *(table.c[name] for name in names),
                    unique=index.unique,
                    info=dict(index.info),
                )

    @staticmethod
    def _add_existing_indexes(existing_table: FoundTable, table: Table) -> Iterator[str]:
        planned_indexes = {
            (tuple(column.name for column in index.columns), bool(index.unique))
            for index in table.indexes
        }
        names = {str(index.name) for index in table.indexes}
        for index in existing_table.indexes.values():
            if index.name in names or (index.columns, index.unique) in planned_indexes:
                continue
            if index.columns == (ID,) and table.c[ID].primary_key:
                continue
            if index.partial or "" in index.columns:
                yield f"the index {index.name} of {table.name}"
            else:
                # Names such as sqlite_autoindex_1 are the database's own.
                is_generated = index.name.startswith("sqlite_")
                name = (
                    "_".join((table.name, *index.columns, "uq"))[-63:]
                    if is_generated
                    else index.name
                )
                Index(name, *(table.c[column] for column in index.columns), unique=index.unique)


class _NamedType(UserDefinedType[Any]):
    """A type with a given name."""

    cache_ok = True

    def __init__(self, name: str) -> None:
        self.name = name

    def get_col_spec(self, **_: object) -> str:
        """Return the type as it is written in DDL."""
        return self.name


def kind_of_type(type_: str) -> StorageKind:
    """Return the column kind nearest to a type in the spelling of a database."""
    for pattern, kind in _KINDS:
        if re.fullmatch(pattern, type_.strip().lower()):
            return kind
    return StorageKind.TEXT


def _copy_column(column: Column[Any]) -> Column[Any]:
    """Copy the description of a column, for another table."""
    default = column.server_default
    return Column(
        column.name,
        column.type,
        primary_key=column.primary_key,
        nullable=column.nullable,
        server_default=str(default.arg) if isinstance(default, DefaultClause) else None,
        info=dict(column.info),
    )


def _sort_tables(metadata: MetaData) -> list[Table]:
    """Sort tables after those that they refer to; cycles are broken at an arbitrary point."""
    tables = metadata.tables.values()
    sorted_tables = sort_tables_and_constraints(tables)  # type: ignore[no-untyped-call]  # as it comes
    return [table for table, _ in sorted_tables if table is not None]
