"""The archive: rows that a migration removes are kept in separate tables.

An entry in the table ``quire_archive`` says what was archived and when; the rows themselves are in
tables named after it, with their former columns. So they can be restored, or deleted.
"""

from collections.abc import Mapping, Sequence

import orjson
import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program, Statement, Value
from quire.database.tables.ddl import DdlWriter
from quire.database.tables.inspection import FoundTable, FoundTables
from quire.database.tables.metadata import ColumnTypes, plain_column
from quire.database.target import DatabaseKind
from quire.schema.attributes.base import StorageKind

_DAY = 86_400_000
_COLUMNS_OF_VALUES = 2
"""An id and a value; a table may have no more."""

ARCHIVE_TABLE = "quire_archive"


class ArchivedRows(Struct, frozen=True, kw_only=True):
    """Archived rows of one table: the archive table, the original table, and their columns.

    With ``has_whole_rows`` rows were removed, else only the values of one column. ``types`` are
    those of the columns, as the database spells them. Archives of former versions have neither.
    """

    archive_table: str
    table: str
    columns: tuple[str, ...]
    has_whole_rows: bool | None
    types: tuple[str, ...] = ()

    def contains_whole_rows(self, table: FoundTable) -> bool:
        """Tell whether rows were removed from a table, by its columns if nothing else says."""
        if self.has_whole_rows is not None:
            return self.has_whole_rows
        return len(self.columns) > _COLUMNS_OF_VALUES or len(self.columns) >= len(table.columns)

    def columns_in(self, table: FoundTable) -> tuple[str, ...]:
        """Return the columns that a table has, with the same types."""
        types = dict(zip(self.columns, self.types, strict=False))
        return tuple(
            name
            for name in self.columns
            if (column := table.columns.get(name)) is not None
            and types.get(name, column.type) == column.type
        )


class Archive(Struct, frozen=True, kw_only=True):
    """The rows that one migration removed. ``made_at`` is epoch milliseconds."""

    id: int
    made_at: int
    title: str
    tables: tuple[ArchivedRows, ...]


class ArchiveEntry(Struct, frozen=True, kw_only=True):
    """Title and time of everything that one migration archives; ``made_at`` as in `Archive`."""

    title: str
    made_at: int


class ArchiveWriter:
    """Archives the rows that one migration removes; creates nothing if there are none."""

    def __init__(
        self,
        writes: Writes,
        writer: DdlWriter,
        types: ColumnTypes,
        existing_tables: FoundTables,
        entry: ArchiveEntry,
    ) -> None:
        self._writes = writes
        self._writer = writer
        self._types = types
        self._found = existing_tables
        self._entry = entry
        self._id = 0
        self._kept: list[ArchivedRows] = []

    def _begin(self) -> Program[None]:
        """Create the archive entry, and the table of entries if it does not exist."""
        if ARCHIVE_TABLE not in self._found:
            table = sa.Table(
                ARCHIVE_TABLE,
                sa.MetaData(),
                plain_column(self._types, "id", StorageKind.ID),
                plain_column(self._types, "made_at", StorageKind.BIGINTEGER),
                plain_column(self._types, "title", StorageKind.TEXT),
                plain_column(self._types, "kept", StorageKind.TEXT),
            )
            yield Statement(self._writer.create_table(table))
        entry = self._entry
        row: Mapping[str, Value] = {"made_at": entry.made_at, "title": entry.title, "kept": "[]"}
        self._id = yield from self._writes.insert(ARCHIVE_TABLE, row)

    def knows(self, table: str) -> bool:
        """Tell whether there is a table to archive rows of."""
        return table in self._found

    def keep(
        self,
        table: str,
        *,
        columns: Sequence[str] | None = None,
        ids: Sequence[int] | None = None,
        having: str | None = None,
    ) -> Program[str]:
        """Copy rows of a table; returns the name of the archive table.

        Without named columns all columns, without ``ids`` all rows; with ``having`` those with a
        value in that column.
        """
        if self._id == 0:
            yield from self._begin()
        names = tuple(columns or self._found[table].columns)
        archive_table = f"{ARCHIVE_TABLE}_{self._id}_{len(self._kept) + 1}"
        yield Statement(self._writer.copy_structure(archive_table, table, names))

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            source = builder.table(table)
            rows = sa.select(*(source.c(name) for name in names)).select_from(source.source)
            if having is not None:
                rows = rows.where(source.c(having).is_not(None))
            if ids is not None:
                member = self._writes.dialect.member_of(source.c("id"), builder.parents())
                rows = rows.where(member)
            target = sa.table(archive_table, *(sa.column(name) for name in names))
            return sa.insert(target).from_select(list(names), rows)

        key = ("keep", archive_table)
        if ids is None:
            yield from self._writes.run(key, build)
        else:
            yield from self._writes.run_listed(key, build, ids)
        types = tuple(self._found[table].columns[name].type for name in names)
        self._kept.append(
            ArchivedRows(
                archive_table=archive_table,
                table=table,
                columns=names,
                has_whole_rows=columns is None,
                types=types,
            )
        )
        return archive_table

    def column_of(self, archived_column: str) -> str:
        """Return the archived column of a table of two columns, the other being the id."""
        return next(rows.columns[1] for rows in self._kept if rows.archive_table == archived_column)

    def finish(self) -> Program[None]:
        """Record the archive, if it has rows."""
        if self._id == 0:
            return
        text = orjson.dumps(
            [
                {
                    "kept": rows.archive_table,
                    "table": rows.table,
                    "columns": rows.columns,
                    "whole": rows.has_whole_rows,
                    "types": rows.types,
                }
                for rows in self._kept
            ]
        ).decode()
        yield from self._writes.update(ARCHIVE_TABLE, self._id, {"kept": text})


