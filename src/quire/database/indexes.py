"""Indexes that reads want and a database lacks: which they are, and making them.

Opening a database never adds an index by itself; a person asks for it. An index that a sort would
want is only a hint, because which sorts a site serves is not written anywhere.
"""

from collections.abc import Iterable

from msgspec import Struct
from sqlalchemy import MetaData

from quire.database.compare import Finding, Lack, compare
from quire.database.ddl import DdlWriter
from quire.database.inspect import FoundTable, FoundTables
from quire.database.mapping import ModelTable, TableMap
from quire.database.program import Program, Statement
from quire.schema.attributes.base import StorageKind
from quire.schema.model import ContentType, Kind, Schema

_INDEXES = frozenset({Lack.INDEX, Lack.READ_INDEX})

LARGE_TABLE = 5_000
"""Rows from which a sort without an index is felt."""

_UNSORTED = frozenset({StorageKind.TEXT, StorageKind.JSON})
"""Kinds of column that nobody sorts by."""


class SortHint(Struct, frozen=True, kw_only=True):
    """A large table, and the attributes whose sorts read all of it for want of an index."""

    uid: str
    table: str
    rows: int
    attributes: tuple[str, ...]

    def __str__(self) -> str:
        """One line for a terminal."""
        names = ", ".join(self.attributes)
        return (
            f"{self.uid} has {self.rows} rows: a list sorted by one of these reads them all, "
            f"unless {self.table} gets an index over locale and that column: {names}"
        )


def missing_indexes(wanted: MetaData, found: FoundTables, writer: DdlWriter) -> list[Finding]:
    """List the indexes that the tables of a database lack, the reference's and Quire's own.

    Indexes of missing tables, or over missing columns, are left out: a migration makes them.
    """
    return [finding for finding in compare(wanted, found, writer) if finding.lack in _INDEXES]


def apply_indexes_program(findings: Iterable[Finding]) -> Program[None]:
    """Make the missing indexes given, one after the other.

    Each takes as long as reading its table.
    """
    for finding in findings:
        for sql in finding.statements:
            yield Statement(sql)


def sort_hints_program(
    schema: Schema, table_map: TableMap, found: FoundTables, *, large: int = LARGE_TABLE
) -> Program[list[SortHint]]:
    """Find the project's tables of at least ``large`` rows that some sort has no index for."""
    hints = []
    for content_type in schema.api_types:
        mapped = table_map[content_type.uid]
        existing = found.get(mapped.name)
        if content_type.kind is Kind.SINGLE or existing is None:
            continue
        attributes = _unindexed(content_type, mapped, existing)
        rows = yield Statement(f'SELECT count(*) FROM "{mapped.name}"')  # noqa: S608 - a table of the schema
        count = int(rows[0][0] or 0)
        if attributes and count >= large:
            hints.append(
                SortHint(uid=content_type.uid, table=mapped.name, rows=count, attributes=attributes)
            )
    return hints


def _unindexed(
    content_type: ContentType, mapped: ModelTable, existing: FoundTable
) -> tuple[str, ...]:
    """Name the attributes with no index that begins with the locale and their column."""
    indexed = {found.columns[:2] for found in existing.indexes.values()}
    return tuple(
        attribute.name
        for attribute in content_type.scalars
        if attribute.storage not in _UNSORTED
        and attribute.name not in {"id", "locale"}
        and not attribute.secret
        and ("locale", mapped.columns[attribute.name]) not in indexed
    )
