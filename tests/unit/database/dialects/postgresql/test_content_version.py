"""A token is stable without commits, and changes with each commit."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from quire.database.dialects.postgresql.connection import PostgresOptions
from quire.database.dialects.postgresql.content_version import PostgresContentVersion, Snapshot
from quire.database.dialects.postgresql.driver import PostgresDatabase, connect
from quire.database.program import Statement
from quire.errors import ServiceUnavailableError
from tests.postgresql.session import Session
from tests.unit.database.dialects.postgresql.conftest import run

ADD = "INSERT INTO marks DEFAULT VALUES"


@pytest.fixture(autouse=True)
async def marks(database: PostgresDatabase) -> None:
    await database.write(run("DROP TABLE IF EXISTS marks"))
    await database.write(run("CREATE TABLE marks (id serial PRIMARY KEY)"))


async def keeps_the_token(
    database: PostgresDatabase, action: Callable[[], Awaitable[object]]
) -> bool:
    """Tell whether an action leaves the token as it is, in one of many tries.

    The server numbers the transactions of all its databases together, and other tests commit in
    theirs at any moment. An action that changes the token does so in every try.
    """
    for _ in range(50):
        before = await database.present_version()
        await action()
        if before is not None and await database.present_version() == before:
            return True
    return False


async def test_reading_changes_nothing(database: PostgresDatabase) -> None:
    async def read() -> None:
        await database.read(lambda: run("SELECT count(*) FROM marks"), snapshot=True)

    async def write() -> None:
        await database.write(run(ADD))

    assert await keeps_the_token(database, read)
    assert not await keeps_the_token(database, write)


async def test_every_write_changes_the_token(database: PostgresDatabase) -> None:
    seen = set()
    for _ in range(5):
        await database.write(run(ADD))
        seen.add(await database.present_version())

    assert len(seen) == 5


async def test_what_any_other_program_commits_changes_the_token(
    database: PostgresDatabase, url: str
) -> None:
    someone = Session(url)
    before = await database.present_version()
    someone.execute("BEGIN")
    someone.execute(ADD)
    meanwhile = await database.present_version()
    is_kept = await keeps_the_token(database, database.present_version)
    someone.execute("COMMIT")
    after = await database.present_version()
    someone.close()

    assert is_kept
    assert after not in {before, meanwhile}


async def test_of_two_transactions_each_shows_whichever_ends_first(
    database: PostgresDatabase, url: str
) -> None:
    older, newer = Session(url), Session(url)
    for session in (older, newer):
        session.execute("BEGIN")
        session.execute(ADD)
    both = await database.present_version()
    newer.execute("COMMIT")
    one = await database.present_version()
    older.execute("COMMIT")
    none = await database.present_version()
    older.close()
    newer.close()

    assert len({both, one, none}) == 3


async def test_a_subtransaction_shows_when_all_of_it_is_committed(
    database: PostgresDatabase, url: str
) -> None:
    someone = Session(url)
    someone.execute("BEGIN")
    someone.execute("SAVEPOINT here")
    someone.execute(ADD)
    someone.execute("RELEASE SAVEPOINT here")
    before = await database.present_version()
    someone.execute("COMMIT")
    someone.close()

    assert await database.present_version() != before


async def test_a_token_is_not_older_than_the_question(
    database: PostgresDatabase, options: PostgresOptions
) -> None:
    """Writers and askers at the same time: whoever asks after a write has another token."""
    other = await connect(options)
    tokens: dict[int, int | None] = {}

    async def look() -> None:
        for _ in range(20):
            await database.present_version()

    async def write(count: int) -> None:
        await other.write(run(ADD))
        tokens[count] = await database.present_version()

    async def write_all() -> None:
        for count in range(15):
            await write(count)

    await asyncio.gather(look(), look(), look(), write_all())
    await other.close()

    assert len(set(tokens.values())) == 15


async def test_one_question_is_asked_at_a_time_and_shared_by_those_who_come_meanwhile() -> None:
    asked: list[int] = []
    response = asyncio.Event()

    async def ask(_: Statement | None) -> Snapshot:
        asked.append(len(asked))
        await response.wait()
        return Snapshot("1:1:")

    version = PostgresContentVersion(ask)
    first = asyncio.ensure_future(version.token())
    await asyncio.sleep(0)
    others = [asyncio.ensure_future(version.token()) for _ in range(5)]
    await asyncio.sleep(0)
    others[0].cancel()
    response.set()

    assert await first == 1
    assert await asyncio.gather(*others[1:]) == [1] * 4
    assert asked == [0, 1]


async def test_nothing_is_known_of_a_standby() -> None:
    async def ask(_: Statement | None) -> Snapshot:
        return Snapshot(None, "1")

    version = PostgresContentVersion(ask)
    assert await version.token() is None
    assert await version.followed() == "1"


async def test_the_value_that_is_followed_comes_with_the_token(
    database: PostgresDatabase, url: str
) -> None:
    database.follow(Statement("SELECT count(*) FROM marks WHERE id < $1", (10,)))
    assert await database.followed() == 0
    someone = Session(url)
    someone.execute(ADD)
    someone.close()

    before = await database.followed()
    await database.present_version()

    assert (before, await database.followed()) == (0, 1)


async def test_another_value_that_is_followed_is_asked_for(database: PostgresDatabase) -> None:
    database.follow(Statement("SELECT 'one'::text"))
    assert await database.followed() == "one"
    database.follow(Statement("SELECT 'two'::text"))
    assert await database.followed() == "two"


async def test_whoever_waited_hears_of_the_failure_and_the_next_one_asks_again() -> None:
    responses: list[Snapshot | Exception] = [
        Snapshot("1:1:"),
        ServiceUnavailableError(),
        Snapshot("1:1:"),
    ]

    async def ask(_: Statement | None) -> Snapshot:
        await asyncio.sleep(0)
        found = responses.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    version = PostgresContentVersion(ask)
    first = asyncio.ensure_future(version.token())
    await asyncio.sleep(0)
    second = asyncio.ensure_future(version.token())

    assert await first == 1
    with pytest.raises(ServiceUnavailableError):
        await second
    assert await version.token() == 1
