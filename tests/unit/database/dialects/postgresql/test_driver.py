"""Programs on a real server: transactions, snapshots, waiting, lost connections."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import asyncpg
import pytest
from msgspec.structs import replace

from quire.database.dialects.postgresql import driver
from quire.database.dialects.postgresql.connection import (
    PostgresConnection,
    PostgresOptions,
    open_connection,
)
from quire.database.dialects.postgresql.content_version import PostgresContentVersion
from quire.database.dialects.postgresql.driver import PostgresDatabase, connect
from quire.database.dialects.postgresql.target import OLDEST_VERSION, PostgresTarget
from quire.database.program import Program, Rows, Statement
from quire.errors import (
    AppError,
    DatabaseBusyError,
    DatabaseOpenError,
    ServiceUnavailableError,
    StaleSchemaError,
    ValidationError,
)
from tests.postgresql.commits import Commits
from tests.postgresql.session import Session
from tests.postgresql.sharing import VARIABLE
from tests.unit.database.dialects.postgresql.conftest import run

COUNT = "SELECT count(*) FROM notes"
ADD = "INSERT INTO notes (text) VALUES ($1) RETURNING id"


@pytest.fixture(autouse=True)
async def notes(database: PostgresDatabase) -> None:
    await database.write(run("DROP TABLE IF EXISTS notes"))
    await database.write(run("CREATE TABLE notes (id serial PRIMARY KEY, text varchar(9) UNIQUE)"))


@asynccontextmanager
async def another(options: PostgresOptions) -> AsyncIterator[PostgresDatabase]:
    """A second process, as far as the server can tell."""
    opened = await connect(options)
    try:
        yield opened
    finally:
        await opened.close()


async def count(database: PostgresDatabase) -> object:
    rows: Rows = await database.read(lambda: run(COUNT))
    return rows[0][0]


async def lose_connections(options: PostgresOptions) -> None:
    """End all connections to the database, as a restart of the server does."""
    someone = await asyncpg.connect(options.dsn, ssl=False)
    await someone.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    await someone.close()


async def test_a_write_is_there_for_everybody_when_it_returns(
    database: PostgresDatabase, options: PostgresOptions
) -> None:
    await database.write(run(ADD, "one"))

    async with another(options) as other:
        assert await count(other) == 1


async def test_a_server_is_reached_by_its_socket(
    database: PostgresDatabase, options: PostgresOptions
) -> None:
    """A folder as the host is the one with the server's socket."""
    question = "SELECT current_setting('unix_socket_directories'), current_setting('port')"
    folders, port = map(str, (await database.read(lambda: run(question)))[0])
    folder = Path(folders.split(",")[0].strip())
    if VARIABLE in os.environ and not (folder / f".s.PGSQL.{port}").exists():
        pytest.skip("the server that was named runs on another machine")
    await database.write(run(ADD, "one"))
    server = urlsplit(str(options.dsn))

    through_socket = replace(
        options,
        dsn=None,
        host=str(folder),
        port=int(port),
        name=unquote(server.path.removeprefix("/")),
        username=server.username,
        password=server.password,
    )
    async with another(through_socket) as other:
        assert await count(other) == 1


async def test_of_a_write_that_fails_nothing_is_kept(database: PostgresDatabase) -> None:
    def twice() -> Program[None]:
        yield Statement(ADD, ("one",))
        yield Statement(ADD, ("one",))

    with pytest.raises(ValidationError, match="must be unique"):
        await database.write(twice())

    assert await count(database) == 0
    await database.write(run(ADD, "one"))
    assert await count(database) == 1


async def test_of_a_write_that_raises_nothing_is_kept(database: PostgresDatabase) -> None:
    def stopped() -> Program[None]:
        yield Statement(ADD, ("one",))
        raise LookupError

    with pytest.raises(LookupError):
        await database.write(stopped())

    assert await count(database) == 0


@pytest.mark.parametrize("snapshot", [False, True])
async def test_a_read_is_begun_again_when_a_column_has_another_type_than_before(
    database: PostgresDatabase, *, snapshot: bool
) -> None:
    def all_ids() -> Program[Rows]:
        yield Statement(COUNT)
        rows = yield Statement("SELECT id FROM notes")
        return rows

    await database.write(run(ADD, "one"))
    await database.read(all_ids, snapshot=snapshot)
    await database.write(run("ALTER TABLE notes ALTER COLUMN id TYPE bigint"))

    found = await database.read(all_ids, snapshot=snapshot)

    assert [tuple(row) for row in found] == [(1,)]


