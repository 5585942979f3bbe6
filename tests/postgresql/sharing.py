"""One server for all processes of a test run, stopped with the last of them.

Whoever wants the server holds a shared lock on a file for as long as it lives. The keeper, a
process that no signal of the terminal reaches, waits for the exclusive lock: it gets it when
everybody is gone, killed or not, and then stops the server and removes its folder.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from secrets import token_hex

from tests.memory import files_folder
from tests.postgresql.errors import NoServerError

VARIABLE = "QUIRE_TEST_POSTGRES"
"""The environment variable that names a server to use instead of the tests' own."""

USERS, STATE, FAILURE = "users.lock", "server.json", "failure.txt"
_ROOT = Path(__file__).parents[2]
_START_SECONDS = 120


@cache
def server_url() -> str:
    """Return the URL of a server on which databases can be made; starts it when there is none.

    Raises NoServerError when none can be had.
    """
    given = os.environ.get(VARIABLE)
    if given is not None:
        return given
    # The server has no certificate: a connection need not be ready for one.
    os.environ["PGSSLMODE"] = "disable"
    return _shared(run_folder())


@cache
def run_folder() -> Path:
    """Return the folder of this test run, which all of its processes share."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or token_hex(8)
    return files_folder() / f"quire-tests-{os.geteuid()}-{run}"


def _shared(folder: Path) -> str:
    """Return the URL of the server in a folder, and keep it from being stopped."""
    with _locked(folder.with_suffix(".start")):
        _hold(folder)
        if not (folder / STATE).exists():
            _start_keeper(folder)
        url: str = json.loads((folder / STATE).read_bytes())["url"]
        return url


def _hold(folder: Path) -> None:
    """Take the shared lock until this process ends."""
    while True:
        folder.mkdir(mode=0o711, exist_ok=True)
        users = os.open(folder / USERS, os.O_RDWR | os.O_CREAT)
        fcntl.flock(users, fcntl.LOCK_SH)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(users), (folder / USERS).stat()):
                return
        # The keeper was about to leave, and took the file with it.
        os.close(users)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one process at a time look whether there is a server."""
    with path.open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _start_keeper(folder: Path) -> None:
    command = (sys.executable, "-m", "tests.postgresql.keeper", str(folder))
    keeper = subprocess.Popen(
        command,
        cwd=_ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    for _ in range(_START_SECONDS * 20):
        if (folder / STATE).exists():
            # It outlives this process, and nobody waits for it.
            keeper.returncode = 0
            return
        if keeper.poll() is not None:
            raise NoServerError(_failure(folder))
        time.sleep(0.05)
    raise NoServerError(f"The server in {folder} has not started in {_START_SECONDS} seconds.")


def _failure(folder: Path) -> str:
    try:
        return (folder / FAILURE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return "The keeper of the server ended before it had started it."
    finally:
        shutil.rmtree(folder, ignore_errors=True)
