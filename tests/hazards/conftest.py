"""The newsroom, served in process."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quire.settings import Settings, load_settings
from tests.accounts.conftest import shared_sites
from tests.accounts.site import SharedSites, Site
from tests.databases.kind import Kind
from tests.hazards.newsroom import write_project
from tests.hazards.visitors import Visitor, serving
from tests.hazards.writing import Editor, serve_editor
from tests.shared_applications import SharedApplications
from tests.unit.admin_api.conftest import darkroom, shared_darkrooms, shared_offices

__all__ = ["darkroom", "shared_darkrooms", "shared_offices", "shared_sites"]


@pytest.fixture(scope="session")
def newsroom(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The project; tests only read from it."""
    settings = write_project(tmp_path_factory.mktemp("newsroom"), kind)
    yield settings
    kind.release(settings.project)


@pytest.fixture(scope="session")
async def ask(newsroom: Settings) -> AsyncIterator[Visitor]:
    """Asks the newsroom, anonymously by default."""
    async with serving(newsroom.project) as visitor:
        yield visitor


@pytest.fixture
def own_newsroom(kind: Kind, newsroom: Settings, tmp_path: Path) -> Iterator[Settings]:
    """The project once more, as it was made, for a test that changes something."""
    with _copied(kind, newsroom, tmp_path) as settings:
        yield settings


@pytest.fixture(scope="module")
async def editor(
    kind: Kind, newsroom: Settings, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Editor]:
    """Writes in a newsroom of the module's own; tests leave alone what they have not made."""
    with _copied(kind, newsroom, tmp_path_factory.mktemp("written")) as settings:
        async with serve_editor(settings.project) as editor:
            yield editor


@pytest.fixture
async def site(newsroom: Settings, shared_sites: SharedSites) -> AsyncIterator[Site]:
    """The newsroom with accounts, as it was at first."""
    async with shared_sites.lend(newsroom.project) as site:
        yield site


@pytest.fixture(scope="package")
async def shared_editors(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[SharedApplications[Editor]]:
    """Newsrooms for all tests that write and start with their rows."""
    editors = SharedApplications[Editor](tmp_path_factory.mktemp)
    yield editors
    await editors.close()


@pytest.fixture
async def own_editor(
    newsroom: Settings, shared_editors: SharedApplications[Editor]
) -> AsyncIterator[Editor]:
    """Writes in a newsroom as it was made."""
    async with shared_editors.lend(newsroom.project, serve_editor) as editor:
        yield editor


@contextmanager
def _copied(kind: Kind, newsroom: Settings, folder: Path) -> Iterator[Settings]:
    project = kind.copy(newsroom.project, folder / "newsroom")
    yield load_settings(project, environ={})
    kind.release(project)
