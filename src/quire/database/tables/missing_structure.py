"""Compares the tables of a database with those that a schema needs."""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct
from sqlalchemy import ForeignKeyConstraint, Index, MetaData, Table

from quire.database.tables.ddl import DdlWriter
from quire.database.tables.inspection import FoundForeignKey, FoundTable, FoundTables
from quire.database.tables.metadata import gain_of, is_read_index, sorted_indexes, status_of_index


class MissingKind(StrEnum):
    """What can be missing, the most serious first."""

    TABLE = "table"
    COLUMN = "column"
    FOREIGN_KEY = "foreign key"
    INDEX = "index"
    READ_INDEX = "read index"


class MissingItem(Struct, frozen=True, kw_only=True):
    """One thing that a database lacks.

    ``name`` is the column, foreign key or index; for a table it is the table's own. ``statements``
    create it; there are none if a migration has to do it. ``gain`` says what a read index is for.
    """

    kind: MissingKind
    table: str
    name: str
    statements: tuple[str, ...] = ()
    gain: str = ""

    def __str__(self) -> str:
        if self.kind is MissingKind.TABLE:
            return f"the table {self.name} is missing"
        return f"the table {self.table} lacks the {self.kind} {self.name}"


def compare(
    expected_tables: MetaData, existing_tables: FoundTables, writer: DdlWriter
) -> list[MissingItem]:
    """List what the database lacks, the most serious first, then by table.

    Additional tables and columns of the database are not listed. A missing table stands for
    everything in it.
    """
    findings: list[MissingItem] = []
    for table in expected_tables.tables.values():
        existing = existing_tables.get(table.name)
        if existing is None:
            findings.append(_missing_table(table, writer))
        else:
            findings += _compare_table(table, existing, writer)
    gravity = list(MissingKind)
    return sorted(findings, key=lambda item: (gravity.index(item.kind), item.table, item.name))


def _missing_table(table: Table, writer: DdlWriter) -> MissingItem:
    statements = (
        writer.create_table(table),
        *writer.add_foreign_keys(table),
        *(writer.create_index(index) for index in sorted_indexes(table)),
    )
    return MissingItem(
        kind=MissingKind.TABLE, table=table.name, name=table.name, statements=statements
    )


def _compare_table(table: Table, existing: FoundTable, writer: DdlWriter) -> Iterator[MissingItem]:
    for column in table.columns:
        if column.name not in existing.columns:
            yield MissingItem(kind=MissingKind.COLUMN, table=table.name, name=column.name)
    for key in table.foreign_key_constraints:
        if key.columns[0].name in existing.columns and not _has_foreign_key(key, existing):
            yield MissingItem(kind=MissingKind.FOREIGN_KEY, table=table.name, name=str(key.name))
    for index in sorted_indexes(table):
        if _possible(index, existing) and not _serves(index, existing):
            yield MissingItem(
                kind=MissingKind.READ_INDEX if is_read_index(index) else MissingKind.INDEX,
                table=table.name,
                name=str(index.name),
                statements=(
                    *_drop_conflicting_index(index, existing, writer),
                    writer.create_index(index),
                ),
                gain=gain_of(index),
            )


def _has_foreign_key(key: ForeignKeyConstraint, existing: FoundTable) -> bool:
    foreign_key = FoundForeignKey(
        column=key.columns[0].name,
        target=key.referred_table.name,
        on_delete=str(key.ondelete),
    )
    return foreign_key in existing.foreign_keys


def _drop_conflicting_index(index: Index, existing: FoundTable, writer: DdlWriter) -> Iterator[str]:
    """Drop an index with the name of a needed one but other columns.

    Strapi leaves such an index behind when it drops one of its columns.
    """
    if index.name in existing.indexes:
        yield writer.drop_index(str(index.name), existing.name)


def _possible(index: Index, existing: FoundTable) -> bool:
    return all(column.name in existing.columns for column in index.columns)


def _serves(index: Index, existing: FoundTable) -> bool:
    """Whether the table has an index, under any name, that serves the same statements.

    An index that begins with the columns of a read index serves as well; any other one needs an
    index over exactly its columns, and a unique one a unique index. Of a partial index only the
    columns are known; it is assumed to have the needed rows.
    """
    columns = tuple(column.name for column in index.columns)
    if status_of_index(index) is not None:
        return any(
            existing_index.partial and existing_index.columns == columns
            for existing_index in existing.indexes.values()
        )
    full_indexes = [
        existing_index for existing_index in existing.indexes.values() if not existing_index.partial
    ]
    if is_read_index(index):
        return any(
            existing_index.columns[: len(columns)] == columns for existing_index in full_indexes
        )
    return any(
        existing_index.columns == columns and (existing_index.unique or not index.unique)
        for existing_index in full_indexes
    )
