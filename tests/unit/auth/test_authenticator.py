"""Authentication: from the header to a principal, its caching and expiry."""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import pytest
from structlog.testing import capture_logs

from quire.access.ability import NO_PERMISSIONS, FullAccess, Granted, ReadOnly
from quire.access.principal import Anonymous, ApiToken, EndUser, Principal
from quire.auth.authenticator import Authenticator, bearer_token, fingerprint
from quire.auth.jwt_and_api_tokens import hash_api_token, issue_jwt
from quire.database.entries.entry_tables import open_store
from quire.database.interface import Database, DatabaseWrapper
from quire.database.program import Program
from quire.database.stores.auth_rows import Accounts
from quire.errors import ServiceUnavailableError, UnauthorizedError
from tests.databases.kind import Kind
from tests.databases.tables import lay_tables, open_database
from tests.library.accounts import AccountRows
from tests.library.model import library_schema, library_tables
from tests.library.rows import NOW

T = TypeVar("T")

SALT, SECRET = "a salt", "a secret"
HOUR_MS = 3_600_000
TOKEN = "0123abcd"
BEARER = b"Bearer 0123abcd"
UNKNOWN = "Missing or invalid credentials"
INVALID = "Invalid credentials"
ENDED = "Token expired"
ADVANCED = "plugin_users-permissions_advanced"
_TRIES = 50
FIND, ME = "api::book.book.find", "plugin::users-permissions.user.me"


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


