"""Scheduled backups by servers."""

import asyncio
import tarfile
from pathlib import Path

import pytest

from quire.app import build_app
from quire.errors import ConfigurationError
from quire.runtime.scheduled_backups import BACKUP_JOB, backup_schedules
from quire.settings import load_settings
from tests.conformance.corpus import unpack_project
from tests.databases.kind import Kind
from tests.extending.background import ended, jobs_of, until
from tests.postgresql.binaries import find_binaries
from tests.unit.runtime.scheduled_servers import pass_to, servers


@pytest.fixture(autouse=True)
def client_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pg_dump be found, as where PostgreSQL is installed."""
    monkeypatch.setenv("PATH", str(find_binaries()), prepend=":")


async def test_one_of_several_servers_makes_the_backup_that_is_due(
    tmp_path: Path, kind: Kind
) -> None:
    folder = tmp_path / "backups"
    settings = f'[backup]\nschedule = "0 3 * * *"\nfolder = "{folder}"\nkeep = 1'
    async with servers(tmp_path, kind, settings, 2) as (project, offices):
        for count, day in enumerate((20, 21), start=1):
            await pass_to(offices, f"2027-01-{day}T03:00:01+00:00")
            jobs = await ended(offices[0], count)
            assert {(job.name, job.attempts, job.state) for job in jobs} == {
                (BACKUP_JOB, 1, "done")
            }
            await asyncio.sleep(1.1)  # archives have their second in their name
        assert len(await jobs_of(offices[0])) == 2
    (archive,) = folder.iterdir()
    assert archive.name.startswith(project.name)
    with tarfile.open(archive) as tar:
        assert "manifest.json" in tar.getnames()


async def test_a_backup_that_fails_says_why(tmp_path: Path, kind: Kind) -> None:
    (tmp_path / "file").touch()
    settings = f'[backup]\nschedule = "0 3 * * *"\nfolder = "{tmp_path}/file/backups"'
    async with servers(tmp_path, kind, settings, 1) as (_, offices):
        await pass_to(offices, "2027-01-20T03:00:01+00:00")

        async def has_failed() -> bool:
            return any(job.message for job in await jobs_of(offices[0]))

        await until(has_failed)
        (job,) = await jobs_of(offices[0])
        assert "Not a directory" in str(job.message)


@pytest.mark.whatever_the_database("no database is opened for what is no cron expression")
async def test_a_schedule_that_is_no_cron_expression_is_refused(tmp_path: Path) -> None:
    project = unpack_project(tmp_path / "project")
    with (project / "quire.toml").open("a") as file:
        file.write('\n[backup]\nschedule = "every night"\n')
    application = build_app(load_settings(project, environ={}))
    with pytest.raises(ConfigurationError, match=r"backup\.schedule: .* has 2 fields"):
        await application.start()


def test_a_schedule_behind_a_pooler_needs_the_address_of_the_server(tmp_path: Path) -> None:
    behind = {
        "database.client": "postgres",
        "database.pooler": True,
        "backup.schedule": "0 3 * * *",
    }
    with pytest.raises(ConfigurationError, match="DATABASE_DIRECT_URL"):
        backup_schedules(load_settings(tmp_path, environ={}, overrides=behind))
    direct = {**behind, "database.direct_url": "postgresql://localhost/site"}
    assert len(backup_schedules(load_settings(tmp_path, environ={}, overrides=direct))) == 1
