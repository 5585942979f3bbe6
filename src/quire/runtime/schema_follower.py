"""Follows changes of the schema by other processes."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

import structlog
from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.outage_log import OutageLog
from quire.database.schema_version import announced_schema
from quire.database.tables.system_tables import CORE_STORE
from quire.database.versioned_cache import VersionedValue
from quire.errors import ServiceUnavailableError
from quire.schema.model import Schema

_POLL_SECONDS = 0.25
_LONGEST_SECONDS = 5.0
"""How long it may take until files of another schema are read again."""
_PATIENCE_SECONDS = 2.0
"""How long a request waits for the schema of the tables."""
_STEP_SECONDS = 0.05
_LOGGED_REFUSALS = 2
_log = structlog.get_logger("quire.schema")


class FollowerContext(Struct, frozen=True, kw_only=True):
    """The context of a follower.

    ``current_version`` returns the version of the schema of new requests. ``load`` reads the schema
    from the files of the project, which should be of the given version; ``adopt`` switches to it.
    """

    current_version: Callable[[], str]
    load: Callable[[str], Awaitable[Schema]]
    adopt: Callable[[Schema], Awaitable[None]]


class SchemaFollower:
    """Checks now and then which schema the tables have, and adopts it.

    ``disregarded`` was announced before the start although the files have another one: a change
    without a server need not be announced.
    """

    def __init__(
        self, database: Database, following: FollowerContext, *, disregarded: str | None = None
    ) -> None:
        self._database = database
        self._writes = Writes(database.dialect)
        self._following = following
        self.disregarded = disregarded
        self._is_followed: VersionedValue[bool] = VersionedValue(
            database.versions, frozenset({CORE_STORE})
        )
        """The content version in which the schema was last checked successfully."""
        self._refused: Counter[str] = Counter()
        """How often the announced version could not be adopted."""
        self._task: asyncio.Task[None] | None = None
        self._check: asyncio.Task[bool] | None = None

    def start(self) -> None:
        """Start to check."""
        self._task = asyncio.get_running_loop().create_task(self._follow())

    async def stop(self) -> None:
        """Stop to check."""
        for task in (self._task, self._check):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.wait([task])

    async def look(self) -> bool:
        """Check once, and adopt the announced schema; tell whether nothing is left to do.

        Concurrent calls share one check. Raises AppError when the database cannot be read.
        """
        if self._check is None or self._check.done():
            self._check = asyncio.get_running_loop().create_task(self._check_schema())
        return await asyncio.shield(self._check)

    async def catch_up(self) -> None:
        """Wait until the schema of the tables is adopted.

        Raises ServiceUnavailableError when that takes too long.
        """
        if self._check is not None and not self._check.done():
            # It may have read the schema before the change that the caller has seen.
            await asyncio.wait([self._check])
        loop = asyncio.get_running_loop()
        latest = loop.time() + _PATIENCE_SECONDS
        while not await self.look():
            if loop.time() > latest:
                raise ServiceUnavailableError
            await asyncio.sleep(_STEP_SECONDS)

    async def _follow(self) -> None:
        pause = _POLL_SECONDS
        outages = OutageLog(
            "quire.schema",
            failure="the version of the schema cannot be read",
            recovery="the version of the schema can be read again",
        )
        while True:
            await asyncio.sleep(pause)
            is_followed = True
            try:
                is_followed = await self.look()
                outages.note_success()
            except Exception as error:  # noqa: BLE001 - tried again after the pause
                outages.note_failure(error)
            pause = _POLL_SECONDS if is_followed else min(2 * pause, _LONGEST_SECONDS)

    async def _check_schema(self) -> bool:
        version = self._database.version()
        if self._is_followed.get(version):
            return True
        announced = await self._database.read(lambda: announced_schema(self._writes))
        if not self._is_adopted(announced):
            if not await self._adopted(str(announced)) and not self._is_adopted(announced):
                return False
            self.disregarded = None
        self._is_followed.set(version, True)  # noqa: FBT003 - the value, not a flag
        return True

    def _is_adopted(self, announced: str | None) -> bool:
        return announced in {None, self.disregarded, self._following.current_version()}

    async def _adopted(self, announced: str) -> bool:
        """Adopt a schema, if its files exist; log it when they do not."""
        try:
            schema = await self._following.load(announced)
            if schema.version == announced:
                await self._following.adopt(schema)
                self._refused.clear()
                return True
            reason = "the files of the project are of another schema"
        except Exception as error:  # noqa: BLE001 - what cannot be made now is tried again
            reason = str(error) or repr(error)
        self._refused[announced] += 1
        # The first time, the files may just have been changing to yet another schema.
        if self._refused[announced] == _LOGGED_REFUSALS:
            _log.error("the tables have another schema", version=announced, reason=reason)
        return False
