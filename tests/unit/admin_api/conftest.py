"""An office with its first administrator."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

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


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def shared_office(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Office]:
    """One office for all tests of a module that leave it as it is."""
    async with open_office(tmp_path_factory.mktemp("office")) as opened:
        yield opened
