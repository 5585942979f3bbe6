"""Which database the settings of a project name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from quire.database.dialects.postgresql.room import PostgresRoom, postgres_options
from quire.database.dialects.sqlite.room import SqliteRoom, sqlite_options
from quire.database.room import Room
from quire.settings import Settings

_ROOMS: Mapping[str, Callable[[Settings], Room]] = MappingProxyType(
    {
        "sqlite": lambda settings: SqliteRoom(sqlite_options(settings)),
        "postgres": lambda settings: PostgresRoom(postgres_options(settings)),
    }
)
"""By what the setting ``database.client`` says."""


def room_of(settings: Settings) -> Room:
    """Return the room of a project's database; nothing is opened.

    Raises ConfigurationError when something about the database is set to what cannot be.
    """
    return _ROOMS[settings.database.client](settings)
