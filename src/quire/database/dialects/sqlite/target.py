"""A SQLite file as a `DatabaseTarget`."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import structlog
from msgspec.structs import replace

from quire.database.dialects.sqlite.bulk_load import BulkLoadFile, open_for_bulk_load
from quire.database.dialects.sqlite.ddl import COLUMN_TYPES, SqliteDdl, quote
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.dialects.sqlite.driver import SqliteDatabase
from quire.database.dialects.sqlite.file_handles import (
    SqliteOptions,
    copy_database_file,
    create_empty_file,
    require_unused,
)
from quire.database.dialects.sqlite.readonly_inspection import (
    SqliteFile,
    damage_program,
    foreign_keys_program,
    open_readonly,
    require_sound,
)
from quire.database.interface import Database
from quire.database.program import Program, Statement
from quire.database.tables.inspection import Inspector
from quire.database.target import DatabaseKind
from quire.errors import ConfigurationError, DatabaseLockedError, DatabaseOpenError
from quire.settings import Settings

_COUNTERS_EXIST = "SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_sequence'"
_READ = "SELECT name, seq FROM sqlite_sequence"
_RAISE = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?"
_ADD = """
INSERT INTO sqlite_sequence (name, seq)
SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
"""

_NAMES = """
SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
"""

_COLUMNS = """
SELECT m.name, c.name, lower(c.type), c."notnull", c.dflt_value
FROM sqlite_master AS m, pragma_table_info(m.name) AS c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'
ORDER BY m.name, c.cid
"""

_COLUMNS_OF_TABLE = """
SELECT c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
WHERE m.type = 'table' AND m.name = ?
"""

_INDEXES_OF_TABLE = "SELECT name FROM pragma_index_list(?)"

_INDEXES = """
SELECT m.name, i.name, i."unique", i.partial, c.name
FROM sqlite_master AS m, pragma_index_list(m.name) AS i, pragma_index_info(i.name) AS c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'
ORDER BY m.name, i.name, c.seqno
"""

_FOREIGN_KEYS = """
SELECT DISTINCT m.name, f."from", f."table", upper(f.on_delete)
FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'
"""

_HAS_STATISTICS = "SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat1'"

_ROWS = "SELECT tbl, max(CAST(stat AS INTEGER)) FROM sqlite_stat1 GROUP BY tbl"

_ROWS_OF_AN_INDEX = 1000
"""How many rows of each index are examined."""

_log = structlog.get_logger("quire.database")

_COMPANIONS = ("-wal", "-shm", "-journal")
"""Files that SQLite may leave behind, and would use with a new file of the same name."""


class SqliteCounters:
    """See `quire.database.target.Counters`."""

    def read(self) -> Program[Mapping[str, int]]:
        """Return the highest id that each table has given."""
        if (yield Statement(_COUNTERS_EXIST)) == [(0,)]:
            return {}
        rows = yield Statement(_READ)
        return {str(name): int(highest or 0) for name, highest in rows}

    def raise_to(self, table: str, highest: int) -> Program[None]:
        """Set the next id of a table above this one."""
        yield Statement(_RAISE, (highest, table))
        yield Statement(_ADD, (table, highest))


class SqliteStatistics:
    """See `quire.database.planner_statistics.Statistics`."""

    def row_counts(self) -> Program[Mapping[str, int]]:
        """See `Statistics.row_counts`."""
        if (yield Statement(_HAS_STATISTICS)) == [(0,)]:
            return {}
        rows = yield Statement(_ROWS)
        return {str(table): int(count or 0) for table, count in rows}

    def gather(self, table: str) -> Sequence[str]:
        """See `Statistics.gather`."""
        return (f"PRAGMA analysis_limit = {_ROWS_OF_AN_INDEX}", f"ANALYZE {quote(table)}")


T = TypeVar("T")

SQLITE_INSPECTOR = Inspector(
    select_tables=_NAMES,
    select_columns=_COLUMNS,
    select_column_names=_COLUMNS,
    select_columns_of_table=_COLUMNS_OF_TABLE,
    select_indexes=_INDEXES,
    select_indexes_of_table=_INDEXES_OF_TABLE,
    select_foreign_keys=_FOREIGN_KEYS,
)
SQLITE = DatabaseKind(
    dialect=SqliteDialect,
    column_types=COLUMN_TYPES,
    ddl=SqliteDdl(),
    inspector=SQLITE_INSPECTOR,
    counters=SqliteCounters(),
    statistics=SqliteStatistics(),
    damage=damage_program,
    broken_references=foreign_keys_program,
)


def sqlite_options(settings: Settings) -> SqliteOptions:
    """Return the options of the project's SQLite file.

    Raises ConfigurationError when the server would serve the file to clients.
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
    """Tell whether a file is in a served folder, and not hidden in it."""
    resolved_path, resolved_folder = path.resolve(), folder.resolve()
    if not resolved_path.is_relative_to(resolved_folder):
        return False
    return not any(
        part.startswith(".") for part in resolved_path.relative_to(resolved_folder).parts
    )


class SqliteTarget:
    """A SQLite file, which need not exist (a `DatabaseTarget`)."""

    kind = SQLITE

    def __init__(self, options: SqliteOptions) -> None:
        self._options = options
        self.place = str(options.path)

    async def has_tables(self) -> bool:
        """See `DatabaseTarget.has_tables`."""
        path = self._options.path
        if not path.exists() or path.stat().st_size == 0:
            return False
        with open_readonly(self._options) as file:
            return bool(await file.run(self.kind.inspector.table_names()))

    @asynccontextmanager
    async def look(self) -> AsyncIterator[SqliteFile]:
        """See `DatabaseTarget.look`."""
        with open_readonly(self._options) as file:
            yield file

    async def open(self) -> Database:
        """See `DatabaseTarget.open`; only the journal mode may change."""
        return SqliteDatabase(self._options)

    async def open_checked(
        self, make: Callable[[], Program[T]], require: Callable[[T], None]
    ) -> Database:
        """See `DatabaseTarget.open_checked`; until then the file is only read."""
        async with self.look() as file:
            require(await file.run(make()))
        return await self.open()

    @asynccontextmanager
    async def fill(self) -> AsyncIterator[BulkLoadFile]:
        """See `DatabaseTarget.fill`."""
        with open_for_bulk_load(self._options) as file:
            yield file

    @asynccontextmanager
    async def new(self) -> AsyncIterator[Database]:
        """See `DatabaseTarget.new`: a temporary file in the same folder."""
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
        """See `DatabaseTarget.restore`; the file is checked before it replaces the present one."""
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
            with unfinished.open("rb") as file:
                os.fsync(file.fileno())
            # They belong to the present file, and are empty unless that is damaged.
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
    except DatabaseOpenError as error:  # restoring a backup must work for a damaged file
        _log.warning("a database file that cannot be opened is replaced", reason=str(error))


def _remove(path: Path) -> None:
    _remove_companions(path)
    path.unlink(missing_ok=True)


def _remove_companions(path: Path) -> None:
    for companion in _COMPANIONS:
        path.with_name(path.name + companion).unlink(missing_ok=True)
