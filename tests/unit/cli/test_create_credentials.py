"""Administrators and API tokens created on the command line are valid on the server."""

import io
import sqlite3
from contextlib import closing
from pathlib import Path

import bcrypt
import pytest

from quire.auth.jwt_and_api_tokens import hash_api_token
from quire.auth.token_encryption import decrypt_token
from quire.settings import load_settings
from tests.unit.cli.conftest import Run

PASSWORD = "Correct7Horse"


def rows(project: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(project / ".tmp/data.db")) as connection:
        return connection.execute(query).fetchall()


def type_in(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def create_admin(run: Run, project: Path, *, email: str = "Ines@Example.org") -> int:
    return run("admin", "create", project, "--email", email, "--firstname", "Ines").code


def test_an_administrator_is_active_and_has_the_role(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in(monkeypatch, f"{PASSWORD}\n")

    assert create_admin(run, project) == 0

    [(hashed, is_active, blocked, code, order)] = rows(
        project,
        "SELECT u.password, u.is_active, u.blocked, r.code, l.user_ord FROM admin_users u "
        "JOIN admin_users_roles_lnk l ON l.user_id = u.id JOIN admin_roles r ON r.id = l.role_id "
        "WHERE u.email = 'ines@example.org'",
    )
    assert (is_active, blocked, code, order) == (1, 0, "strapi-super-admin", 2)
    assert bcrypt.checkpw(PASSWORD.encode(), str(hashed).encode())


def test_an_email_is_used_once(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    type_in(monkeypatch, f"{PASSWORD}\n{PASSWORD}\n")

    assert create_admin(run, project) == 0
    assert create_admin(run, project, email="ines@example.org") == 2
    assert len(rows(project, "SELECT 1 FROM admin_users WHERE email = 'ines@example.org'")) == 1


@pytest.mark.parametrize(
    ("password", "message"),
    [
        ("Sh0rt", "at least 8 characters"),
        ("nocapital7", "capital letter"),
        ("NOSMALL77", "lower-case letter"),
        ("NoDigitHere", "digit"),
        ("A1" + "a" * 71, "at most 72 bytes"),
        ("", "at least 8 characters"),
    ],
)
def test_a_weak_password_is_refused(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch, password: str, message: str
) -> None:
    type_in(monkeypatch, f"{password}\n")

    code, _, messages = run(
        "admin", "create", project, "--email", "a@example.org", "--firstname", "A"
    )

    assert code == 2
    assert message in messages
    assert rows(project, "SELECT count(*) FROM admin_users") == [(1,)]


def test_what_is_no_email_is_refused(run: Run, project: Path) -> None:
    assert create_admin(run, project, email="ines") == 2


def test_a_token_is_printed_once_and_stored_hashed_and_encrypted(run: Run, project: Path) -> None:
    secrets = load_settings(project, environ={}).secrets

    code, output, _ = run("token", "create", project, "--name", "site", "--type", "full-access")

    token = output.strip()
    assert code == 0
    assert len(token) == 256
    [(kind, type_, access_key, encrypted, lifespan, expires)] = rows(
        project,
        "SELECT kind, type, access_key, encrypted_key, lifespan, expires_at "
        "FROM strapi_api_tokens WHERE name = 'site'",
    )
    assert (kind, type_, lifespan, expires) == ("content-api", "full-access", None, None)
    assert access_key == hash_api_token(token, str(secrets.api_token_salt))
    assert decrypt_token(str(encrypted), str(secrets.encryption_key)) == token


def test_a_token_for_some_days_expires(run: Run, project: Path) -> None:
    run("token", "create", project, "--name", "site", "--days", "2")

    [(lifespan, left)] = rows(
        project,
        "SELECT lifespan, expires_at - created_at FROM strapi_api_tokens WHERE name = 'site'",
    )
    assert lifespan == left == 2 * 24 * 60 * 60 * 1000


def test_a_custom_token_has_the_actions_in_their_order(run: Run, project: Path) -> None:
    actions = ("api::tag.tag.find", "api::article.article.findOne")
    asked = [part for action in actions for part in ("--action", action)]

    code, _, _ = run("token", "create", project, "--name", "site", "--type", "custom", *asked)

    assert code == 0
    assert [(actions[0], 1), (actions[1], 2)] == rows(
        project,
        "SELECT p.action, l.api_token_permission_ord FROM strapi_api_token_permissions p "
        "JOIN strapi_api_token_permissions_token_lnk l ON l.api_token_permission_id = p.id "
        "JOIN strapi_api_tokens t ON t.id = l.api_token_id WHERE t.name = 'site' ORDER BY 2",
    )


ROUTE = """
from quire import route

@route.get("/tags/popular")
async def popular() -> dict[str, object]:
    return {}
"""


def test_a_custom_token_grants_actions_of_routes_of_python_code(run: Run, project: Path) -> None:
    folder = project / "src" / "api" / "tag"
    (folder / "tag.py").write_text(ROUTE)
    action = ("--type", "custom", "--action", "api::tag.tag.popular")

    assert run("token", "create", project, "--name", "site", *action).code == 0
    stored = "SELECT action FROM strapi_api_token_permissions ORDER BY id DESC LIMIT 1"
    assert rows(project, stored) == [(action[-1],)]

    (folder / "tag.py").write_text("import nothing_of_this_name")
    code, _, messages = run("token", "create", project, "--name", "other", *action)
    assert code == 2
    assert "nothing_of_this_name" in messages
    assert run("token", "create", project, "--name", "another").code == 0  # without actions


def test_a_token_without_a_name_is_refused(run: Run, project: Path) -> None:
    code, output, messages = run("token", "create", project, "--name", " ")

    assert (code, output) == (2, "")
    assert "The name is empty." in messages


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--type", "custom"], "needs at least one --action"),
        (["--type", "custom", "--action", "api::tag.tag.fnd"], "no action api::tag.tag.fnd"),
        (["--action", "api::tag.tag.find"], "Only a token of the type custom"),
        (["--days", "-1"], "days"),
    ],
)
def test_a_token_that_makes_no_sense_is_refused(
    run: Run, project: Path, arguments: list[str], message: str
) -> None:
    code, output, messages = run("token", "create", project, "--name", "site", *arguments)

    assert (code, output) == (2, "")
    assert message in messages
    assert rows(project, "SELECT 1 FROM strapi_api_tokens WHERE name = 'site'") == []


def test_a_name_is_used_once(run: Run, project: Path) -> None:
    assert run("token", "create", project, "--name", "site").code == 0
    assert run("token", "create", project, "--name", "site").code == 2


def test_what_was_changed_or_sealed_with_another_key_is_not_decrypted() -> None:
    assert decrypt_token("v1:00:00:00", "key") is None
    assert decrypt_token("v2:00", "key") is None
    assert decrypt_token("v1:zz:00:00", "key") is None
