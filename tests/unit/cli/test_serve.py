"""The server process prints its address, stops on a signal, or reports a failed start."""

import json
import signal
import socket
import sqlite3
import sys
import time
from contextlib import closing, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from subprocess import PIPE, Popen

import httpx
import pytest

from quire import cli
from quire.cli.serve import RELOAD_DELAY
from tests.conformance.corpus import CORPUS
from tests.unit.cli.conftest import everything_in
from tests.unit.cli.processes import QUIRE, ready_at, serving


def refused(project: Path, *options: str) -> str:
    """The messages of a server that cannot start; it must have exit code 2 and change nothing."""
    before = everything_in(project)
    output, messages = StringIO(), StringIO()
    with redirect_stdout(output), redirect_stderr(messages):
        code = cli.run(["start", str(project), *options])
    assert code == 2, messages.getvalue()
    assert "Traceback" not in messages.getvalue()
    assert output.getvalue() == ""
    assert everything_in(project) == before
    return messages.getvalue()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_server_answers_and_ends_well_when_told(project: Path, workers: str) -> None:
    with serving("start", project, "--workers", workers) as (address, process):
        response = httpx.get(f"{address}/api/tags")
        process.send_signal(signal.SIGTERM)
        code = process.wait(30)

    assert response.status_code == 200
    assert "server" not in response.headers
    assert code == 0


def test_idle_connections_stay_open_for_the_keep_alive_timeout(project: Path) -> None:
    (project / "quire.toml").write_text('[server]\nkeep_alive_timeout = "8s"\n', encoding="utf-8")
    with serving("start", project) as (address, _):
        server = httpx.URL(address)
        with closing(socket.create_connection((server.host, server.port or 80), 30)) as connection:
            for target in ("/api/tags", "/_health"):
                connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                assert connection.recv(1 << 16).startswith(b"HTTP/1.1 20")
                connection.settimeout(6)  # longer than uvicorn keeps connections by default
                with pytest.raises(TimeoutError):
                    connection.recv(1)
                connection.settimeout(30)
            assert connection.recv(1) == b""


def test_no_two_server_processes_give_the_same_request_id(project: Path) -> None:
    given: list[str] = []
    with serving("start", project, "--workers", "2") as (address, _):
        for _ in range(200):
            given.append(httpx.get(f"{address}/_health").headers["x-request-id"])
            processes = {one.partition("-")[0] for one in given}
            if len(processes) > 1:
                break

    assert len(processes) == 2
    assert len(given) == len(set(given))


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(
    ("settings", "warnings"),
    [
        ("", ["no mail can be sent"]),
        (
            '[mail]\nhost = "localhost"\n',
            ["links in mails lead to http://localhost", "mails come from no-reply@localhost"],
        ),
        (
            '[mail]\nhost = "localhost"\nsender = "a@b.c"\n[server]\nurl = "https://b.c"\n',
            [],
        ),
    ],
)
def test_missing_mail_settings_are_a_warning_once(
    project: Path, settings: str, warnings: list[str], workers: str
) -> None:
    with sqlite3.connect(project / ".tmp" / "data.db") as rows:
        rows.execute(
            "UPDATE strapi_core_store_settings SET value = ? WHERE key = ?",
            ('{"email_reset_password":null}', "plugin_users-permissions_advanced"),
        )
    rows.close()
    (project / "quire.toml").write_text(settings, encoding="utf-8")
    options = ["--host", "127.0.0.1", "--port", "0", "--workers", workers]
    with Popen([str(QUIRE), "start", str(project), *options], stderr=PIPE, text=True) as process:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if "is served at" in line:
                break
        process.terminate()
        lines += process.stderr.readlines()

    said = "".join(lines)
    if settings:
        warnings = [*warnings, "mails to reset a password link to no page of their own"]
    assert [said.count(warning) for warning in warnings] == [1] * len(warnings), said
    about_mail = [line for line in lines if "mail" in line and "warning" in line]
    assert len(about_mail) == len(warnings), said


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("rows", [1000, 1001])
def test_large_tables_without_read_indexes_are_a_warning_once(
    project: Path, rows: int, workers: str
) -> None:
    with sqlite3.connect(project / ".tmp" / "data.db") as database:
        database.execute("DELETE FROM articles")
        database.executemany("INSERT INTO articles (locale) VALUES (?)", [("en",)] * rows)
    database.close()
    with serving("start", project, "--workers", workers) as (address, process):
        assert httpx.get(f"{address}/api/tags").status_code == 200
        assert process.stderr is not None
        lines: list[str] = []
        # Nobody waits for the advice, so the server may be ready before it is given.
        while rows > 1000 and not any("quire index" in line for line in lines):
            lines.append(process.stderr.readline())
        process.terminate()
        lines += process.stderr.readlines()

    said = [line for line in lines if f"`quire index {project}`" in line]
    assert len(said) == (rows > 1000)
    assert all(line.startswith("warning: articles of more than 1,000 rows lack") for line in said)


def test_an_interrupt_ends_the_server_well(project: Path) -> None:
    with serving("start", project) as (_, process):
        process.send_signal(signal.SIGINT)

        assert process.wait(30) == 0


