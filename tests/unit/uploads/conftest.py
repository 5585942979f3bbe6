"""The recorded project, served, with its media library as it was recorded."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.shared_applications import SharedApplications
from tests.unit.uploads.desk import Desk, open_desk


@pytest.fixture(scope="package")
async def shared_desks(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[SharedApplications[Desk]]:
    """Applications for all tests that start with the recorded rows and files."""
    desks = SharedApplications[Desk](tmp_path_factory.mktemp)
    yield desks
    await desks.close()


@pytest.fixture
async def desk(recorded: Path, shared_desks: SharedApplications[Desk]) -> AsyncIterator[Desk]:
    async with shared_desks.lend(recorded, open_desk) as desk:
        yield desk
