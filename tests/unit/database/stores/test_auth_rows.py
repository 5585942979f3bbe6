"""Rows of principals: tokens, users, roles and permissions."""

from collections.abc import Callable

import pytest

from quire.database.entries.entry_tables import open_store
from quire.database.stores.auth_rows import Accounts, TokenRow, UserRow
from quire.schema.model import ROLE_UID, USER_UID, Schema
from tests.databases.store import Store
from tests.library.accounts import AccountRows
from tests.library.model import library_schema, library_tables
from tests.library.rows import NOW


@pytest.fixture
def store(open_store: Callable[[Schema], Store]) -> Store:
    return open_store(library_schema())


@pytest.fixture
def accounts(store: Store) -> Accounts:
    return Accounts(open_store(library_schema(), library_tables(), store.dialect))


@pytest.fixture
def rows(store: Store) -> AccountRows:
    return AccountRows(store)


def test_a_token_is_found_by_its_keyed_hash(
    store: Store, accounts: Accounts, rows: AccountRows
) -> None:
    token = rows.token("hash-1", type="read-only", expires_at=NOW, last_used_at=5)
    rows.token("hash-2")
    assert store.run(accounts.api_token("hash-1")) == TokenRow(
        id=token, type="read-only", expires_at=NOW, last_used_at=5
    )
    assert store.run(accounts.api_token("hash-3")) is None


@pytest.mark.parametrize(
    ("meant_for", "found"), [(None, True), ("content-api", True), ("admin", False)]
)
def test_tokens_of_administrators_are_none_of_the_content_api(
    meant_for: str | None, store: Store, accounts: Accounts, rows: AccountRows, *, found: bool
) -> None:
    rows.token("hash", kind=meant_for)
    assert (store.run(accounts.api_token("hash")) is not None) is found


def test_a_token_grants_the_actions_that_are_linked_to_it(
    store: Store, accounts: Accounts, rows: AccountRows
) -> None:
    token = rows.token("hash", type="custom", actions=["api::book.book.find", "a.b.c"])
    rows.token("other", type="custom", actions=["d.e.f"])
    assert store.run(accounts.token_actions(token)) == {"api::book.book.find", "a.b.c"}


def test_the_use_of_a_token_is_noted(store: Store, accounts: Accounts, rows: AccountRows) -> None:
    token, other = rows.token("hash"), rows.token("other")
    store.run(accounts.touch_token(token, 123))
    found = store.execute("SELECT id, last_used_at FROM strapi_api_tokens ORDER BY id")
    assert [(row_id, store.dialect.epoch_ms(used)) for row_id, used in found] == [
        (token, 123),
        (other, None),
    ]


def test_a_role_grants_the_actions_that_are_linked_to_it(
    store: Store, accounts: Accounts, rows: AccountRows
) -> None:
    public = rows.role("public", ["api::book.book.find"])
    rows.role("authenticated", ["x.y.z"])
    assert store.run(accounts.role_of_type("public")) == public
    assert store.run(accounts.role_of_type("nope")) is None
    assert store.run(accounts.role_actions(public)) == {"api::book.book.find"}


def test_a_user_is_found_with_its_role(store: Store, accounts: Accounts, rows: AccountRows) -> None:
    role = rows.role("authenticated", [])
    user = rows.user("Ada", role, password="hashed", blocked=True)
    assert store.run(accounts.user(user)) == UserRow(
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
    assert store.run(accounts.user(user + 1)) is None


def test_a_user_without_a_role_is_found_too(
    store: Store, accounts: Accounts, rows: AccountRows
) -> None:
    found = store.run(accounts.user(rows.user("Ada", None)))
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
    identifier: str, store: Store, accounts: Accounts, rows: AccountRows, *, found: bool
) -> None:
    rows.user("Ada", None)
    assert (store.run(accounts.local_user(identifier)) is not None) is found


def test_users_of_other_providers_do_not_sign_in_with_a_password(
    store: Store, accounts: Accounts, rows: AccountRows
) -> None:
    rows.user("Ada", None, provider="github")
    assert store.run(accounts.local_user("Ada")) is None


def test_users_are_counted_by_role(store: Store, accounts: Accounts, rows: AccountRows) -> None:
    first, second, _ = rows.role("a", []), rows.role("b", []), rows.role("c", [])
    for name, role in (("x", first), ("y", first), ("z", second), ("w", None)):
        rows.user(name, role)
    assert store.run(accounts.users_by_role()) == {first: 2, second: 1}


def test_a_confirmation_token_is_looked_for(
    store: Store, accounts: Accounts, rows: AccountRows
) -> None:
    rows.user("Ada", None, confirmationToken="secret")
    found = store.run(accounts.user_by_confirmation_token("secret"))
    assert found is not None
    assert found.username == "Ada"
    assert store.run(accounts.user_by_confirmation_token("other")) is None
    assert store.run(accounts.user_by_reset_token("secret")) is None


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
    store: Store,
    accounts: Accounts,
    rows: AccountRows,
    username: str,
    email: str,
    provider: str | None,
    found: list[str],
) -> None:
    ids = {"Ada": rows.user("Ada", None), "bob": rows.user("bob", None, provider="github")}
    program = accounts.users_named(username, email, provider=provider)
    assert store.run(program) == {ids[name] for name in found}


def test_settings_of_the_core_store_are_json(
    store: Store, accounts: Accounts, rows: AccountRows
) -> None:
    rows.store("a", {"x": [1]})
    rows.store("b", None)
    assert store.run(accounts.stored("a")) == {"x": [1]}
    assert store.run(accounts.stored("b")) is None
    assert store.run(accounts.stored("c")) is None


def test_the_types_that_are_asked_for_are_built_in() -> None:
    assert {ROLE_UID, USER_UID} <= set(library_tables().tables)
