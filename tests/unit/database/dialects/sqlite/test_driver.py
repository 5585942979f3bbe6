"""The SQLite driver: snapshots, versions, slow reads, writes, locks and errors."""

import asyncio
import os
import shutil
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from socket import socketpair
from types import SimpleNamespace

import apsw
import pytest
import uvloop

from quire.database.dialects.sqlite import driver
from quire.database.dialects.sqlite.driver import SqliteDatabase
from quire.database.dialects.sqlite.file_handles import (
    SqliteOptions,
    copy_database_file,
    open_connection,
    open_error,
)
from quire.database.interface import WouldBlockError
from quire.database.program import Program, Rows, Statement
from quire.errors import (
    AppError,
    DatabaseBusyError,
    DatabaseLockedError,
    DatabaseOpenError,
    InternalServerError,
    ServiceUnavailableError,
    ValidationError,
)
from tests.library.reading import opened
from tests.unit.database.dialects.sqlite.programs import committing

MANY_STEPS = (
    "WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ?)"
    " SELECT count(*) FROM counter"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with one table: two accounts whose amounts make 100 together."""
    path = tmp_path / "data.db"
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(
            "CREATE TABLE accounts (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL)"
        )
        connection.execute("INSERT INTO accounts (amount) VALUES (60), (40)")
    return path


@pytest.fixture
async def database(path: Path) -> AsyncIterator[SqliteDatabase]:
    async with opened(path, guard_ms=60_000, busy_timeout_ms=20) as database:
        yield database


@contextmanager
def connected(path: Path) -> Iterator[apsw.Connection]:
    """Connect as another program would."""
    with closing(apsw.Connection(str(path))) as connection:
        yield connection


def amounts() -> Program[list[int]]:
    rows = yield Statement("SELECT amount FROM accounts ORDER BY id")
    return [int(row[0] or 0) for row in rows]


def insert(amount: int) -> Program[None]:
    yield Statement("INSERT INTO accounts (amount) VALUES (?)", (amount,))


def total_in_two_steps(between: Callable[[], object]) -> Callable[[], Program[int]]:
    """Read the two accounts one after the other, and do something in between."""

    def program() -> Program[int]:
        first = yield Statement("SELECT amount FROM accounts WHERE id = 1")
        between()
        second = yield Statement("SELECT amount FROM accounts WHERE id = 2")
        return int(first[0][0] or 0) + int(second[0][0] or 0)

    return program


def transfer(connection: apsw.Connection, amount: int) -> None:
    with connection:
        connection.execute("UPDATE accounts SET amount = amount - ? WHERE id = 1", (amount,))
        connection.execute("UPDATE accounts SET amount = amount + ? WHERE id = 2", (amount,))


# Reading -----------------------------------------------------------------------------------------


async def test_a_program_is_sent_the_rows_of_its_statements(database: SqliteDatabase) -> None:
    assert await database.read(amounts) == [60, 40]


async def test_values_are_bound_and_not_read_as_sql(database: SqliteDatabase) -> None:
    def program() -> Program[Rows]:
        return (yield Statement("SELECT ?, ?, ?, ?", ("'; --", 1, 1.5, None)))

    assert await database.read(program) == [("'; --", 1, 1.5, None)]


@pytest.mark.parametrize(("most", "fetched"), [(None, 2), (5, 2), (2, 2), (1, 1), (0, 0)])
async def test_no_more_rows_are_fetched_than_asked_for(
    most: int | None, fetched: int, database: SqliteDatabase
) -> None:
    def program() -> Program[int]:
        rows = yield Statement("SELECT id FROM accounts", (), most)
        return len(rows)

    assert await database.read(program) == fetched
    assert await database.write(program()) == fetched


async def test_all_statements_of_a_read_see_one_state(path: Path, database: SqliteDatabase) -> None:
    with connected(path) as other:
        read = total_in_two_steps(lambda: transfer(other, 10))
        assert await database.read(read, snapshot=True) == 100
    await asyncio.sleep(0)
    assert await database.read(amounts) == [50, 50]


async def test_a_slow_read_sees_one_state_too(path: Path) -> None:
    with connected(path) as other:
        async with opened(path, guard_ms=0) as database:

            def slow() -> Program[int]:
                yield Statement(MANY_STEPS, (100_000,))
                return (yield from total_in_two_steps(lambda: transfer(other, 10))())

            assert await database.read(slow, snapshot=True) == 100


async def test_reads_see_one_state_each_while_writers_commit(
    path: Path, database: SqliteDatabase
) -> None:
    def move() -> Program[None]:
        yield Statement("UPDATE accounts SET amount = amount - 1 WHERE id = 1")
        yield Statement("UPDATE accounts SET amount = amount + 1 WHERE id = 2")

    totals: set[int] = set()

    async def write() -> None:
        for _ in range(20):
            await database.write(move())

    async def read() -> None:
        for _ in range(50):
            totals.add(sum(await database.read(amounts)))
            await asyncio.sleep(0)

    await asyncio.gather(write(), *(read() for _ in range(3)))
    assert totals == {100}
    assert await database.read(amounts) == [40, 60]


async def test_an_error_of_a_program_is_passed_on_and_the_next_read_works(
    database: SqliteDatabase,
) -> None:
    def broken() -> Program[None]:
        yield Statement("SELECT 1")
        raise ValueError("of the program")

    with pytest.raises(ValueError, match="of the program"):
        await database.read(broken)
    assert await database.read(amounts) == [60, 40]


async def test_an_error_of_the_sql_is_an_internal_one_and_keeps_its_cause(
    database: SqliteDatabase,
) -> None:
    def broken() -> Program[Rows]:
        return (yield Statement("SELECT nope FROM accounts"))

    for read in (database.read(broken), database.write(broken())):
        with pytest.raises(InternalServerError) as raised:
            await read
        assert raised.value.message == "Internal Server Error"
        assert isinstance(raised.value.__cause__, apsw.SQLError)
    assert await database.read(amounts) == [60, 40]


async def test_a_read_cannot_write(database: SqliteDatabase) -> None:
    with pytest.raises(AppError):
        await database.read(lambda: insert(1))
    await asyncio.sleep(0)
    assert await database.read(amounts) == [60, 40]


# Versions ----------------------------------------------------------------------------------------


async def present(database: SqliteDatabase) -> int | None:
    """Return the version of the content as it is now: each round of the loop looks again."""
    await asyncio.sleep(0)
    return database.version()


async def test_the_version_stays_while_nothing_is_committed(
    path: Path, database: SqliteDatabase
) -> None:
    before = await present(database)
    await database.read(amounts)
    with connected(path) as other:
        other.execute("SELECT * FROM accounts").fetchall()
        other.execute("BEGIN IMMEDIATE; INSERT INTO accounts (amount) VALUES (1); ROLLBACK")
    assert before is not None
    assert await present(database) == before


async def test_the_version_changes_with_a_commit_of_ours(database: SqliteDatabase) -> None:
    before = await present(database)
    await database.write(insert(1))
    assert await present(database) != before


async def test_the_version_changes_with_a_commit_of_anybody(
    path: Path, database: SqliteDatabase
) -> None:
    seen = {await present(database)}
    with connected(path) as other:
        for amount in range(3):
            other.execute("INSERT INTO accounts (amount) VALUES (?)", (amount,))
            seen.add(await present(database))
    assert len(seen) == 4


async def test_what_was_committed_before_a_read_is_seen_by_it(
    path: Path, database: SqliteDatabase
) -> None:
    version = database.version()
    with connected(path) as other:
        other.execute("INSERT INTO accounts (amount) VALUES (1)")
    assert await database.read(amounts) == [60, 40, 1]
    assert database.version() != version
    assert await present(database) != version


def test_a_request_sees_what_was_committed_before_it_was_sent(path: Path) -> None:
    """Uvloop takes requests in the round in which somebody else may have looked already."""

    async def request() -> list[int]:
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[list[int]] = loop.create_future()
        client, server = socketpair()
        async with opened(path) as database:
            with connected(path) as other, client, server:

                def look_before_a_commit() -> None:
                    database.version()
                    other.execute("INSERT INTO accounts (amount) VALUES (1)")
                    client.send(b"GET")

                def response() -> None:
                    answered.set_result(database.read_now(amounts, key=None))
                    loop.remove_reader(server)

                loop.add_reader(server, response)
                loop.call_soon(look_before_a_commit)
                return await answered

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(request()) == [60, 40, 1]


async def test_a_state_is_read_at_while_nobody_commits(
    path: Path, database: SqliteDatabase
) -> None:
    version = database.version()
    assert version is not None
    assert await database.read_at(version, amounts) == [60, 40]
    assert await database.read_at(version + 1, amounts) is None
    with connected(path) as other:
        transfer(other, 10)
    assert await database.read_at(version, amounts) is None
    assert await database.read(amounts) == [50, 50]


async def test_a_commit_during_a_read_at_a_state_is_not_seen_by_it(
    path: Path, database: SqliteDatabase
) -> None:
    version = database.version()
    assert version is not None
    with connected(path) as other:
        read = total_in_two_steps(lambda: transfer(other, 10))
        assert await database.read_at(version, read) == 100
    assert await database.read_at(version, amounts) is None


async def test_what_is_costly_is_told_by_the_steps_that_it_takes(database: SqliteDatabase) -> None:
    assert not await database.is_costly(Statement(MANY_STEPS, (10,)))
    assert await database.is_costly(Statement(MANY_STEPS, (100_000,)))
    assert await database.read(amounts) == [60, 40]


async def test_what_holds_the_event_loop_is_costly_however_few_steps_it_takes(path: Path) -> None:
    async with opened(path, guard_ms=0) as database:
        assert await database.is_costly(Statement(MANY_STEPS, (1000,)))
        assert await database.read(amounts) == [60, 40]


async def test_time_that_others_have_taken_tells_nothing_of_a_cost(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine time goes by while a statement waits for the processor."""
    async with opened(path, guard_ms=0) as database:
        monkeypatch.setattr(time, "thread_time", lambda: 0.0)
        monkeypatch.setattr(database, "_guard_seconds", 1e-9)
        assert await database.is_costly(Statement(MANY_STEPS, (1000,))) is None
        assert await database.is_costly(Statement(MANY_STEPS, (1,))) is False


async def test_what_cannot_be_read_now_tells_nothing_of_a_cost(path: Path) -> None:
    async with opened(path, journal_mode="keep", busy_timeout_ms=20) as database:
        with connected(path) as other:
            other.execute("BEGIN EXCLUSIVE")
            assert await database.is_costly(Statement("SELECT id FROM accounts")) is None
        assert await database.is_costly(Statement("SELECT id FROM accounts")) is False


async def test_what_is_wrong_is_said_when_asked_what_it_costs(database: SqliteDatabase) -> None:
    with pytest.raises(InternalServerError):
        await database.is_costly(Statement("SELECT nothing FROM nowhere"))
    assert await database.read(amounts) == [60, 40]


async def test_what_is_quick_is_read_without_waiting(database: SqliteDatabase) -> None:
    version = database.version()
    assert database.read_now(amounts, key="amounts") == [60, 40]
    assert database.read_now(amounts, key="amounts", version=version) == [60, 40]


async def test_what_is_slow_is_not_read_without_waiting(path: Path) -> None:
    begun: list[None] = []

    def slow() -> Program[int]:
        begun.append(None)
        rows = yield Statement(MANY_STEPS, (100_000,))
        return int(rows[0][0] or 0)

    async with opened(path, guard_ms=0) as database:
        for _ in range(2):
            with pytest.raises(WouldBlockError):
                database.read_now(slow, key="slow")
        assert len(begun) == 1  # the second time this was known
        assert await database.read(slow, key="slow") == 100_000


async def test_a_large_schema_does_not_make_reads_slow(path: Path) -> None:
    def create_tables(connection: apsw.Connection, name: str) -> None:
        for number in range(300):
            connection.execute(f"CREATE TABLE {name}_{number} (id INTEGER PRIMARY KEY)")

    with connected(path) as other:
        create_tables(other, "first")
        async with opened(path, guard_ms=0) as database:
            assert database.read_now(amounts, key="amounts") == [60, 40]
            create_tables(other, "second")
            assert database.read_now(amounts, key="amounts") == [60, 40]


async def test_another_version_is_not_read_without_waiting(database: SqliteDatabase) -> None:
    before = database.version()
    await database.write(insert(1))
    await asyncio.sleep(0)
    with pytest.raises(WouldBlockError):
        database.read_now(amounts, key="amounts", version=before)
    assert database.read_now(amounts, key="amounts") == [60, 40, 1]


async def test_what_others_have_locked_is_not_read_without_waiting(path: Path) -> None:
    with connected(path) as other:
        async with opened(path, journal_mode="keep", busy_timeout_ms=20) as database:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(WouldBlockError):
                database.read_now(amounts, key="amounts")


async def test_what_is_wrong_is_said_without_waiting(database: SqliteDatabase) -> None:
    with pytest.raises(InternalServerError):
        database.read_now(lambda: count("nowhere"), key="count")
    assert database.read_now(amounts, key="amounts") == [60, 40]


def count(table: str) -> Program[Rows]:
    return (yield Statement(f"SELECT count(*) FROM {table}"))


@pytest.mark.parametrize("commits", [False, True])
async def test_a_slow_read_at_a_state_counts_if_nobody_has_committed_meanwhile(
    path: Path, *, commits: bool
) -> None:
    threads: list[int] = []
    with connected(path) as other:
        async with opened(path, guard_ms=0) as database:
            version = database.version()
            assert version is not None

            def slow() -> Program[int]:
                threads.append(threading.get_ident())
                yield Statement(MANY_STEPS, (100_000,))
                total = yield from total_in_two_steps(lambda: None)()
                if commits and len(threads) > 1:
                    transfer(other, 10)
                return total

            found = await database.read_at(version, slow, key="slow")
            assert found == (None if commits else 100)
            assert len(set(threads)) == 2
            # Work that was slow begins on the reader thread, if it is still worth it.
            assert await database.read_at(version, slow, key="slow") == found
            assert len(threads) == (2 if commits else 3)


@pytest.mark.parametrize("is_late", [False, True])
async def test_what_is_wrong_at_a_state_is_raised_if_it_is_that_state(
    path: Path, *, is_late: bool
) -> None:
    with connected(path) as other:
        async with opened(path, guard_ms=0) as database:
            version = database.version()
            assert version is not None

            def refusing() -> Program[bool]:
                yield Statement(MANY_STEPS, (100_000,))
                if is_late:
                    transfer(other, 10)
                raise ValidationError("no")

            if is_late:
                assert await database.read_at(version, refusing) is None
            else:
                with pytest.raises(ValidationError, match="no"):
                    await database.read_at(version, refusing)


async def test_what_another_program_has_committed_is_there_for_the_next_read(
    path: Path, database: SqliteDatabase
) -> None:
    versions = {await present(database)}
    with committing(path) as program:
        for amount in range(200):
            program.commit(amount)
            versions.add(await present(database))
            assert (await database.read(amounts))[-1] == amount
            # Readers that find nothing new in between must not hide what comes next.
            await asyncio.sleep(0)
            await database.read(amounts)
    assert len(versions) == 201


async def test_reading_and_writing_without_rest_leaves_a_short_log(
    path: Path, database: SqliteDatabase
) -> None:
    """The log can begin again only while nobody reads from it."""
    page, log = 4096, path.with_name("data.db-wal")
    pages_written, longest = 0, 0

    def write() -> Program[None]:
        yield Statement("UPDATE accounts SET amount = zeroblob(?) WHERE id = 2", (40 * page,))

    async def read() -> None:
        while pages_written < 8000:
            await database.read(first)
            await asyncio.sleep(0)

    def first() -> Program[Rows]:
        return (yield Statement("SELECT amount FROM accounts WHERE id = 1"))

    readers = [asyncio.create_task(read()) for _ in range(3)]
    while pages_written < 8000:
        await database.write(write())
        pages_written += 40
        longest = max(longest, log.stat().st_size)
    await asyncio.gather(*readers)
    assert longest < 4000 * page


# Slow reads --------------------------------------------------------------------------------------


def noting(threads: list[str], steps: Callable[[], int]) -> Callable[[], Program[int]]:
    """Make a program of so many steps that notes on which threads it runs."""

    def program() -> Program[int]:
        threads.append(threading.current_thread().name)
        rows = yield Statement(MANY_STEPS, (steps(),))
        return int(rows[0][0] or 0)

    return program


async def test_quick_reads_run_in_the_event_loop(database: SqliteDatabase) -> None:
    threads: list[str] = []
    assert await database.read(noting(threads, lambda: 10)) == 10
    assert threads == [threading.current_thread().name]


async def test_a_read_that_takes_too_long_is_run_again_on_the_reader_thread(path: Path) -> None:
    async with opened(path, guard_ms=0) as database:
        threads: list[str] = []
        read = noting(threads, lambda: 100_000)
        assert await database.read(read, key="slow") == 100_000
        assert threads[0] == threading.current_thread().name
        assert threads[1].startswith("quire-read")
        # What kind of work it was is remembered, so that it starts there the next time.
        del threads[:]
        assert await database.read(read, key="slow") == 100_000
        assert [name.partition("_")[0] for name in threads] == ["quire-read"]
        # Other work starts in the event loop, and so does work of no kind.
        del threads[:]
        await database.read(noting(threads, lambda: 1), key="quick")
        await database.read(read)
        await database.read(read)
        assert [name.partition("_")[0] for name in threads] == [
            threading.current_thread().name,
            *[threading.current_thread().name, "quire-read"] * 2,
        ]


async def test_work_that_is_quick_again_comes_back_into_the_event_loop(path: Path) -> None:
    async with opened(path, guard_ms=20) as database:
        threads: list[str] = []
        steps = [3_000_000]
        read = noting(threads, lambda: steps[0])
        await database.read(read, key="work")
        assert threads[-1].startswith("quire-read")
        steps[0] = 1
        for _ in range(100):
            await database.read(read, key="work")
            if threads[-1] == threading.current_thread().name:
                break
        assert threads[-1] == threading.current_thread().name


async def test_waiting_behind_others_makes_no_work_slow(path: Path) -> None:
    async with opened(path, guard_ms=50) as database:
        threads: list[str] = []
        steps = [5_000_000, 1]
        read = noting(threads, lambda: steps.pop(0) if len(steps) > 1 else steps[0])
        queued = asyncio.create_task(database.read(noting([], lambda: 5_000_000), key="slow"))
        await asyncio.sleep(0)
        # Stopped in the event loop, it waits for the thread; there it is quick.
        await database.read(read, key="work")
        await queued
        await database.read(read, key="work")
        assert [name.partition("_")[0] for name in threads] == [
            threading.current_thread().name,
            "quire-read",
            threading.current_thread().name,
        ]


async def test_while_a_slow_read_runs_others_are_answered(path: Path) -> None:
    async with opened(path, guard_ms=0) as database:
        slow = asyncio.create_task(database.read(noting([], lambda: 2_000_000)))
        await asyncio.sleep(0)
        assert await database.read(amounts, key="quick") == [60, 40]
        assert not slow.done()
        assert await slow == 2_000_000


async def test_no_more_slow_reads_wait_than_may(path: Path) -> None:
    """Further reads get 503; quick and waiting reads succeed."""
    async with opened(path, guard_ms=0, read_queue=2) as database:
        slow = [asyncio.create_task(database.read(noting([], lambda: 2_000_000))) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(DatabaseBusyError, match="Too many slow reads") as raised:
            await database.read(noting([], lambda: 2_000_000))
        assert raised.value.headers == {"Retry-After": "1"}
        assert await database.read(amounts, key="quick") == [60, 40]
        assert await asyncio.gather(*slow) == [2_000_000] * 2
        assert await database.read(noting([], lambda: 2_000_000)) == 2_000_000


async def test_a_slow_read_does_not_wait_for_others_for_ever(path: Path) -> None:
    gate, begun = threading.Event(), threading.Event()

    def held() -> Program[None]:
        yield Statement(MANY_STEPS, (100_000,))  # leaves the event loop
        begun.set()
        gate.wait(30)

    async with opened(path, guard_ms=0, queue_timeout_ms=300) as database:
        slow = asyncio.create_task(database.read(held))
        await asyncio.to_thread(begun.wait, 30)
        waiting = asyncio.create_task(database.read(noting([], lambda: 100_000)))
        await asyncio.sleep(0.4)
        gate.set()
        with pytest.raises(DatabaseBusyError, match="Too many slow reads"):
            await waiting
        await slow


async def test_a_read_that_never_ends_is_given_up(path: Path) -> None:
    async with opened(path, guard_ms=0, timeout_ms=1) as database:
        with pytest.raises(ServiceUnavailableError):
            await database.read(noting([], lambda: 10**9))
        assert await database.read(amounts) == [60, 40]


# Writing -----------------------------------------------------------------------------------------


async def test_what_was_written_is_there_for_every_later_read(database: SqliteDatabase) -> None:
    def program() -> Program[int]:
        rows = yield Statement("INSERT INTO accounts (amount) VALUES (7) RETURNING id")
        return int(rows[0][0] or 0)

    assert await database.write(program()) == 3
    assert await database.read(amounts) == [60, 40, 7]


async def test_writes_happen_one_after_the_other_in_their_order(database: SqliteDatabase) -> None:
    await asyncio.gather(*(database.write(insert(amount)) for amount in range(20)))
    assert await database.read(amounts) == [60, 40, *range(20)]


async def test_a_write_that_raises_leaves_nothing(database: SqliteDatabase) -> None:
    def broken() -> Program[None]:
        yield Statement("INSERT INTO accounts (amount) VALUES (1)")
        yield Statement("UPDATE accounts SET amount = 0")
        raise ValueError("of the program")

    before = await present(database)
    with pytest.raises(ValueError, match="of the program"):
        await database.write(broken())
    assert await database.read(amounts) == [60, 40]
    assert await present(database) == before


async def test_a_write_that_the_database_refuses_leaves_nothing(database: SqliteDatabase) -> None:
    def broken() -> Program[None]:
        yield Statement("INSERT INTO accounts (amount) VALUES (1)")
        yield Statement("INSERT INTO accounts (amount) VALUES (NULL)")

    with pytest.raises(AppError) as raised:
        await database.write(broken())
    assert isinstance(raised.value.__cause__, apsw.ConstraintError)
    assert await database.read(amounts) == [60, 40]
    await database.write(insert(1))
    assert await database.read(amounts) == [60, 40, 1]


# Locks -------------------------------------------------------------------------------------------


async def test_a_write_does_not_wait_for_another_writer_for_ever(
    path: Path, database: SqliteDatabase
) -> None:
    with connected(path) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseBusyError) as raised:
            await database.write(insert(1))
        assert raised.value.status == 503
        assert raised.value.headers == {"Retry-After": "1"}
        # Reading goes on meanwhile.
        assert await database.read(amounts) == [60, 40]
        other.execute("ROLLBACK")
    await database.write(insert(1))
    assert await database.read(amounts) == [60, 40, 1]


async def test_where_nobody_may_read_nothing_is_taken_from_a_cache_either(path: Path) -> None:
    """Without a write-ahead log, a writer that commits keeps all readers away."""
    async with opened(path, journal_mode="keep", busy_timeout_ms=20) as database:
        with connected(path) as other:
            other.execute("BEGIN EXCLUSIVE")
            await asyncio.sleep(0)
            with pytest.raises(ServiceUnavailableError):
                await database.read(amounts)
            assert await present(database) is None
        assert await database.read(amounts) == [60, 40]
        assert await present(database) is not None


# Opening and closing -----------------------------------------------------------------------------


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with pytest.raises(DatabaseOpenError, match="There is no database at"):
        open_connection(SqliteOptions(path=path), readonly=False)
    assert not path.exists()


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    path.write_text("text that is certainly longer than the head of a database " * 20)
    with pytest.raises(DatabaseOpenError, match="is not a SQLite database"):
        open_connection(SqliteOptions(path=path), readonly=False)


def test_a_damaged_file_is_refused(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[100:200] = b"\xff" * 100
    path.write_bytes(content)
    with pytest.raises(DatabaseOpenError, match=r"is damaged|cannot be opened"):
        open_connection(SqliteOptions(path=path), readonly=False)


async def test_a_file_that_can_only_be_read_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite opens such a file, and only refuses the first write."""

    def open_for_reading(options: SqliteOptions, **_: object) -> apsw.Connection:
        return open_connection(options, readonly=True)

    monkeypatch.setattr(driver, "open_connection", open_for_reading)
    with pytest.raises(DatabaseOpenError, match=r"data\.db cannot be written"):
        SqliteDatabase(SqliteOptions(path=path))


def test_what_keeps_a_file_from_being_opened_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = apsw.IOError("disk I/O error")
    assert "cannot be opened: disk I/O error" in str(open_error(path, error))
    elsewhere = path.parent / "missing" / "data.db"
    assert "there is no folder" in str(open_error(elsewhere, error))
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)
        assert "cannot write to the folder" in str(open_error(path, error))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    assert "no space left" in str(open_error(path, error))


def test_a_copy_that_cannot_be_made_is_named(path: Path) -> None:
    target = path.parent / "missing" / "copy.db"
    with pytest.raises(DatabaseOpenError, match=r"copy\.db cannot be opened: there is no folder"):
        copy_database_file(SqliteOptions(path=path), target)


async def test_the_journal_is_a_write_ahead_log_unless_it_is_to_be_kept(path: Path) -> None:
    def file_transaction() -> Program[object]:
        rows = yield Statement("PRAGMA journal_mode")
        return rows[0][0]

    async with opened(path, journal_mode="keep") as database:
        assert await database.read(file_transaction) == "delete"
    async with opened(path) as database:
        assert await database.read(file_transaction) == "wal"
    async with opened(path, journal_mode="keep") as database:
        assert await database.read(file_transaction) == "wal"


async def test_no_other_file_of_the_same_name_is_read_or_written(path: Path) -> None:
    def slow() -> Program[int]:
        yield Statement(MANY_STEPS, (100_000,))
        return sum((yield from amounts()))

    async with opened(path, guard_ms=0) as database:
        other = path.with_name("other.db")
        with closing(apsw.Connection(str(other))) as connection:
            connection.execute("CREATE TABLE accounts (id INTEGER PRIMARY KEY, amount INTEGER)")
        other.replace(path)
        assert not database.is_in_place()
        with pytest.raises(ServiceUnavailableError):
            await database.read(slow)
        with pytest.raises(ServiceUnavailableError):
            await database.write(insert(1))
        assert await database.read(amounts) == [60, 40]


async def test_acknowledged_writes_are_durable_and_foreign_keys_are_held(
    database: SqliteDatabase,
) -> None:
    def settings() -> Program[list[object]]:
        synchronous = yield Statement("PRAGMA synchronous")
        foreign_keys = yield Statement("PRAGMA foreign_keys")
        return [synchronous[0][0], foreign_keys[0][0]]

    assert await database.write(settings()) == [2, 1]


async def test_closing_finishes_what_is_being_written_and_folds_the_log_into_the_file(
    path: Path,
) -> None:
    async with opened(path) as database:
        writes = [asyncio.create_task(database.write(insert(amount))) for amount in range(5)]
        await asyncio.sleep(0)
    await asyncio.gather(*writes)
    assert not path.with_name("data.db-wal").exists()
    with connected(path) as other:
        assert other.execute("SELECT count(*) FROM accounts").fetchall() == [(7,)]


async def test_closing_right_after_a_look_at_the_version_leaves_nothing_behind(
    path: Path,
) -> None:
    problems: list[dict[str, object]] = []
    loop = asyncio.get_running_loop()
    handler = loop.get_exception_handler()
    loop.set_exception_handler(lambda _, context: problems.append(context))
    try:
        database = SqliteDatabase(SqliteOptions(path=path))
        database.version()
        await database.close()
        await asyncio.sleep(0)
    finally:
        loop.set_exception_handler(handler)
    assert problems == []


async def test_a_file_gets_its_log_as_soon_as_others_have_finished_writing(path: Path) -> None:
    """Whoever opens it for the first time needs it alone for a moment."""
    with connected(path) as other:
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.1, other.execute, ["COMMIT"])
        timer.start()
        database = SqliteDatabase(SqliteOptions(path=path, busy_timeout_ms=5000))
        timer.join()
        assert await database.read(amounts) == [60, 40]
        await database.close()


def test_a_file_that_others_keep_for_themselves_is_locked(path: Path) -> None:
    with connected(path) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseLockedError, match="is locked by another program"):
            SqliteDatabase(SqliteOptions(path=path, busy_timeout_ms=1))