@pytest.mark.parametrize("sql", ["SELECT nothing FROM notes", "SELECT id FROM nothing"])
async def test_what_a_statement_takes_for_granted_and_is_not_there_is_told_apart(
    database: PostgresDatabase, sql: str
) -> None:
    with pytest.raises(StaleSchemaError):
        await database.read(lambda: run(sql))
    with pytest.raises(StaleSchemaError):
        await database.write(run(sql))


async def test_a_write_whose_caller_goes_away_is_undone(database: PostgresDatabase) -> None:
    def slow() -> Program[None]:
        yield Statement(ADD, ("one",))
        yield Statement("SELECT pg_sleep(30)")

    writing = asyncio.ensure_future(database.write(slow()))
    await asyncio.sleep(0.1)
    writing.cancel()

    with pytest.raises(asyncio.CancelledError):
        await writing
    await database.write(run(ADD, "two"))
    assert await count(database) == 1


async def test_a_write_whose_caller_goes_away_while_it_is_undone_is_undone(
    database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped() -> Program[None]:
        yield Statement(ADD, ("one",))
        raise LookupError

    is_ending = asyncio.Event()
    execute = PostgresConnection.execute

    async def delayed(self: PostgresConnection, sql: str, **options: float) -> str:
        if sql == "ROLLBACK":
            is_ending.set()
            await asyncio.sleep(60)  # the network does not pass it on
        return await execute(self, sql, **options)

    with monkeypatch.context() as patch:
        patch.setattr(PostgresConnection, "execute", delayed)
        writing = asyncio.ensure_future(database.write(stopped()))
        await is_ending.wait()
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
    await database.write(run(ADD, "two"))
    assert await count(database) == 1


@pytest.mark.parametrize(
    ("sql", "values", "message"),
    [
        (ADD, ("a text that is too long",), "too long"),
        (ADD, ("nul\0",), "cannot be stored"),
        (ADD, (5,), "type of its column"),
        ("SELECT $1::int", (2**40,), "type of its column"),
        ("SELECT $1::text::jsonb", ("plain",), "type of its column"),
        ("SELECT $1::text::date", ("2024-02-31",), "date or time"),
    ],
)
async def test_values_that_the_database_refuses_are_errors_of_the_request(
    database: PostgresDatabase, sql: str, values: tuple[object, ...], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        await database.write(run(sql, *values))


async def test_no_more_rows_are_fetched_than_are_wanted(database: PostgresDatabase) -> None:
    rows = await database.read(lambda: run("SELECT generate_series(1, 1000)", most=3))

    assert [row[0] for row in rows] == [1, 2, 3]


async def test_all_statements_of_a_snapshot_see_the_same(
    database: PostgresDatabase, options: PostgresOptions
) -> None:
    seen: list[object] = []
    looked, added = asyncio.Event(), asyncio.Event()

    def twice() -> Program[None]:
        rows = yield Statement(COUNT)
        seen.append(rows[0][0])
        looked.set()
        yield Statement("SELECT pg_sleep(0.5)")
        rows = yield Statement(COUNT)
        seen.append((rows[0][0], added.is_set()))

    reading = asyncio.ensure_future(database.read(twice, snapshot=True))
    await looked.wait()
    async with another(options) as other:
        await other.write(run(ADD, "one"))
    added.set()
    await reading

    assert seen == [0, (0, True)]


def two_moments() -> Program[bool]:
    """Tell whether two statements are in one transaction."""
    (first,) = yield Statement("SELECT transaction_timestamp()")
    yield Statement("SELECT pg_sleep(0.002)")
    (second,) = yield Statement("SELECT transaction_timestamp()")
    return first[0] == second[0]


@pytest.fixture
async def commits(database: PostgresDatabase) -> Commits:
    """Nobody commits, but for those who say so here; that much is known."""
    commits = Commits()
    commits.tell(database)
    await database.present_version()
    return commits


async def test_a_snapshot_takes_no_transaction_while_nobody_commits(
    database: PostgresDatabase, commits: Commits
) -> None:
    assert not await database.read(two_moments, snapshot=True)
    commits.count += 1
    assert [await database.read(two_moments, snapshot=True) for _ in range(40)] == (
        [True] * 33 + [False] * 7
    )


async def test_a_snapshot_has_a_transaction_while_nothing_is_known(
    database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_content_version", PostgresContentVersion(Commits().snapshot))
    assert await database.read(two_moments, snapshot=True)


async def test_a_snapshot_that_somebody_commits_in_is_begun_again(
    database: PostgresDatabase, url: str
) -> None:
    seen: list[list[object]] = []
    someone = Session(url)

    def twice() -> Program[tuple[object, object]]:
        rows = yield Statement(COUNT)
        found = [rows[0][0]]
        if not seen:
            someone.execute("INSERT INTO notes (text) VALUES ('one')")
        rows = yield Statement(COUNT)
        seen.append([*found, rows[0][0]])
        return found[0], rows[0][0]

    await database.present_version()
    found = await database.read(twice, snapshot=True)
    someone.close()

    assert found == (1, 1)
    assert seen == [[0, 1], [1, 1]]


@pytest.mark.parametrize(("commits_in", "runs"), [(0, 1), (1, 2)])
async def test_what_a_snapshot_raises_is_raised_when_it_is_sure_that_it_is_one(
    database: PostgresDatabase, commits: Commits, commits_in: int, runs: int
) -> None:
    seen: list[object] = []

    def refusing() -> Program[None]:
        rows = yield Statement(COUNT)
        seen.append(rows[0][0])
        commits.count += commits_in
        raise ValidationError("no")

    with pytest.raises(ValidationError, match="no"):
        await database.read(refusing, snapshot=True)

    assert seen == [0] * runs


async def test_a_state_is_read_at_without_a_transaction_while_nobody_commits(
    database: PostgresDatabase, commits: Commits
) -> None:
    version = await database.present_version()
    assert version is not None
    assert await database.read_at(version, two_moments) is False
    assert await database.read_at(version + 1, two_moments) is None
    commits.count += 1
    assert await database.present_version() == version + 1
    assert await database.read_at(version, two_moments) is None
    assert await database.read_at(version + 1, two_moments) is False


async def test_what_is_costly_is_what_the_planner_expects_much_of(
    database: PostgresDatabase,
) -> None:
    series = "SELECT n FROM generate_series(1, $1::int) AS n"
    assert not await database.is_costly(Statement(series, (10,)))
    assert await database.is_costly(Statement(series, (100_000,)))
    with pytest.raises(StaleSchemaError):
        await database.is_costly(Statement("SELECT nothing FROM nowhere"))
    assert await count(database) == 0


async def test_a_state_that_somebody_has_left_behind_cannot_be_read_at(
    database: PostgresDatabase, options: PostgresOptions
) -> None:
    version = await database.present_version()
    assert version is not None
    async with another(options) as other:
        await other.write(run(ADD, "one"))
    # Here nobody has been asked since, so that only the program can be too late.
    assert await database.read_at(version, lambda: run(COUNT)) is None
    assert await count(database) == 1


async def test_a_state_that_somebody_commits_in_is_not_read_at_and_makes_wary(
    database: PostgresDatabase, commits: Commits
) -> None:
    version = await database.present_version()
    assert version is not None
    seen: list[int] = []

    def overtaken() -> Program[bool]:
        yield Statement(COUNT)
        commits.count += 1
        seen.append(commits.count)
        return True

    assert await database.read_at(version, overtaken) is None
    present = await database.present_version()
    assert present == version + 1
    assert await database.read_at(present, overtaken) is None
    assert seen == [1]
    assert [await database.read(two_moments, snapshot=True) for _ in range(33)] == (
        [True] * 32 + [False]
    )
    assert await database.read_at(present, two_moments) is False


@pytest.mark.parametrize("commits_in", [0, 1])
async def test_what_is_wrong_at_a_state_is_raised_if_it_is_that_state(
    database: PostgresDatabase, commits: Commits, commits_in: int
) -> None:
    version = await database.present_version()
    assert version is not None

    def refusing() -> Program[bool]:
        yield Statement(COUNT)
        commits.count += commits_in
        raise ValidationError("no")

    if commits_in:
        assert await database.read_at(version, refusing) is None
    else:
        with pytest.raises(ValidationError, match="no"):
            await database.read_at(version, refusing)


@pytest.mark.usefixtures("commits")
@pytest.mark.parametrize("error", [ServiceUnavailableError, StaleSchemaError])
async def test_a_connection_that_is_lost_leaves_a_state_unread(
    database: PostgresDatabase, error: type[AppError]
) -> None:
    version = await database.present_version()
    assert version is not None

    def losing() -> Program[bool]:
        yield Statement(COUNT)
        raise error

    assert await database.read_at(version, losing) is None


async def test_through_a_pooler_no_state_is_read_at(options: PostgresOptions) -> None:
    pooled = await connect(replace(options, pooler=True))
    version = await pooled.present_version()
    assert version is not None
    assert await pooled.read_at(version, lambda: run(COUNT)) is None
    await pooled.close()


async def test_writers_wait_for_each_other_whatever_process_they_are_in(
    options: PostgresOptions,
) -> None:
    patient = replace(options, lock_timeout_ms=60_000, queue_timeout_ms=60_000)

    def highest_plus_one() -> Program[None]:
        rows = yield Statement("SELECT coalesce(max(text::int), 0) FROM notes")
        yield Statement("SELECT pg_sleep(0.005)")
        yield Statement(ADD, (str(int(rows[0][0] or 0) + 1),))

    async with another(patient) as one, another(patient) as other:
        await asyncio.gather(
            *(place.write(highest_plus_one()) for place in (one, other) for _ in range(10))
        )
        assert await count(one) == 20


async def test_whoever_waits_too_long_for_another_writer_is_told_to_come_back(
    database: PostgresDatabase, options: PostgresOptions
) -> None:
    started = asyncio.Event()

    def slow() -> Program[None]:
        yield Statement(ADD, ("one",))
        started.set()
        yield Statement("SELECT pg_sleep(1)")

    async with another(options) as other:
        writing = asyncio.ensure_future(database.write(slow()))
        await started.wait()
        with pytest.raises(DatabaseBusyError) as refused:
            await other.write(run(ADD, "two"))
        await writing

    assert refused.value.headers == {"Retry-After": "1"}
    assert await count(database) == 1


async def test_a_read_that_takes_too_long_is_given_up(options: PostgresOptions) -> None:
    async with another(replace(options, timeout_ms=100)) as database:
        with pytest.raises(ServiceUnavailableError, match="longer than the server allows"):
            await database.read(lambda: run("SELECT pg_sleep(30)"))

        assert await count(database) == 0


async def test_a_read_that_only_takes_long_is_left_in_peace(options: PostgresOptions) -> None:
    async with another(replace(options, connect_timeout_ms=2000)) as database:
        rows = await database.read(lambda: run("SELECT 1 FROM pg_sleep(2.5)"))

    assert len(rows) == 1


@asynccontextmanager
async def endless_read(database: PostgresDatabase) -> AsyncIterator[None]:
    """Keep a connection for reads busy for a while."""
    begun = asyncio.Event()

    def program() -> Program[None]:
        yield Statement("SELECT 1")
        begun.set()
        yield Statement("SELECT pg_sleep(300)")

    reading = asyncio.ensure_future(database.read(program))
    await begun.wait()
    try:
        yield
    finally:
        reading.cancel()
        await asyncio.wait([reading])


async def test_more_reads_than_connections_take_turns(database: PostgresDatabase) -> None:
    rows = await asyncio.gather(
        *(database.read(lambda: run("SELECT pg_sleep(0.01)")) for _ in range(20))
    )

    assert len(rows) == 20


async def test_a_read_that_gets_no_connection_is_told_to_come_back(
    options: PostgresOptions,
) -> None:
    async with another(replace(options, connections=2, queue_timeout_ms=50)) as database:
        async with endless_read(database):
            with pytest.raises(DatabaseBusyError, match="Too many requests are waiting"):
                await count(database)
        assert await count(database) == 0


async def test_whether_anybody_has_committed_is_known_while_all_readers_are_busy(
    options: PostgresOptions,
) -> None:
    """What is cached is answered then; the question has a separate connection."""
    busy = replace(options, connections=3, queue_timeout_ms=50)
    async with another(busy) as database, endless_read(database):
        with pytest.raises(DatabaseBusyError):
            await count(database)
        before = await database.present_version()
        assert before is not None
        await database.write(run(ADD, "one"))
        assert await database.present_version() not in {before, None}


async def test_that_question_has_a_connection_of_its_own_only_when_all_readers_are_busy(
    options: PostgresOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[PostgresConnection] = []

    async def counted(options: PostgresOptions, **session: str) -> PostgresConnection:
        opened.append(await open_connection(options, **session))
        return opened[-1]

    monkeypatch.setattr(driver, "open_connection", counted)
    async with another(replace(options, connections=3)) as database:
        for _ in range(3):
            await count(database)
            await database.present_version()
        assert len(opened) == 1
        async with endless_read(database):
            await database.present_version()
        assert len(opened) == 2


async def test_lost_connections_are_replaced(
    database: PostgresDatabase, options: PostgresOptions
) -> None:
    await asyncio.gather(*(count(database) for _ in range(6)))
    await lose_connections(options)

    assert await asyncio.gather(*(count(database) for _ in range(6))) == [0] * 6


async def test_a_write_that_loses_its_connection_is_not_kept_and_may_be_tried_again(
    database: PostgresDatabase, options: PostgresOptions
) -> None:
    started = asyncio.Event()

    def slow() -> Program[None]:
        yield Statement(ADD, ("one",))
        started.set()
        yield Statement("SELECT pg_sleep(30)")

    writing = asyncio.ensure_future(database.write(slow()))
    await started.wait()
    await lose_connections(options)

    with pytest.raises(ServiceUnavailableError):
        await writing
    await database.write(run(ADD, "one"))
    assert await count(database) == 1


async def test_behind_a_pooler_every_read_is_a_transaction(options: PostgresOptions) -> None:
    own = "SELECT current_setting('transaction_read_only')"

    async with another(replace(options, pooler=True)) as database:
        await database.write(run(ADD, "one"))
        assert await count(database) == 1
        assert await database.read(lambda: run(own)) == [("on",)]
        assert await database.read(lambda: run(own), snapshot=True) == [("on",)]


async def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(DatabaseOpenError, match="cannot be reached"):
        await connect(PostgresOptions(host="127.0.0.1", port=1))


async def test_a_server_that_is_too_old_is_refused(
    options: PostgresOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = SimpleNamespace(major=OLDEST_VERSION - 1)
    monkeypatch.setattr(PostgresConnection, "get_server_version", lambda _: version)
    with pytest.raises(DatabaseOpenError, match="runs on PostgreSQL 13: Quire needs 14"):
        await PostgresTarget(options).has_tables()


OWN = """
SELECT pg_backend_pid(), current_setting('statement_timeout'), current_setting('lock_timeout')
"""


async def test_the_connection_of_the_look_before_is_kept_for_reads(
    options: PostgresOptions, database: PostgresDatabase
) -> None:
    seen: list[Rows] = []
    opened = await PostgresTarget(options).open_checked(lambda: run(OWN), seen.append)
    try:
        ((process, *settings),) = await opened.read(lambda: run(OWN))
    finally:
        await opened.close()

    assert seen == [[(process, "0", "300ms")]]
    usual = await database.read(lambda: run(OWN))
    assert settings == [*usual[0]][1:]


async def test_a_database_that_is_refused_has_no_connection_left(
    options: PostgresOptions, database: PostgresDatabase
) -> None:
    def refuse(rows: Rows) -> None:
        raise DatabaseOpenError(str(rows[0][0]))

    with pytest.raises(DatabaseOpenError) as refused:
        await PostgresTarget(options).open_checked(lambda: run(OWN), refuse)

    process = int(str(refused.value))
    open_still = "SELECT count(*) FROM pg_stat_activity WHERE pid = $1"
    while await database.read(lambda: run(open_still, process)) != [(0,)]:  # noqa: ASYNC110 - the server alone knows
        await asyncio.sleep(0.01)
