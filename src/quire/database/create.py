"""Making the database of a project that has none yet."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from quire.clock import Clock
from quire.database.bootstrap import FirstLocale, bootstrap_program
from quire.database.connection import Database
from quire.database.ddl import create_program
from quire.database.dialects.sqlite.ddl import COLUMN_TYPES, SqliteDdl
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.dialects.sqlite.driver import SqliteDatabase
from quire.database.dialects.sqlite.inspector import SqliteInspector
from quire.database.dialects.sqlite.offline import open_readonly
from quire.database.mapping import TableMap
from quire.database.open import check_sqlite_file, sqlite_options
from quire.database.program import Program
from quire.database.rows import RowInserts
from quire.database.tables import build_metadata
from quire.errors import ConfigurationError
from quire.schema.model import Schema
from quire.settings import Settings

_COMPANIONS = ("-wal", "-shm", "-journal")
"""What SQLite may leave beside a file, and would take for a part of a new one of the same name."""


def row_inserts(schema: Schema, tables: TableMap) -> RowInserts:
    """Return what inserts rows into the tables of a schema."""
    return RowInserts(build_metadata(schema, tables, COLUMN_TYPES), SqliteDialect())


def first_program(
    schema: Schema,
    tables: TableMap,
    *,
    clock: Clock,
    new_id: Callable[[], str],
    locale: FirstLocale,
    api_prefix: str,
) -> Program[None]:
    """Make all tables and indexes of a new database, and write its first rows."""
    metadata = build_metadata(schema, tables, COLUMN_TYPES)
    yield from create_program(metadata, SqliteDdl())
    yield from bootstrap_program(
        schema,
        tables,
        metadata,
        SqliteDialect(),
        clock=clock,
        new_id=new_id,
        locale=locale,
        api_prefix=api_prefix,
    )


def has_tables(settings: Settings) -> bool:
    """Whether the project has a database with anything in it.

    Raises DatabaseOpenError when there is something that is no database, ConfigurationError for a
    kind of database that cannot be made.
    """
    _require_sqlite(settings)
    path = settings.database.filename
    if not path.exists() or path.stat().st_size == 0:
        return False
    check_sqlite_file(path)
    with open_readonly(sqlite_options(settings)) as file:
        return bool(file.run(SqliteInspector().table_names()))


@asynccontextmanager
async def new_database(settings: Settings) -> AsyncIterator[Database]:
    """Open an empty database that becomes the project's when the block ends well.

    Until then it is a file beside it, so that a database is there in full or not at all, however
    the work ends. Call it only when `has_tables` has said no.
    """
    _require_sqlite(settings)
    path = settings.database.filename
    unfinished = path.with_name(f"{path.name}.unfinished")
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove(unfinished)
    unfinished.touch()
    try:
        database = SqliteDatabase(replace(sqlite_options(settings), path=unfinished))
        try:
            yield database
        finally:
            await database.close()
        _remove(path)
        unfinished.replace(path)
    finally:
        _remove(unfinished)


def _require_sqlite(settings: Settings) -> None:
    if settings.database.client != "sqlite":
        raise ConfigurationError(
            f"A {settings.database.client} database cannot be made yet; set DATABASE_CLIENT=sqlite."
        )


def _remove(path: Path) -> None:
    for name in (path.name, *(path.name + companion for companion in _COMPANIONS)):
        path.with_name(name).unlink(missing_ok=True)
