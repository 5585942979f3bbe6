"""What the database knows of those who ask: tokens, users, roles and what they are granted."""

from collections.abc import Iterator

import apsw
import pytest

from quire.database.accounts import Accounts, TokenRow, UserRow
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.schema.model import ROLE_UID, USER_UID
from tests.databases.sqlite_store import SqliteStore
from tests.library.accounts import AccountRows
from tests.library.model import library_tables
from tests.library.rows import NOW, new_connection
from tests.unit.database.running import run

ACCOUNTS = Accounts(library_tables(), SqliteDialect())


@pytest.fixture
def connection() -> Iterator[apsw.Connection]:
    connection = new_connection()
    yield connection
    connection.close()


@pytest.fixture
def rows(connection: apsw.Connection) -> AccountRows:
    return AccountRows(SqliteStore(connection))


def test_a_token_is_found_by_its_keyed_hash(connection: apsw.Connection, rows: AccountRows) -> None:
    token = rows.token("hash-1", type="read-only", expires_at=NOW, last_used_at=5)
    rows.token("hash-2")
    assert run(connection, ACCOUNTS.api_token("hash-1")) == TokenRow(
        id=token, type="read-only", expires_at=NOW, last_used_at=5
    )
    assert run(connection, ACCOUNTS.api_token("hash-3")) is None


@pytest.mark.parametrize(("kind", "found"), [(None, True), ("content-api", True), ("admin", False)])
def test_tokens_of_administrators_are_none_of_the_content_api(
    kind: str | None, connection: apsw.Connection, rows: AccountRows, *, found: bool
) -> None:
    rows.token("hash", kind=kind)
    assert (run(connection, ACCOUNTS.api_token("hash")) is not None) is found


def test_a_token_grants_the_actions_that_are_linked_to_it(
    connection: apsw.Connection, rows: AccountRows
) -> None:
    token = rows.token("hash", type="custom", actions=["api::book.book.find", "a.b.c"])
    rows.token("other", type="custom", actions=["d.e.f"])
    assert run(connection, ACCOUNTS.token_actions(token)) == {"api::book.book.find", "a.b.c"}


def test_the_use_of_a_token_is_noted(connection: apsw.Connection, rows: AccountRows) -> None:
    token, other = rows.token("hash"), rows.token("other")
    run(connection, ACCOUNTS.touch_token(token, 123))
    found = connection.execute("SELECT id, last_used_at FROM strapi_api_tokens").fetchall()
    assert found == [(token, 123), (other, None)]


def test_a_role_grants_the_actions_that_are_linked_to_it(
    connection: apsw.Connection, rows: AccountRows
) -> None:
    public = rows.role("public", ["api::book.book.find"])
    rows.role("authenticated", ["x.y.z"])
    assert run(connection, ACCOUNTS.role_of_type("public")) == public
    assert run(connection, ACCOUNTS.role_of_type("nope")) is None
    assert run(connection, ACCOUNTS.role_actions(public)) == {"api::book.book.find"}


def test_a_user_is_found_with_its_role(connection: apsw.Connection, rows: AccountRows) -> None:
    role = rows.role("authenticated", [])
    user = rows.user("Ada", role, password="hashed", blocked=True)
    assert run(connection, ACCOUNTS.user(user)) == UserRow(
        id=user,
        document_id=rows.document_of(user),
        username="Ada",
        email="ada@example.com",
        password="hashed",
        provider="local",
        confirmed=True,
        blocked=True,
        created_at=NOW,
        role_id=role,
    )
    assert run(connection, ACCOUNTS.user(user + 1)) is None


def test_a_user_without_a_role_is_found_too(connection: apsw.Connection, rows: AccountRows) -> None:
    found = run(connection, ACCOUNTS.user(rows.user("Ada", None)))
    assert found is not None
    assert found.role_id is None


@pytest.mark.parametrize(
    ("identifier", "found"),
    [
        ("Ada", True),
        ("ada", False),
        ("ada@example.com", True),
        ("ADA@Example.com", True),
        ("nobody", False),
        ("", False),
        ("Ada' OR '1'='1", False),
    ],
)
def test_a_user_signs_in_by_name_or_by_e_mail_in_any_case(
    identifier: str, connection: apsw.Connection, rows: AccountRows, *, found: bool
) -> None:
    rows.user("Ada", None)
    assert (run(connection, ACCOUNTS.local_user(identifier)) is not None) is found


def test_users_of_other_providers_do_not_sign_in_with_a_password(
    connection: apsw.Connection, rows: AccountRows
) -> None:
    rows.user("Ada", None, provider="github")
    assert run(connection, ACCOUNTS.local_user("Ada")) is None


def test_users_are_counted_by_role(connection: apsw.Connection, rows: AccountRows) -> None:
    first, second, _ = rows.role("a", []), rows.role("b", []), rows.role("c", [])
    for name, role in (("x", first), ("y", first), ("z", second), ("w", None)):
        rows.user(name, role)
    assert run(connection, ACCOUNTS.users_by_role()) == {first: 2, second: 1}


def test_a_confirmation_token_is_looked_for(connection: apsw.Connection, rows: AccountRows) -> None:
    rows.user("Ada", None, confirmationToken="secret")
    found = run(connection, ACCOUNTS.user_by_confirmation_token("secret"))
    assert found is not None
    assert found.username == "Ada"
    assert run(connection, ACCOUNTS.user_by_confirmation_token("other")) is None
    assert run(connection, ACCOUNTS.user_by_reset_token("secret")) is None


@pytest.mark.parametrize(
    ("username", "email", "provider", "found"),
    [
        ("new", "new@example.com", None, []),
        ("Ada", "new@example.com", None, ["Ada"]),
        ("new", "ada@example.com", None, ["Ada"]),
        ("ada@example.com", "new@example.com", None, ["Ada"]),
        ("new", "bob", None, ["bob"]),
        ("new", "bob", "local", []),
        ("Ada", "bob", "github", ["bob"]),
    ],
)
def test_users_are_found_that_another_could_be_taken_for(
    connection: apsw.Connection,
    rows: AccountRows,
    username: str,
    email: str,
    provider: str | None,
    found: list[str],
) -> None:
    ids = {"Ada": rows.user("Ada", None), "bob": rows.user("bob", None, provider="github")}
    program = ACCOUNTS.users_named(username, email, provider=provider)
    assert run(connection, program) == {ids[name] for name in found}


def test_settings_of_the_core_store_are_json(
    connection: apsw.Connection, rows: AccountRows
) -> None:
    rows.store("a", {"x": [1]})
    rows.store("b", None)
    assert run(connection, ACCOUNTS.stored("a")) == {"x": [1]}
    assert run(connection, ACCOUNTS.stored("b")) is None
    assert run(connection, ACCOUNTS.stored("c")) is None


def test_the_types_that_are_asked_for_are_built_in() -> None:
    assert {ROLE_UID, USER_UID} <= set(library_tables().tables)
