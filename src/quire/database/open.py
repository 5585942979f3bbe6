"""Opening the database of a project, as it is."""

from pathlib import Path

from quire.database.connection import Database
from quire.database.dialects.sqlite.driver import SqliteDatabase, SqliteOptions
from quire.database.dialects.sqlite.inspector import SqliteInspector
from quire.database.dialects.sqlite.offline import open_readonly
from quire.database.inspect import Opening, opening_program, wanted_tables
from quire.database.mapping import TableMap
from quire.errors import ConfigurationError, DatabaseOpenError
from quire.settings import Settings

_SHOWN_TABLES = 5


async def open_database(settings: Settings, tables: TableMap) -> Database:
    """Open the database of a project for serving; nothing but its journal mode is changed.

    Raises DatabaseOpenError when there is none, when it is of another kind or a newer layout, or
    when tables of the schema are missing; ConfigurationError for a kind that cannot be served.
    """
    path = settings.project / settings.database.filename
    if settings.database.client != "sqlite":
        message = "PostgreSQL cannot be served yet; set DATABASE_CLIENT=sqlite"
        raise ConfigurationError(message)
    check_sqlite_file(path)
    options = sqlite_options(settings)
    with open_readonly(options) as file:
        opening = file.run(opening_program(SqliteInspector(), wanted_tables(tables)))
    problem = _problem(path, opening)
    if problem is not None:
        raise DatabaseOpenError(problem)
    return SqliteDatabase(options)


def _problem(path: Path, opening: Opening) -> str | None:
    """Say why a database cannot be served as it is, or return ``None``."""
    if opening.empty:
        return f"{path} is an empty database; make the tables with `quire new` or Strapi"
    if opening.problem is None and opening.missing_tables:
        return _missing(opening.missing_tables)
    return opening.problem


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


def check_sqlite_file(path: Path) -> None:
    """Refuse what cannot be a SQLite database, before anything is opened for writing."""
    if not path.is_file():
        message = f"There is no database at {path}; `quire new` makes one in the project."
        raise DatabaseOpenError(message)
    with path.open("rb") as file:
        head = file.read(16)
    if head and head != b"SQLite format 3\0":
        message = f"{path} is not a SQLite database."
        raise DatabaseOpenError(message)


def _missing(tables: tuple[str, ...]) -> str:
    shown = ", ".join(tables[:_SHOWN_TABLES])
    more = len(tables) - _SHOWN_TABLES
    rest = f" and {more} more" if more > 0 else ""
    return f"The database lacks tables of the schema: {shown}{rest}. See `quire check`."
