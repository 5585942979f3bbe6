"""The statements for the steps that change tables."""

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import Column, Table

from quire.database.compile.writes import Writes
from quire.database.migration.archive import ArchiveWriter
from quire.database.migration.impact import RowCounter
from quire.database.migration.renamed_models import order_renames
from quire.database.migration.schema_diff import RetypedColumn, StructureChange, TableChange
from quire.database.migration.schema_pair import SchemaTables
from quire.database.migration.value_conversion import ConversionError, Converter
from quire.database.program import Program, Statement
from quire.database.tables.inspection import FoundTables
from quire.database.tables.metadata import sorted_indexes
from quire.database.target import DatabaseKind


class TableWork:
    """Changes tables, and archives removed rows."""

    def __init__(
        self,
        kind: DatabaseKind,
        existing_tables: FoundTables,
        after: SchemaTables,
        writes: Writes,
        archive: ArchiveWriter,
    ) -> None:
        self._ddl = kind.ddl
        self._found = existing_tables
        self._wanted: Mapping[str, Table] = after.metadata.tables
        self._writes = writes
        self._keeper = archive
        self._counting = RowCounter(writes)
        self._kept: dict[tuple[str, str], str] = {}
        """Where the values of a column (by later names) are archived that will be converted."""

    def run(self, change: StructureChange) -> Program[None]:
        """Take all steps, in the order of the plan."""
        yield from self._drop_tables(change.dropped)
        for table in change.changed:
            yield from self._drop_parts(table)
        renames = {
            table.before: table.after for table in change.changed if table.before != table.after
        }
        for before, after in order_renames(renames):
            yield Statement(self._ddl.rename_table(before, after))
        for table in change.changed:
            retyped = {column.column for column in table.retyped}  # dropped, and added again
            names = {old: new for old, new in table.renamed.items() if new not in retyped}
            for before, after in order_renames(names):
                yield Statement(self._ddl.rename_column(table.after, before, after))
        yield from self._create_tables(change.created)
        for table in change.changed:
            yield from self._add_columns(table)
        for table in change.changed:
            for index in sorted_indexes(self._wanted[table.after]):
                if str(index.name) in table.created_indexes:
                    yield Statement(self._ddl.create_index(index))

    def _drop_tables(self, names: Sequence[str]) -> Program[None]:
        for name in names:
            rows = yield from self._counting.rows(name)
            if rows:
                yield from self._keeper.keep(name)
        remaining_tables = [table for name, table in self._found.items() if name not in names]
        for table in remaining_tables:
            for target in {key.target for key in table.foreign_keys}.intersection(names):
                yield from self._ddl.drop_foreign_keys(table, target)
        for name in self._leaves_first(names):
            yield Statement(self._ddl.drop_table(name))

    def _leaves_first(self, names: Collection[str]) -> list[str]:
        """Sort tables before those that they refer to, so that no reference is broken."""

        def weight(name: str) -> int:
            return -sum(key.target in names for key in self._found[name].foreign_keys)

        return sorted(names, key=lambda name: (weight(name), name))

    def _drop_parts(self, table: TableChange) -> Program[None]:
        for index in table.dropped_indexes:
            yield Statement(self._ddl.drop_index(index, table.before))
        for column in table.dropped:
            rows = yield from self._counting.rows(table.before, having=column)
            if rows:
                yield from self._keeper.keep(table.before, columns=_with_id(column), having=column)
            yield from self._ddl.drop_column(self._found[table.before], column)
        former_names = {after: before for before, after in table.renamed.items()}
        for retyped_column in table.retyped:
            column = former_names.get(retyped_column.column, retyped_column.column)
            if (yield from self._counting.rows(table.before, having=column)):
                self._kept[table.after, retyped_column.column] = yield from self._keeper.keep(
                    table.before, columns=_with_id(column), having=column
                )
            yield from self._ddl.drop_column(self._found[table.before], column)

    def _create_tables(self, names: Sequence[str]) -> Program[None]:
        tables = [self._wanted[name] for name in names]
        for table in tables:
            yield Statement(self._ddl.create_table(table))
        for table in tables:
            for sql in self._ddl.add_foreign_keys(table):
                yield Statement(sql)
        for table in tables:
            for index in sorted_indexes(table):
                yield Statement(self._ddl.create_index(index))

    def _add_columns(self, table: TableChange) -> Program[None]:
        metadata_table = self._wanted[table.after]
        retyped = {retyped_column.column: retyped_column for retyped_column in table.retyped}
        for name in (*table.added, *retyped):
            column: Column[object] = metadata_table.c[name]
            for sql in self._ddl.add_column(column):
                yield Statement(sql)
        for retyped_column in retyped.values():
            yield from self._convert(table.after, retyped_column)

    def _convert(self, table: str, retyped_column: RetypedColumn) -> Program[None]:
        """Fill a column with its former values, converted to its new kind."""
        convert = Converter(self._writes.dialect, retyped_column.before, retyped_column.after)
        archived_column = self._kept.get((table, retyped_column.column))
        if archived_column is None:
            return
        source = self._keeper.column_of(archived_column)
        last = 0
        while rows := (yield from self._counting.page(archived_column, source, last)):
            for id_, value in rows:
                last = int(id_ or 0)
                try:
                    row = {retyped_column.column: convert(value)}
                except ConversionError:
                    continue
                yield from self._writes.update(table, last, row)


def _with_id(column: str) -> tuple[str, str]:
    return ("id", column)
