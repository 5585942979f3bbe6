"""The newsroom, served in process."""

from collections.abc import AsyncIterator
from pathlib import Path
from shutil import copytree

import pytest

from quire.settings import Settings, load_settings
from tests.hazards.asking import Visitor, serving
from tests.hazards.newsroom import write_project
from tests.hazards.writing import Editor


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


@pytest.fixture
def copied_newsroom(newsroom: Settings, tmp_path: Path) -> Settings:
    """The project once more, as it was made."""
    return _copied(newsroom, tmp_path)


@pytest.fixture(scope="module")
async def editor(
    newsroom: Settings, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Editor]:
    """Writes in a newsroom of the module's own; tests leave alone what they have not made."""
    copied = _copied(newsroom, tmp_path_factory.mktemp("written"))
    async with serving(copied.project) as visitor:
        yield Editor(visitor, copied)


@pytest.fixture
async def own_editor(copied_newsroom: Settings) -> AsyncIterator[Editor]:
    """Writes in a newsroom that no other test knows."""
    async with serving(copied_newsroom.project) as visitor:
        yield Editor(visitor, copied_newsroom)


def _copied(newsroom: Settings, folder: Path) -> Settings:
    return load_settings(copytree(newsroom.project, folder / "newsroom"), environ={})