EXITING = """
import asyncio, sys
from quire import route

@route.get("/exit", public=True)
async def exit_soon(interrupts: bool = False) -> str:
    async def leave():
        if interrupts:
            raise KeyboardInterrupt
        sys.exit("sesame")
    exit_soon.task = asyncio.create_task(leave())
    return "left"
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_tasks_of_a_projects_code_that_exit_do_not_end_the_server(
    project: Path, workers: str
) -> None:
    (project / "src/extensions").mkdir(exist_ok=True)
    (project / "src/extensions/exiting.py").write_text(EXITING, encoding="utf-8")
    with serving("start", project, "--workers", workers) as (address, process):
        with httpx.Client() as client:  # a connection is that of one process
            for query in ("", "?interrupts=true", ""):
                assert client.get(f"{address}/api/exit{query}").json() == "left"
                assert client.get(f"{address}/api/tags").status_code == 200
        process.send_signal(signal.SIGTERM)
        _, messages = process.communicate(timeout=30)

    assert process.returncode == 0
    assert messages.count("a background task exited") == 3


def test_development_starts_again_when_a_file_changes(project: Path) -> None:
    with serving("dev", project) as (address, process):
        before = httpx.get(f"{address}/api/tags").json()
        file = project / "quire.toml"
        file.write_text("[api]\ndefault_limit = 1\n", encoding="utf-8")
        assert ready_at(process) == address
        after = httpx.get(f"{address}/api/tags").json()

    assert before["meta"]["pagination"]["pageSize"] == 25
    assert after["meta"]["pagination"]["pageSize"] == 1


def test_development_goes_on_when_administrators_change_content_types(project: Path) -> None:
    recorded = json.loads((CORPUS / "credentials.json").read_bytes())["admin"]
    signing_in = {name: recorded[name] for name in ("email", "password")}
    component = {"category": "shared", "displayName": "Badge", "attributes": {}}
    memo = {
        "displayName": "Memo",
        "singularName": "memo",
        "pluralName": "memos",
        "attributes": {"text": {"type": "string"}},
    }
    (project / "package.json").write_text("{}", encoding="utf-8")  # Strapi serves it as well
    with serving("dev", project) as (address, process):
        signed_in = httpx.post(f"{address}/admin/login", json=signing_in).json()
        headers = {"Authorization": f"Bearer {signed_in['data']['token']}"}
        before = children(process)
        made = httpx.post(
            f"{address}/content-type-builder/components",
            json={"component": component},
            headers=headers,
        )
        assert made.status_code == 201
        assert (project / "src/components/shared/badge.json").is_file()
        time.sleep(3 * RELOAD_DELAY)
        assert children(process) == before
        made = httpx.post(
            f"{address}/content-type-builder/content-types",
            json={"contentType": memo},
            headers=headers,
        )
        assert made.status_code == 201
        assert (project / "src/api/memo/content-types/memo/schema.json").is_file()
        assert (project / "src/api/memo/routes/memo.js").is_file()
        time.sleep(3 * RELOAD_DELAY)
        assert children(process) == before
        # By hand, and not followed by anybody yet: it starts again, and lets the tables follow.
        path = project / "src/components/shared/badge.json"
        raw = json.loads(path.read_bytes())
        raw["attributes"]["text"] = {"type": "string"}
        path.write_text(json.dumps(raw), encoding="utf-8")
        assert ready_at(process) == address
        assert children(process) != before


def children(process: Popen[str]) -> set[str]:
    """The processes that a process has started."""
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8")
    return set(listed.split())


def test_development_waits_while_a_file_has_an_error(project: Path) -> None:
    settings = project / "quire.toml"
    with serving("dev", project) as (address, process):
        assert process.stderr is not None
        settings.write_text("[apy]\n", encoding="utf-8")
        lines = iter(process.stderr)
        assert any("quire.toml: apy: no such setting" in line for line in lines)
        assert any("Waiting for a change" in line for line in lines)
        settings.write_text("", encoding="utf-8")
        assert ready_at(process) == address


def test_a_port_in_use_is_reported(project: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]

        messages = refused(project, "--host", "127.0.0.1", "--port", str(port))

    assert f"Cannot listen on 127.0.0.1 port {port}: Address already in use." in messages


def test_errors_of_the_settings_are_reported(project: Path) -> None:
    (project / "quire.toml").write_text("[api]\nmax_limt = 1\n", encoding="utf-8")

    assert "did you mean api.max_limit?" in refused(project)


def test_missing_secrets_are_reported(project: Path) -> None:
    (project / ".env").unlink()

    assert "quire config --new-secrets" in refused(project)


def test_errors_of_the_schema_are_reported(project: Path) -> None:
    (project / "src/api/tag/content-types/tag/schema.json").write_text("{", encoding="utf-8")

    assert "src/api/tag/content-types/tag/schema.json" in refused(project, "--port", "0")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_missing_database_is_reported(project: Path, workers: str) -> None:
    (project / ".tmp/data.db").unlink()

    messages = refused(project, "--port", "0", "--workers", workers)

    assert str(project / ".tmp/data.db") in messages


def test_a_file_that_is_no_database_is_reported(project: Path) -> None:
    (project / ".tmp/data.db").write_text("not a database, but long enough", encoding="utf-8")

    assert "is not a SQLite database" in refused(project, "--port", "0")


def test_a_database_of_a_newer_layout_is_reported(project: Path) -> None:
    with closing(sqlite3.connect(project / ".tmp/data.db")) as connection, connection:
        connection.execute(
            "INSERT INTO strapi_migrations_internal (name) VALUES ('9.0.0-turn-everything-round')"
        )

    assert "9.0.0-turn-everything-round" in refused(project, "--port", "0")


def test_a_locked_database_is_reported(project: Path) -> None:
    (project / "quire.toml").write_text("[database]\nbusy_timeout_ms = 50\n", encoding="utf-8")
    # In a separate process: reading the file in this one would lose the lock.
    hold = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "connection.execute('BEGIN EXCLUSIVE')\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    arguments = [sys.executable, "-c", hold, str(project / ".tmp/data.db")]
    with Popen(arguments, stdin=PIPE, stdout=PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        messages = refused(project, "--port", "0")
        holder.communicate()

    assert "data.db is locked by another program" in messages
