"""Recorded reads and writes through PgBouncer in transaction mode, where it is installed."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from quire.cli import run
from quire.database.settings_target import target_of
from quire.errors import DatabaseOpenError
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, Authorization
from tests.conformance.conftest import open_app
from tests.conformance.corpus import Scenario, credentials
from tests.conformance.deviations import read_deviations
from tests.conformance.scenario_server import ScenarioServer
from tests.conformance.test_reads import GROUPS, replay_group
from tests.conformance.test_writes import SCENARIOS, replay_scenario
from tests.conformance.written_deviations import name_of
from tests.databases.kinds import POSTGRESQL
from tests.examples import sample
from tests.postgresql.binaries import find_binaries
from tests.postgresql.pgbouncer import find_pgbouncer, pgbouncer
from tests.postgresql.pooler import VARIABLE
from tests.postgresql.sharing import server_url


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The recorded project, whose database is reached through PgBouncer."""
    program = find_pgbouncer()
    if program is None:
        # A program of the operating system, which no Python package brings; CI installs it.
        pytest.skip("PgBouncer is not installed")
    with pgbouncer(program, server_url()) as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, url)
        made = POSTGRESQL.recorded(tmp_path_factory.mktemp("pooled") / "project")
        yield made
        POSTGRESQL.release(made)


@pytest.fixture(scope="module")
async def client(project: Path) -> AsyncIterator[AsgiClient]:
    async with open_app(project) as client:
        yield client


@pytest.fixture(scope="module")
async def server(project: Path) -> AsyncIterator[ScenarioServer]:
    server = ScenarioServer(project)
    yield server
    await server.close()


async def test_without_the_setting_the_error_names_it(project: Path) -> None:
    settings = load_settings(project, environ={}, overrides={"database.pooler": False})
    with pytest.raises(DatabaseOpenError, match="set `pooler = true`"):
        await target_of(settings).has_tables()


def test_backups_go_past_the_pooler(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PATH", str(find_binaries()), prepend=":")
    command = ["backup", str(project), "--to", str(tmp_path)]
    assert run(command) == 2
    assert "DATABASE_DIRECT_URL" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []

    url = load_settings(project, environ={}).database.url
    path = urlsplit(url or "").path
    monkeypatch.setenv("DATABASE_DIRECT_URL", urlsplit(server_url())._replace(path=path).geturl())
    assert run(command) == 0
    # No connection of the pooler has been left with another search path.
    assert run(["check", str(project)]) == 0


@pytest.mark.parametrize("group", GROUPS)
async def test_recorded_reads_are_answered_alike_through_a_pooler(
    group: str, client: AsgiClient
) -> None:
    authorization = Authorization(client, credentials())
    await replay_group(group, POSTGRESQL, client, authorization, read_deviations())


@pytest.mark.parametrize("scenario", sample(SCENARIOS), ids=name_of)
async def test_recorded_scenarios_are_answered_alike_through_a_pooler(
    scenario: Scenario, server: ScenarioServer
) -> None:
    async with server.begin() as (client,):
        await replay_scenario(scenario, POSTGRESQL, client, read_deviations())
