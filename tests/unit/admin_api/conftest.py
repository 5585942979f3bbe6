"""An office that is open, with its first administrator."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.unit.admin_api.office import Office, open_office


@pytest_asyncio.fixture(loop_scope="session")
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with open_office(tmp_path) as opened:
        yield opened
