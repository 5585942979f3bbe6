"""An unusable database: a clear message, exit code 2, and nothing written."""

import os
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

import httpx
import pytest

from tests.unit.cli.conftest import Run, everything_in
from tests.unit.cli.processes import serving
from tests.unit.cli.test_serve import refused

COMMANDS = ["start", "check", "index"]


def database(project: Path) -> Path:
    return project / ".tmp/data.db"


def change(project: Path, *statements: str) -> None:
    with closing(sqlite3.connect(database(project))) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def companions(project: Path) -> list[str]:
    """What SQLite keeps next to a database that is in use."""
    return sorted(path.name for path in database(project).parent.iterdir())


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_empty_file_is_reported(project: Path, workers: str) -> None:
    database(project).write_bytes(b"")

    messages = refused(project, "--port", "0", "--workers", workers)

    assert "is an empty database" in messages
    assert "quire new" in messages
    assert companions(project) == ["data.db"]


def test_a_database_without_tables_is_reported(project: Path) -> None:
    database(project).unlink()
    change(project, "CREATE TABLE gone (id)", "DROP TABLE gone")

    assert "is an empty database" in refused(project, "--port", "0")
    assert companions(project) == ["data.db"]


def test_a_database_of_something_else_is_reported(project: Path) -> None:
    database(project).unlink()
    change(project, "CREATE TABLE bookmarks (id INTEGER PRIMARY KEY, url TEXT)")

    messages = refused(project, "--port", "0")

    assert "The database was made neither by Strapi nor by Quire" in messages
    assert companions(project) == ["data.db"]


def test_a_table_that_is_missing_is_named(project: Path) -> None:
    change(project, "DROP TABLE tags")

    assert "The database lacks what the schema wants: the table tags." in refused(
        project, "--port", "0"
    )


@pytest.mark.parametrize("kept", [20, 99, 100, 600, 4096, 6000])
def test_a_database_that_was_cut_off_is_reported(project: Path, kept: int) -> None:
    database(project).write_bytes(database(project).read_bytes()[:kept])

    messages = refused(project, "--port", "0")

    assert str(database(project)) in messages
    assert companions(project) == ["data.db"]


def test_a_database_with_damage_inside_is_reported(project: Path) -> None:
    content = bytearray(database(project).read_bytes())
    # The first page after its header, where the tables are listed.
    content[100:4096] = os.urandom(3996)
    database(project).write_bytes(content)

    messages = refused(project, "--port", "0")

    assert str(database(project)) in messages
    assert companions(project) == ["data.db"]


def test_a_folder_in_the_place_of_the_database_is_reported(project: Path) -> None:
    database(project).unlink()
    database(project).mkdir()

    assert str(database(project)) in refused(project, "--port", "0")


def test_a_newer_layout_stays_as_it_is(project: Path) -> None:
    change(
        project,
        "INSERT INTO strapi_migrations_internal (name) VALUES ('9.0.0-turn-everything-round')",
    )

    assert "9.0.0-turn-everything-round" in refused(project, "--port", "0")
    assert companions(project) == ["data.db"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_locked_database_is_left_alone(run: Run, project: Path, command: str) -> None:
    (project / "quire.toml").write_text("[database]\nbusy_timeout_ms = 50\n", encoding="utf-8")
    hold = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "connection.execute('PRAGMA journal_mode = WAL')\n"
        "connection.execute('PRAGMA locking_mode = EXCLUSIVE')\n"
        "connection.execute('BEGIN EXCLUSIVE')\n"
        "connection.execute('CREATE TABLE held (id)')\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    arguments = [sys.executable, "-c", hold, str(database(project))]
    with Popen(arguments, stdin=PIPE, stdout=PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        before = everything_in(project)

        code, output, messages = run(command, project, *(("--port", "0") * (command == "start")))

        assert everything_in(project) == before
        holder.communicate()
    assert code in {1, 2}
    assert "data.db is locked by another program" in output + messages
    assert "Traceback" not in messages


def test_a_database_that_a_crash_left_in_a_write_is_put_right(project: Path) -> None:
    """What was not committed when a program died is taken back; all else is served."""
    crash = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "connection.execute('PRAGMA journal_mode = DELETE')\n"
        "connection.execute('PRAGMA cache_size = 1')\n"
        "connection.execute('BEGIN IMMEDIATE')\n"
        "connection.execute('DELETE FROM strapi_core_store_settings')\n"
        "connection.execute('DELETE FROM articles')\n"
        "connection.execute('PRAGMA cache_spill = 1')\n"
        "connection.execute('CREATE TABLE held AS SELECT hex(randomblob(1000000)) AS x')\n"
        "print('written', flush=True)\n"
        "sys.stdin.read()\n"
    )
    arguments = [sys.executable, "-c", crash, str(database(project))]
    with Popen(arguments, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "written\n"
        writer.send_signal(signal.SIGKILL)
        writer.wait(30)
    assert companions(project) == ["data.db", "data.db-journal"]
    with serving("start", project) as (address, _):
        response = httpx.get(f"{address}/api/articles")

    assert response.status_code == 200
    assert response.json()["meta"]["pagination"]["total"] > 0