def list_archives(writes: Writes) -> Program[list[Archive]]:
    """List all archives, the oldest first. The table of entries has to exist."""

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(ARCHIVE_TABLE)
        columns = (table.c(name) for name in ("id", "made_at", "title", "kept"))
        return sa.select(*columns).select_from(table.source).order_by(table.c("id"))

    rows = yield from writes.run(("list archives",), build)
    return [
        Archive(
            id=int(id_ or 0),
            made_at=int(made_at or 0),
            title=str(title),
            tables=tuple(
                ArchivedRows(
                    archive_table=item["kept"],
                    table=item["table"],
                    columns=tuple(item["columns"]),
                    has_whole_rows=item.get("whole"),
                    types=tuple(item.get("types", ())),
                )
                for item in orjson.loads(str(tables))
            ),
        )
        for id_, made_at, title, tables in rows
    ]


def delete_archive(kind: DatabaseKind, archive: Archive) -> Program[None]:
    """Delete an archive with its tables, those that somebody has dropped already excepted."""
    existing_tables = yield from kind.inspector.table_names()
    for rows in archive.tables:
        if rows.archive_table in existing_tables:
            yield Statement(kind.ddl.drop_table(rows.archive_table))
    yield from Writes(kind.dialect()).delete(ARCHIVE_TABLE, [archive.id])


def expires_at(archive: Archive, days: int) -> int | None:
    """Return when an archive expires, in epoch milliseconds; ``None`` for never.

    It never expires if ``days`` is 0.
    """
    return archive.made_at + days * _DAY if days else None


def all_archives(kind: DatabaseKind) -> Program[list[Archive]]:
    """List all archives, the oldest first, if there ever was one."""
    if ARCHIVE_TABLE not in (yield from kind.inspector.table_names()):
        return []
    return (yield from list_archives(Writes(kind.dialect())))


def expired(kind: DatabaseKind, *, days: int, now: int) -> Program[list[Archive]]:
    """List the archives that have expired. ``now`` is epoch milliseconds."""
    if days == 0:
        return []
    latest = now - days * _DAY
    return [archive for archive in (yield from all_archives(kind)) if archive.made_at < latest]


def delete_expired(kind: DatabaseKind, *, days: int, now: int) -> Program[list[Archive]]:
    """Delete the archives that have expired; returns them."""
    expired_archives = yield from expired(kind, days=days, now=now)
    for archive in expired_archives:
        yield from delete_archive(kind, archive)
    return expired_archives
