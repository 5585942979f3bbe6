"""``/_ready`` of a running server shows whether it can serve; no write is lost silently."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.servers import quire, running
from tests.conformance.corpus import credentials
from tests.databases.kinds import SQLITE, rows_of
from tests.databases.sqlite import file_of
from tests.reliability.articles import Site

_TAG = {"data": {"label": "written"}}


@dataclass(frozen=True, slots=True)
class Served:
    """The server of a project."""

    project: Path
    port: int

    def send(self, method: str, target: str, body: object = None) -> tuple[int, bytes]:
        """Send a request with a full-access token; return status and body."""
        token = credentials().api_tokens["full"]
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with closing(Site(self.port, token).connect()) as connection:
            content = None if body is None else json.dumps(body)
            connection.request(method, target, content, headers)
            response = connection.getresponse()
            return response.status, response.read()

    def ready(self) -> tuple[int, dict[str, str]]:
        """Return the status of ``/_ready`` and the state of each check."""
        status, content = self.send("GET", "/_ready")
        said = json.loads(content)
        assert said["status"] == ("ready" if status == 200 else "unavailable")
        return status, said["checks"]

    @property
    def log(self) -> str:
        return (self.project / "server.log").read_text(encoding="utf-8")


@pytest.fixture
def served(own_recorded: Path) -> Iterator[Served]:
    """The recorded project on each kind of database."""
    yield from _serve(own_recorded)


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Served]:
    """The recorded project on SQLite."""
    yield from _serve(SQLITE.recorded(tmp_path / "project"))


def _serve(project: Path) -> Iterator[Served]:
    launch = quire(project)
    with running(launch, "/_health", frozenset({204})):
        yield Served(project, launch.port)


def test_a_server_is_ready_while_the_tables_of_its_schema_are_there(served: Served) -> None:
    _, checks = served.ready()
    assert checks.pop("file", "ok") == "ok"
    assert checks == {"database": "ok", "schema": "ok"}
    with rows_of(served.project) as rows:
        rows.execute("ALTER TABLE tags RENAME TO labels")
        status, checks = served.ready()
        assert (status, checks["database"], checks["schema"]) == (503, "ok", "failed")
        assert served.send("GET", "/_health") == (204, b"")
        rows.execute("ALTER TABLE labels RENAME TO tags")
    assert served.ready()[0] == 200
    assert [line for line in served.log.splitlines() if '"not ready"' in line] != []


def _move(file: Path) -> None:
    file.rename(file.with_name("moved.db"))


def _replace(file: Path) -> None:
    file.with_name("other.db").write_bytes(file.read_bytes())
    file.with_name("other.db").replace(file)


def _delete_log(file: Path) -> None:
    file.with_name(f"{file.name}-wal").unlink()


@pytest.mark.parametrize("displace", [_move, _replace, Path.unlink, _delete_log])
def test_writes_to_files_that_were_displaced_are_refused(
    displace: Callable[[Path], object], sqlite: Served
) -> None:
    assert sqlite.send("POST", "/api/tags", _TAG)[0] == 201
    assert sqlite.ready() == (200, {"database": "ok", "file": "ok", "schema": "ok"})
    displace(file_of(sqlite.project))
    for _ in range(2):
        assert sqlite.send("POST", "/api/tags", _TAG)[0] == 503
    assert sqlite.ready() == (503, {"database": "ok", "file": "failed", "schema": "ok"})
    assert sqlite.send("GET", "/api/tags")[0] == 200
    assert sqlite.log.count("writes are refused") == 1
    assert sqlite.send("GET", "/_health") == (204, b"")


def test_writes_go_on_when_the_file_is_back(sqlite: Served) -> None:
    file = file_of(sqlite.project)
    _move(file)
    assert sqlite.send("POST", "/api/tags", _TAG)[0] == 503
    file.with_name("moved.db").rename(file)
    assert sqlite.send("POST", "/api/tags", _TAG)[0] == 201
    assert sqlite.ready()[0] == 200


def test_a_file_that_is_overwritten_with_garbage_is_unavailable(sqlite: Served) -> None:
    file = file_of(sqlite.project)
    with file.open("r+b") as overwritten:
        overwritten.write(os.urandom(file.stat().st_size))
    for _ in range(2):
        status, checks = sqlite.ready()
        assert (status, checks["database"]) == (503, "failed")
        assert sqlite.send("GET", "/api/articles")[0] == 503
        assert sqlite.send("POST", "/api/tags", _TAG)[0] == 503
    assert sqlite.send("GET", "/_health") == (204, b"")
