"""A PgBouncer for the tests in front of a PostgreSQL server, in transaction mode."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bench.servers import free_port
from tests.postgresql.cluster import server_account
from tests.postgresql.errors import NoServerError

_START_SECONDS = 60
_SETTINGS = """
[databases]
* = host={host} port={port}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
logfile = {folder}/log
pool_mode = transaction
default_pool_size = 5
max_client_conn = 1000
ignore_startup_parameters = extra_float_digits
"""


def find_pgbouncer() -> str | None:
    """Return the program, ``None`` where it is not installed."""
    return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin")


@contextmanager
def pgbouncer(program: str, server: str) -> Iterator[str]:
    """Start it in front of the server of a URL; gives the URL of the same database through it.

    Raises NoServerError, with what it said, when it does not start.
    """
    url, own, account = urlsplit(server), free_port(), server_account()
    folder = Path(tempfile.mkdtemp(prefix="quire-pgbouncer-"))
    settings, users = folder / "settings.ini", folder / "users"
    settings.write_text(
        _SETTINGS.format(host=url.hostname, port=url.port or 5432, own=own, folder=folder),
        encoding="utf-8",
    )
    users.write_text(f'"{unquote(url.username or "")}" "{unquote(url.password or "")}"\n')
    for path in (folder, settings, users):
        account.own(path)
    process = subprocess.Popen(
        [program, str(settings)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=account.uid,
        group=account.gid,
        extra_groups=None if account.uid is None else (),
    )
    try:
        _wait_until_ready(process, own, folder / "log")
        yield url._replace(netloc=f"{url.netloc.rpartition('@')[0]}@127.0.0.1:{own}").geturl()
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    latest = time.monotonic() + _START_SECONDS
    while time.monotonic() < latest and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    said = log.read_text(encoding="utf-8")[-2000:] if log.exists() else ""
    raise NoServerError(f"PgBouncer did not start:\n{said}")
