"""Several nodes run commands that create or change tables; each step happens once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from quire.cli.new_secrets import write_environment
from quire.settings import load_settings
from tests.databases.kind import Kind, opened
from tests.reliability.test_several_servers import Client, apart, wait_for_status
from tests.unit.cli.processes import QUIRE, serving
from tests.unit.kiosk import SCHEMA
from tests.unit.schema.trees import type_file, write_tree

NODES = 5
ONCE = {
    "strapi_core_store_settings": "key",
    "up_roles": "type",
    "i18n_locale": "code",
    "strapi_migrations": "name",
    "strapi_migrations_internal": "name",
    "admin_roles": "code",
}
"""Tables whose rows are made with the database, with what tells the rows apart."""


@contextmanager
def nodes(kind: Kind, folder: Path) -> Iterator[list[Path]]:
    """Folders of a project, each of a node of its own, with one database that is empty."""
    first = folder / "1"
    write_tree(first, *SCHEMA)
    kind.settle(first)
    # Nodes of one project have the same secrets; a database that is there would want its own.
    write_environment(load_settings(first, environ={}))
    (first / ".tmp").mkdir(exist_ok=True)
    folders = [first]
    for number in range(2, NODES + 1):
        folders.append(apart(first, folder / str(number)))
        if kind.name == "sqlite":
            with (folders[-1] / ".env").open("a", encoding="utf-8") as environment:
                environment.write(f"\nDATABASE_FILENAME={first / '.tmp' / 'data.db'}\n")
    yield folders


def run_together(folders: list[Path], *command: str) -> list[tuple[int, str]]:
    """Give a command to all nodes at once; returns exit codes and messages."""
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                Popen([str(QUIRE), command[0], str(one), *command[1:]], stderr=PIPE, text=True)
            )
            for one in folders
        ]
        messages = [process.communicate(timeout=240)[1] for process in processes]
        return [
            (one.returncode, reported) for one, reported in zip(processes, messages, strict=True)
        ]


@pytest.fixture
def made(kind: Kind, tmp_path: Path) -> Iterator[list[Path]]:
    """Nodes that all run the command to create a database that is not a local file."""
    with nodes(kind, tmp_path) as folders:
        makers = folders[:1] if kind.name == "sqlite" else folders
        outcomes = run_together(makers, "new")
        assert [code for code, _ in outcomes] == [0] * len(makers), outcomes
        yield folders


def test_nodes_make_an_empty_database_together(kind: Kind, made: list[Path]) -> None:
    with opened(kind, made[0]) as rows:
        tables = rows.tables()
        for table in ONCE.keys() & set(tables):
            names = Counter(row[0] for row in rows.execute(f"SELECT {ONCE[table]} FROM {table}"))
            assert set(names.values()) <= {1}, table
        assert {"paper_rows", "i18n_locale", "up_roles"} <= set(tables)
        assert rows.execute("SELECT count(*) FROM i18n_locale") == [(1,)]
        assert rows.execute("SELECT count(*) FROM up_roles") == [(2,)]
        assert list(rows.damage()) == []


def test_nodes_migrate_together_while_one_serves(kind: Kind, made: list[Path]) -> None:
    first, *others = made
    with serving("start", first) as (address, _), closing(Client(address)) as client:
        for folder in made:
            write_tree(folder, type_file("memo", {"text": {"type": "string"}}))
        outcomes = run_together(others, "migrate", "--apply")
        assert [code for code, _ in outcomes] == [0] * len(others), outcomes
        wait_for_status(client, "/_ready", 200)
    with opened(kind, first) as rows:
        assert "memo_rows" in rows.tables()
        assert list(rows.damage()) == []
        added = rows.execute(
            "SELECT count(*) FROM strapi_core_store_settings WHERE key = 'quire_schema_version'"
        )
        assert added == [(1,)]
