"""The archive: rows that a migration removes are kept in separate tables.

An entry in the table ``quire_archive`` says what was archived and when; the rows themselves are in
tables named after it, with their former columns. So they can be restored, or deleted.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import orjson
import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.program import Program, Statement, Value
from quire.database.tables.ddl import DdlWriter
from quire.database.tables.inspection import FoundTable, FoundTables
from quire.database.tables.metadata import ColumnTypes, plain_column
from quire.database.target import DatabaseKind
from quire.errors import ConflictError
from quire.schema.attributes.base import StorageKind

_DAY = 86_400_000
_DOCUMENT_ID = "document_id"
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


def restore_archive(kind: DatabaseKind, archive: Archive) -> Program[int]:
    """Restore archived rows whose tables and columns exist again; returns how many.

    An existing row keeps everything but an archived value that it lacks; a missing row is inserted
    with its former id, without references to rows that are gone. The rest is left out, and so are
    archive tables that somebody has dropped. Raises ConflictError when other documents or
    components have got the ids of archived ones.
    """
    writes, existing_tables = Writes(kind.dialect()), (yield from kind.inspector.tables())
    highest_ids = yield from kind.counters.read()
    restorable_rows = [
        rows
        for rows in archive.tables
        if rows.table in existing_tables and rows.archive_table in existing_tables
    ]
    for rows in restorable_rows:
        yield from _require_same_rows(writes, rows, existing_tables[rows.table])
    count = 0
    inserted: list[tuple[ArchivedRows, tuple[str, ...], list[int]]] = []
    for rows in _referred_first(restorable_rows, existing_tables):
        table = existing_tables[rows.table]
        columns = rows.columns_in(table)
        if not rows.contains_whole_rows(table):
            count += yield from _restore_values(writes, rows, columns, table)
        elif _DOCUMENT_ID in columns or _id_columns(rows.columns) <= set(columns):
            ids = yield from _insert_missing_rows(writes, rows, columns, table)
            inserted.append((rows, columns, ids))
            count += len(ids)
            # A table that was created again would assign their ids once more.
            if max(ids, default=0) > highest_ids.get(table.name, 0):
                yield from kind.counters.raise_to(table.name, max(ids))
    for rows, columns, ids in inserted:
        # Of tables that refer to each other, the rows of one were inserted before their targets.
        names = _optional_references(existing_tables[rows.table]) & set(columns)
        if ids and names:
            table = existing_tables[rows.table]
            yield from _restore_values(writes, rows, sorted(names), table, ids=ids)
    return count


def _require_same_rows(writes: Writes, rows: ArchivedRows, table: FoundTable) -> Program[None]:
    """Check that no other documents or components have the ids of archived ones."""
    columns = [_DOCUMENT_ID]
    if _DOCUMENT_ID not in rows.columns:
        names = () if _is_of_links(table) else rows.columns_in(table)
        columns = [name for name in names if name != "id"]
    if not columns or not rows.contains_whole_rows(table):
        return

    def build(_: StatementBuilder) -> sa.ClauseElement:
        existing, archived = (
            sa.table(name, sa.column("id"), *(sa.column(column) for column in columns))
            for name in (rows.table, rows.archive_table)
        )
        is_other = (existing.c[name].is_distinct_from(archived.c[name]) for name in columns)
        join = existing.join(archived, existing.c.id == archived.c.id)
        return sa.select(sa.func.min(existing.c.id)).select_from(join).where(sa.or_(*is_other))

    ((id_,),) = yield from writes.run(("other rows", rows.archive_table), build)
    if id_ is not None:
        raise ConflictError(
            f"{rows.table} has other rows than the archive under the same ids, such as "
            f"{int(id_)}; nothing was restored"
        )


def _referred_first(
    archived_rows: Sequence[ArchivedRows], existing_tables: FoundTables
) -> list[ArchivedRows]:
    """Sort the rows of tables after those that they refer to, as far as there are no cycles."""

    def count_referred(table: str) -> int:
        referred, remaining = set[str](), [table]
        while remaining:
            name = remaining.pop()
            if name in existing_tables and name not in referred:
                referred.add(name)
                remaining += [key.target for key in existing_tables[name].foreign_keys]
        return len(referred)

    # What a table refers to refers to fewer tables, unless both are in a cycle.
    return sorted(archived_rows, key=lambda rows: count_referred(rows.table))


def _optional_references(table: FoundTable) -> set[str]:
    """Return the columns with references that are null where the referred row is missing."""
    return {key.column for key in table.foreign_keys if key.on_delete == "SET NULL"}


def _id_columns(columns: Collection[str]) -> set[str]:
    """Return the columns without which a link is none."""
    return {name for name in columns if name == "id" or name.endswith("_id")}


def forget(kind: DatabaseKind, archive: Archive) -> Program[None]:
    """Delete an archive with its tables, those that somebody has dropped already excepted."""
    existing_tables = yield from kind.inspector.table_names()
    for rows in archive.tables:
        if rows.archive_table in existing_tables:
            yield Statement(kind.ddl.drop_table(rows.archive_table))
    yield from Writes(kind.dialect()).delete(ARCHIVE_TABLE, [archive.id])


def _restore_values(
    writes: Writes,
    rows: ArchivedRows,
    columns: Sequence[str],
    table: FoundTable,
    *,
    ids: Sequence[int] | None = None,
) -> Program[int]:
    """Set archived values in existing rows, where they have none; no references to lost rows.

    With ``ids`` only in these rows.
    """
    count = 0
    for name in columns:
        if name == "id":
            continue

        def build(builder: StatementBuilder, column: str = name) -> sa.ClauseElement:
            target, archived = (
                sa.table(table, sa.column("id"), sa.column(column))
                for table in (rows.table, rows.archive_table)
            )
            change = sa.update(target).values({column: archived.c[column]})
            is_missing = sa.and_(archived.c.id == target.c.id, target.c[column].is_(None))
            targets = [key.target for key in table.foreign_keys if key.column == column]
            references = (_has_row(target_table, archived.c[column]) for target_table in targets)
            change = change.where(is_missing, *references)
            if ids is not None:
                change = change.where(writes.dialect.member_of(target.c.id, builder.parents()))
            return change.returning(target.c.id)

        key = ("put back", rows.archive_table, name, ids is None)
        if ids is None:
            changed_rows = yield from writes.run(key, build)
        else:
            changed_rows = yield from writes.run_listed(key, build, ids)
        count += len(changed_rows)
    return count


def _insert_missing_rows(
    writes: Writes, rows: ArchivedRows, columns: Sequence[str], table: FoundTable
) -> Program[list[int]]:
    """Insert the missing rows, as the foreign keys of their table allow; returns their ids."""

    def build(_: StatementBuilder) -> sa.ClauseElement:
        existing, target, archived = (
            sa.table(name, *map(sa.column, columns))
            for name in (rows.table, rows.table, rows.archive_table)
        )
        identifying = _identifying_columns(table, columns)
        values: dict[str, sa.ColumnElement[Any]] = {
            name: archived.c[name] for name in columns if name != "id" or name in identifying
        }
        is_same = (existing.c[name] == archived.c[name] for name in identifying)
        conditions = [sa.not_(sa.exists().where(*is_same))]
        for key in table.foreign_keys:
            if key.column not in values:
                continue
            reference = archived.c[key.column]
            is_valid = reference.is_(None) | _has_row(key.target, reference)
            if key.target == rows.table:
                is_valid |= _has_row(rows.archive_table, reference, alias="referred")
            if key.on_delete == "SET NULL":
                values[key.column] = sa.case((is_valid, reference))
            else:
                conditions.append(is_valid)
        selected_rows = sa.select(*values.values()).where(*conditions).order_by(archived.c.id)
        return sa.insert(target).from_select(list(values), selected_rows).returning(target.c.id)

    inserted_rows = yield from writes.run(("put back rows", rows.archive_table), build)
    return [int(id_ or 0) for (id_,) in inserted_rows]


def _identifying_columns(table: FoundTable, columns: Collection[str]) -> tuple[str, ...]:
    """Return the columns that tell rows apart: those of links, which nothing refers to by ids."""
    if _is_of_links(table):
        for index in table.indexes.values():
            if index.unique and not index.partial and set(index.columns) <= set(columns) - {"id"}:
                return index.columns
    return ("id",)


def _is_of_links(table: FoundTable) -> bool:
    """Tell whether the rows of a table end with those that they refer to."""
    return any(key.on_delete == "CASCADE" for key in table.foreign_keys)


def _has_row(
    table: str, id_: sa.ColumnElement[Any], *, alias: str | None = None
) -> sa.ColumnElement[bool]:
    table_clause = sa.table(table, sa.column("id")).alias(alias)
    return sa.exists().where(table_clause.c.id == id_)


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


def forget_expired(kind: DatabaseKind, *, days: int, now: int) -> Program[list[Archive]]:
    """Delete the archives that have expired; returns them."""
    expired_archives = yield from expired(kind, days=days, now=now)
    for archive in expired_archives:
        yield from forget(kind, archive)
    return expired_archives


class ModelArchive:
    """Lists archives, restores and deletes them."""

    def __init__(self, database: Database, kind: DatabaseKind) -> None:
        self._database = database
        self._kind = kind

    async def all(self) -> list[Archive]:
        """List all archives, the oldest first."""
        return await self._database.read(lambda: all_archives(self._kind))

    async def put_back(self, archive: Archive) -> int:
        """Restore what can be restored; returns how many rows."""
        return await self._database.write(restore_archive(self._kind, archive))

    async def forget(self, archive: Archive) -> None:
        """Delete an archive."""
        await self._database.write(forget(self._kind, archive))
