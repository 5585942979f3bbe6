"""The part of ``quire check`` that looks into the database, without changing it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quire.database.compare import Lack, compare
from quire.database.dialects.sqlite.ddl import COLUMN_TYPES, SqliteDdl
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.dialects.sqlite.inspector import SqliteInspector
from quire.database.dialects.sqlite.offline import (
    ReadOnlyFile,
    damage_program,
    foreign_keys_program,
    open_readonly,
)
from quire.database.indexes import sort_hints_program
from quire.database.inspect import FoundTables, inspect_program, opening_program, wanted_tables
from quire.database.integrity.examine import examine_program
from quire.database.integrity.findings import Finding
from quire.database.integrity.layout import Layout
from quire.database.mapping import TableMap, map_tables
from quire.database.open import check_sqlite_file, sqlite_options
from quire.database.tables import build_metadata
from quire.errors import DatabaseOpenError
from quire.schema.model import Schema
from quire.settings import Settings

_GRAVE = frozenset({Lack.TABLE, Lack.COLUMN})


@dataclass(frozen=True, slots=True)
class DatabaseReport:
    """What was found: problems keep content from being served, warnings do not.

    ``damage`` is about the file itself, ``findings`` about its rows.
    """

    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    damage: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def check_database(settings: Settings, schema: Schema) -> DatabaseReport:
    """Hold the database against the schema, and look for damage.

    Raises :class:`DatabaseOpenError` when the database cannot be looked into at all.
    """
    if settings.database.client != "sqlite":
        raise DatabaseOpenError(f"A {settings.database.client} database cannot be checked yet.")
    check_sqlite_file(settings.database.filename)
    with open_readonly(sqlite_options(settings)) as file:
        return _checked(file, schema)


def _checked(file: ReadOnlyFile, schema: Schema) -> DatabaseReport:
    table_map = map_tables(schema)
    inspector = SqliteInspector()
    opening = file.run(opening_program(inspector, wanted_tables(table_map)))
    if opening.empty:
        return DatabaseReport(("The database is empty: it has no tables yet.",))
    if opening.problem is not None:
        return DatabaseReport((opening.problem,))
    found = file.run(inspect_program(inspector))
    lacks = compare(build_metadata(schema, table_map, COLUMN_TYPES), found, SqliteDdl())
    hints = file.run(sort_hints_program(schema, table_map, found))
    return DatabaseReport(
        problems=tuple(f"In the database, {lack}." for lack in lacks if lack.lack in _GRAVE),
        warnings=(*_lesser(lack.lack for lack in lacks), *map(str, hints)),
        damage=tuple(f"The database is damaged: {line}" for line in file.run(damage_program())),
        findings=tuple(_findings(file, schema, table_map, found)),
    )


def _findings(
    file: ReadOnlyFile, schema: Schema, table_map: TableMap, found: FoundTables
) -> Iterator[Finding]:
    layout = Layout(schema=schema, tables=table_map, found=found, dialect=SqliteDialect())
    findings = file.run(examine_program(layout))
    yield from findings
    yield from file.run(foreign_keys_program({finding.table for finding in findings}))


def _lesser(lacks: Iterable[Lack]) -> Iterator[str]:
    """Missing indexes and foreign keys in sums: a database of another server lacks hundreds."""
    counts = Counter(lack for lack in lacks if lack not in _GRAVE)
    indexes = counts[Lack.INDEX] + counts[Lack.READ_INDEX]
    if indexes:
        yield (
            f"The database lacks {indexes} indexes that make reads fast; "
            "`quire index` lists them, `quire index --apply` makes them."
        )
    if counts[Lack.FOREIGN_KEY]:
        yield f"The database lacks {counts[Lack.FOREIGN_KEY]} foreign keys."
