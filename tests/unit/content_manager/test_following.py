"""What another process sets is followed."""

from pathlib import Path

from quire.content_manager.following import DefaultLocaleFollower
from quire.database.core_store import write_setting
from tests.unit.kiosk import open_kiosk


async def test_another_default_locale_is_taken_over_and_told_once(tmp_path: Path) -> None:
    async with open_kiosk(tmp_path) as kiosk:
        database, engine = kiosk.app.database, kiosk.documents.engine
        assert database is not None
        told: list[str | None] = []

        def adopt(code: str | None) -> None:
            told.append(code)
            engine.adopt_default_locale(code)

        writes = engine.store.writes
        follower = DefaultLocaleFollower(
            database, writes, adopt, present=lambda: engine.default_locale
        )
        await follower.look()
        await database.write(write_setting(writes, "plugin_i18n_default_locale", "fr"))
        for _ in range(3):
            await follower.look()

    assert told == ["fr"]


async def test_following_begins_and_ends(tmp_path: Path) -> None:
    async with open_kiosk(tmp_path) as kiosk:
        assert kiosk.app.database is not None
        follower = DefaultLocaleFollower(
            kiosk.app.database,
            kiosk.documents.engine.store.writes,
            lambda _: None,
            present=lambda: "en",
        )
        follower.start()
        await follower.stop()
