"""``quire seed`` fills the database of a new project, once."""

import shutil
from pathlib import Path

import pytest

from quire.cli.seed import seed_project
from quire.settings import load_settings
from tests.unit.cli.conftest import Run, everything_in

BLOG = Path(__file__).parents[3] / "examples" / "blog"


@pytest.fixture
def blog(tmp_path: Path) -> Path:
    """The example as it comes, without what running it makes."""
    made = shutil.ignore_patterns(".env", ".tmp", "uploads")
    return Path(shutil.copytree(BLOG, tmp_path / "blog", ignore=made))


def test_a_new_project_gets_secrets_a_database_and_its_content(run: Run, blog: Path) -> None:
    code, output, messages = run("seed", blog)

    assert (code, output) == (0, "")
    assert "57 documents (en, de) and 17 files" in messages
    assert load_settings(blog, environ={}).missing_secrets() == ()
    assert run("check", blog).output == "no problems, no warnings.\n"


def test_the_settings_of_the_example_environment_are_kept(run: Run, blog: Path) -> None:
    run("seed", blog)

    lines = (blog / ".env").read_text(encoding="utf-8").splitlines()
    assert "HOST=0.0.0.0" in lines
    assert not [line for line in lines if line.endswith("=")]


def test_a_second_time_nothing_is_changed(run: Run, blog: Path) -> None:
    run("seed", blog)
    before = everything_in(blog)

    code, _, messages = run("seed", blog)

    assert code == 2
    assert "has content already: api::article.article" in messages
    assert everything_in(blog) == before


def test_all_errors_of_the_content_are_shown_and_nothing_is_made(run: Run, blog: Path) -> None:
    (blog / "content/authors.json").write_text('[{"key": "x", "data": {"name": 1}}]', "utf-8")
    before = everything_in(blog)

    code, _, messages = run("seed", blog)

    assert code == 2
    assert "authors.json: [0].data.name: must be a `string` type, but the final value" in messages
    assert "authors.json: [0].data.slug: must be defined." in messages
    assert "articles/beaufort.json: data.author: there is no api::author.author" in messages
    assert everything_in(blog) == before


def test_a_project_without_content_files_gets_a_message(run: Run, project: Path) -> None:
    code, _, messages = run("seed", project)

    assert code == 2
    assert "manifest.json: cannot be read" in messages


def test_a_folder_that_is_no_project_is_refused(run: Run, tmp_path: Path) -> None:
    code, _, messages = run("seed", tmp_path)

    assert code == 2
    assert "is not a project" in messages


def test_secrets_that_are_there_stay(run: Run, blog: Path) -> None:
    (blog / ".env").write_text("JWT_SECRET=kept", encoding="utf-8")

    seed_project(blog)

    assert load_settings(blog, environ={}).secrets.jwt_secret == "kept"
    assert load_settings(blog, environ={}).missing_secrets() == ()
