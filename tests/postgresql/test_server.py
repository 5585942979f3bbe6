"""The tests find a PostgreSQL server, share it, and remove everything afterwards."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.postgresql import binaries, cluster
from tests.postgresql.binaries import find_binaries
from tests.postgresql.cluster import Cluster
from tests.postgresql.databases import drop_database, new_database, url_of
from tests.postgresql.errors import NoServerError
from tests.postgresql.session import Session
from tests.postgresql.sharing import VARIABLE

_USER = """
import json, signal, sys
from tests.postgresql.sharing import run_folder, server_url
# A test run in the background has left its processes deaf to the terminal.
signal.signal(signal.SIGINT, signal.default_int_handler)
print(json.dumps([server_url(), str(run_folder())]), flush=True)
sys.stdin.read()
"""
"""A process that wants a server and keeps it until its input ends."""

needs_own = pytest.mark.skipif(VARIABLE in os.environ, reason="the server is somebody else's")


@contextmanager
def user(run: str) -> Iterator[tuple[subprocess.Popen[str], str, Path]]:
    """Start a process of a test run that wants a server; gives its URL and its folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", _USER],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTEST_XDIST_TESTRUNUID": run},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        url, folder = json.loads(process.stdout.readline())
        try:
            yield process, url, Path(folder)
        finally:
            process.kill()


def gone(folder: Path) -> bool:
    for _ in range(600):
        if not folder.exists():
            return True
        time.sleep(0.05)
    return False


@needs_own
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "kill"])
def test_the_server_of_a_run_is_shared_and_ends_with_its_last_process(
    end: signal.Signals, tmp_path: Path
) -> None:
    run = f"{tmp_path.name}{os.getpid()}"
    with user(run) as (first, url, folder):
        with user(run) as (_, same, _):
            assert url == same
            first.send_signal(end)
            first.wait(timeout=60)
            Session(url).close()
            assert folder.exists()
        assert gone(folder)


def test_a_database_is_a_copy_of_its_template_and_knows_all_letters() -> None:
    name = new_database()
    session = Session(url_of(name))
    session.script("CREATE TABLE word (id serial, text varchar(255))")
    session.execute("INSERT INTO word (text) VALUES ($1), ($2), ($3)", ["b", "É", "Z"])
    session.close()
    copy = new_database(name)
    session = Session(url_of(copy))
    try:
        words = session.execute("SELECT text, lower(text) FROM word ORDER BY text")
        assert words == [("Z", "z"), ("b", "b"), ("É", "é")]
    finally:
        session.close()
        drop_database(name)
        drop_database(copy)


@needs_own
def test_the_server_that_comes_with_the_test_dependencies_starts(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.postgresql.binaries.shutil.which", lambda _: None)
    monkeypatch.setattr(binaries, "_USUAL", ())
    assert binaries.WHEEL in find_binaries().parts
    # A server's socket has to have a short path, which all may go through.
    folder = Path(f"/tmp/quire-tests-{os.getpid()}-wheel")  # noqa: S108 - it is removed at once
    folder.mkdir()
    own = Cluster(folder)
    try:
        session = Session(own.start())
        assert session.execute("SELECT 1") == [(1,)]
        session.close()
    finally:
        own.stop()
    assert not folder.exists()


def test_programs_in_the_folder_of_root_are_copied_to_where_their_user_may_run_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "private" / binaries.WHEEL / "pginstall" / "bin"
    programs.mkdir(parents=True)
    (programs / "postgres").touch()
    (tmp_path / "private" / f"{binaries.WHEEL}.libs").mkdir()
    (tmp_path / "private").chmod(0o700)
    account = cluster.OsAccount(uid=12345, gid=12345)  # whoever it may be
    found = cluster._reachable(programs, tmp_path / "place", account)  # noqa: SLF001
    assert found.is_relative_to(tmp_path / "place")
    assert (found / "postgres").exists()
    assert (found / f"../../../{binaries.WHEEL}.libs").exists()


def test_without_any_server_tests_fail_and_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "_candidates", lambda: iter(()))
    with pytest.raises(NoServerError, match=r"QUIRE_TEST_POSTGRES.*make setup"):
        find_binaries()
