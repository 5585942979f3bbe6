"""``quire index``: lists and creates missing indexes."""

import asyncio
from collections.abc import Mapping, Sequence

from msgspec import Struct
from rich.progress import track

from quire.cli.terminal import EXIT_OK, print_message, print_result, print_warning
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.open import open_database
from quire.database.planner_statistics import LARGE_ROWS, outdated_program, renew_statistics
from quire.database.program import Program, Statement
from quire.database.settings_target import target_of
from quire.database.stores.slow_lists import stored_slow_lists
from quire.database.tables.indexes import (
    AdvisedIndex,
    advised_indexes,
    apply_indexes_program,
    lacking_tables_program,
    missing_indexes,
)
from quire.database.tables.metadata import build_metadata
from quire.database.tables.missing_structure import MissingItem
from quire.database.tables.table_map import map_tables
from quire.schema.model import Schema
from quire.settings import Settings
from quire.strapi_project.schema import load_project_schema

_BYTES_OF_A_ROW = 17
"""The measured size of a row in a read index, approximately."""


class _IndexReport(Struct, frozen=True, kw_only=True):
    """Missing indexes, recommended ones, and outdated statistics."""

    missing: Sequence[MissingItem]
    advised: Sequence[AdvisedIndex]
    outdated: Sequence[str]
    rows: Mapping[str, int]
    """The number of rows of each table that lacks an index."""


def index_project(settings: Settings, *, apply: bool, advised: bool = False) -> int:
    """List the missing indexes of a project's database as SQL, or create them.

    With ``advised`` those for lists that were slow are created as well. Each is created in its own
    transaction, so that the work can be interrupted and resumed; statistics are renewed at the end.
    """
    return asyncio.run(_index(settings, apply=apply, advised=advised))


async def advise_indexes(settings: Settings, database: Database, schema: Schema) -> str | None:
    """Return a line about large tables that lack read indexes, ``None`` when none does.

    It is cheap, whatever the size of the tables. Raises what `Database.read` raises.
    """
    tables = map_tables(schema)
    kind = target_of(settings).kind
    existing_tables = await database.read(
        lambda: lacking_tables_program(schema, tables, kind.inspector)
    )
    if not existing_tables:
        return None
    missing_items = await asyncio.to_thread(
        lambda: missing_indexes(
            build_metadata(schema, tables, kind.column_types), existing_tables, kind.ddl
        )
    )
    table_names = sorted({item.table for item in missing_items})
    if not table_names:
        return None
    more_tables = f" and {len(table_names) - 1} more tables" if len(table_names) > 1 else ""
    return (
        f"{table_names[0]}{more_tables} of more than {LARGE_ROWS:,} rows lack indexes "
        f"that make reads fast: `quire index {settings.project}` lists them"
    )


async def _index(settings: Settings, *, apply: bool, advised: bool) -> int:
    schema = load_project_schema(settings)
    tables = map_tables(schema)
    kind = target_of(settings).kind
    database = await open_database(settings, tables)
    try:
        existing_tables = await database.read(kind.inspector.tables)
        metadata = build_metadata(schema, tables, kind.column_types)
        missing_items = missing_indexes(metadata, existing_tables, kind.ddl)
        slow_lists = await database.read(lambda: stored_slow_lists(Writes(database.dialect)))
        advice = advised_indexes(slow_lists, schema, tables, metadata, existing_tables, kind.ddl)
        report = _IndexReport(
            missing=missing_items,
            advised=advice,
            outdated=await database.read(lambda: outdated_program(kind.statistics)),
            rows=await database.read(lambda: _count({item.table for item in missing_items})),
        )
        if apply:
            await _apply(database, report, advised=advised)
            await renew_statistics(database, kind.statistics, kind.inspector)
        else:
            _list(report)
    finally:
        await database.close()
    return EXIT_OK


def _count(tables: set[str]) -> Program[dict[str, int]]:
    counts = {}
    for table in sorted(tables):
        rows = yield Statement(f'SELECT count(*) FROM "{table}"')  # noqa: S608 - of the schema
        counts[table] = int(rows[0][0] or 0)
    return counts


async def _apply(database: Database, report: _IndexReport, *, advised: bool) -> None:
    indexes = [item.statements for item in report.missing]
    indexes += [(item.statement,) for item in report.advised] if advised else []
    for statements in track(indexes, "Making indexes", transient=True):
        await database.write(apply_indexes_program(statements))
    print_message(
        f"{len(indexes)} indexes were made." if indexes else "The database has all indexes."
    )
    if report.advised and not advised:
        print_message(_advice(report.advised))


def _list(report: _IndexReport) -> None:
    for item in report.missing:
        benefit = item.gain or "Strapi makes this index, too"
        print_result(f"-- {item.table}, {report.rows[item.table]:,} rows: {benefit}")
        for sql in item.statements:
            print_result(f"{sql};")
    for advice in report.advised:
        print_result(f"-- {advice}")
        print_result(f"{advice.statement};")
    if report.missing:
        rows = sum(report.rows[item.table] for item in report.missing)
        size = max(1, round(rows * _BYTES_OF_A_ROW / 1e6))
        print_message(
            f"{len(report.missing)} indexes are missing; `quire index --apply` makes them. They "
            f"take about {size} MB, and every write keeps them up to date."
        )
    if report.advised:
        print_message(_advice(report.advised))
    if report.outdated:
        print_warning(
            f"the statistics of {', '.join(report.outdated)} are from a time when there were few "
            "rows, which makes reads slow; `quire index --apply` renews them"
        )
    if not (report.missing or report.advised or report.outdated):
        print_message("The database has all indexes.")


def _advice(advised: Sequence[AdvisedIndex]) -> str:
    return (
        f"{len(advised)} more would help lists that were slow; "
        "`quire index --apply --advised` makes them as well."
    )
