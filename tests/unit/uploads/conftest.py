"""The recorded project, served, with its media library."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, running
from tests.conformance.corpus import credentials
from tests.unit.uploads.desk import Desk


@pytest.fixture
async def desk(own_recorded: Path) -> AsyncIterator[Desk]:
    application = build_app(load_settings(own_recorded, environ={}))
    async with running(application):
        yield Desk(application, AsgiClient(application), credentials().api_tokens["full"])
