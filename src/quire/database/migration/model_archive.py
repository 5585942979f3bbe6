"""Restores archived rows, and lists and deletes archives."""

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.migration.archive import Archive, ArchivedRows, all_archives, delete_archive
from quire.database.program import Program
from quire.database.tables.inspection import FoundTable, FoundTables
from quire.database.target import DatabaseKind
from quire.errors import ConflictError

_DOCUMENT_ID = "document_id"


class ModelArchive:
    """Lists archives, restores and deletes them."""

    def __init__(self, database: Database, kind: DatabaseKind) -> None:
        self._database = database
        self._kind = kind

    async def all(self) -> list[Archive]:
        """List all archives, the oldest first."""
        return await self._database.read(lambda: all_archives(self._kind))

    async def restore(self, archive: Archive) -> int:
        """Restore what can be restored; returns how many rows."""
        return await self._database.write(restore_archive(self._kind, archive))

    async def delete(self, archive: Archive) -> None:
        """Delete an archive."""
        await self._database.write(delete_archive(self._kind, archive))


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
