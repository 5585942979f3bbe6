"""Which database the settings of a project name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from quire.database.dialects.sqlite.room import SqliteRoom, sqlite_options
from quire.database.room import Room
from quire.errors import ConfigurationError
from quire.settings import Settings

_ROOMS: Mapping[str, Callable[[Settings], Room]] = MappingProxyType(
    {"sqlite": lambda settings: SqliteRoom(sqlite_options(settings))}
)
"""By what the setting ``database.client`` says."""


def room_of(settings: Settings) -> Room:
    """Return the room of a project's database; nothing is opened.

    Raises ConfigurationError for a kind that cannot be served.
    """
    make = _ROOMS.get(settings.database.client)
    if make is None:
        raise ConfigurationError("PostgreSQL cannot be served yet; set DATABASE_CLIENT=sqlite")
    return make(settings)
