"""The site of both UIs: one project and database, a server of each, a client for setup."""

import json
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from bench.dataset import DatasetSize, seed
from bench.indexes import add_indexes
from bench.project import ADMINISTRATOR, DATABASE, add_administrator, add_token, make_project
from bench.servers import Launch, make_strapi_application, quire, running, strapi
from bench.subject import make_tables

DOCUMENTS = 25_000
CONTENT = "/content-manager/collection-types"
_MODEL = Path(__file__).parent / "project"
_STRAPI = Path(__file__).parent / "strapi"
_SECOND_LOCALE = {"code": "fr", "name": "French (fr)", "isDefault": False}
_READY = "/admin/init"
_SETTINGS = """
[admin.rate_limit]
enabled = false

[webhooks]
private_addresses = true
"""


class Client:
    """A client of an administrator, to prepare a task and to check its result.

    Both servers have the same admin API, so that one client serves for both.
    """

    def __init__(self, address: str) -> None:
        self._http = httpx.Client(base_url=address, timeout=60)
        token = self._http.post("/admin/login", json=ADMINISTRATOR).raise_for_status()
        self._http.headers["authorization"] = f"Bearer {token.json()['data']['token']}"

    def __call__(self, method: str, path: str, body: object = None, **rest: Any) -> Any:  # noqa: ANN401 - JSON
        """Send a request; raise httpx.HTTPStatusError when it is rejected."""
        response = self._http.request(method, path, json=body, **rest)
        response.raise_for_status()
        return response.json() if response.content else None

    def status(self, path: str, **headers: str) -> int:
        """Return the status of a request by another user."""
        return self._http.get(path, headers={"authorization": "", **headers}).status_code

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


@dataclass(frozen=True, slots=True)
class Site:
    """A running server of one of the two."""

    name: str
    address: str
    client: Client
    deliveries: str
    files: Path


@contextmanager
def sites(
    folder: Path, installed: Path | None, *, develop: bool, progress: Callable[[str], None]
) -> Iterator[list[Site]]:
    """Start Quire, and Strapi where it is installed, on copies of one database.

    With ``develop`` Strapi runs in the mode in which content types can be changed. Raises
    ServerError when one does not start.
    """
    seeded = _database(folder, progress)
    kind = "model" if develop else "content"
    launches = []
    with ExitStack() as stack:
        if installed is not None:
            launches.append(
                _strapi(folder / f"strapi-{kind}", folder / "empty", installed, develop=develop)
            )
        own = folder / f"quire-{kind}"
        _make_project(own)
        (own / "quire.toml").write_text(_SETTINGS, encoding="utf-8")
        launches.append(quire(own))
        deliveries = stack.enter_context(_receiver())
        started = []
        for launch in launches:
            progress(f"starting {launch.name}")
            shutil.copyfile(seeded, launch.folder / DATABASE)
            server = stack.enter_context(running(launch, _READY))
            address = f"http://127.0.0.1:{server.port}"
            client = Client(address)
            stack.callback(client.close)
            client("POST", "/i18n/locales", _SECOND_LOCALE)
            started.append(Site(launch.name, address, client, deliveries, folder))
        yield started


def _make_project(folder: Path) -> None:
    make_project(folder)
    shutil.copytree(_MODEL, folder, dirs_exist_ok=True)


def _strapi(folder: Path, project: Path, installed: Path, *, develop: bool) -> Launch:
    make_strapi_application(folder, project, installed)
    shutil.copytree(_STRAPI, folder, dirs_exist_ok=True)
    (folder / "build").symlink_to(installed.resolve() / "build")
    launch = strapi(folder)
    if not develop:
        return launch
    command = (*launch.command[:-1], "develop", "--no-watch-admin", "--no-build-admin")
    return replace(
        launch, command=command, environment={**launch.environment, "NODE_ENV": "development"}
    )


def _database(folder: Path, progress: Callable[[str], None]) -> Path:
    """Return a database with the dataset of the benchmark, from an earlier run if there is one."""
    empty, seeded = folder / "empty", folder / "seeded.db"
    _make_project(empty)
    if seeded.exists():
        return seeded
    progress("filling the database")
    make_tables(empty)
    unfinished = seeded.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(empty / DATABASE)) as source,
        closing(sqlite3.connect(unfinished)) as target,
    ):
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")
        seed(target, DatasetSize(DOCUMENTS))
        add_token(target)
        add_administrator(target)
        add_indexes(target)
    unfinished.rename(seeded)
    return seeded


@contextmanager
def _receiver() -> Iterator[str]:
    """Serve an address that takes every delivery of a webhook."""

    class Taker(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(json.dumps({}).encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taker)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/hook"
    finally:
        server.shutdown()
        server.server_close()
