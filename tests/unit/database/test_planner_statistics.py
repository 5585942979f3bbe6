"""Statistics of large tables are gathered, and outdated ones detected."""

from collections.abc import Callable

import pytest

from quire.database.planner_statistics import gather_program, has_more_rows, outdated_program
from quire.database.program import Program, Statement
from quire.schema.model import Schema
from tests.databases.sqlite_store import SqliteStore
from tests.databases.store import Store
from tests.library.model import library_schema

_NUMBERS = "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < {}) "


@pytest.fixture
def store(open_store: Callable[[Schema], Store]) -> Store:
    return open_store(library_schema())


def insert(store: Store, table: str, rows: int) -> None:
    """Insert rows into a table without versions."""
    name = {"tags": "label", "persons": "name"}[table]
    store.execute(
        f"{_NUMBERS.format(rows)} INSERT INTO {table} (document_id, {name})"
        " SELECT 'd' || n, 'x' || n FROM t"
    )


def analyzed(store: Store, program: Program[None]) -> list[str]:
    """Run a program; returns the tables whose statistics it gathers."""
    found = []

    def noting() -> Program[None]:
        try:
            statement: Statement = next(program)
            while True:
                if statement.sql.startswith("ANALYZE"):
                    found.append(statement.sql.split()[1].strip('`"'))
                statement = program.send((yield statement))
        except StopIteration:
            return

    store.run(noting())
    return found


def gather(store: Store) -> list[str]:
    return analyzed(store, gather_program(store.kind.statistics, store.kind.inspector))


@pytest.mark.parametrize(("rows", "expected"), [(0, False), (3, False), (4, True), (500, True)])
def test_rows_are_counted_no_further_than_needed(
    store: Store, rows: int, *, expected: bool
) -> None:
    if rows:
        insert(store, "tags", rows)
    assert store.run(has_more_rows("tags", 3)) == expected


def test_statistics_of_large_tables_are_gathered(store: Store) -> None:
    insert(store, "tags", 1000)
    insert(store, "persons", 1001)
    assert gather(store) == ["persons"]


def test_a_small_table_is_left_without_statistics() -> None:
    """It may grow, and SQLite would take it for a small one."""
    store = SqliteStore()
    store.make_tables(library_schema())
    insert(store, "tags", 1000)
    gather(store)
    assert store.run(store.kind.statistics.row_counts()) == {}


def test_statistics_that_are_there_are_renewed() -> None:
    store = SqliteStore()
    store.make_tables(library_schema())
    insert(store, "tags", 3)
    store.execute("ANALYZE tags")
    insert(store, "tags", 5)
    assert store.run(store.kind.statistics.row_counts()) == {"tags": 3}
    assert gather(store) == ["tags"]
    assert store.run(store.kind.statistics.row_counts()) == {"tags": 8}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [(3, 997, []), (3, 998, ["tags"]), (500, 4500, []), (500, 4501, ["tags"]), (1001, 9000, [])],
)
def test_statistics_of_a_table_that_has_grown_are_outdated(
    before: int, after: int, expected: list[str]
) -> None:
    store = SqliteStore()
    store.make_tables(library_schema())
    insert(store, "tags", before)
    store.execute("ANALYZE tags")
    insert(store, "tags", after)
    assert store.run(outdated_program(store.kind.statistics)) == expected


def test_without_statistics_none_are_outdated(store: Store) -> None:
    insert(store, "tags", 1500)
    assert store.run(outdated_program(store.kind.statistics)) == []


def test_tables_of_others_may_have_any_name(store: Store) -> None:
    table = 'a "b" c'
    store.execute('CREATE TABLE "a ""b"" c" (id integer)')
    store.execute('INSERT INTO "a ""b"" c" VALUES (1), (2)')
    assert store.run(has_more_rows(table, 1))
    gather(store)
