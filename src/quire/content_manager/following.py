"""Following what other processes set: which locale is the default one.

The process in which it is set takes it over at once, the others within a second.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import structlog

from quire.content_manager.locales import DEFAULT_LOCALE_KEY
from quire.database.connection import Database
from quire.database.core_store import read_setting
from quire.database.program import Program
from quire.database.writes import Writes
from quire.errors import AppError

_SECONDS = 1.0
_log = structlog.get_logger("quire.locales")


class DefaultLocaleFollower:
    """Looks now and then at which locale is the default one, and tells when it is another."""

    def __init__(
        self,
        database: Database,
        writes: Writes,
        adopt: Callable[[str | None], None],
        *,
        present: Callable[[], str | None],
        seconds: float = _SECONDS,
    ) -> None:
        """``present`` says which one this process takes for it, ``adopt`` changes that."""
        self._database = database
        self._writes = writes
        self._adopt = adopt
        self._present = present
        self._seconds = seconds
        self._version: int | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.get_running_loop().create_task(self._follow())

    async def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def look(self) -> None:
        """Look once, unless nobody has committed anything since the last time."""
        version = self._database.version()
        if version is not None and version == self._version:
            return
        code = await self._database.read(self._stored)
        self._version = version
        if code != self._present():
            self._adopt(code)

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            try:
                await self.look()
            except AppError as error:
                _log.warning("the default locale cannot be read", exc_info=error)

    def _stored(self) -> Program[str | None]:
        stored = yield from read_setting(self._writes, DEFAULT_LOCALE_KEY)
        return stored if isinstance(stored, str) else None
