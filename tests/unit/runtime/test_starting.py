"""A server that cannot start reports the reason, in time, and cleans up."""

import asyncio
from pathlib import Path

import pytest

from quire.app import Application, build_app
from quire.errors import DatabaseOpenError, ServiceUnavailableError
from quire.settings import load_settings
from quire.uploads.service import MediaLibrary
from tests.databases.kinds import SQLITE, kind_of, rows_of

SHORT = {"database.busy_timeout_ms": 100, "database.read_timeout_ms": 500}
CONNECTIONS = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE application_name = 'quire' AND datname = current_database()"
)


def application(project: Path) -> Application:
    return build_app(load_settings(project, environ={}, overrides=SHORT))


def connections(project: Path) -> int:
    """How many connections Quire has to the database, where that can be told."""
    if kind_of(project) is SQLITE:
        return 0
    with rows_of(project) as rows:
        return int(rows.execute(CONNECTIONS)[0][0])


@pytest.mark.parametrize("table", ["strapi_core_store_settings", "articles"])
async def test_a_table_that_somebody_has_locked_keeps_nobody_waiting(
    own_recorded: Path, table: str
) -> None:
    """SQLite has one lock for all tables."""
    is_sqlite = kind_of(own_recorded) is SQLITE
    app = application(own_recorded)
    with rows_of(own_recorded) as somebody:
        somebody.execute("BEGIN IMMEDIATE" if is_sqlite else "BEGIN")
        if not is_sqlite:
            somebody.execute(f"LOCK TABLE {table}")
        said = "is locked by another program" if is_sqlite else r"timeout(.|\n)*Try again"
        async with asyncio.timeout(20):
            if table == "articles" and not is_sqlite:
                # A start looks at the columns of tables, and at no rows of content.
                await app.start()
                await app.stop()
            else:
                with pytest.raises(DatabaseOpenError, match=said):
                    await app.start()
                assert app.services is None
        somebody.execute("ROLLBACK")
    assert connections(own_recorded) == 0
    await app.start()
    await app.stop()


async def test_a_start_that_fails_late_lets_go_of_everything(
    own_recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unavailable(_: MediaLibrary) -> None:
        raise ServiceUnavailableError("not now")

    app = application(own_recorded)
    with monkeypatch.context() as broken:
        broken.setattr(MediaLibrary, "recover", unavailable)
        with pytest.raises(DatabaseOpenError, match="not now"):
            await app.start()
    assert connections(own_recorded) == 0
    assert app.database is None
    await app.start()
    await app.stop()
