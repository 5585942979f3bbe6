"""The newsroom, as it was at first for each test, with an SMTP server."""

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.accounts.site import Inbox, SharedSites, Site, open_site, receiving
from tests.databases.kind import Kind
from tests.hazards.newsroom import write_project


@pytest.fixture(scope="session")
def written(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    project = write_project(tmp_path_factory.mktemp("accounts"), kind).project
    yield project
    kind.release(project)


@pytest.fixture
def project(kind: Kind, written: Path, tmp_path: Path) -> Iterator[Path]:
    project = kind.copy(written, tmp_path / "newsroom")
    yield project
    kind.release(project)


@pytest.fixture
async def inbox() -> AsyncIterator[Inbox]:
    async with receiving() as inbox:
        yield inbox


@pytest.fixture(scope="module")
def shared_project(
    kind: Kind, written: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    project = kind.copy(written, tmp_path_factory.mktemp("shared") / "newsroom")
    yield project
    kind.release(project)


@pytest.fixture(scope="module")
async def shared_site(shared_project: Path) -> AsyncIterator[Site]:
    """One newsroom for all tests of a module that leave it as it is."""
    async with receiving() as inbox, open_site(shared_project, inbox) as site:
        yield site


@pytest.fixture(scope="package")
async def shared_sites(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SharedSites]:
    """Newsrooms for all tests that start with their rows."""
    sites = SharedSites(tmp_path_factory.mktemp)
    yield sites
    await sites.close()


@pytest.fixture
async def site(written: Path, shared_sites: SharedSites) -> AsyncIterator[Site]:
    async with shared_sites.lend(written) as site:
        yield site


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    """The URL of the sign-in provider."""
    command = [sys.executable, "-m", "tests.accounts.oidc_provider"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.terminate()
