"""The newsroom, served in process."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quire.settings import Settings
from tests.hazards.asking import Visitor, serving
from tests.hazards.newsroom import write_project


@pytest.fixture(scope="session")
def newsroom(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The project; tests only read from it."""
    return write_project(tmp_path_factory.mktemp("newsroom"))


@pytest.fixture
def own_newsroom(tmp_path: Path) -> Settings:
    """The project once more, for a test that changes something."""
    return write_project(tmp_path)


@pytest.fixture(scope="session")
async def ask(newsroom: Settings) -> AsyncIterator[Visitor]:
    """Asks the newsroom, as nobody in particular unless told otherwise."""
    async with serving(newsroom.project) as visitor:
        yield visitor
