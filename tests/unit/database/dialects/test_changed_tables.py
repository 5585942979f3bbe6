"""Tables that differ between two content versions, as far as this process knows.

On a PostgreSQL server that others use as well, their commits make everything count as changed at
any time. So what has to be known is tried until nobody else has committed meanwhile.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from pathlib import Path

import pytest

from quire.database.interface import Database
from quire.database.program import Program, Statement
from quire.database.settings_target import target_of
from quire.database.versioned_cache import VersionedCache
from quire.settings import load_settings
from tests.databases.kind import Kind, Rows, opened
from tests.databases.tables import open_database

_TRIES = 100
NAMES = frozenset({"books", "authors", "links", "notes", "history", "shops"})
TABLES = (
    "CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT)",
    "CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT)",
    """
    CREATE TABLE links (
        id INTEGER PRIMARY KEY, book_id INTEGER,
        FOREIGN KEY (book_id) REFERENCES books (id) ON DELETE CASCADE
    )
    """,
    """
    CREATE TABLE notes (
        id INTEGER PRIMARY KEY, author_id INTEGER,
        FOREIGN KEY (author_id) REFERENCES authors (id) ON DELETE SET NULL
    )
    """,
    "CREATE TABLE history (id INTEGER)",
    'CREATE TABLE "Shops" (id INTEGER, name TEXT)',
)
"""Tables with foreign keys as those of content have them."""
ROWS = (
    "INSERT INTO books (id) VALUES (1) ON CONFLICT DO NOTHING",
    "INSERT INTO links (id, book_id) VALUES (1, 1) ON CONFLICT DO NOTHING",
    "INSERT INTO authors (id) VALUES (1) ON CONFLICT DO NOTHING",
    "INSERT INTO notes (id) VALUES (1) ON CONFLICT DO NOTHING",
    "UPDATE notes SET author_id = 1",
)
"""A row in each table that others refer to."""
TRIGGERS: Mapping[str, tuple[str, ...]] = {
    "sqlite": (
        'CREATE TRIGGER noting AFTER INSERT ON "Shops" BEGIN INSERT INTO history VALUES (1); END',
    ),
    "postgresql": (
        """
        CREATE FUNCTION noting() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO history VALUES (1); RETURN NEW; END'
        """,
        'CREATE TRIGGER noting AFTER INSERT ON "Shops" EXECUTE FUNCTION noting()',
    ),
}
OPEN_SHOP = 'INSERT INTO "Shops" (id) VALUES (1)'


def run(*statements: str) -> Program[None]:
    for sql in statements:
        yield Statement(sql)


@pytest.fixture
async def project(kind: Kind, tmp_path: Path) -> AsyncIterator[Path]:
    """A project whose database has these tables alone, with a row in each but the last two."""
    kind.settle(tmp_path)
    async with target_of(load_settings(tmp_path, environ={})).new() as database:
        await database.write(run(*TABLES))
        await database.write(run(*ROWS))
    yield tmp_path
    kind.release(tmp_path)


@pytest.fixture
def rows(kind: Kind, project: Path) -> Iterator[Rows]:
    """Another program with the same database."""
    with opened(kind, project) as rows:
        yield rows


@pytest.fixture
async def database(project: Path) -> AsyncIterator[Database]:
    database = await open_database(project)
    yield database
    await database.close()


async def changed_by(database: Database, action: Callable[[], Awaitable[object]]) -> frozenset[str]:
    """Return the tables that count as changed after an action."""
    before = await database.present_version()
    await action()
    after = await database.present_version()
    assert before is not None
    assert after is not None
    equal = database.versions.are_equal
    assert before == after or not equal(before, after, None)
    return frozenset(name for name in NAMES if not equal(before, after, frozenset({name})))


async def written_by(database: Database, *statements: str) -> frozenset[str]:
    """Return the tables that are known to be all that changes by a transaction."""
    found = NAMES
    for _ in range(_TRIES):
        # A former try may have deleted them, and what deletes nothing changes nothing.
        await database.write(run(*ROWS))
        found = await changed_by(database, lambda: database.write(run(*statements)))
        if found != NAMES:
            break
    return found


@pytest.mark.parametrize(
    ("statements", "written"),
    [
        (["INSERT INTO history (id) VALUES ((SELECT max(id) FROM authors))"], {"history"}),
        (["UPDATE books SET title = 'a' WHERE id IN (SELECT book_id FROM links)"], {"books"}),
        (["DELETE FROM books WHERE id = 1"], {"books", "links"}),
        (["DELETE FROM authors WHERE id = 1"], {"authors", "notes"}),
        (["UPDATE books SET title = 'b'", "UPDATE notes SET id = id"], {"books", "notes"}),
        ([OPEN_SHOP], {"shops"}),
        (["WITH x AS (SELECT 1 AS one) INSERT INTO history SELECT one FROM x"], {"history"}),
        (["SELECT id FROM books"], set()),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
async def test_a_commit_changes_the_tables_that_it_has_written_and_no_others(
    database: Database, statements: list[str], written: set[str]
) -> None:
    assert await written_by(database, *statements) == written


async def test_a_transaction_that_fails_changes_nothing(database: Database) -> None:
    async def fail() -> None:
        with pytest.raises(ZeroDivisionError):
            await database.write(failing())

    def failing() -> Program[None]:
        yield Statement("UPDATE books SET title = 'a'")
        raise ZeroDivisionError

    await fail()
    # PostgreSQL cannot tell it from one that somebody else has committed.
    assert await changed_by(database, fail) in {frozenset(), NAMES}
    assert await written_by(database, "UPDATE notes SET id = id") == {"notes"}


async def test_what_a_trigger_writes_counts_as_changed(
    kind: Kind, database: Database, rows: Rows
) -> None:
    for _ in range(3):  # the statement is prepared by now
        assert await written_by(database, OPEN_SHOP) == {"shops"}
    for sql in TRIGGERS[kind.name]:
        rows.execute(sql)
    assert await written_by(database, OPEN_SHOP) == {"shops", "history"}
    assert await written_by(database, OPEN_SHOP) == {"shops", "history"}


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE others (id INTEGER)",
        "CREATE INDEX titles ON books (title)",
        "DROP TABLE history",
        "ALTER TABLE books ADD COLUMN pages INTEGER",
        "ALTER TABLE books RENAME TO volumes",
    ],
)
async def test_a_change_of_tables_counts_as_a_change_of_everything(
    database: Database, statement: str
) -> None:
    assert await changed_by(database, lambda: database.write(run(statement))) == NAMES


async def test_whatever_another_program_commits_counts_as_a_change_of_everything(
    database: Database, rows: Rows
) -> None:
    async def commit() -> None:
        rows.execute("UPDATE books SET title = coalesce(title, '') || 'a'")

    async def commit_between() -> None:
        await database.write(run(OPEN_SHOP))
        await commit()
        await database.write(run(OPEN_SHOP))

    async def commit_first() -> None:
        await commit()
        await database.write(run(OPEN_SHOP))

    for action in (commit, commit_between, commit_first):
        assert await changed_by(database, action) == NAMES
        assert await written_by(database, OPEN_SHOP) == {"shops"}


async def test_several_commits_of_this_process_change_what_all_of_them_have_written(
    database: Database,
) -> None:
    async def write() -> None:
        for table in ("books", "notes", "books"):
            await database.write(run(f"UPDATE {table} SET id = id"))

    found = NAMES
    for _ in range(_TRIES):
        found = await changed_by(database, write)
        if found != NAMES:
            break
    assert found == {"books", "notes"}


class Counting:
    """Two tables with a row each, in which commits are counted up; the numbers are cached."""

    def __init__(self, database: Database, rows: Rows) -> None:
        self.database = database
        self.rows = rows
        self.acknowledged = {"history": 0, "shops": 0}
        self.hits = 0
        self._cache: VersionedCache[str, int] = VersionedCache(database.versions, 10)
        for name in self.acknowledged:
            rows.execute(f"INSERT INTO {named(name)} (id) VALUES (0)")

    async def look(self, name: str) -> None:
        """Look at a number in the cache, which must be that of the version or a later one."""
        acknowledged, database = self.acknowledged[name], self.database
        version = await database.present_version()
        assert version is not None
        cached = self._cache.get(name, version)
        if cached is None:
            read = await database.read(lambda: self._count(name))
            self._cache.keep(name, version, read, frozenset({name}))
            return
        shown = await database.read_at(version, lambda: self._count(name))
        assert cached >= max(shown or 0, acknowledged)
        self.hits += 1

    async def write(self, name: str, times: int) -> None:
        for _ in range(times):
            await self.database.write(run(count_up(name)))
            self.acknowledged[name] += 1

    async def write_elsewhere(self, name: str, times: int) -> None:
        for _ in range(times):
            await asyncio.to_thread(self.rows.execute, count_up(name))
            self.acknowledged[name] += 1
            await asyncio.sleep(0.02)

    def _count(self, name: str) -> Program[int]:
        ((number,),) = yield Statement(f"SELECT id FROM {named(name)}")
        return int(number or 0)


def named(name: str) -> str:
    return '"Shops"' if name == "shops" else name


def count_up(name: str) -> str:
    return f"UPDATE {named(name)} SET id = id + 1"


async def test_nothing_that_is_cached_is_older_than_what_was_acknowledged(
    database: Database, rows: Rows
) -> None:
    """This process and another program write at the same time, while others look."""
    counting = Counting(database, rows)
    writing = asyncio.gather(
        counting.write("history", 100),
        counting.write("shops", 20),
        counting.write_elsewhere("shops", 10),
    )
    while not writing.done():
        await asyncio.gather(*(counting.look(n) for n in counting.acknowledged for _ in range(3)))
        await asyncio.sleep(0)
    await writing
    assert counting.hits
