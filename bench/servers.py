"""The servers of a comparison: started on a loopback port, watched, and stopped.

Every one is given its own copy of the same project folder and database, and runs as one worker in
its production manner. None writes a line for every request.
"""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from bench.project import ADMINISTRATOR, TOKEN

STRAPI_VERSION = "5.54.0"
PROBE = "/api/articles?pagination[pageSize]=1"
"""The first request a server has to answer before it counts as started."""

CONTENT_API = "/api/"

_PEER = Path(__file__).parent / "strapi"
_READY = frozenset({200})
_START_TIMEOUT_S = 300
_STOP_TIMEOUT_S = 15


class ServerError(Exception):
    """A server did not start, answered a probe wrongly, or its installation is not usable."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a server: its name in the tables, command, folder, port and environment."""

    name: str
    command: tuple[str, ...]
    folder: Path
    port: int
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: its name, port, process id, and seconds from start to first response.

    ``administrator`` is the access token of its administrator, once they have signed in, and
    ``token`` what opens the content API.
    """

    name: str
    port: int
    pid: int
    start_seconds: float
    administrator: str = ""
    token: str = TOKEN


@contextmanager
def running(launch: Launch, probe: str = PROBE, ready: frozenset[int] = _READY) -> Iterator[Server]:
    """Start a server, wait until it answers ``probe`` as it does when ready, and stop it at last.

    ``ready`` are the statuses of such a response.

    Its output goes to ``server.log`` in its folder. Raises ServerError when it ends or is silent
    for too long, with the end of that log.
    """
    log_path = launch.folder / "server.log"
    with log_path.open("wb") as log:
        started = time.perf_counter()
        process = _spawn(launch, log)
        try:
            _wait_for_response(process, launch, log_path, probe, ready)
            yield Server(launch.name, launch.port, process.pid, time.perf_counter() - started)
        finally:
            _stop(process)


@contextmanager
def administered(launch: Launch) -> Iterator[Server]:
    """Start a content server as `running` does, and sign its administrator in.

    Raises ServerError when it does not start, or lets nobody in.
    """
    with running(launch) as server:
        yield replace(server, administrator=_sign_in(server))


def quire(folder: Path, workers: int = 1, program: Path | None = None) -> Launch:
    """Return how to start Quire with so many workers on the project in ``folder``.

    ``program`` is that of another virtual environment, if it is not to be the present one.
    """
    port = free_port()
    program = program or Path(sys.executable).with_name("quire")
    return Launch(
        "Quire",
        (str(program), "start", str(folder), "--port", str(port), "--workers", str(workers)),
        folder,
        port,
    )


def plain(folder: Path, responses: Mapping[str, str]) -> Launch:
    """Return how to start the plain server, which answers ``responses`` (target to body)."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "answers.json"
    path.write_text(json.dumps(responses), encoding="utf-8")
    port = free_port()
    command = (sys.executable, "-m", "bench.plain", str(port), str(path))
    return Launch("Plain server", command, folder, port, {"PYTHONPATH": str(_PEER.parents[1])})


def strapi(folder: Path) -> Launch:
    """Return how to start the Strapi application that make_strapi_application left in a folder."""
    port = free_port()
    program = folder / "node_modules" / "@strapi" / "strapi" / "bin" / "strapi.js"
    environment = {
        "NODE_ENV": "production",
        "PORT": str(port),
        "STRAPI_TELEMETRY_DISABLED": "true",
    }
    return Launch("Strapi", ("node", str(program), "start"), folder, port, environment)


def make_strapi_application(folder: Path, project: Path, installed: Path) -> None:
    """Make ``folder`` a Strapi application of the content model and secrets of ``project``.

    ``installed`` is a folder in which ``npm install`` was run for bench/strapi/package.json; its
    packages are used where they are. The database is not copied. Raises ServerError when they are
    not of the version that is compared with.
    """
    packages = installed.resolve() / "node_modules"
    manifest = packages / "@strapi" / "strapi" / "package.json"
    if not manifest.exists():
        raise ServerError(f"{installed} has no installed Strapi: see bench/strapi/README.md")
    version = json.loads(manifest.read_text(encoding="utf-8"))["version"]
    if version != STRAPI_VERSION:
        raise ServerError(f"{installed} has Strapi {version}, the comparison is {STRAPI_VERSION}")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(project / "src", folder / "src")
    shutil.copytree(_PEER / "config", folder / "config")
    shutil.copy(_PEER / "package.json", folder)
    shutil.copy(project / ".env", folder)
    for name in (".tmp", "public/uploads", "database/migrations"):
        (folder / name).mkdir(parents=True)
    (folder / "node_modules").symlink_to(packages)
    for schema in (folder / "src" / "api").glob("*/content-types/*/schema.json"):
        _add_core_files(api=schema.parents[2], content_type=schema.parent.name)


def _add_core_files(api: Path, content_type: str) -> None:
    """Write the three files without which Strapi gives a content type no routes."""
    uid = f"api::{api.name}.{content_type}"
    factories = {
        "routes": "createCoreRouter",
        "controllers": "createCoreController",
        "services": "createCoreService",
    }
    for folder, factory in factories.items():
        path = api / folder / f"{content_type}.js"
        path.parent.mkdir()
        line = f"module.exports = require('@strapi/strapi').factories.{factory}('{uid}');\n"
        path.write_text(line, encoding="utf-8")


def fetch(server: Server | Launch, target: str) -> tuple[int, bytes]:
    """Ask a server for ``target`` with the credential for it; return status and body.

    Raises OSError when it does not listen.
    """
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        credential = f"Bearer {credential_for(server, target)}"
        connection.request("GET", target, headers={"Authorization": credential})
        response = connection.getresponse()
        return response.status, response.read()


def credential_for(server: Server | Launch, target: str) -> str:
    """Return what opens ``target``: the API token, or the access token of the administrator."""
    if isinstance(server, Launch):
        return TOKEN
    if target.startswith(CONTENT_API):
        return server.token
    return server.administrator


def _sign_in(server: Server) -> str:
    """Return an access token of the benchmark's administrator."""
    body = json.dumps(ADMINISTRATOR)
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request("POST", "/admin/login", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        content = response.read()
    if response.status != http.HTTPStatus.OK:
        raise ServerError(
            f"{server.name} answers {response.status} to a sign-in: {content[:300]!r}"
        )
    token: str = json.loads(content)["data"]["token"]
    return token


def free_port() -> int:
    """Return a loopback port that nobody listens on at the moment."""
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _spawn(launch: Launch, log: BinaryIO) -> subprocess.Popen[bytes]:
    """Start the process in a group of its own, so that what it starts can be stopped with it."""
    return subprocess.Popen(
        launch.command,
        cwd=launch.folder,
        env={**os.environ, **launch.environment},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def _wait_for_response(
    process: subprocess.Popen[bytes],
    launch: Launch,
    log_path: Path,
    probe: str,
    ready: frozenset[int],
) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    status: int | None = None
    while time.monotonic() < deadline and process.poll() is None:
        try:
            status, _ = fetch(launch, probe)
        except (OSError, http.client.HTTPException):
            time.sleep(0.02)
            continue
        if status in ready:
            return
        time.sleep(0.02)
    reason = f"answers {status}" if process.poll() is None else f"ended with {process.returncode}"
    tail = log_path.read_text(encoding="utf-8", errors="replace")[-2000:]
    raise ServerError(f"{launch.name} {reason} instead of answering {probe}:\n{tail}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the whole process group, kindly first."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, signal_number)
            process.wait(_STOP_TIMEOUT_S)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
