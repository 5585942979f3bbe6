"""The recorded project, with the recorded rows for each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.shared_applications import SharedApplications
from tests.unit.content_api.writers import Writer, WriterApplication, serve_writer


@pytest.fixture(scope="package")
async def writer_applications(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[SharedApplications[WriterApplication]]:
    """Applications for all tests that start with the recorded rows."""
    applications = SharedApplications[WriterApplication](tmp_path_factory.mktemp)
    yield applications
    await applications.close()


@pytest.fixture
async def write(
    recorded: Path, writer_applications: SharedApplications[WriterApplication]
) -> AsyncIterator[Writer]:
    async with writer_applications.lend(recorded, serve_writer) as application:
        yield application.write
