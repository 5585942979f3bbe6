"""An office with its first administrator."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.unit.admin_api.office import Office, open_office


@pytest_asyncio.fixture(loop_scope="session")
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with open_office(tmp_path) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def shared_office(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Office]:
    """One office for all tests of a module that leave it as it is."""
    async with open_office(tmp_path_factory.mktemp("office")) as opened:
        yield opened
