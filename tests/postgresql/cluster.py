"""A PostgreSQL server for the tests: created in a folder, started, stopped, removed.

Its rows need not survive the machine, so nothing of it waits for a disk.
"""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from bench.processes import process_tree
from bench.servers import free_port
from tests.postgresql.binaries import find_binaries, is_from_wheel
from tests.postgresql.errors import NoServerError

USER = "quire"
_START_SECONDS = 60
_UNPRIVILEGED = ("postgres", "nobody")
"""Who runs the server when the tests are run by root, whom PostgreSQL refuses."""

_NO_OTHERS: Mapping[str, str] = MappingProxyType({})
_TRIES = 20
"""How often a start is tried while processes of a server that was killed are still there."""
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    # Hundreds of databases that live for a second need no care, nor statistics that come by chance.
    "autovacuum": "off",
    "max_wal_size": "256MB",
    # As the servers have it whose responses were recorded, and not as this machine has it.
    "timezone": "UTC",
    "lc_messages": "C",
}


@dataclass(frozen=True, slots=True)
class OsAccount:
    """Whom a server runs as; ``None`` is whoever runs the tests."""

    uid: int | None
    gid: int | None

    def own(self, path: Path) -> None:
        """Give a file or folder to the account."""
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)


class Cluster:
    """A server and its data in a separate folder."""

    def __init__(
        self, folder: Path, others: Mapping[str, str] = _NO_OTHERS, port: int | None = None
    ) -> None:
        """``folder`` is empty, or made; ``others`` are settings of the server besides ours.

        Without a ``port`` it takes one that is free.
        """
        self._folder = folder
        self._settings = {**_SETTINGS, **others}
        self._data = folder / "data"
        self._log = folder / "server.log"
        self._account = server_account()
        self._binaries = _reachable(find_binaries(), folder, self._account)
        self._process: subprocess.Popen[bytes] | None = None
        self.port = port

    def start(self) -> str:
        """Make the data and start the server; returns its URL once it takes connections.

        Raises NoServerError, with what the server said, when it does not start.
        """
        password = secrets.token_hex(16)
        self._make(password)
        if self.port is None:
            self.port = free_port()
        self.resume()
        return f"postgresql://{USER}:{password}@127.0.0.1:{self.port}/postgres"

    def halt(self) -> None:
        """Stop the server as an operator does, and end its connections; its data stay."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()

    def kill(self) -> None:
        """End the server's first process at once, as an error does; the others see that it is gone.

        What was committed survives with ``synchronous_commit`` alone.
        """
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def freeze(self) -> None:
        """Let the server hang: it keeps its connections, takes new ones, and responds to none."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen server go on where it stopped."""
        self._signal(signal.SIGCONT)

    def resume(self) -> None:
        """Start the server, at the address that it had before, and wait until it is ready.

        Raises NoServerError, with what the server said, when it does not start.
        """
        for _ in range(_TRIES):
            self._process = self._run(
                "postgres",
                "-D",
                str(self._data),
                "-p",
                str(self.port),
                "-k",
                str(self._folder),
                *(part for one in self._settings.items() for part in ("-c", "=".join(one))),
            )
            if self._is_ready(self._process):
                return
            time.sleep(0.2)
        raise NoServerError(f"PostgreSQL did not start:\n{self._said()}")

    def stop(self) -> None:
        """Stop the server without ceremony, and remove the folder."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _make(self, password: str) -> None:
        # The folders above belong to whoever runs the tests: others may go through them.
        self._folder.mkdir(exist_ok=True)
        self._folder.chmod(0o711)
        self._account.own(self._folder)
        self._log.touch()
        secret = self._folder / "password"
        secret.write_text(password, encoding="ascii")
        self._account.own(secret)
        made = self._run(
            "initdb",
            f"--pgdata={self._data}",
            f"--username={USER}",
            f"--pwfile={secret}",
            "--auth=md5",  # SCRAM has the server compute for 2 ms, and a test connects five times
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        )
        if made.wait() != 0:
            raise NoServerError(f"initdb failed:\n{self._said()}")
        secret.unlink()

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        command: Sequence[str] = (str(self._binaries / program), *arguments)
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=self._account.uid,
                group=self._account.gid,
                extra_groups=None if self._account.uid is None else (),
                env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
            )

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            for process in process_tree(self._process.pid):
                with suppress(ProcessLookupError):
                    os.kill(process, number)

    def _is_ready(self, process: subprocess.Popen[bytes]) -> bool:
        """Wait until the server says, in the file of its process, that it is ready."""
        state = self._data / "postmaster.pid"
        for _ in range(_START_SECONDS * 20):
            if process.poll() is not None:
                return False
            said = state.read_text(encoding="utf-8") if state.exists() else ""
            if said.startswith(f"{process.pid}\n") and "ready" in said:
                return True
            time.sleep(0.05)
        return False

    def _said(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")[-2000:]


def server_account() -> OsAccount:
    """Return who runs a server that refuses to run as root. Raises NoServerError."""
    if os.geteuid() != 0:
        return OsAccount(None, None)
    for name in _UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return OsAccount(entry.pw_uid, entry.pw_gid)
    raise NoServerError(
        "PostgreSQL does not run as root, and there is no other user it could run as here"
        f" ({' or '.join(_UNPRIVILEGED)}): run the tests as somebody else."
    )


def _reachable(binaries: Path, folder: Path, account: OsAccount) -> Path:
    """Return programs that the account may run: a copy where theirs is in somebody's own folder."""
    if account.uid is None or not is_from_wheel(binaries) or _open_to_all(binaries):
        return binaries
    # They look for their libraries next to their package.
    installed = binaries.parent
    package, site = installed.parent, folder / "site"
    shutil.copytree(installed, site / package.name / installed.name)
    libraries = f"{package.name}.libs"
    if (package.parent / libraries).is_dir():
        shutil.copytree(package.parent / libraries, site / libraries)
    return site / package.name / installed.name / "bin"


def _open_to_all(folder: Path) -> bool:
    return all(parent.stat().st_mode & 0o001 for parent in (folder, *folder.parents))
