"""An office with its first administrator."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.shared_applications import SharedApplications
from tests.unit.admin_api.media_project import Darkroom, open_darkroom
from tests.unit.admin_api.office import Office, SharedOffices, open_office


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def shared_offices(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SharedOffices]:
    """Offices for all tests that start with their rows."""
    offices = SharedOffices(tmp_path_factory.mktemp)
    yield offices
    await offices.close()


@pytest_asyncio.fixture(loop_scope="session")
async def office(shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend() as lent:
        yield lent


@pytest_asyncio.fixture(loop_scope="session", scope="package")
async def shared_darkrooms(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[SharedApplications[Darkroom]]:
    """Darkrooms for all tests that start with the recorded rows and files."""
    darkrooms = SharedApplications[Darkroom](tmp_path_factory.mktemp)
    yield darkrooms
    await darkrooms.close()


@pytest_asyncio.fixture(loop_scope="session")
async def darkroom(
    recorded: Path, shared_darkrooms: SharedApplications[Darkroom]
) -> AsyncIterator[Darkroom]:
    async with shared_darkrooms.lend(recorded, open_darkroom) as lent:
        yield lent.with_new_sessions()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def shared_office(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Office]:
    """One office for all tests of a module that leave it as it is."""
    async with open_office(tmp_path_factory.mktemp("office")) as opened:
        yield opened
