"""Shared configuration: kinds of database, and profiles of generated tests.

Generated tests take as long as an example needs, and have the same examples each time: no test
asserts a timing, and a change should not fail for what another one left undiscovered.
"""

import gc
import os
import socket
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import NamedTemporaryFile

import bcrypt
import pytest
import structlog
from hypothesis import settings

from quire.schema.model import Schema
from tests.databases.kind import Kind
from tests.databases.kinds import KINDS
from tests.databases.store import Store
from tests.memory import keep_files_in_memory
from tests.opened_files.sitecustomize import watch as watch_opened_files
from tests.quick import mark_quick
from tests.secrecy.logs import watch_logs
from tests.secrecy.watch import WATCH
from tests.shared_work import full_check, full_salt, share_work
from tests.system import mark_system

# Traces with the local variables of each frame, as they are by default, take half a minute each.
*_first, _ = structlog.get_config()["processors"]
_plain = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
structlog.configure(processors=[*_first, _plain])
watch_logs()
share_work()
keep_files_in_memory()
# Rewritten asserts and modules of servers are compiled once, wherever the tests run.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
_BROWSER_TESTS = "tests/ui/"
_YOUNG_COLLECTIONS, _OLD_COLLECTIONS = 20, 10
"""How many collections of new objects come before one of those that they have left, and so on."""
_opened_files = NamedTemporaryFile(prefix="opened-files-", mode="r+", encoding="utf-8")  # noqa: SIM115 - removed at exit
watch_opened_files(Path(_opened_files.name))
settings.register_profile("quire", deadline=None, derandomize=True)
settings.load_profile("quire")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let pytest-rerunfailures send its messages at once.

    Each process of pytest-xdist sends it two short ones per test. The second waits until the first
    is acknowledged, which takes 40 ms, unless the connection is told not to.
    """
    database = getattr(session.config, "failures_db", None)
    if (connection := getattr(database, "sock", None)) is not None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let Python's garbage collector disregard what is imported and collected: all of it stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        # Most of what tests make is gone before it is looked at, and what they share is large: it
        # is looked through between tests, once.
        gc.set_threshold(20_000, _YOUNG_COLLECTIONS, 10 * _OLD_COLLECTIONS)
        gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Collect garbage after a test where much was made since the last time; what is left stays."""
    try:
        return (yield)
    finally:
        if gc.get_count()[2] >= _OLD_COLLECTIONS:
            gc.collect()
            gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark system tests and those of the daily round, before others are deselected.

    Browser tests come first. Each process of pytest-xdist begins with an equal part of the list, so
    one of them runs these, on browsers and sites that it alone starts, while the others run tests
    that wait for databases and servers. At the end, processes take over short tests of others.
    """
    mark_system(items)
    if "quick" in config.getoption("markexpr"):
        mark_quick(items)
    items.sort(key=lambda item: not item.nodeid.startswith(_BROWSER_TESTS))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what touches rows on every kind of database, or on one where the kind means nothing."""
    if "kind" in metafunc.fixturenames and not _has_kinds_of_its_own(metafunc):
        alone = metafunc.definition.get_closest_marker("whatever_the_database")
        kinds = KINDS if alone is None else KINDS[:1]
        metafunc.parametrize(
            "kind", kinds, indirect=True, scope="session", ids=lambda kind: kind.name
        )


def _has_kinds_of_its_own(metafunc: pytest.Metafunc) -> bool:
    """Tell whether a test parametrizes ``kind`` itself."""
    given = (mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    return any("kind" in (names.split(",") if isinstance(names, str) else names) for names in given)


@pytest.fixture(autouse=True)
def _no_secret_shows() -> Iterator[None]:
    """In all tests, no log line and no response contains a secret."""
    logging = structlog.get_config()
    yield
    structlog.configure(**logging)  # commands that run in this process have a separate form
    found = list(WATCH.leaks)
    WATCH.leaks.clear()
    assert found == []


@pytest.fixture(autouse=True, scope="module")
def _secrets_are_those_of_a_module() -> Iterator[None]:
    """What was sent in one module is not looked for in others: that would take ever longer."""
    yield
    WATCH.forget()


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let mypy keep what it finds out about our code and libraries for the whole run."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("MYPY_CACHE_DIR", str(folder / "mypy"))
        yield


@pytest.fixture
def full_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash and check passwords at the cost that they have outside of tests."""
    monkeypatch.setattr(bcrypt, "gensalt", full_salt)
    monkeypatch.setattr(bcrypt, "checkpw", full_check)


@pytest.fixture(autouse=True)
def _database_files_are_opened_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """No process of a test, servers included, opens a database file that it has open already."""
    yield
    found = _opened_files.read()
    assert found == "" or request.node.get_closest_marker("reopens_database_files")


@pytest.fixture(scope="session")
def kind(request: pytest.FixtureRequest) -> Kind:
    """Each kind of database in turn."""
    found: Kind = request.param
    return found


@pytest.fixture
def open_store(kind: Kind) -> Iterator[Callable[[Schema], Store]]:
    """Makes databases for programs that a test runs itself."""
    with ExitStack() as made:

        def make(schema: Schema) -> Store:
            store = kind.store(schema)
            made.callback(store.close)
            return store

        yield make


@pytest.fixture(scope="session")
def recorded(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The recorded project, which is copied; its database is never opened."""
    project = kind.recorded(tmp_path_factory.mktemp("recorded") / "project")
    yield project
    kind.release(project)


@pytest.fixture(scope="module")
def shared_recorded(
    kind: Kind, recorded: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The recorded project once more, for all tests of a module together."""
    project = kind.copy(recorded, tmp_path_factory.mktemp("shared") / "recorded")
    yield project
    kind.release(project)


@pytest.fixture
def own_recorded(kind: Kind, recorded: Path, tmp_path: Path) -> Iterator[Path]:
    """The recorded project once more, for a test that changes something."""
    project = kind.copy(recorded, tmp_path / "recorded")
    yield project
    kind.release(project)
