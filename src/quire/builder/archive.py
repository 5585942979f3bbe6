"""The archive of what changes of the model removed: list, restore, forget."""

from quire.database.compile.writes import Writes
from quire.database.connection import Database
from quire.database.migration.archive import (
    ARCHIVE_TABLE,
    Archive,
    forget,
    list_archives,
    restore_archive,
)
from quire.database.program import Program
from quire.database.tables.inspection import inspect_program
from quire.database.target import DatabaseKind


class ModelArchive:
    """Lists it, puts it back, forgets it."""

    def __init__(self, database: Database, kind: DatabaseKind) -> None:
        self._database = database
        self._kind = kind

    async def all(self) -> list[Archive]:
        """List what is kept, the oldest first."""
        return await self._database.read(self._all)

    async def put_back(self, archive: Archive) -> int:
        """Put back what has a place again; returns how many rows."""
        return await self._database.write(self._put_back(archive))

    async def forget(self, archive: Archive) -> None:
        """Let go of it, for good."""
        writes = Writes(self._kind.dialect())
        await self._database.write(forget(writes, self._kind.ddl, archive))

    def _all(self) -> Program[list[Archive]]:
        names = yield from self._kind.inspector.table_names()
        if ARCHIVE_TABLE not in names:
            return []
        return (yield from list_archives(Writes(self._kind.dialect())))

    def _put_back(self, archive: Archive) -> Program[int]:
        found = yield from inspect_program(self._kind.inspector)
        return (yield from restore_archive(Writes(self._kind.dialect()), archive, found))