class DelayedDatabase(DatabaseWrapper):
    """A database whose reads can be held back after they have seen the content."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.reads = 0
        self.finished_reads = 0
        """How many of these reads have read the content."""
        self.may_respond = asyncio.Event()
        self.may_respond.set()
        self.refuses_writes = False

    async def read(
        self, make: Callable[[], Program[T]], *, snapshot: bool = False, key: Hashable = None
    ) -> T:
        self.reads += 1
        found = await self._database.read(make, snapshot=snapshot, key=key)
        self.finished_reads += 1
        await self.may_respond.wait()
        return found

    async def write(self, program: Program[T]) -> T:
        if self.refuses_writes:
            raise ServiceUnavailableError
        return await self._database.write(program)


class AuthenticationClient:
    """Authenticates requests as the content API does."""

    def __init__(self, database: Database, clock: Clock, **options: str | int | None) -> None:
        settings: dict[str, str | int | None] = {
            "api_token_salt": SALT,
            "jwt_secret": SECRET,
            "cache_size": 100,
        }
        accounts = Accounts(open_store(library_schema(), library_tables(), database.dialect))
        self.database = database
        self.authenticator = Authenticator(
            database,
            accounts,
            clock=clock,
            **(settings | options),  # type: ignore[arg-type]  # of several types
        )

    async def cached_principal(self, header: bytes | None) -> Principal | None:
        credential = None if header is None else fingerprint(header)
        return self.authenticator.cached_principal(
            credential, await self.database.present_version()
        )

    async def ask(self, header: bytes | None = None) -> Principal:
        """Authenticate a request, from the next iteration of the event loop on."""
        await asyncio.sleep(0)
        version = await self.database.present_version()
        credential = None if header is None else fingerprint(header)
        principal = self.authenticator.cached_principal(credential, version)
        if principal is None:
            principal = await self.authenticator.principal(header, version)
        return principal

    async def is_cached(self, header: bytes) -> bool:
        """Tell whether the principal of a request is cached.

        On a PostgreSQL server that others use as well, their commits empty the cache at any time.
        """
        for _ in range(_TRIES):
            await self.ask(header)
            if await self.cached_principal(header) is not None:
                return True
        return False

    async def refusal(self, header: bytes) -> str:
        with pytest.raises(UnauthorizedError) as raised:
            await self.ask(header)
        assert raised.value.status == 401
        return raised.value.message


@pytest.fixture(scope="module")
async def empty(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Path]:
    """A project with the tables and no rows, of which copies are made."""
    project = await lay_tables(kind, tmp_path_factory.mktemp("library"), library_schema())
    yield project
    kind.release(project)


@pytest.fixture
def project(kind: Kind, empty: Path, tmp_path: Path) -> Iterator[Path]:
    project = kind.copy(empty, tmp_path / "project")
    yield project
    kind.release(project)


@pytest.fixture
def rows(kind: Kind, project: Path) -> Iterator[AccountRows]:
    store = kind.store_of(project)
    yield AccountRows(store)
    store.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def database(project: Path, rows: AccountRows) -> AsyncIterator[DelayedDatabase]:
    del rows  # is closed after it
    database = DelayedDatabase(await open_database(project, slow_query_ms=60_000))
    yield database
    await database.close()


@pytest.fixture
def client(database: DelayedDatabase, clock: Clock) -> AuthenticationClient:
    return AuthenticationClient(database, clock)


def jwt(user: int, now: int = NOW, lifetime: timedelta = timedelta(days=30)) -> bytes:
    return f"Bearer {issue_jwt(user, SECRET, lifetime, now)}".encode()


def add_token(rows: AccountRows, type: str = "full-access", **values: object) -> int:
    """Add the API token; noted as used just now, unless said otherwise."""
    values.setdefault("last_used_at", NOW)
    return rows.token(hash_api_token(TOKEN, SALT), type=type, **values)  # type: ignore[arg-type]  # of several types


def noted_use(rows: AccountRows) -> object:
    ((stored,),) = rows.database.execute("SELECT last_used_at FROM strapi_api_tokens")
    return rows.database.dialect.epoch_ms(stored)


# The header --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "token"),
    [
        (b"Bearer abc", "abc"),
        (b"bearer abc", "abc"),
        (b"BEARER   abc  ", "abc"),
        (b"\tBearer\tabc", "abc"),
        (b"Bearer \xe9", "é"),
        (b"", None),
        (b"   ", None),
        (b"abc", None),
        (b"Bearer", None),
        (b"Bearer a b", None),
        (b"Basic abc", None),
        (b"Bearerabc def", None),
    ],
)
def test_a_token_is_the_second_of_two_words_after_bearer(header: bytes, token: str | None) -> None:
    assert bearer_token(header) == token


@pytest.mark.parametrize("header", [None, b"", b"abc", b"Bearer", b"Bearer a b", b"Basic abc"])
async def test_whoever_brings_no_bearer_token_is_anybody(
    header: bytes | None, client: AuthenticationClient, rows: AccountRows
) -> None:
    rows.role("public", [FIND])
    for _ in range(2):
        assert await client.ask(header) == Anonymous(Granted(frozenset({FIND})))


async def test_without_a_public_role_anybody_may_do_nothing(client: AuthenticationClient) -> None:
    assert await client.ask() == Anonymous(NO_PERMISSIONS)


@pytest.mark.parametrize("token", [b"abc", b"a.b.c", b"\xe9", b"0" * 256])
async def test_an_unknown_token_is_refused_each_time(
    token: bytes, client: AuthenticationClient, rows: AccountRows
) -> None:
    rows.role("public", [FIND])
    for _ in range(2):
        assert await client.refusal(b"Bearer " + token) == UNKNOWN


# API tokens --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "ability"),
    [
        ("full-access", FullAccess()),
        ("read-only", ReadOnly()),
        ("custom", Granted(frozenset({FIND, ME}))),
    ],
)
async def test_an_api_token_may_do_what_its_type_says(
    type_: str, ability: object, client: AuthenticationClient, rows: AccountRows
) -> None:
    token = add_token(rows, type_, actions=[FIND, ME])
    for _ in range(2):
        principal = await client.ask(BEARER)
        assert isinstance(principal, ApiToken)
        assert (principal.id, principal.type) == (token, type_)
        assert principal.ability == ability


async def test_an_api_token_holds_until_the_instant_it_ends(
    client: AuthenticationClient, rows: AccountRows, clock: Clock
) -> None:
    add_token(rows, expires_at=NOW + 1000)
    clock.now = NOW + 999
    assert await client.is_cached(BEARER)
    clock.now = NOW + 1000
    assert await client.cached_principal(BEARER) is None
    assert await client.refusal(BEARER) == ENDED


async def test_without_a_salt_there_are_no_api_tokens(
    database: DelayedDatabase, clock: Clock, rows: AccountRows
) -> None:
    add_token(rows)
    assert (
        await AuthenticationClient(database, clock, api_token_salt=None).refusal(BEARER) == UNKNOWN
    )


async def test_the_first_use_of_an_api_token_is_noted_and_then_one_an_hour(
    client: AuthenticationClient, rows: AccountRows, clock: Clock
) -> None:
    add_token(rows, last_used_at=None)
    for minutes, noted in ((0, 0), (1, 0), (59, 0), (60, 60), (119, 60), (121, 121)):
        clock.now = NOW + minutes * 60_000
        await client.ask(BEARER)
        await client.ask(BEARER)
        assert noted_use(rows) == NOW + noted * 60_000


async def test_a_use_that_cannot_be_noted_is_logged_and_refuses_nobody(
    client: AuthenticationClient, database: DelayedDatabase, rows: AccountRows, clock: Clock
) -> None:
    token = add_token(rows, last_used_at=None)
    database.refuses_writes = True
    with capture_logs() as lines:
        assert isinstance(await client.ask(BEARER), ApiToken)
        assert isinstance(await client.ask(BEARER), ApiToken)
    assert [(line["event"], line["log_level"], line["token"]) for line in lines] == [
        ("use of a token was not noted", "warning", token)
    ]
    assert "exc_info" not in lines[0]
    database.refuses_writes = False
    clock.now += HOUR_MS
    await client.ask(BEARER)
    assert noted_use(rows) == clock.now


# End users ---------------------------------------------------------------------------------------


async def test_an_end_user_may_do_what_the_role_grants_and_no_more(
    client: AuthenticationClient, rows: AccountRows
) -> None:
    rows.role("public", [FIND])
    role = rows.role("authenticated", [ME])
    user = rows.user("Ada", role)
    for _ in range(2):
        assert await client.ask(jwt(user)) == EndUser(
            id=user,
            document_id=rows.document_of(user),
            role_id=role,
            ability=Granted(frozenset({ME})),
        )


async def test_an_end_user_without_a_role_may_do_nothing(
    client: AuthenticationClient, rows: AccountRows
) -> None:
    principal = await client.ask(jwt(rows.user("Ada", None)))
    assert principal.ability == NO_PERMISSIONS


async def test_a_jwt_is_of_nobody_once_the_user_is_gone_or_blocked(
    client: AuthenticationClient, rows: AccountRows
) -> None:
    user = rows.user("Ada", None)
    await client.ask(jwt(user))
    rows.database.execute("UPDATE up_users SET blocked = true")
    assert await client.refusal(jwt(user)) == INVALID
    rows.database.execute("DELETE FROM up_users")
    assert await client.refusal(jwt(user)) == INVALID


@pytest.mark.parametrize(
    ("advanced", "refused"),
    [
        ({"email_confirmation": True}, True),
        ({"email_confirmation": False}, False),
        ({"email_confirmation": "yes"}, False),
        ({}, False),
        (None, False),
    ],
)
async def test_users_are_to_be_confirmed_where_the_settings_say_so(
    advanced: object, client: AuthenticationClient, rows: AccountRows, *, refused: bool
) -> None:
    rows.store(ADVANCED, advanced)
    confirmed, unconfirmed = rows.user("Ada", None), rows.user("Bea", None, confirmed=False)
    await client.ask(jwt(confirmed))
    if refused:
        assert await client.refusal(jwt(unconfirmed)) == INVALID
    else:
        assert isinstance(await client.ask(jwt(unconfirmed)), EndUser)


async def test_a_jwt_holds_by_the_clock_that_was_passed_in(
    client: AuthenticationClient, rows: AccountRows, clock: Clock
) -> None:
    header = jwt(rows.user("Ada", None), lifetime=timedelta(seconds=10))
    await client.ask(header)
    clock.now = NOW + 9_999
    assert await client.is_cached(header)
    clock.now = NOW + 10_000
    assert await client.cached_principal(header) is None
    assert await client.refusal(header) == UNKNOWN


async def test_without_a_secret_there_are_no_jwts(
    database: DelayedDatabase, clock: Clock, rows: AccountRows
) -> None:
    header = jwt(rows.user("Ada", None))
    assert await AuthenticationClient(database, clock, jwt_secret=None).refusal(header) == UNKNOWN


async def test_a_token_is_looked_for_among_api_tokens_first(
    client: AuthenticationClient, rows: AccountRows
) -> None:
    header = jwt(rows.user("Ada", None))
    token = rows.token(hash_api_token(header.decode().split()[1], SALT), last_used_at=NOW)
    principal = await client.ask(header)
    assert isinstance(principal, ApiToken)
    assert principal.id == token


# What is remembered ------------------------------------------------------------------------------


async def test_who_was_verified_is_remembered_while_nothing_is_written(
    client: AuthenticationClient, database: DelayedDatabase, rows: AccountRows
) -> None:
    rows.role("public", [FIND])
    add_token(rows)
    header = jwt(rows.user("Ada", None))
    for _ in range(_TRIES):
        version = await database.present_version()
        for known in (None, BEARER, header):
            await client.ask(known)
        reads = database.reads
        for known in (None, BEARER, header):
            await client.ask(known)
        if await database.present_version() == version:
            break  # nobody else has written meanwhile
    assert database.reads == reads


async def test_any_commit_makes_it_forgotten(
    client: AuthenticationClient, rows: AccountRows
) -> None:
    token = add_token(rows, "custom", actions=[FIND])
    role = rows.role("public", [])
    await client.ask(BEARER)
    await client.ask()
    rows.grant(role, [ME])
    assert await client.ask() == Anonymous(Granted(frozenset({ME})))
    rows.database.execute("DELETE FROM strapi_api_tokens WHERE id = ?", (token,))
    assert await client.refusal(BEARER) == UNKNOWN


async def test_the_credential_itself_is_not_kept() -> None:
    assert len(fingerprint(BEARER)) == 16
    assert fingerprint(BEARER) == fingerprint(bytes(bytearray(BEARER)))
    assert fingerprint(BEARER) != fingerprint(BEARER + b" ")


async def test_no_more_credentials_are_remembered_than_the_cache_holds(
    database: DelayedDatabase, clock: Clock, rows: AccountRows
) -> None:
    client = AuthenticationClient(database, clock, cache_size=1)
    first, second = jwt(rows.user("Ada", None)), jwt(rows.user("Bea", None))
    await client.ask(first)
    assert await client.is_cached(second)
    assert await client.cached_principal(first) is None


async def test_nothing_is_remembered_while_the_version_is_not_known(
    client: AuthenticationClient, rows: AccountRows
) -> None:
    add_token(rows)
    for header in (BEARER, None):
        await client.authenticator.principal(header, None)
        credential = None if header is None else fingerprint(header)
        assert client.authenticator.cached_principal(credential, None) is None
        assert await client.cached_principal(header) is None


@pytest.mark.parametrize("header", [None, BEARER], ids=["anybody", "an API token"])
async def test_what_was_read_before_a_commit_is_not_remembered_after_it(
    header: bytes | None, client: AuthenticationClient, database: DelayedDatabase, rows: AccountRows
) -> None:
    """A read may wait for the reader thread while others go on."""
    role = rows.role("public", [FIND])
    token = add_token(rows, "custom", actions=[FIND])
    database.may_respond.clear()
    early = asyncio.create_task(client.ask(header))
    while not database.finished_reads:  # noqa: ASYNC110 - there is no event for it
        await asyncio.sleep(0.001)
    assert database.reads == 1
    rows.database.execute("DELETE FROM strapi_api_tokens WHERE id = ?", (token,))
    rows.database.execute("DELETE FROM up_roles WHERE id = ?", (role,))
    # Somebody else asks, so that the new version is known before the early read is answered.
    await asyncio.sleep(0)
    assert await client.cached_principal(b"Bearer another") is None
    database.may_respond.set()
    await early
    assert await client.cached_principal(header) is None
    if header is None:
        assert await client.ask() == Anonymous(NO_PERMISSIONS)
    else:
        assert await client.refusal(header) == UNKNOWN
