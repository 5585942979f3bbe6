"""Running reads of the library on a database, down to what JSON shows."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from quire.access.ability import Ability
from quire.api.reader import Mode, Reader
from quire.database.dialects.sqlite.driver import SqliteDatabase, SqliteOptions
from quire.query.resolve.scope import ReadLimits
from quire.schema.model import Schema
from tests.databases.sqlite_store import SqliteStore
from tests.library.model import BOOK, EVERYTHING, library_schema, library_tables
from tests.library.rows import LibraryRows, new_connection
from tests.library.shelf import fill_shelf


def new_database_file(folder: Path, schema: Schema | None = None) -> Path:
    """Make a file with the tables of the library and no rows."""
    path = folder / "data.db"
    new_connection(str(path), schema).close()
    return path


def stocked(folder: Path, count: int) -> Path:
    """Make a file with a shelf of so many books."""
    path = folder / "data.db"
    connection = new_connection(str(path))
    with connection:
        fill_shelf(LibraryRows(SqliteStore(connection)), count)
    connection.close()
    return path


@asynccontextmanager
async def opened(path: Path, **options: Any) -> AsyncIterator[SqliteDatabase]:  # noqa: ANN401 - options
    """Open a file, and let go of it at the end."""
    database = SqliteDatabase(SqliteOptions(path=path, **options))
    try:
        yield database
    finally:
        await database.close()


def reader(
    database: SqliteDatabase,
    *,
    limits: ReadLimits | None = None,
    plan_cache: int = 100,
    count_cache: int = 100,
) -> Reader:
    """Return what reads the library for the content API."""
    return Reader(
        database,
        library_schema(),
        library_tables(),
        limits or ReadLimits(),
        default_locale="en",
        plan_cache=plan_cache,
        count_cache=count_cache,
    )


async def read_list(
    asked: Reader,
    query: str,
    uid: str = BOOK,
    *,
    mode: Mode = "list",
    ability: Ability = EVERYTHING,
) -> list[dict[str, Any]]:
    """Read a list; returns its entries as a client sees them."""
    content_type = asked.schema.content_types[uid]
    prepared = asked.prepare(content_type, mode, query.encode("latin-1"), ability)
    items, _ = await asked.rows(prepared, asked.database.version())
    shown: list[dict[str, Any]] = json.loads(msgspec.json.encode(items))
    return shown
