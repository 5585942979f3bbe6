"""A copy contains everything of its source, or lists what is missing."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import Authorization, running
from tests.conformance.corpus import credentials
from tests.conformance.deviations import read_deviations
from tests.conformance.test_reads import replay_group
from tests.databases.kind import Kind
from tests.databases.kinds import kind_of, rows_of
from tests.unit.database.copying.conftest import Copying

STATE = "quire_copy"
LARGEST = 2**63 - 1
OWN_TABLE = "CREATE TABLE ledger (id integer, sum bigint, note text)"
OWN_ROWS = "INSERT INTO ledger (id, sum, note) VALUES (2, 9007199254740993, 'ü'), (1, NULL, '')"
_KILLED = """
import os, signal, sys
from pathlib import Path
from quire.cli import copy, terminal

def advance(self, rows, done=[0]):
    done[0] += rows
    if done[0] > {rows}:
        os.kill(os.getpid(), signal.SIGKILL)

terminal.ProgressBar.advance = advance
copy.copy_project(Path(sys.argv[1]), source=None, target=sys.argv[2], replace=False)
"""


@pytest.fixture
def copied(copying: Copying) -> Path:
    """The target, once everything is there."""
    code, _, messages = copying.copy()
    assert code == 0, messages
    return copying.target


def execute(project: Path, *statements: str) -> None:
    with rows_of(project) as rows, rows.unwatched():
        for statement in statements:
            rows.execute(statement)


def counts(project: Path) -> dict[str, int]:
    with rows_of(project) as rows:
        return {
            table: rows.execute(f'SELECT count(*) FROM "{table}"')[0][0] for table in rows.tables()
        }


def interrupt(copying: Copying, rows: int) -> None:
    """Begin a copy in a separate process that is killed when it has copied so many rows."""
    command = (sys.executable, "-c", _KILLED.format(rows=rows), copying.source, copying.address)
    ended = subprocess.run(command, env=os.environ, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()


def test_a_copy_has_all_tables_and_rows_and_nothing_else(copying: Copying) -> None:
    code, _, messages = copying.copy()
    assert code == 0, messages
    assert "holds all 2,468 rows of 77 tables; numbers and checksums are the same" in messages
    assert counts(copying.target) == counts(copying.source)
    code, output, messages = copying.run("check", copying.target)
    assert code == 0, output + messages


async def test_a_copy_answers_as_its_source_does(goal: Kind, copied: Path) -> None:
    async with running(build_app(load_settings(copied, environ={}))) as client:
        authorization = Authorization(client, credentials())
        for group in ("populate-nested", "filters-text", "locale", "permissions"):
            await replay_group(group, goal, client, authorization, read_deviations())


def test_a_copy_of_a_copy_has_the_rows_of_the_first(
    kind: Kind, copying: Copying, copied: Path, tmp_path: Path
) -> None:
    address = kind.spare(tmp_path / "back")
    code, _, messages = copying.run("copy", copied, "--to", address)
    assert code == 0, messages
    back = shutil.copytree(copied, tmp_path / "again")
    kind.point(back, address)
    before, after = contents(copying.source), contents(back)
    kind.release(back)
    assert after.keys() == before.keys()
    for table, rows in before.items():
        assert after[table] == rows, table


def contents(project: Path) -> dict[str, list[list[object]]]:
    """All rows of all tables, but for what kinds of database write in ways of their own."""
    with rows_of(project) as rows:
        return {
            table: [
                [meant(value) for value in row]
                for row in rows.execute(f'SELECT * FROM "{table}" ORDER BY id')
            ]
            for table in rows.tables()
        }


def meant(value: object) -> object:
    """JSON whatever the order of its keys; the largest integer is a float in SQLite."""
    if isinstance(value, str) and value[:1] in {"{", "["}:
        return json.loads(value)
    return LARGEST if value == float(LARGEST) else value


def store_extra(project: Path, values: Sequence[str]) -> list[int]:
    """Put each value into the JSON of an article of its own; return their ids."""
    with rows_of(project) as rows:
        found = rows.execute(f"SELECT id FROM articles ORDER BY id LIMIT {len(values)}")
        ids = [row[0] for row in found]
        for row, value in zip(ids, values, strict=True):
            rows.execute("UPDATE articles SET extra = ? WHERE id = ?", (value, row))
    return ids


def test_a_text_that_holds_json_is_the_same_on_both_sides(kind: Kind, copying: Copying) -> None:
    """PostgreSQL keeps a text as a string of JSON; in SQLite it stands bare."""
    texts = ['{"b": 1.0, "a": [2e0]}', "5", "plain", '"quoted"', "0.10"]
    stored = [json.dumps(text) for text in texts] if kind.name == "postgresql" else texts
    store_extra(copying.source, stored)
    code, _, messages = copying.copy()
    assert code == 0, messages


def test_json_that_is_no_object_stays_what_it_is(copying: Copying) -> None:
    stored = ["true", "false", "null", "7", "0.5", "[true]"]
    ids = store_extra(copying.source, stored)
    code, _, messages = copying.copy()
    assert code == 0, messages
    with rows_of(copying.target) as target:
        marks = ", ".join("?" for _ in ids)
        rows = target.execute(
            f"SELECT extra FROM articles WHERE id IN ({marks}) ORDER BY id", tuple(ids)
        )
    shown = [json.loads(found) if isinstance(found, str) else found for (found,) in rows]
    expected = [json.loads(text) for text in stored]
    assert [(one, type(one)) for one in shown] == [(one, type(one)) for one in expected]


@pytest.mark.parametrize("rows", [1, 1200, 2400])
def test_a_copy_that_was_killed_goes_on_where_it_stopped(copying: Copying, rows: int) -> None:
    interrupt(copying, rows)
    with rows_of(copying.target) as target:
        reached = target.execute(f"SELECT count(*) FROM {STATE} WHERE phase <> 'copying'")
    code, _, messages = copying.copy()
    assert code == 0, messages
    assert "the first of them earlier" in messages
    assert counts(copying.target) == counts(copying.source)
    assert reached[0][0] < 78


def test_a_table_goes_on_in_its_midst(copying: Copying) -> None:
    execute(
        copying.source,
        "INSERT INTO strapi_webhooks (name) SELECT a.name FROM strapi_core_store_settings,"
        " (SELECT 'x' AS name FROM up_permissions) AS a",
    )
    interrupt(copying, 1500)
    with rows_of(copying.target) as target:
        ((last,),) = target.execute(f"SELECT last FROM {STATE} WHERE name = 'strapi_webhooks'")
    assert last
    assert copying.copy().code == 0
    assert counts(copying.target) == counts(copying.source)


def test_a_copy_of_another_source_is_not_continued(copying: Copying) -> None:
    interrupt(copying, 1)
    execute(copying.source, OWN_TABLE)
    code, _, messages = copying.copy()
    assert code == 2
    assert "holds a copy of something else that was not finished" in messages
    assert copying.copy("--replace").code == 0


def test_nothing_is_deleted_without_consent(copying: Copying, copied: Path) -> None:
    execute(copied, OWN_TABLE, OWN_ROWS, "DELETE FROM articles")
    before = counts(copying.target)
    code, _, messages = copying.copy()
    assert code == 2
    assert "is not empty: it has 78 tables. Use --replace to delete all of them first" in messages
    assert counts(copying.target) == before
    assert copying.copy("--replace").code == 0
    assert counts(copying.target) == counts(copying.source)


def test_what_the_project_does_not_know_is_copied_and_told(copying: Copying) -> None:
    execute(
        copying.source,
        OWN_TABLE,
        OWN_ROWS,
        "CREATE TABLE quire_views (id integer PRIMARY KEY, uid varchar(255))",
        "CREATE INDEX ledger_note ON ledger (note)",
        "CREATE INDEX ledger_some ON ledger (note) WHERE id > 1",
        "ALTER TABLE tags ADD COLUMN colour varchar(20)",
        "UPDATE tags SET colour = 'red' WHERE id = 1",
    )
    code, _, messages = copying.copy()
    assert code == 0, messages
    assert "the table ledger is unknown to the project" in messages
    assert "the column tags.colour is unknown to the project" in messages
    assert "the index ledger_some of ledger was left out" in messages
    assert "quire_views" not in messages
    with rows_of(copying.target) as target:
        ledger = target.execute("SELECT id, sum, note FROM ledger ORDER BY id")
        assert ledger == [(1, None, ""), (2, 9007199254740993, "ü")]
        assert target.execute("SELECT colour FROM tags WHERE id = 1") == [("red",)]


NUMBERS = {
    "sqlite": ["0.12345", "4611686018427387904", "1e300", "-2.5"],
    "postgresql": ["123456789012345678.0123456789", "0.1000", "1e-9", "-5"],
}
"""What a column can hold that is made for numbers of many digits: in SQLite they are floats."""


def test_numbers_that_the_project_does_not_know_keep_all_their_digits(
    kind: Kind, copying: Copying, tmp_path: Path
) -> None:
    numbers = NUMBERS[kind.name]
    execute(
        copying.source,
        "CREATE TABLE prices (id integer PRIMARY KEY, fine decimal(38, 10), any_number numeric)",
        *(
            f"INSERT INTO prices VALUES ({place}, {number}, {number})"
            for place, number in enumerate(numbers)
        ),
        "INSERT INTO prices VALUES (99, NULL, NULL)",
        "ALTER TABLE tags ADD COLUMN price numeric(20, 5)",
        "UPDATE tags SET price = 12.34567 WHERE id = 1",
    )
    code, _, messages = copying.copy()
    assert code == 0, messages
    address = kind.spare(tmp_path / "back")
    code, _, messages = copying.run("copy", copying.target, "--to", address)
    assert code == 0, messages
    back = shutil.copytree(copying.target, tmp_path / "again")
    kind.point(back, address)
    before = prices(copying.source)
    assert [prices(copying.target), prices(back)] == [before] * 2
    assert before[1:] == [[*(Decimal(number) for number in numbers), None]] * 2
    if kind.name == "postgresql":
        assert number_types(back) == number_types(copying.source)
    kind.release(back)


def prices(project: Path) -> list[list[Decimal | None]]:
    columns = (("tags", "price"), ("prices", "fine"), ("prices", "any_number"))
    with rows_of(project) as rows:
        found = [
            rows.execute(f"SELECT CAST({name} AS text) FROM {table} ORDER BY id")
            for table, name in columns
        ]
    return [[None if text is None else Decimal(str(text)) for (text,) in texts] for texts in found]


def number_types(project: Path) -> object:
    with rows_of(project) as rows:
        return rows.execute(
            "SELECT column_name, numeric_precision, numeric_scale FROM information_schema.columns "
            "WHERE table_name = 'prices' OR column_name = 'price' ORDER BY column_name"
        )


def test_ids_that_are_no_small_numbers_are_copied(copying: Copying) -> None:
    """Tables of other programs may have texts and large numbers for ids."""
    execute(
        copying.source,
        "CREATE TABLE sessions (id varchar(36) PRIMARY KEY, note text)",
        "INSERT INTO sessions (id, note) VALUES ('b-2', 'two'), ('a-1', 'one')",
        "CREATE TABLE visits (id bigint PRIMARY KEY, note text)",
        "INSERT INTO visits (id, note) VALUES (4294967296, 'large')",
    )
    code, _, messages = copying.copy()
    assert code == 0, messages
    with rows_of(copying.target) as target:
        sessions = target.execute("SELECT id, note FROM sessions ORDER BY id")
        assert sessions == [("a-1", "one"), ("b-2", "two")]
        assert target.execute("SELECT id, note FROM visits") == [(2**32, "large")]


def test_ids_of_deleted_rows_are_not_given_again(copying: Copying) -> None:
    with rows_of(copying.source) as source:
        ((highest,),) = source.execute(
            "INSERT INTO strapi_webhooks (name) VALUES ('a'), ('b') RETURNING id"
        )[-1:]
        source.execute("DELETE FROM strapi_webhooks WHERE name IN ('a', 'b')")
    assert copying.copy().code == 0
    with rows_of(copying.target) as target:
        new = target.execute("INSERT INTO strapi_webhooks (name) VALUES ('c') RETURNING id")
    assert new == [(highest + 1,)]


def test_rows_that_lead_nowhere_are_refused_before_anything_is_made(copying: Copying) -> None:
    execute(copying.source, "UPDATE articles_tags_lnk SET tag_id = 999 WHERE id = 1")
    if kind_of(copying.source).name != "sqlite":
        return  # there the reference is watched over at all times
    code, _, messages = copying.copy()
    assert code == 2
    assert re.search(
        r"articles_tags_lnk: \d rows? with a foreign key to a row of tags that is gone", messages
    )


def test_a_database_is_not_copied_to_itself_or_to_an_address_of_none(copying: Copying) -> None:
    goal = ("--from", copying.address)
    code, _, messages = copying.copy(*goal)
    assert code == 2
    assert "cannot be copied to itself" in messages
    code, _, messages = copying.run("copy", copying.source, "--to", "mysql://root:secret@host/x")
    assert code == 2
    assert "'mysql' names no database: write postgresql://" in messages
    assert "secret" not in messages
