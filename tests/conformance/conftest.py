"""The recorded project, served in process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, Authorization, running
from tests.conformance.corpus import credentials
from tests.conformance.deviations import Deviation, read_deviations
from tests.conformance.scenario_server import ScenarioServer
from tests.databases.kind import Kind


@asynccontextmanager
async def open_app(project: Path) -> AsyncIterator[AsgiClient]:
    """Serve the project in a folder, untouched by the environment of the tests."""
    async with running(build_app(load_settings(project, environ={}))) as client:
        yield client


@pytest.fixture(scope="session")
async def client(
    kind: Kind, recorded: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[AsgiClient]:
    project = kind.copy(recorded, tmp_path_factory.mktemp("asked") / "project")
    async with open_app(project) as client:
        yield client
    kind.release(project)


@pytest.fixture(scope="module")
async def server(recorded: Path) -> AsyncIterator[ScenarioServer]:
    """Serves the recorded rows anew to each scenario."""
    server = ScenarioServer(recorded)
    yield server
    await server.close()


@pytest.fixture(scope="session")
def authorization(client: AsgiClient) -> Authorization:
    return Authorization(client, credentials())


@pytest.fixture(scope="session")
def deviations() -> tuple[Deviation, ...]:
    return read_deviations()
