"""The difference between the tables of a database and those of a schema.

The inspected tables decide, not the former schema alone: what exists already is not created again,
and what is missing is created, whatever the reason. Tables and columns that neither schema knows
are left alone, and so are missing indexes of a table that does not change (`quire index` creates
those).
"""

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct
from sqlalchemy import Index, MetaData, Table

from quire.database.migration.schema_match import MatchedTable
from quire.database.tables.ddl import DdlWriter
from quire.database.tables.inspection import FoundIndex, FoundTable, FoundTables
from quire.database.tables.metadata import column_kind, sorted_indexes, status_of_index
from quire.database.tables.system_tables import PLAIN_TABLES
from quire.errors import QuireError
from quire.schema.attributes.base import StorageKind


class MigrationConflictError(QuireError):
    """A migration would create something that exists already and is different."""


class RetypedColumn(Struct, frozen=True, kw_only=True):
    """A column, by its later name, whose values are converted to another kind."""

    column: str
    before: StorageKind
    after: StorageKind


class TableChange(Struct, frozen=True, kw_only=True):
    """The changes of one table that stays.

    ``renamed`` maps earlier columns to later ones, ``dropped`` are earlier names, all others later
    ones.
    """

    before: str
    after: str
    renamed: Mapping[str, str]
    dropped: tuple[str, ...]
    retyped: tuple[RetypedColumn, ...]
    added: tuple[str, ...]
    dropped_indexes: tuple[str, ...]
    created_indexes: tuple[str, ...]

    @property
    def is_any(self) -> bool:
        """Whether anything changes at all."""
        changes = (self.renamed, self.dropped, self.retyped, self.added)
        return self.before != self.after or any(
            (*changes, self.dropped_indexes, self.created_indexes)
        )


class StructureChange(Struct, frozen=True, kw_only=True):
    """The changes of the tables of a database."""

    dropped: tuple[str, ...]
    created: tuple[str, ...]
    changed: tuple[TableChange, ...]


def diff_schema(
    before: MetaData | None,
    after: MetaData,
    existing_tables: FoundTables,
    renamed_tables: Collection[MatchedTable],
    writer: DdlWriter,
) -> StructureChange:
    """Compare inspected tables with those of a schema.

    ``before`` are the tables of the former schema, ``None`` if unknown: then nothing is dropped.
    Raises MigrationConflictError when a needed name is taken.
    """
    tables_before = MetaData() if before is None else before
    lives_on = {table.before for table in renamed_tables}
    given_up = {
        name for name in tables_before.tables if name not in lives_on and name not in PLAIN_TABLES
    } & set(existing_tables)
    renamed_by_new_name = {table.after: table for table in renamed_tables}
    taken_names = given_up | lives_on
    origins = {
        name: _origin(renamed_by_new_name.get(name), name, existing_tables, taken_names)
        for name in after.tables
    }
    changes = [
        _TableComparison(
            tables_before.tables.get(origin),
            after.tables[name],
            existing_tables[origin],
            renamed_by_new_name.get(name),
            writer,
        ).change()
        for name, origin in origins.items()
        if origin is not None
    ]
    return StructureChange(
        dropped=tuple(sorted(given_up)),
        created=tuple(name for name, origin in origins.items() if origin is None),
        changed=tuple(change for change in changes if change.is_any),
    )


def _origin(
    renamed_table: MatchedTable | None,
    name: str,
    existing_tables: FoundTables,
    used_names: Collection[str],
) -> str | None:
    """Return the existing table that becomes a table of the schema; ``None`` to create it.

    ``used_names`` are those that are dropped, and those that become another one.
    """
    if renamed_table is not None and renamed_table.before in existing_tables:
        return renamed_table.before
    return name if name in existing_tables and name not in used_names else None


