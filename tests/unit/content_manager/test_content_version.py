"""The cached default locale is that of the request's content version."""

import asyncio
from pathlib import Path

from quire.content_manager.content_version import ContentVersion
from quire.content_manager.locales import DEFAULT_LOCALE_KEY
from quire.database.interface import Database
from quire.database.program import Statement, Value
from quire.database.stores.core_store import write_setting
from quire.database.tables.system_tables import CORE_STORE
from quire.database.versioned_cache import ContentVersions
from tests.unit.kiosk import Kiosk, open_kiosk


class Versions:
    """The database of a kiosk with versions set by the test, and reads that wait for it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.versions = ContentVersions()
        self.at_once: int | None = None
        self.asked: int | None = None
        self.reads = 0
        self.may_end = asyncio.Event()
        self.may_end.set()

    def version(self) -> int | None:
        return self.at_once

    async def present_version(self) -> int | None:
        return self.asked

    def follow(self, setting: Statement) -> None:
        self._database.follow(setting)

    async def followed(self) -> Value:
        self.reads += 1
        found = await self._database.followed()
        await self.may_end.wait()
        return found


def watched(kiosk: Kiosk, versions: Versions) -> tuple[ContentVersion, list[str | None]]:
    adopted: list[str | None] = []
    writes = kiosk.documents.engine.store.writes
    return ContentVersion(versions, writes, adopted.append), adopted  # type: ignore[arg-type]  # all that it asks for


async def set_default(kiosk: Kiosk, code: str) -> None:
    assert kiosk.app.database is not None
    writes = kiosk.documents.engine.store.writes
    await kiosk.app.database.write(write_setting(writes, DEFAULT_LOCALE_KEY, code))


def versions_of(kiosk: Kiosk) -> Versions:
    assert kiosk.app.database is not None
    return Versions(kiosk.app.database)


async def test_the_setting_is_read_once_after_each_change_of_it(tmp_path: Path) -> None:
    async with open_kiosk(tmp_path) as kiosk:
        versions = versions_of(kiosk)
        content_version, adopted = watched(kiosk, versions)
        for changed in (None, frozenset({"articles"}), None, frozenset({CORE_STORE})):
            versions.at_once = versions.versions.advance(changed)
            for _ in range(2):
                assert await content_version.current() == versions.at_once
                assert content_version.current_or_none() == versions.at_once
        assert (versions.reads, adopted) == (3, ["en"])

        await set_default(kiosk, "fr")
        versions.at_once = versions.versions.advance(frozenset({CORE_STORE}))
        assert content_version.current_or_none() is None
        assert await content_version.current() == versions.at_once

    assert (versions.reads, adopted) == (4, ["en", "fr"])


async def test_the_setting_is_read_by_each_request_where_versions_are_unknown(
    tmp_path: Path,
) -> None:
    async with open_kiosk(tmp_path) as kiosk:
        versions = versions_of(kiosk)
        content_version, adopted = watched(kiosk, versions)
        for code in ("en", "fr", "en"):
            await set_default(kiosk, code)
            assert await content_version.current() is None
            assert content_version.current_or_none() is None

    assert adopted == ["en", "fr", "en"]


async def test_a_slow_read_does_not_replace_a_later_one(tmp_path: Path) -> None:
    async with open_kiosk(tmp_path) as kiosk:
        versions = versions_of(kiosk)
        content_version, adopted = watched(kiosk, versions)
        versions.may_end.clear()
        versions.asked = first = versions.versions.advance(None)
        slow = asyncio.create_task(content_version.current())
        await asyncio.sleep(0)
        await set_default(kiosk, "fr")
        versions.asked = second = versions.versions.advance(None)
        later = [asyncio.create_task(content_version.current()) for _ in range(3)]
        await asyncio.sleep(0)
        versions.may_end.set()

        assert await slow == first
        assert await asyncio.gather(*later) == [second] * 3

    assert adopted == ["en", "fr"]
    assert versions.reads == 2
