"""A SQLite file as a `DatabaseTarget`."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import structlog
from msgspec.structs import replace

from quire.database.connection import Database
from quire.database.dialects.sqlite.bulk_load import FilledFile, open_for_filling
from quire.database.dialects.sqlite.counters import SqliteCounters
from quire.database.dialects.sqlite.database_file import (
    SqliteOptions,
    copy_database_file,
    create_empty_file,
    require_unused,
)
from quire.database.dialects.sqlite.ddl import COLUMN_TYPES, SqliteDdl
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.dialects.sqlite.driver import SqliteDatabase
from quire.database.dialects.sqlite.inspector import SqliteInspector
from quire.database.dialects.sqlite.readonly_inspection import (
    ReadOnlyFile,
    damage_program,
    foreign_keys_program,
    open_readonly,
    require_sound,
)
from quire.database.dialects.sqlite.statistics import SqliteStatistics
from quire.database.target import DatabaseKind
from quire.errors import ConfigurationError, DatabaseLockedError, DatabaseOpenError
from quire.settings import Settings

SQLITE = DatabaseKind(
    dialect=SqliteDialect,
    column_types=COLUMN_TYPES,
    ddl=SqliteDdl(),
    inspector=SqliteInspector(),
    counters=SqliteCounters(),
    statistics=SqliteStatistics(),
    damage=damage_program,
    lost=foreign_keys_program,
)

_log = structlog.get_logger("quire.database")
_COMPANIONS = ("-wal", "-shm", "-journal")
"""What SQLite may leave beside a file, and would take for a part of a new one of the same name."""


def sqlite_options(settings: Settings) -> SqliteOptions:
    """Return how the project's SQLite file is opened.

    Raises ConfigurationError when the server would answer requests with the file.
    """
    database = settings.database
    path = settings.project / database.filename
    for folder in (settings.public.directory, settings.uploads.directory):
        if _is_served(path, settings.project / folder):
            raise ConfigurationError(
                f"{path} is in {folder}, whose files everybody may read: "
                "set database.filename (DATABASE_FILENAME) to a file elsewhere."
            )
    return SqliteOptions(
        path=path,
        journal_mode=database.journal_mode,
        guard_ms=database.slow_query_ms,
        timeout_ms=database.read_timeout_ms,
        busy_timeout_ms=database.busy_timeout_ms,
        read_queue=database.read_queue,
    )


def _is_served(path: Path, folder: Path) -> bool:
    """Tell whether a file is in a folder that is served, and not hidden in it."""
    inside, around = path.resolve(), folder.resolve()
    if not inside.is_relative_to(around):
        return False
    return not any(part.startswith(".") for part in inside.relative_to(around).parts)


class SqliteTarget:
    """A SQLite file, there or not (a `Room`)."""

    kind = SQLITE

    def __init__(self, options: SqliteOptions) -> None:
        """``options.path`` is the file."""
        self._options = options
        self.place = str(options.path)

    async def has_tables(self) -> bool:
        """See `Room.has_tables`."""
        path = self._options.path
        if not path.exists() or path.stat().st_size == 0:
            return False
        with open_readonly(self._options) as file:
            return bool(await file.run(self.kind.inspector.table_names()))

    @asynccontextmanager
    async def look(self) -> AsyncIterator[ReadOnlyFile]:
        """See `Room.look`."""
        with open_readonly(self._options) as file:
            yield file

    async def open(self) -> Database:
        """See `Room.open`; nothing but the journal mode is changed."""
        return SqliteDatabase(self._options)

    @asynccontextmanager
    async def fill(self) -> AsyncIterator[FilledFile]:
        """See `Room.fill`."""
        with open_for_filling(self._options) as file:
            yield file

    @asynccontextmanager
    async def new(self) -> AsyncIterator[Database]:
        """See `Room.new`: a file beside the one that it will be."""
        path = self._options.path
        unfinished = path.with_name(f"{path.name}.unfinished")
        _remove(unfinished)
        create_empty_file(unfinished)
        try:
            database = SqliteDatabase(replace(self._options, path=unfinished))
            try:
                yield database
            finally:
                await database.close()
            _remove(path)
            unfinished.replace(path)
        finally:
            _remove(unfinished)

    dump_name = "database.sqlite"

    async def dump(self, path: Path) -> None:
        """See `DatabaseTarget.dump`."""
        await asyncio.to_thread(copy_database_file, self._options, path)

    async def restore(self, path: Path) -> None:
        """See `DatabaseTarget.restore`; the file is checked before it takes the place."""
        await asyncio.to_thread(self._restore, path)

    def _restore(self, path: Path) -> None:
        place = self._options.path
        _require_unused(self._options)
        unfinished = place.with_name(f"{place.name}.unfinished")
        _remove(unfinished)
        create_empty_file(unfinished)
        try:
            copy_database_file(replace(self._options, path=path), unfinished)
            require_sound(replace(self._options, path=unfinished))
            with unfinished.open("rb") as written:
                os.fsync(written.fileno())
            # They are those of the present file, and empty unless that is damaged.
            _remove_companions(place)
            unfinished.replace(place)
        finally:
            _remove(unfinished)


def _require_unused(options: SqliteOptions) -> None:
    """Raise DatabaseLockedError when another process has the file of a database open."""
    try:
        if options.path.exists() and options.path.stat().st_size > 0:
            require_unused(options)
    except DatabaseLockedError:
        raise
    except DatabaseOpenError as error:  # a damaged file is what a backup is for
        _log.warning("a database file that cannot be opened is replaced", reason=str(error))


def _remove(path: Path) -> None:
    _remove_companions(path)
    path.unlink(missing_ok=True)


def _remove_companions(path: Path) -> None:
    for companion in _COMPANIONS:
        path.with_name(path.name + companion).unlink(missing_ok=True)
