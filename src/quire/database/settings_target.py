"""The database target that the settings name.

Only its module is imported: the driver and the dialect of another database would slow down the
start.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from quire.database.target import DatabaseKind, DatabaseTarget
from quire.settings import Settings


def target_of(settings: Settings) -> DatabaseTarget:
    """Return the target of a project's database; nothing is opened.

    Raises ConfigurationError for invalid database settings.
    """
    return _TARGETS[settings.database.client](settings)


def kind_of(settings: Settings) -> DatabaseKind:
    """Return the kind of a project's database, without checking where the database is.

    Raises ConfigurationError for invalid settings of PostgreSQL.
    """
    if settings.database.client == "sqlite":
        from quire.database.dialects.sqlite.target import SQLITE

        return SQLITE
    return target_of(settings).kind


def _sqlite(settings: Settings) -> DatabaseTarget:
    from quire.database.dialects.sqlite.target import SqliteTarget, sqlite_options

    return SqliteTarget(sqlite_options(settings))


def _postgres(settings: Settings) -> DatabaseTarget:
    from quire.database.dialects.postgresql.target import PostgresTarget, postgres_options

    return PostgresTarget(postgres_options(settings))


_TARGETS: Mapping[str, Callable[[Settings], DatabaseTarget]] = MappingProxyType(
    {"sqlite": _sqlite, "postgres": _postgres}
)
"""By the setting ``database.client``."""