class _TableComparison:
    """One table that stays: as it was defined, as it will be, and as it is."""

    def __init__(
        self,
        before: Table | None,
        after: Table,
        existing_table: FoundTable,
        renamed_table: MatchedTable | None,
        writer: DdlWriter,
    ) -> None:
        self._before = before
        self._after = after
        self._found = existing_table
        self._writer = writer
        names_before = (
            frozenset[str]() if before is None else frozenset(column.name for column in before.c)
        )
        pairs = (
            renamed_table.columns
            if renamed_table is not None
            else {column.name: column.name for column in after.c}
        )
        self._earlier = {
            new_name: old_name
            for new_name, old_name in pairs.items()
            if new_name in after.c and old_name in existing_table.columns
        }
        matched_names = set(self._earlier.values())
        self._dropped = tuple(
            name
            for name in existing_table.columns
            if name in names_before and name not in matched_names
        )

    def change(self) -> TableChange:
        """Compare them. Raises MigrationConflictError when the name of a column is taken."""
        renamed = {
            old_name: new_name
            for new_name, old_name in self._earlier.items()
            if old_name != new_name
        }
        kept_names = set(self._found.columns) - set(self._dropped) - set(renamed)
        taken_names = sorted(kept_names & set(renamed.values()))
        if taken_names:
            message = (
                f"{self._found.name} has a column {taken_names[0]} already; nothing was changed"
            )
            raise MigrationConflictError(message)
        remaining_names = kept_names | set(renamed.values())
        added = tuple(column.name for column in self._after.c if column.name not in remaining_names)
        retyped = tuple(self._retyped_columns())
        dropped, created = self._indexes(added, {column.column for column in retyped})
        return TableChange(
            before=self._found.name,
            after=self._after.name,
            renamed=renamed,
            dropped=self._dropped,
            retyped=retyped,
            added=added,
            dropped_indexes=dropped,
            created_indexes=created,
        )

    def _retyped_columns(self) -> Iterator[RetypedColumn]:
        if self._before is None:
            return
        for new_name, old_name in self._earlier.items():
            if old_name not in self._before.c:
                continue
            old_column, new_column = self._before.c[old_name], self._after.c[new_name]
            type_name = self._writer.type_name(new_column)
            is_converted = self._found.columns[old_name].type == type_name
            if self._writer.type_name(old_column) != type_name and not is_converted:
                yield RetypedColumn(
                    column=new_name, before=column_kind(old_column), after=column_kind(new_column)
                )

    def _indexes(
        self, added: Collection[str], retyped: Collection[str]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Name the indexes to drop and those to make."""
        removed_columns = set(self._dropped) | {self._earlier[name] for name in retyped}
        new_names = {old_name: new_name for new_name, old_name in self._earlier.items()}
        indexes_after = {str(index.name): index for index in sorted_indexes(self._after)}
        indexes_before = self._former_indexes()
        dropped, unchanged_names = [], set[str]()
        for name, index in self._found.indexes.items():
            if name.startswith("sqlite_") or index.columns == ("id",):
                continue
            columns = tuple(new_names.get(column, column) for column in index.columns)
            if removed_columns.intersection(index.columns):
                dropped.append(name)
            elif name in indexes_after and _matches_index(indexes_after[name], index, columns):
                unchanged_names.add(name)
            elif name in indexes_after or name in indexes_before:
                dropped.append(name)
        created = [
            name
            for name, index in indexes_after.items()
            if name not in unchanged_names
            and (
                name in dropped
                or self._is_new(index, indexes_before.get(name), new_names)
                or {column.name for column in index.columns} & {*added, *retyped}
            )
        ]
        return tuple(dropped), tuple(created)

    def _former_indexes(self) -> Mapping[str, Index]:
        if self._before is None:
            return {}
        return {str(index.name): index for index in sorted_indexes(self._before)}

    def _is_new(
        self, index: Index, index_before: Index | None, new_names: Mapping[str, str]
    ) -> bool:
        """Whether an index is new in the later schema.

        Nothing is new when the former is unknown.
        """
        if self._before is None:
            return False
        if index_before is None:
            return not self._had_another_name(index, new_names)
        columns = tuple(new_names.get(column.name, column.name) for column in index_before.columns)
        return columns != tuple(column.name for column in index.columns)

    def _had_another_name(self, index: Index, new_names: Mapping[str, str]) -> bool:
        """Whether a database that lacks an index lacked it under its former name, too."""
        columns = tuple(column.name for column in index.columns)
        return any(
            tuple(new_names.get(column.name, column.name) for column in index_before.columns)
            == columns
            and index_before.unique == index.unique
            and str(index_before.name) not in self._found.indexes
            for index_before in self._former_indexes().values()
        )


def _matches_index(index: Index, existing_index: FoundIndex, columns: tuple[str, ...]) -> bool:
    has_columns = tuple(column.name for column in index.columns) == columns
    is_partial = status_of_index(index) is not None
    return (
        has_columns
        and bool(index.unique) == existing_index.unique
        and is_partial == existing_index.partial
    )
