"""Putting schema files right that a change of the model has left half done."""

from quire.builder.journal import has_journals, recover
from quire.database.announcement import announced_schema
from quire.database.rooms import room_of
from quire.database.writes import Writes
from quire.settings import Settings


async def recover_files(settings: Settings) -> list[str]:
    """Let the schema files be those of the model that the database has.

    Returns the paths of files that were put in place. Does nothing but look for a journal where
    there is none. Raises DatabaseOpenError, and OSError when a file cannot be written.
    """
    if not has_journals(settings.project):
        return []
    room = room_of(settings)
    if not await room.has_tables():
        return recover(settings.project, None)
    async with room.look() as looking:
        version = await looking.run(announced_schema(Writes(room.kind.dialect())))
    return recover(settings.project, version)
