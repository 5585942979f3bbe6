"""Query plans of reads of many books, with any indexes and statistics.

The plans of SQLite are written down. The tests after that say what matters in them, in steps of
SQLite's machine, and which plans of PostgreSQL are alike.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

import pytest

from quire.database.program import Program, Statement
from tests.databases.postgresql import Postgresql
from tests.databases.sqlite_store import SqliteStore
from tests.databases.store import Store
from tests.library.model import library_schema
from tests.unit.database.golden_plans import (
    FOLDER,
    VARIANTS,
    Variant,
    golden,
    names,
    open_variants,
    statements,
)
from tests.unit.database.many_books import Indexes, fill, leave

FIRST_PAGES = ["list", "list-of-drafts", "list-of-locales", "value"]
LOOKED_UP = ["relation", "relation-of-drafts", "relation-sorted", "file"]
"""Reads by few related rows."""
COUNTED = ["counts-of-targets", "counts-of-documents"]
"""Counts for each of few values, which an index leads to."""


@pytest.fixture(scope="module")
def stores() -> Iterator[Mapping[Variant, SqliteStore]]:
    with open_variants() as opened:
        yield opened


@pytest.mark.parametrize("name", names())
def test_plans_are_those_that_were_written_down(
    name: str, stores: Mapping[Variant, SqliteStore]
) -> None:
    assert golden(name, stores) == (FOLDER / f"{name}.txt").read_text("utf-8")


def test_every_file_is_of_a_read() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(names())


def steps(store: SqliteStore, statement: Statement) -> int:
    """Count the steps that SQLite's machine takes, in tens."""
    count = 0

    def step() -> bool:
        nonlocal count
        count += 10
        return False

    store.connection.set_progress_handler(step, 10)
    try:
        store.execute(statement.sql, statement.values)
    finally:
        store.connection.set_progress_handler(None)
    return count


@pytest.fixture(params=VARIANTS, ids=str)
def variant(request: pytest.FixtureRequest) -> Variant:
    found: Variant = request.param
    return found


@pytest.mark.parametrize("name", FIRST_PAGES)
def test_a_first_page_looks_at_few_rows(
    name: str, variant: Variant, stores: Mapping[Variant, SqliteStore]
) -> None:
    store, found = stores[variant], statements(name, stores[variant].dialect)
    assert min(steps(store, found[way]) for way in ("page", "page, walked to")) < 4000


@pytest.mark.parametrize("name", LOOKED_UP)
def test_what_few_related_rows_have_is_looked_up(
    name: str, variant: Variant, stores: Mapping[Variant, SqliteStore]
) -> None:
    store, found = stores[variant], statements(name, stores[variant].dialect)
    assert max(steps(store, found[what]) for what in ("page", "keys", "total")) < 6000


@pytest.mark.parametrize("name", COUNTED)
def test_rows_of_few_values_are_looked_up_and_counted(
    name: str, variant: Variant, stores: Mapping[Variant, SqliteStore]
) -> None:
    (counts,) = statements(name, stores[variant].dialect).values()
    assert steps(stores[variant], counts) < 6000


def test_rows_of_a_rare_locale_are_not_walked_to(
    variant: Variant, stores: Mapping[Variant, SqliteStore]
) -> None:
    store = stores[variant]
    found = statements("list-of-a-rare-locale", store.dialect)
    page, keys = steps(store, found["page"]), steps(store, found["keys"])
    # Without an index of locales, one that holds all versions is read instead of the table.
    assert keys <= page if variant.indexes is Indexes.REFERENCE else page < 2000


@pytest.mark.parametrize("indexes", [Indexes.REFERENCE, Indexes.ALL])
@pytest.mark.parametrize("statistics", [False, True])
def test_a_deep_page_is_nearer_from_the_end(
    indexes: Indexes, stores: Mapping[Variant, SqliteStore], *, statistics: bool
) -> None:
    store = stores[Variant(indexes, statistics)]
    found = statements("list-deep", store.dialect)
    assert 3 * steps(store, found["keys, from the end"]) < steps(store, found["keys"])


def test_a_value_that_an_entry_keeps_is_found_by_its_document(
    variant: Variant, stores: Mapping[Variant, SqliteStore]
) -> None:
    (asked,) = statements("unique", stores[variant].dialect).values()
    assert steps(stores[variant], asked) < 200


# PostgreSQL ----------------------------------------------------------------------------------


def nodes(store: Store, statement: Statement) -> list[str]:
    """Return the kinds of node that read tables, with the index or the table."""

    def program() -> Program[str]:
        rows = yield Statement(f"EXPLAIN (FORMAT JSON) {statement.sql}", statement.values)
        return str(rows[0][0])

    (explained,) = json.loads(store.run(program()))
    return [*_nodes(explained["Plan"])]


def _nodes(plan: Mapping[str, Any]) -> Iterator[str]:
    read = plan.get("Index Name") or plan.get("Relation Name")
    if read is not None or plan["Node Type"] == "Sort":
        yield f"{plan['Node Type']} {read}"
    for below in plan.get("Plans", ()):
        yield from _nodes(below)


@pytest.fixture
def books() -> Iterator[Store]:
    with closing(Postgresql().new_store(library_schema())) as store:
        fill(store)
        yield store


@pytest.mark.parametrize("name", LOOKED_UP)
@pytest.mark.parametrize(
    ("indexes", "statistics"),
    [(Indexes.REFERENCE, False), (Indexes.REFERENCE, True), (Indexes.ALL, True)],
)
def test_postgresql_looks_up_what_few_related_rows_have(
    name: str, indexes: Indexes, books: Store, *, statistics: bool
) -> None:
    leave(books, indexes)
    if statistics:
        books.execute("ANALYZE")
    found = statements(name, books.dialect)
    for what in ("page", "total"):
        read = nodes(books, found[what])
        assert "Seq Scan books" not in read
        assert "Seq Scan books_author_lnk" not in read


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("statistics", [False, True])
def test_postgresql_looks_up_rows_of_few_values(
    name: str, books: Store, *, statistics: bool
) -> None:
    leave(books, Indexes.REFERENCE)
    if statistics:
        books.execute("ANALYZE")
    (counts,) = statements(name, books.dialect).values()
    assert "Seq Scan books" not in nodes(books, counts)


@pytest.mark.parametrize("name", ["list", "list-of-drafts", "list-of-locales"])
@pytest.mark.parametrize("indexes", Indexes)
def test_postgresql_walks_to_what_it_takes_for_rare(
    name: str, indexes: Indexes, books: Store
) -> None:
    leave(books, indexes)
    assert nodes(books, statements(name, books.dialect)["page, walked to"]) == [
        "Index Scan books_pkey"
    ]
