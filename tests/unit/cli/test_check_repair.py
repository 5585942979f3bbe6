"""``quire check --repair`` repairs contradictory rows after a confirmation."""

import sqlite3
import sys
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest

from quire.cli import check_repair
from tests.unit.cli.conftest import Run
from tests.unit.cli.test_check import change_database

LOST_LINKS = "UPDATE articles_tags_lnk SET tag_id = 999 WHERE id IN (1, 3)"
PROBLEM = "articles_tags_lnk: 2 links from or to a row that is gone (ids 1, 3)"
DUPLICATE = (
    "INSERT INTO categories (id, document_id, name) SELECT 901, document_id, 'Copy' FROM categories"
    " WHERE id = 14"
)


def links(project: Path) -> list[int]:
    with closing(sqlite3.connect(project / ".tmp/data.db")) as connection:
        return [
            id_
            for (id_,) in connection.execute("SELECT id FROM articles_tags_lnk ORDER BY id LIMIT 3")
        ]


def test_the_check_reports_what_a_repair_would_repair(run: Run, project: Path) -> None:
    change_database(project, LOST_LINKS)

    code, output, _ = run("check", project)

    assert code == 1
    assert f"problem  {PROBLEM}; `quire check --repair` deletes them\n" in output
    assert links(project) == [1, 3, 4]


def test_the_check_reports_the_details_and_the_option_for_duplicates(
    run: Run, project: Path
) -> None:
    change_database(project, DUPLICATE)

    code, output, _ = run("check", project)

    assert code == 1
    assert "; `quire check --repair --duplicates` deletes them, and moves links" in output
    assert "\n         id 901, document aj8lvy0asr1g9iltc7ilyuky: differs in name, " in output


def test_what_harms_nobody_is_a_warning(run: Run, project: Path) -> None:
    change_database(project, "UPDATE files_related_mph SET related_type = 'a::b.c' WHERE id = 6")

    code, output, _ = run("check", project)

    assert code == 0
    assert "warning  files_related_mph: 1 link to a type that the schema lacks (id 6)" in output


def test_what_the_schema_does_not_know_is_found_by_its_foreign_keys(
    run: Run, project: Path
) -> None:
    change_database(
        project,
        "CREATE TABLE badges (id integer PRIMARY KEY, tag_id integer REFERENCES tags (id))",
        "INSERT INTO badges VALUES (1, 999), (2, 4)",
    )

    code, output, _ = run("check", project)

    assert code == 1
    assert "badges: 1 row with a foreign key to a row of tags that is gone (id 1)\n" in output


def test_a_damaged_file_is_a_problem_and_not_repaired(run: Run, project: Path) -> None:
    lose_an_index_entry(project)

    code, output, _ = run("check", project)
    assert code == 1
    assert "problem  The database is damaged: " in output

    code, _, messages = run("check", project, "--repair", "--yes")
    assert code == 2
    assert "The database is damaged: " in messages
    assert "Rows cannot be repaired before that is fixed." in messages


def lose_an_index_entry(project: Path) -> None:
    """Add a row while the database does not know of an index of its table."""
    change_database(
        project,
        "PRAGMA writable_schema = ON",
        "CREATE TABLE kept_index AS SELECT * FROM sqlite_master WHERE name = 'tags_documents_idx'",
        "UPDATE sqlite_master SET type = 'table', sql = 'CREATE TABLE x (a)', tbl_name = 'x',"
        " name = 'x' WHERE name = 'tags_documents_idx'",
    )
    change_database(project, "INSERT INTO tags (document_id, locale) VALUES ('lost', 'en')")
    change_database(
        project,
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET (type, name, tbl_name, sql) ="
        " (SELECT type, name, tbl_name, sql FROM kept_index) WHERE name = 'x'",
        "DROP TABLE kept_index",
    )


def test_a_repair_says_what_it_does_and_what_it_has_done(run: Run, project: Path) -> None:
    change_database(project, LOST_LINKS)

    code, output, _ = run("check", project, "--repair", "--yes")

    assert code == 0
    assert output == f"to repair  {PROBLEM}: deletes them\nrepaired  {PROBLEM}: deletes them\n"
    assert links(project) == [4, 5, 6]
    assert "no problems" in run("check", project).output


def test_a_sound_project_has_nothing_to_repair(run: Run, project: Path) -> None:
    code, output, messages = run("check", project, "--repair")

    assert (code, output, messages) == (0, "", "There is nothing to repair.\n")


def test_a_dry_run_changes_nothing(run: Run, project: Path) -> None:
    change_database(project, LOST_LINKS)
    before = (project / ".tmp/data.db").read_bytes()

    code, output, messages = run("check", project, "--repair", "--dry-run")

    assert code == 1
    assert output == f"to repair  {PROBLEM}: deletes them\n"
    assert messages == "Nothing was changed.\n"
    assert (project / ".tmp/data.db").read_bytes() == before


def test_duplicates_are_deleted_only_when_they_are_named(run: Run, project: Path) -> None:
    change_database(project, DUPLICATE)

    code, output, messages = run("check", project, "--repair", "--yes")
    assert code == 1
    assert output.startswith("left  categories: 1 row too many for a document")
    assert messages.startswith("There is nothing to repair.\n")

    code, output, _ = run("check", project, "--repair", "--duplicates", "--yes")
    assert code == 0
    assert "repaired  categories: 1 row too many for a document" in output


def test_what_a_person_has_to_decide_is_left(run: Run, project: Path) -> None:
    change_database(project, LOST_LINKS, "INSERT INTO settings (document_id) VALUES ('other')")

    code, output, messages = run("check", project, "--repair", "--yes")

    assert code == 1
    assert "This is left as it is:" in messages
    assert output.splitlines()[-1].startswith("left  settings: 1 row beside the document of a")


def test_a_script_has_to_say_yes(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_database(project, LOST_LINKS)
    monkeypatch.setattr(sys, "stdin", StringIO("y\n"))

    code, _, messages = run("check", project, "--repair")

    assert code == 2
    assert "use --yes" in messages
    assert links(project) == [1, 3, 4]


@pytest.mark.parametrize(("reply", "code", "left"), [(True, 0, [4, 5, 6]), (False, 1, [1, 3, 4])])
def test_a_person_is_asked(
    run: Run,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    reply: bool,  # noqa: FBT001 - what the person answers
    code: int,
    left: list[int],
) -> None:
    change_database(project, LOST_LINKS)
    terminal = StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    monkeypatch.setattr(check_repair, "confirm", lambda _: reply)

    outcome = run("check", project, "--repair")

    assert outcome.code == code
    assert "Make a copy of the database first." in outcome.messages
    assert ("Nothing was changed." in outcome.messages) is not reply
    assert links(project) == left


@pytest.mark.parametrize("option", ["--duplicates", "--dry-run", "--yes"])
def test_options_of_the_repair_mean_nothing_without_it(
    run: Run, project: Path, option: str
) -> None:
    code, _, messages = run("check", project, option)

    assert code == 2
    assert "belong to --repair" in messages


def test_a_database_that_lacks_tables_is_not_repaired(run: Run, project: Path) -> None:
    change_database(project, LOST_LINKS, "DROP TABLE reviews")

    code, _, messages = run("check", project, "--repair", "--yes")

    assert code == 2
    assert "the table reviews is missing" in messages
    assert links(project) == [1, 3, 4]
