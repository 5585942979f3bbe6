"""Indexes for reads: which are missing, and creating them.

Opening a database never adds an index; a user asks for it. An index for a sort is only recommended
if the sort was slow: servers store which lists were (`slow_lists`).
"""

from collections.abc import Iterable

from msgspec import Struct
from sqlalchemy import MetaData

from quire.clock import iso_from_ms
from quire.database.planner_statistics import LARGE_ROWS, has_more_rows
from quire.database.program import Program, Statement
from quire.database.stores.slow_lists import SlowList, SlowListCount
from quire.database.tables.ddl import DdlWriter
from quire.database.tables.inspection import FoundTable, FoundTables, Inspector
from quire.database.tables.metadata import (
    has_lists,
    is_name_of_read_index,
    list_index,
    tables_with_read_indexes,
)
from quire.database.tables.missing_structure import MissingItem, MissingKind, compare
from quire.database.tables.table_map import ModelTable, TableMap
from quire.schema.attributes.base import StorageKind
from quire.schema.model import ContentType, Schema, TypeKind

_INDEXES = frozenset({MissingKind.INDEX, MissingKind.READ_INDEX})

LARGE_TABLE = 5_000
"""Number of rows from which a sort without an index is slow."""

_UNSORTABLE_KINDS = frozenset({StorageKind.TEXT, StorageKind.JSON})
"""Column kinds that are not sorted by."""


class SortHint(Struct, frozen=True, kw_only=True):
    """A large table, and the attributes whose sorts read all of it because they have no index."""

    uid: str
    table: str
    rows: int
    attributes: tuple[str, ...]

    def __str__(self) -> str:
        names = ", ".join(self.attributes)
        return (
            f"{self.uid} has {self.rows} rows: a list sorted by one of these reads them all, "
            f"unless {self.table} gets an index over locale and that column: {names}"
        )


class AdvisedIndex(Struct, frozen=True, kw_only=True):
    """An index for a list that was slow, and the statement that creates it."""

    slow: SlowListCount
    table: str
    name: str
    statement: str

    def __str__(self) -> str:
        slow_list = self.slow.list
        parameters = [f"{name}=..." for name in slow_list.equal]
        keys = [f"{name}:desc" if descending else name for name, descending in slow_list.sort]
        parameters += [f"sort={','.join(keys)}"] if keys else []
        status = [slow_list.status] if slow_list.status else []
        last = iso_from_ms(self.slow.last)[:10]
        times = "once" if self.slow.times == 1 else f"{self.slow.times} times"
        return (
            f"{', '.join([slow_list.uid, *status])}: {'&'.join(parameters)} was slow "
            f"at least {times}, last on {last}"
        )


def missing_indexes(
    expected_tables: MetaData, existing_tables: FoundTables, writer: DdlWriter
) -> list[MissingItem]:
    """List the missing indexes of the tables of a database, Strapi's and Quire's own.

    Indexes of missing tables, or over missing columns, are left out: a migration creates them.
    """
    return [
        finding
        for finding in compare(expected_tables, existing_tables, writer)
        if finding.kind in _INDEXES
    ]


def lacking_tables_program(
    schema: Schema, table_map: TableMap, inspector: Inspector
) -> Program[FoundTables]:
    """Find large tables that have none of their read indexes.

    No table is counted to its end. Indexes under other names may serve the same statements.
    """
    is_large = {}
    for table in sorted(tables_with_read_indexes(schema, table_map)):
        is_large[table] = yield from has_more_rows(table, LARGE_ROWS)
    if not any(is_large.values()):
        return {}
    existing_tables = yield from inspector.tables()
    return {
        name: table
        for name, table in existing_tables.items()
        if is_large.get(name) and not any(map(is_name_of_read_index, table.indexes))
    }


def advised_indexes(
    slow: Iterable[SlowListCount],
    schema: Schema,
    table_map: TableMap,
    expected_tables: MetaData,
    existing_tables: FoundTables,
    writer: DdlWriter,
) -> list[AdvisedIndex]:
    """List the missing indexes for lists that were slow and would be fast with them."""
    advised: dict[str, AdvisedIndex] = {}
    for slow_list in slow:
        content_type = schema.content_types.get(slow_list.list.uid)
        if content_type is None or not has_lists(content_type):
            continue
        mapped = table_map[content_type.uid]
        columns = _list_columns(slow_list.list, content_type, mapped)
        existing = existing_tables.get(mapped.name)
        if columns is None or existing is None:
            continue
        table = expected_tables.tables[mapped.name].to_metadata(MetaData())
        index = list_index(table, columns, slow_list.list.status)
        name = str(index.name)
        if name not in existing.indexes and name not in advised:
            advised[name] = AdvisedIndex(
                slow=slow_list, table=mapped.name, name=name, statement=writer.create_index(index)
            )
    return list(advised.values())


def _list_columns(
    slow: SlowList, content_type: ContentType, mapped: ModelTable
) -> list[tuple[str, bool]] | None:
    """Return the columns of an index for a list, ``None`` if none would help."""
    scalars = {scalar.name: scalar for scalar in content_type.scalars}
    keys = [*((name, False) for name in slow.equal), *slow.sort]
    for name, _ in keys:
        attribute = scalars.get(name)
        if attribute is None or attribute.secret or attribute.storage in _UNSORTABLE_KINDS:
            return None
    columns: dict[str, bool] = {"locale": False} if content_type.localized else {}
    for name, descending in keys:
        columns.setdefault(mapped.columns[name], descending)
    return list(columns.items())


def apply_indexes_program(statements: Iterable[str]) -> Program[None]:
    """Create indexes by their statements, one after the other.

    Each takes as long as reading its table.
    """
    for sql in statements:
        yield Statement(sql)


def sort_hints_program(
    schema: Schema, table_map: TableMap, existing_tables: FoundTables, *, large: int = LARGE_TABLE
) -> Program[list[SortHint]]:
    """Find the project's tables of at least ``large`` rows with sorts that have no index."""
    hints = []
    for content_type in schema.api_types:
        mapped = table_map[content_type.uid]
        existing = existing_tables.get(mapped.name)
        if content_type.kind is TypeKind.SINGLE or existing is None:
            continue
        attributes = _names_without_index(content_type, mapped, existing)
        rows = yield Statement(f'SELECT count(*) FROM "{mapped.name}"')  # noqa: S608 - a table of the schema
        count = int(rows[0][0] or 0)
        if attributes and count >= large:
            hints.append(
                SortHint(uid=content_type.uid, table=mapped.name, rows=count, attributes=attributes)
            )
    return hints


def _names_without_index(
    content_type: ContentType, mapped: ModelTable, existing: FoundTable
) -> tuple[str, ...]:
    """Name the attributes with no index that begins with the locale and their column."""
    indexed = {index.columns[:2] for index in existing.indexes.values()}
    return tuple(
        attribute.name
        for attribute in content_type.scalars
        if attribute.storage not in _UNSORTABLE_KINDS
        and attribute.name not in {"id", "locale"}
        and not attribute.secret
        and ("locale", mapped.columns[attribute.name]) not in indexed
    )
