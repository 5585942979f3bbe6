"""``quire index``: lists the indexes that reads want and the database lacks, and makes them."""

import asyncio
from collections.abc import Sequence

from rich.progress import track

from quire.cli.exit_codes import DONE
from quire.cli.terminal import print_message, print_result
from quire.database.compare import Finding
from quire.database.indexes import apply_indexes_program, missing_indexes
from quire.database.inspect import inspect_program
from quire.database.mapping import map_tables
from quire.database.open import open_database
from quire.database.rooms import room_of
from quire.database.tables import build_metadata
from quire.schema.project import load_project_schema
from quire.settings import Settings


def index_project(settings: Settings, *, apply: bool) -> int:
    """List the missing indexes of a project's database as SQL, or make them.

    Each is made in a transaction of its own, so that the work can be interrupted and resumed.
    """
    return asyncio.run(_index(settings, apply=apply))


async def _index(settings: Settings, *, apply: bool) -> int:
    schema = load_project_schema(settings)
    tables = map_tables(schema)
    kind = room_of(settings).kind
    database = await open_database(settings, tables)
    try:
        found = await database.read(lambda: inspect_program(kind.inspector))
        metadata = build_metadata(schema, tables, kind.column_types)
        missing = missing_indexes(metadata, found, kind.ddl)
        if not missing:
            print_message("The database has all indexes.")
        elif apply:
            for finding in track(missing, "Making indexes", transient=True):
                await database.write(apply_indexes_program([finding]))
            print_message(f"{len(missing)} indexes were made.")
        else:
            _list(missing)
    finally:
        await database.close()
    return DONE


def _list(missing: Sequence[Finding]) -> None:
    for finding in missing:
        for sql in finding.statements:
            print_result(f"{sql};")
    print_message(f"{len(missing)} indexes are missing; `quire index --apply` makes them.")
