"""Copies a database, table by table and page by page, and verifies the copy."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from hashlib import blake2b

from msgspec import Struct, field

from quire.database.copying.pages import TablePages
from quire.database.copying.plan import CopiedTable, CopyPlan, plan_structure
from quire.database.copying.state import (
    COPIED,
    COPYING,
    FINISHED,
    STATE_TABLE,
    CopyState,
    TableState,
)
from quire.database.copying.values import (
    Convert,
    PortableValue,
    canonical,
    canonical_number,
    converter,
    reducer,
)
from quire.database.dialect import Dialect
from quire.database.long_operations import Progress
from quire.database.program import Program, Row, Rows, Statement, Value
from quire.database.tables.ddl import DdlWriter
from quire.database.tables.inspection import FoundTables
from quire.database.tables.metadata import build_metadata, sorted_indexes
from quire.database.tables.table_map import map_tables
from quire.database.target import BulkLoadConnection, DatabaseTarget, InspectionConnection
from quire.errors import AppError, CopyError
from quire.schema.attributes.base import StorageKind
from quire.schema.model import Schema

PAGE_ROWS = 1000

Run = Callable[[Program[Rows]], Awaitable[Rows]]


class TableChecksum(Struct, frozen=True):
    """The number of rows, and a checksum of their values in the order of their ids."""

    rows: int
    checksum: str


async def table_checksum(
    run: Run, pages: TablePages, dialect: Dialect, *, exact: bool, advance: Callable[[int], None]
) -> TableChecksum:
    """Read all rows of a table and compute their checksum.

    With ``exact``, values count as they are stored, for databases of one kind; else in their common
    form. JSON always counts in its common form: a database may have reordered its keys. ``advance``
    receives the number of rows read.
    """
    copied_table = pages.copied
    reduce: list[Callable[[Value], PortableValue]] = [
        _as_stored
        if exact and kind is not StorageKind.JSON
        else _common_form(dialect, kind, exact=name in copied_table.exact)
        for name, kind in copied_table.columns.items()
    ]
    checksum, count = blake2b(digest_size=16), 0
    lines: list[bytes] = []
    after_id: int | None = None
    while True:
        rows = await run(pages.read(after_id, PAGE_ROWS))
        for row in rows:
            values = repr([form(value) for form, value in zip(reduce, row, strict=True)])
            if pages.copied.identified:
                checksum.update(values.encode("utf-8", "surrogatepass"))
            else:
                lines.append(values.encode("utf-8", "surrogatepass"))
        count += len(rows)
        advance(len(rows))
        after_id = pages.last_id(rows)
        if after_id is None or len(rows) < PAGE_ROWS:
            break
    for line in sorted(lines):
        checksum.update(line)
    return TableChecksum(count, checksum.hexdigest())


def _as_stored(value: Value) -> PortableValue:
    return value


def _common_form(
    dialect: Dialect, kind: StorageKind, *, exact: bool
) -> Callable[[Value], PortableValue]:
    if exact:
        return canonical_number
    reduce, form = reducer(dialect, kind), canonical(kind)
    return lambda stored: form(reduce(stored))


class CopyResult(Struct, frozen=True):
    """Result of a copy: rows by table, and notes for the report.

    ``resumed`` tells that an earlier copy was continued. ``differences`` names the tables that
    differ between source and target.
    """

    rows: Mapping[str, int]
    unknown: Sequence[str]
    left_out: Sequence[str]
    resumed: bool
    differences: Sequence[str]


async def copy_database(
    source: DatabaseTarget,
    target: DatabaseTarget,
    schema: Schema,
    *,
    replace: bool,
    progress: Progress,
) -> CopyResult:
    """Copy everything in one database to another one.

    If a copy from this source was interrupted, it is resumed. With ``replace``, everything in the
    target is deleted first. The source must not be written to meanwhile. Raises CopyError when the
    target is not empty, when a row refers to a missing row or cannot be stored in the target, and
    DatabaseOpenError when one of the two cannot be opened.
    """
    async with source.look() as origin:
        existing_tables = await origin.run(source.kind.inspector.tables())
        await _require_sound(source, origin)
        expected_tables = build_metadata(schema, map_tables(schema), target.kind.column_types)
        structure = plan_structure(
            existing_tables,
            expected_tables,
            source=source.kind.column_types,
            target=target.kind.column_types,
        )
        async with target.fill() as target_connection:
            copy = _CopyRun(
                source=source,
                target=target,
                origin=origin,
                filled=target_connection,
                structure=structure,
            )
            resumed = await copy.prepare(_origin(source, existing_tables), replace=replace)
            counts = await copy.rows(progress)
            await copy.finish()
            differences = await copy.differences(counts, progress)
            if not differences:
                await target_connection.write(copy.forget())
    return CopyResult(counts, structure.unknown, structure.left_out, resumed, differences)


async def _require_sound(source: DatabaseTarget, origin: InspectionConnection) -> None:
    """Refuse rows that violate a foreign key of the target."""
    findings = await origin.run(source.kind.broken_references(()))
    if findings:
        lines = "\n".join(f"{finding.table}: {finding.sentence}" for finding in findings)
        raise CopyError(f"{lines}\nRepair them first; see `quire check --repair`.")


def _origin(source: DatabaseTarget, existing_tables: FoundTables) -> str:
    """Return an identifier of a source and its tables."""
    shape = {name: sorted(table.columns) for name, table in sorted(existing_tables.items())}
    text = json.dumps([source.place, shape])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class _CopyRun(Struct, frozen=True, kw_only=True, dict=True):
    source: DatabaseTarget
    target: DatabaseTarget
    origin: InspectionConnection
    filled: BulkLoadConnection
    structure: CopyPlan
    _table_pages: dict[tuple[str, str], TablePages] = field(default_factory=dict)

    async def prepare(self, origin: str, *, replace: bool) -> bool:
        """Create the tables, unless a copy is resumed; tells whether it is."""
        names = await self.filled.run(self.target.kind.inspector.table_names())
        if not replace and STATE_TABLE in names:
            stored_origin, _ = await self.filled.run(self._state.read())
            if stored_origin == origin:
                return True
            raise CopyError(
                f"{self.target.place} holds a copy of something else that was not finished. "
                "Say --replace to delete it and begin anew."
            )
        if names and not replace:
            raise CopyError(
                f"{self.target.place} is not empty: it has {len(names)} tables. "
                "Use --replace to delete all of them first."
            )
        await self.filled.write(self._create_tables(sorted(names), origin))
        return False

    def _create_tables(self, names: Sequence[str], origin: str) -> Program[None]:
        ddl = self.target.kind.ddl
        for name in names:
            yield Statement(ddl.drop_table(name))
        yield from self._state.create(self.target.kind.column_types, ddl, origin)
        for copied_table in self.structure.copied:
            yield Statement(ddl.create_table(copied_table.table))
            yield from self._state.begin(copied_table.name)

    async def rows(self, progress: Progress) -> dict[str, int]:
        """Copy the rows that are missing; returns how many each table has."""
        _, states = await self.filled.run(self._state.read())
        counts = {
            copied_table.name: await self.origin.run(self._pages(self.source, copied_table).count())
            for copied_table in self.structure.copied
        }
        progress.begin("Copying", sum(counts.values()))
        for copied_table in self.structure.copied:
            state = states[copied_table.name]
            if state.phase != COPYING:
                progress.advance(counts[copied_table.name])
                continue
            if state.last is not None:
                progress.advance(
                    await self.filled.run(self._pages(self.target, copied_table).count())
                )
            await self._copy_table(copied_table, state, progress)
        return counts

    async def _copy_table(
        self, copied_table: CopiedTable, state: TableState, progress: Progress
    ) -> None:
        read, write = self._pages(self.source, copied_table), self._pages(self.target, copied_table)
        source, target = self.source.kind.dialect(), self.target.kind.dialect()
        convert = [
            converter(source, target, kind, exact=name in copied_table.exact)
            for name, kind in copied_table.columns.items()
        ]
        after_id = state.last
        while True:
            rows = await self.origin.run(read.read(after_id, PAGE_ROWS))
            last = read.last_id(rows)
            is_last = last is None or len(rows) < PAGE_ROWS
            converted_rows = [_convert_row(copied_table, convert, row, read) for row in rows]
            await self._write_page(write, converted_rows, COPIED if is_last else COPYING, last)
            progress.advance(len(rows))
            if is_last:
                return
            after_id = last

    async def _write_page(
        self, write: TablePages, rows: Rows, phase: str, last: int | None
    ) -> None:
        def page() -> Program[None]:
            yield from write.write(rows)
            yield from self._state.reach(write.copied.name, phase, last)

        try:
            await self.filled.write(page())
        except AppError as error:
            raise await self._find_refused_row(write, rows, error) from error

    async def _find_refused_row(self, write: TablePages, rows: Rows, error: AppError) -> CopyError:
        """Find the row of a page that the target does not accept."""

        def attempt(row: Row) -> Program[None]:
            yield from write.write([row])
            raise _RollbackError

        for row in rows:
            try:
                await self.filled.write(attempt(row))
            except _RollbackError:
                continue
            except AppError as refusal:
                return CopyError(f"{write.name_of(row)} cannot be copied: {refusal}")
        return CopyError(f"Rows of {write.copied.name} cannot be copied: {error}")

    async def finish(self) -> None:
        """Add indexes, foreign keys and the last given ids, table by table."""
        _, states = await self.filled.run(self._state.read())
        counters = await self.origin.run(self.source.kind.counters.read())
        ddl = self.target.kind.ddl
        for copied_table in self.structure.copied:
            if states[copied_table.name].phase != FINISHED:
                await self.filled.write(
                    self._finish_table(copied_table, ddl, counters.get(copied_table.name, 0))
                )

    def _finish_table(
        self, copied_table: CopiedTable, ddl: DdlWriter, last_id: int
    ) -> Program[None]:
        for index in sorted_indexes(copied_table.table):
            yield Statement(ddl.create_index(index))
        for sql in ddl.add_foreign_keys(copied_table.table):
            yield Statement(sql)
        if copied_table.identified:
            yield from self.target.kind.counters.raise_to(copied_table.name, last_id)
        yield from self._state.reach(copied_table.name, FINISHED, None)

    async def differences(self, counts: Mapping[str, int], progress: Progress) -> list[str]:
        """Read all tables on both sides and name those that differ."""
        source, target = self.source.kind.dialect(), self.target.kind.dialect()
        exact = source.name == target.name
        progress.begin("Comparing", 2 * sum(counts.values()))
        table_differences = []
        for copied_table in self.structure.copied:
            source_checksum = await table_checksum(
                self.origin.run,
                self._pages(self.source, copied_table),
                source,
                exact=exact,
                advance=progress.advance,
            )
            target_checksum = await table_checksum(
                self.filled.run,
                self._pages(self.target, copied_table),
                target,
                exact=exact,
                advance=progress.advance,
            )
            if source_checksum.rows != target_checksum.rows:
                table_differences.append(
                    f"{copied_table.name} has {target_checksum.rows} rows, "
                    f"and {source_checksum.rows} in the source"
                )
            elif source_checksum != target_checksum:
                table_differences.append(f"{copied_table.name} has other values than in the source")
        return table_differences

    def forget(self) -> Program[None]:
        """Delete the stored progress of the copy."""
        yield Statement(self.target.kind.ddl.drop_table(STATE_TABLE))

    @property
    def _state(self) -> CopyState:
        return CopyState(self.target.kind.dialect())

    def _pages(self, target: DatabaseTarget, copied_table: CopiedTable) -> TablePages:
        key = (target.place, copied_table.name)
        if key not in self._table_pages:
            self._table_pages[key] = TablePages(copied_table, target.kind.dialect())
        return self._table_pages[key]


class _RollbackError(Exception):
    """Rolls back a transaction that was only an attempt."""


def _convert_row(
    copied_table: CopiedTable, convert: Sequence[Convert], row: Row, pages: TablePages
) -> Row:
    values = []
    for name, change, value in zip(copied_table.columns, convert, row, strict=True):
        try:
            values.append(change(value))
        except (AppError, ValueError, TypeError, OverflowError) as error:
            raise CopyError(f"{name} in {pages.name_of(row)} cannot be copied: {error}") from error
    return tuple(values)
