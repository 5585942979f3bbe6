"""``quire migrate`` and ``quire archive``: tables follow the files, no content is lost."""

import asyncio
import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from quire import cli
from quire.app import build_app
from quire.cli.migrate import follow_files
from quire.clock import now_ms
from quire.errors import ConfigurationError
from quire.settings import load_settings
from tests.unit.cli.conftest import Run, silence

SCHEMA = "src/api/article/content-types/article/schema.json"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new project whose database is made and filled, of which copies are made."""
    folder = tmp_path_factory.mktemp("made") / "site"
    with pytest.MonkeyPatch.context() as environment:
        silence(environment)
        assert cli.run(["new", str(folder), "--template", "blog"]) == 0
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    """The project once more, for a test that changes something."""
    return shutil.copytree(made, tmp_path / "site")


def change(project: Path, **attributes: dict[str, Any] | None) -> None:
    """Change attributes of articles in the schema file; ``None`` removes one."""
    path = project / SCHEMA
    schema = json.loads(path.read_text(encoding="utf-8"))
    for name, raw in attributes.items():
        schema["attributes"].pop(name, None)
        if raw is not None:
            schema["attributes"][name] = raw
    path.write_text(json.dumps(schema, indent=2), encoding="utf-8")


def switch(project: Path, **options: object) -> None:
    """Change options of articles in the schema file."""
    path = project / SCHEMA
    schema = json.loads(path.read_text(encoding="utf-8"))
    schema["options"] |= options
    path.write_text(json.dumps(schema, indent=2), encoding="utf-8")


def rows(project: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(project / ".tmp" / "data.db")) as connection:
        return connection.execute(sql).fetchall()


def test_a_fresh_project_needs_nothing(project: Path, run: Run) -> None:
    outcome = run("migrate", project)
    assert (outcome.code, outcome.output) == (0, "")


def test_a_plan_changes_nothing_and_start_says_what_helps(project: Path, run: Run) -> None:
    change(project, mood={"type": "string"})
    outcome = run("migrate", project)
    assert outcome.code == 1
    assert "add the column mood to articles" in outcome.output
    refused = run("start", project, "--port", "0")
    assert refused.code == 2
    assert "the column articles.mood" in refused.messages
    assert "quire migrate --apply" in refused.messages


def test_start_refuses_rows_that_mean_something_else_by_the_files(project: Path, run: Run) -> None:
    """Files were changed, and whoever did it ended before the tables were."""
    switch(project, draftAndPublish=False)
    refused = run("start", project, "--port", "0")
    assert refused.code == 2
    assert "drafts of api::article.article" in refused.messages
    assert "quire migrate --apply" in refused.messages
    assert run("migrate", project, "--apply", "--may-lose").code == 0
    switch(project, draftAndPublish=True)
    refused = run("start", project, "--port", "0")
    assert refused.code == 2
    assert "make a draft of each of" in refused.messages
    assert "quire migrate --apply` does it" in refused.messages


def test_start_refuses_values_of_another_type(project: Path, run: Run) -> None:
    change(project, title={"type": "integer"})
    refused = run("start", project, "--port", "0")
    assert refused.code == 2
    assert "values of title in articles from string into integer" in refused.messages
    assert "quire migrate --apply --may-lose" in refused.messages


def test_start_refuses_files_that_the_database_has_left_behind(project: Path, run: Run) -> None:
    """Tables were changed, and then the files became what they had been."""
    former = (project / SCHEMA).read_bytes()
    change(project, title=None)
    assert run("migrate", project, "--apply", "--may-lose").code == 0
    (project / SCHEMA).write_bytes(former)
    refused = run("start", project, "--port", "0")
    assert refused.code == 2
    assert "the column articles.title" in refused.messages
    assert run("migrate", project, "--apply").code == 0
    assert run("archive", project, "--restore", "1").code == 0
    assert "to do" not in run("migrate", project).output


async def test_a_column_too_much_is_no_reason_not_to_start(project: Path) -> None:
    change(project, title=None)
    app = build_app(load_settings(project))
    with capture_logs() as logs:
        await app.start()
        await app.stop()
    [reported] = [log for log in logs if "more than the schema wants" in log["event"]]
    assert any("drop the column title of articles" in step for step in reported["steps"])


def test_what_is_added_is_applied_at_once(project: Path, run: Run) -> None:
    change(project, mood={"type": "string"})
    applied = run("migrate", project, "--apply")
    assert applied.code == 0
    assert "1 step was taken." in applied.messages
    assert run("migrate", project).code == 0
    assert {mood for (mood,) in rows(project, "SELECT mood FROM articles")} == {None}


def test_a_loss_needs_consent_and_can_be_taken_back(project: Path, run: Run) -> None:
    before = rows(project, "SELECT id, title FROM articles ORDER BY id")
    title = json.loads((project / SCHEMA).read_text(encoding="utf-8"))["attributes"]["title"]
    change(project, title=None)
    refused = run("migrate", project, "--apply")
    assert refused.code == 2
    assert f"drop the column title of articles with {len(before)} values" in refused.messages
    assert rows(project, "SELECT id, title FROM articles ORDER BY id") == before
    assert run("migrate", project, "--apply", "--may-lose").code == 0
    listed = run("archive", project)
    assert listed.output.startswith("1  ")
    assert re.search(r"kept until \d{4}-\d\d-\d\d", listed.output)
    assert "articles" in listed.output
    change(project, title=title)
    assert run("migrate", project, "--apply").code == 0
    assert run("archive", project, "--restore", "1").code == 0
    assert rows(project, "SELECT id, title FROM articles ORDER BY id") == before
    assert run("archive", project, "--forget", "1").code == 0
    assert run("archive", project).output == ""


async def test_a_start_lets_go_of_what_was_kept_for_long_enough(project: Path, run: Run) -> None:
    change(project, title=None)
    assert (await asyncio.to_thread(run, "migrate", project, "--apply", "--may-lose")).code == 0
    assert await kept_after(29, project) == 1
    assert await kept_after(31, project) == 0


async def kept_after(days: int, project: Path) -> int:
    """Start so many days later; returns how much is archived then."""
    moment = now_ms() + days * 86_400_000
    app = build_app(load_settings(project), clock=lambda: moment)
    await app.start()
    await app.stop()
    return len(rows(project, "SELECT id FROM quire_archive"))


def test_a_renamed_attribute_keeps_its_values(project: Path, run: Run) -> None:
    before = rows(project, "SELECT title FROM articles ORDER BY id")
    title = json.loads((project / SCHEMA).read_text(encoding="utf-8"))["attributes"]["title"]
    change(project, title=None, headline=title)
    renamed = "api::article.article.title=headline"
    assert run("migrate", project, "--apply", "--rename", renamed).code == 0
    assert rows(project, "SELECT headline FROM articles ORDER BY id") == before


def test_documents_that_a_single_type_does_not_serve_are_counted(project: Path, run: Run) -> None:
    path = project / SCHEMA
    schema = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**schema, "kind": "singleType"}), encoding="utf-8")
    documents = rows(project, "SELECT count(DISTINCT document_id) FROM articles")[0][0]
    outcome = run("migrate", project)
    assert f"api::article.article has {documents} documents" in outcome.messages


@pytest.mark.parametrize("text", ["title", "title=headline", "=x", "x="])
def test_a_renaming_that_makes_no_sense_is_refused(project: Path, run: Run, text: str) -> None:
    outcome = run("migrate", project, "--rename", text)
    assert outcome.code == 2
    assert "is no renaming" in outcome.messages


def test_two_attributes_cannot_become_one(project: Path, run: Run) -> None:
    renames = [f"api::article.article.{name}=headline" for name in ("title", "excerpt")]
    outcome = run("migrate", project, "--rename", renames[0], "--rename", renames[1])
    assert outcome.code == 2
    assert "title becomes headline already" in outcome.messages


def test_what_was_never_put_aside_cannot_be_restored(project: Path, run: Run) -> None:
    outcome = run("archive", project, "--restore", "7")
    assert outcome.code == 2
    assert "Nothing is archived under the number 7." in outcome.messages


def test_an_archive_is_restored_or_deleted_and_not_both(project: Path, run: Run) -> None:
    outcome = run("archive", project, "--restore", "1", "--forget", "1")
    assert outcome.code == 2
    assert "--restore and --forget" in outcome.messages


def test_in_development_what_is_added_follows_by_itself(project: Path) -> None:
    change(project, mood={"type": "string"})
    follow_files(load_settings(project))
    assert {mood for (mood,) in rows(project, "SELECT mood FROM articles")} == {None}


def test_in_development_a_loss_is_asked_for(project: Path) -> None:
    change(project, title=None)
    with pytest.raises(ConfigurationError, match="drop the column title of articles"):
        follow_files(load_settings(project))
    assert rows(project, "SELECT count(title) FROM articles") != [(0,)]
