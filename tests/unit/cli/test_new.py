"""``quire new`` creates a project that is ready to start, and never removes anything."""

import stat
from pathlib import Path

import httpx
import pytest

from quire.settings import load_settings
from tests.unit.cli.conftest import Run, everything_in
from tests.unit.cli.processes import serving


def test_a_new_project_is_complete(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "site"

    code, output, messages = run("new", folder)

    assert (code, output) == (0, "")
    assert f"quire dev {folder}" in messages
    assert load_settings(folder, environ={}).missing_secrets() == ()
    assert run("check", folder).output == "no problems, no warnings.\n"


def test_secrets_are_for_their_owner_alone(run: Run, tmp_path: Path) -> None:
    run("new", tmp_path / "site")

    mode = (tmp_path / "site/.env").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    mode = (tmp_path / "site/.tmp/data.db").stat().st_mode
    assert stat.S_IMODE(mode) & stat.S_IRWXO == 0
    assert ".env" in (tmp_path / "site/.gitignore").read_text(encoding="utf-8").split()


def test_a_complete_project_is_left_as_it_is(run: Run, tmp_path: Path) -> None:
    run("new", tmp_path / "site")
    before = everything_in(tmp_path)

    code, _, messages = run("new", tmp_path / "site")

    assert code == 0
    assert "is complete" in messages
    assert everything_in(tmp_path) == before


def test_placeholders_of_an_example_are_replaced(run: Run, project: Path) -> None:
    """The example file of every Strapi project has them, and everybody knows them."""
    (project / ".env").unlink()
    (project / ".tmp/data.db").unlink()
    example = (
        'APP_KEYS="toBeModified1,toBeModified2"\nexport JWT_SECRET = tobemodified # new\n'
        'API_TOKEN_SALT=""\nADMIN_JWT_SECRET=mine\nHOST=localhost\n'
    )
    (project / ".env.example").write_text(example, encoding="utf-8")

    assert run("new", project).code == 0

    settings = load_settings(project, environ={})
    assert settings.missing_secrets() == ()
    assert settings.notices == ()
    assert settings.secrets.admin_jwt_secret == "mine"
    assert settings.server.host == "localhost"


def test_an_example_that_is_no_text_is_an_error(run: Run, project: Path) -> None:
    (project / ".env").unlink()
    (project / ".tmp/data.db").unlink()
    (project / ".env.example").write_bytes(b"HOST=\xff\n")

    code, _, messages = run("new", project)

    assert code == 2
    assert ".env.example cannot be read: it is not UTF-8 text" in messages.replace("\n", " ")


def test_what_a_project_lacks_is_made_and_the_rest_is_kept(run: Run, project: Path) -> None:
    (project / ".env").unlink()
    (project / ".tmp/data.db").unlink()
    schemas = everything_in(project / "src")

    assert run("new", project).code == 0

    settings = load_settings(project, environ={})
    assert settings.missing_secrets() == ()
    assert settings.api.default_limit == 25
    assert everything_in(project / "src").items() >= schemas.items()
    assert run("check", project).code == 0


def test_secrets_that_are_added_to_a_file_are_named(run: Run, project: Path) -> None:
    (project / ".tmp/data.db").unlink()
    lines = (project / ".env").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("JWT_SECRET=")]
    (project / ".env").write_text("\n".join(kept), encoding="utf-8")

    code, _, messages = run("new", project)

    assert code == 0
    assert "made JWT_SECRET in .env\n" in messages
    assert (project / ".env").read_text(encoding="utf-8").startswith("\n".join(kept))


def test_secrets_of_a_database_that_is_there_are_not_made_up(run: Run, project: Path) -> None:
    (project / ".env").unlink()

    code, _, messages = run("new", project)

    assert code == 2
    assert "needs its old ones" in messages
    assert not (project / ".env").exists()


def test_secrets_that_are_set_in_part_are_left_to_the_owner(run: Run, project: Path) -> None:
    (project / ".env").write_text("JWT_SECRET=kept", encoding="utf-8")

    code, _, messages = run("new", project)

    assert code == 2
    assert "API_TOKEN_SALT" in messages
    assert (project / ".env").read_text(encoding="utf-8") == "JWT_SECRET=kept"


def test_a_new_folder_is_gone_again_when_it_fails(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_CLIENT", "postgres")
    monkeypatch.setenv("DATABASE_PORT", "1")

    assert run("new", tmp_path / "site").code == 2
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("options", [(), ("--template", "blog")])
def test_prepared_settings_are_kept(run: Run, tmp_path: Path, options: tuple[str, ...]) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    prepared = "[api]\ndefault_limit = 7\n"
    (folder / "quire.toml").write_text(prepared, encoding="utf-8")
    (folder / ".env").write_text("PORT=1234\n", encoding="utf-8")

    assert run("new", folder, *options).code == 0

    settings = load_settings(folder, environ={})
    assert (settings.api.default_limit, settings.server.port) == (7, 1234)
    assert settings.missing_secrets() == ()
    assert (folder / "quire.toml").read_text(encoding="utf-8") == prepared


def test_a_folder_with_something_else_in_it_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear", encoding="utf-8")

    code, _, messages = run("new", tmp_path)

    assert code == 2
    assert "what is in it is not a project" in messages
    assert list(everything_in(tmp_path)) == ["letter.txt"]


def test_the_blog_is_served_with_its_content(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "blog"

    code, _, messages = run("new", folder, "--template", "blog")

    assert code == 0
    assert "with the content of content/" in messages
    with serving("start", folder) as (address, _):
        articles = httpx.get(f"{address}/api/articles").json()
        assert articles["meta"]["pagination"]["total"] > 0
        assert httpx.get(f"{address}/api/homepage?populate=*").status_code == 200


@pytest.mark.parametrize(
    ("template", "message"),
    [("blogg", 'no template "blogg"; there are: blog'), ("", 'no template "";')],
)
def test_an_unknown_template_is_refused(
    run: Run, tmp_path: Path, template: str, message: str
) -> None:
    code, _, messages = run("new", tmp_path / "site", "--template", template)

    assert code == 2
    assert message in messages
    assert not (tmp_path / "site").exists()


def test_a_template_is_not_laid_over_a_project(run: Run, project: Path) -> None:
    code, _, messages = run("new", project, "--template", "blog")

    assert code == 2
    assert "a template is for a new one" in messages
