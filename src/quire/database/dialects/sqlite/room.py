"""A SQLite file as a `Room`: found, opened, looked into, made."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from msgspec.structs import replace

from quire.database.connection import Database
from quire.database.dialects.sqlite.counters import SqliteCounters
from quire.database.dialects.sqlite.ddl import COLUMN_TYPES, SqliteDdl
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.dialects.sqlite.driver import SqliteDatabase, SqliteOptions
from quire.database.dialects.sqlite.filling import FilledFile, open_for_filling
from quire.database.dialects.sqlite.inspector import SqliteInspector
from quire.database.dialects.sqlite.offline import (
    ReadOnlyFile,
    damage_program,
    foreign_keys_program,
    open_readonly,
)
from quire.database.room import DatabaseKind
from quire.errors import DatabaseOpenError
from quire.settings import Settings

SQLITE = DatabaseKind(
    dialect=SqliteDialect,
    column_types=COLUMN_TYPES,
    ddl=SqliteDdl(),
    inspector=SqliteInspector(),
    counters=SqliteCounters(),
    damage=damage_program,
    lost=foreign_keys_program,
)

_COMPANIONS = ("-wal", "-shm", "-journal")
"""What SQLite may leave beside a file, and would take for a part of a new one of the same name."""


def sqlite_options(settings: Settings) -> SqliteOptions:
    """Return how the project's SQLite file is opened."""
    database = settings.database
    return SqliteOptions(
        path=settings.project / database.filename,
        journal_mode=database.journal_mode,
        guard_ms=database.slow_query_ms,
        timeout_ms=database.read_timeout_ms,
        busy_timeout_ms=database.busy_timeout_ms,
    )


class SqliteRoom:
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
        with self._opened() as file:
            return bool(await file.run(self.kind.inspector.table_names()))

    @asynccontextmanager
    async def look(self) -> AsyncIterator[ReadOnlyFile]:
        """See `Room.look`."""
        with self._opened() as file:
            yield file

    @contextmanager
    def _opened(self) -> Iterator[ReadOnlyFile]:
        _check_file(self._options.path)
        with open_readonly(self._options) as file:
            yield file

    async def open(self) -> Database:
        """See `Room.open`; nothing but the journal mode is changed."""
        return SqliteDatabase(self._options)

    @asynccontextmanager
    async def fill(self) -> AsyncIterator[FilledFile]:
        """See `Room.fill`."""
        path = self._options.path
        if path.exists() and path.stat().st_size > 0:
            _check_file(path)
        with open_for_filling(self._options) as file:
            yield file

    @asynccontextmanager
    async def new(self) -> AsyncIterator[Database]:
        """See `Room.new`: a file beside the one that it will be."""
        path = self._options.path
        unfinished = path.with_name(f"{path.name}.unfinished")
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove(unfinished)
        unfinished.touch()
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


def _check_file(path: Path) -> None:
    """Refuse what cannot be a SQLite database, before anything is opened for writing."""
    if not path.is_file():
        message = f"There is no database at {path}; `quire new` makes one in the project."
        raise DatabaseOpenError(message)
    with path.open("rb") as file:
        head = file.read(16)
    if head and head != b"SQLite format 3\0":
        message = f"{path} is not a SQLite database."
        raise DatabaseOpenError(message)


def _remove(path: Path) -> None:
    for name in (path.name, *(path.name + companion for companion in _COMPANIONS)):
        path.with_name(name).unlink(missing_ok=True)
