"""The plug-in of pytest: the fixture ``project``, and tests that are coroutines.

pytest loads this module in every run where Quire is installed, so nothing else of Quire is imported
before a test asks for the fixture.
"""

import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from quire.errors import QuireError
    from quire.testing.project import Project
    from quire.testing.workspace import Workspace

_FIXTURE = "project"
_OPTION = "quire_database"
_MODULES = pytest.StashKey[Any]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addini(
        "quire_project",
        "Folder of the project whose code is tested; by default the root of the tests.",
        default="",
    )
    parser.addini(
        "quire_content",
        "Whether the project of each test has the content of its folder content/.",
        type="bool",
        default=False,
    )
    parser.addini(
        "quire_uploads",
        "Whether uploaded files are stored where uploads.storage says, and not in a folder.",
        type="bool",
        default=False,
    )
    parser.addini(
        _OPTION,
        'Database of the project fixture: "sqlite", or the address of a PostgreSQL database whose '
        "user may create databases.",
        default="sqlite",
    )
    parser.getgroup("quire").addoption(
        "--quire-database",
        dest=_OPTION,
        default=None,
        help="database of the project fixture (the setting quire_database)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import the project's code before test modules do, so that both have the same modules."""
    folder = _project_folder(session.config)
    is_named = session.config.getini("quire_project") and (folder / "src").is_dir()
    if is_named or _is_project(folder):
        from quire.errors import QuireError
        from quire.testing.workspace import import_project

        try:
            session.config.stash[_MODULES] = import_project(folder)
        except QuireError as error:
            _exit(error)


@pytest.hookimpl
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine that uses the fixture, if no other plug-in does."""
    function = pyfuncitem.obj
    if _FIXTURE not in pyfuncitem.fixturenames or not inspect.iscoroutinefunction(function):
        return None
    names = inspect.signature(function).parameters
    arguments = {name: value for name, value in pyfuncitem.funcargs.items() if name in names}
    asyncio.run(function(**arguments))
    return True


@pytest.fixture(scope="session")
def _quire_workspace(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> "Iterator[Workspace]":
    """The template of the copies of the project, and the loop that they run in."""
    from quire.errors import QuireError
    from quire.testing.databases import databases_at
    from quire.testing.loop import LoopThread
    from quire.testing.workspace import Workspace

    config = request.config
    folder = _project_folder(config)
    if _MODULES not in config.stash:
        raise pytest.UsageError(f"{folder} is no project: set quire_project to its folder")
    url = config.getoption(_OPTION) or config.getini(_OPTION)
    try:
        databases = databases_at(url)
    except ValueError as error:
        raise pytest.UsageError(f"{_OPTION}: {error}") from None
    loop = LoopThread()
    workspace = Workspace(
        folder,
        config.stash[_MODULES],
        tmp_path_factory.mktemp("quire"),
        databases,
        loop,
        with_content=config.getini("quire_content"),
        with_uploads=config.getini("quire_uploads"),
    )
    loop.start()
    try:
        try:
            workspace.open()
        except QuireError as error:
            _exit(error)
        try:
            yield workspace
        finally:
            workspace.close()
    finally:
        loop.stop()


@pytest.fixture
def project(_quire_workspace: "Workspace") -> "Iterator[Project]":
    """The project, running in this process with its own database."""
    loop = _quire_workspace.loop
    app, running_project = loop.run(_quire_workspace.start())
    try:
        yield running_project
    finally:
        loop.run(_quire_workspace.stop(app, running_project))


def _project_folder(config: pytest.Config) -> Path:
    folder_name: str = config.getini("quire_project")
    return (config.rootpath / folder_name).resolve()


def _is_project(folder: Path) -> bool:
    """Tell whether a folder contains a project: the code of other folders is not imported."""
    if not (folder / "src").is_dir():
        return False
    has_types = any((folder / "src" / "api").glob("*/content-types"))
    return has_types or (folder / "quire.toml").is_file()


def _exit(error: "QuireError") -> NoReturn:
    pytest.exit(f"the project does not start:\n{error}", returncode=1)
