"""``quire transfer`` copies the content of one project into another."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases.kind import Kind, Rows, opened
from tests.unit.cli.conftest import Run, everything_in
from tests.unit.cli.test_import_archive import expected, responses, site, state, token_of
from tests.unit.transfer.archive_files import PLAIN, RESPONSES

__all__ = ["site"]


@pytest.fixture
def target(kind: Kind, tmp_path: Path) -> Iterator[Path]:
    """A second project without content types and without tables."""
    project = tmp_path / "target"
    (project / "src").mkdir(parents=True)
    kind.settle(project)
    yield project
    kind.release(project)


@pytest.fixture
def source(run: Run, site: Path) -> Path:
    """A project with the content of Strapi's export."""
    assert run("import", PLAIN, site).code == 0
    return site


def test_a_new_project_gets_content_types_entries_and_files(
    run: Run, kind: Kind, source: Path, target: Path
) -> None:
    before = state(kind, source)

    code, _, messages = run("transfer", source, target)

    assert code == 0, messages
    assert responses(target, token_of(run, target), RESPONSES) == expected(kind)
    assert state(kind, source) == before
    assert not list(target.glob(".quire-*"))


def test_content_is_replaced_only_when_that_is_said(
    run: Run, kind: Kind, source: Path, target: Path
) -> None:
    assert run("transfer", source, target).code == 0
    token = token_of(run, target)
    with opened(kind, target) as database:
        database.execute("DELETE FROM books")
    before = state(kind, target)

    code, _, messages = run("transfer", source, target)
    assert (code, "--replace" in messages) == (2, True), messages
    assert state(kind, target) == before

    code, _, messages = run("transfer", source, target, "--replace")
    assert code == 0, messages
    assert responses(target, token, RESPONSES) == expected(kind)


def test_roles_of_review_stages_are_matched_by_name(
    run: Run, kind: Kind, source: Path, target: Path
) -> None:
    """Their ids differ between projects, and a stage of unknown roles must not become open.

    The source has such stages, too, if it is the result of an import, or if roles were deleted.
    """
    assert run("new", target).code == 0
    with opened(kind, source) as database:
        chief = insert_role(database, "Chief")
        gone = insert_role(database, "Translator")
        (editor,) = role_ids(database, "Editor")
        roles = {"1": [editor], "2": [gone, chief], "3": [gone], "4": [0], "5": [999]}
        database.execute(
            "INSERT INTO strapi_core_store_settings (key, value, type) VALUES (?, ?, ?)",
            ("quire_review_roles", json.dumps(roles), "object"),
        )
    with opened(kind, target) as database:
        insert_role(database, "Another")
        other_chief = insert_role(database, "Chief")
        assert other_chief == gone

    code, _, messages = run("transfer", source, target)

    assert code == 0, messages
    assert "only super admins may move entries out of 3 review stages" in messages
    with opened(kind, target) as database:
        ((stored,),) = database.execute(
            "SELECT value FROM strapi_core_store_settings WHERE key = 'quire_review_roles'"
        )
        assert json.loads(stored) == {
            "1": role_ids(database, "Editor"),
            "2": [other_chief],
            "3": [0],
            "4": [0],
            "5": [0],
        }


def insert_role(database: Rows, name: str) -> int:
    """Insert a role of administrators; returns its id."""
    database.execute(
        "INSERT INTO admin_roles (document_id, name, code) VALUES (?, ?, ?)",
        (f"role-{name}", name, name.lower()),
    )
    (role,) = role_ids(database, name)
    return role


def role_ids(database: Rows, name: str) -> list[int]:
    return [
        row[0] for row in database.execute("SELECT id FROM admin_roles WHERE name = ?", (name,))
    ]


def test_two_projects_with_one_database_are_refused(run: Run, source: Path) -> None:
    code, _, messages = run("transfer", source, source, "--replace")
    assert (code, "Both projects have the database" in messages) == (2, True), messages


def test_what_takes_more_than_is_allowed_changes_nothing(
    run: Run, source: Path, target: Path
) -> None:
    (source / "public/uploads").mkdir(parents=True, exist_ok=True)
    stored = next((source / "public/uploads").iterdir())
    stored.write_bytes(bytes(2_000_000))
    before = everything_in(target)

    code, _, messages = run("transfer", source, target, "--max-size", 1)

    assert (code, "unpacks to more than 1,000,000 bytes" in messages) == (2, True), messages
    assert everything_in(target) == before
