"""The content version of a request, with the default locale of that version."""

import asyncio
from collections.abc import Callable

from quire.content_manager.locales import default_locale_of, default_locale_statement
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.tables.system_tables import CORE_STORE
from quire.database.versioned_cache import VersionedValue


class ContentVersion:
    """Version of the content, with the default locale of that version.

    Every request determines the version first. Any process may have changed the default locale, so
    it is read again whenever the version differs.
    """

    def __init__(
        self, database: Database, writes: Writes, adopt_default_locale: Callable[[str | None], None]
    ) -> None:
        """``adopt_default_locale`` is called with the code when it was read and has changed."""
        self._database = database
        database.follow(default_locale_statement(writes))
        self._adopt = adopt_default_locale
        self._reading = asyncio.Lock()
        self._is_adopted: VersionedValue[bool] = VersionedValue(
            database.versions, frozenset({CORE_STORE})
        )
        """Whether the default locale of a version was read."""
        self._default_locale: str | None = None

    def current_or_none(self) -> int | None:
        """Return the current version, ``None`` when it is only available from `current`."""
        version = self._database.version()
        return version if self._is_adopted.get(version) else None

    async def current(self) -> int | None:
        """Return the current version after adopting its default locale.

        ``None`` means that the database cannot distinguish versions. Raises ServiceUnavailableError
        when the database does not respond.
        """
        version = self._database.version()
        if version is None:
            version = await self._database.present_version()
        if not self._is_adopted.get(version):
            await self._adopt_default_locale_of(version)
        return version

    async def _adopt_default_locale_of(self, version: int | None) -> None:
        # One read at a time: a slow one must not replace the result of one that began later.
        async with self._reading:
            if self._is_adopted.get(version):
                return
            code = default_locale_of(await self._database.followed())
            if code != self._default_locale:
                self._default_locale = code
                self._adopt(code)
            self._is_adopted.set(version, True)  # noqa: FBT003 - the value, not a flag
