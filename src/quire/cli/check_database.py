"""The part of ``quire check`` that reads the database."""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator

from msgspec import Struct

from quire.database.integrity.check import examine_program
from quire.database.integrity.examined_tables import ExaminedTables
from quire.database.integrity.findings import Damage
from quire.database.settings_target import target_of
from quire.database.tables.indexes import sort_hints_program
from quire.database.tables.inspection import opening_program, wanted_tables
from quire.database.tables.metadata import build_metadata
from quire.database.tables.missing_structure import MissingItem, MissingKind, compare
from quire.database.tables.table_map import map_tables
from quire.database.target import DatabaseKind, InspectionConnection
from quire.schema.model import Schema
from quire.settings import Settings

_GRAVE = frozenset({MissingKind.TABLE, MissingKind.COLUMN})


class DatabaseReport(Struct, frozen=True):
    """The report on the database: problems prevent content from being served, warnings do not.

    ``damage`` is about the file itself, ``findings`` about its rows.
    """

    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    damage: tuple[str, ...] = ()
    findings: tuple[Damage, ...] = ()


def check_database(settings: Settings, schema: Schema) -> DatabaseReport:
    """Compare the database with the schema, and look for damage.

    Raises :class:`DatabaseOpenError` when the database cannot be read at all.
    """
    return asyncio.run(examine_database(settings, schema))


async def examine_database(settings: Settings, schema: Schema) -> DatabaseReport:
    """Do what `check_database` does, in a running event loop."""
    target = target_of(settings)
    async with target.look() as connection:
        return await _examine_connection(connection, schema, target.kind)


async def _examine_connection(
    connection: InspectionConnection, schema: Schema, kind: DatabaseKind
) -> DatabaseReport:
    table_map = map_tables(schema)
    opening_state = await connection.run(opening_program(kind.inspector, wanted_tables(table_map)))
    if opening_state.empty:
        return DatabaseReport(("The database is empty: it has no tables yet.",))
    if opening_state.problem is not None:
        return DatabaseReport((opening_state.problem,))
    existing_tables = await connection.run(kind.inspector.tables())
    missing_items = compare(
        build_metadata(schema, table_map, kind.column_types), existing_tables, kind.ddl
    )
    hints = await connection.run(sort_hints_program(schema, table_map, existing_tables))
    damage = await connection.run(kind.damage())
    layout = ExaminedTables(
        schema=schema, tables=table_map, existing_tables=existing_tables, dialect=kind.dialect()
    )
    return DatabaseReport(
        problems=tuple(f"In the database, {text}." for text in _describe_missing(missing_items)),
        warnings=(*_summarize([item.kind for item in missing_items]), *map(str, hints)),
        damage=tuple(f"The database is damaged: {line}" for line in damage),
        findings=tuple(await _findings(connection, layout, kind)),
    )


async def _findings(
    connection: InspectionConnection, layout: ExaminedTables, kind: DatabaseKind
) -> list[Damage]:
    findings = await connection.run(examine_program(layout))
    reported_tables = {finding.table for finding in findings}
    return [*findings, *await connection.run(kind.broken_references(reported_tables))]


def _describe_missing(missing_items: Collection[MissingItem]) -> Iterator[str]:
    """Describe missing tables, together, and each missing column."""
    tables = [item for item in missing_items if item.kind is MissingKind.TABLE]
    if len(tables) > 1:
        yield f"these tables are missing: {', '.join(sorted(item.name for item in tables))}"
    else:
        yield from map(str, tables)
    yield from (str(item) for item in missing_items if item.kind is MissingKind.COLUMN)


def _summarize(missing_kinds: Collection[MissingKind]) -> Iterator[str]:
    """Summarize missing indexes and foreign keys: a database of another server lacks hundreds.

    Missing tables and columns are problems; here is how to add them.
    """
    if any(kind in _GRAVE for kind in missing_kinds):
        yield (
            "The database lacks tables or columns: it is older than the schema files, or of an "
            "earlier version of Strapi 5; `quire migrate` shows how to add them, "
            "`quire migrate --apply` and `quire dev` add them."
        )
    counts = Counter(kind for kind in missing_kinds if kind not in _GRAVE)
    indexes = counts[MissingKind.INDEX] + counts[MissingKind.READ_INDEX]
    if indexes:
        yield (
            f"The database lacks {indexes} indexes that make reads fast; "
            "`quire index` lists them, `quire index --apply` makes them."
        )
    if counts[MissingKind.FOREIGN_KEY]:
        yield f"The database lacks {counts[MissingKind.FOREIGN_KEY]} foreign keys."
