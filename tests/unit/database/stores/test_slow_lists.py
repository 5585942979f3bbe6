"""Slow lists are counted, stored, and an index is recommended for each."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pytest
from structlog.testing import capture_logs

from quire.database.compile.writes import Writes
from quire.database.interface import DatabaseWrapper
from quire.database.program import Program
from quire.database.stores.core_store import write_setting
from quire.database.stores.slow_lists import (
    KEY,
    SlowList,
    SlowListCount,
    SlowLists,
    add_slow_lists,
    slow_list_of,
    stored_slow_lists,
)
from quire.database.tables.indexes import advised_indexes
from quire.database.tables.metadata import build_metadata
from quire.errors import ServiceUnavailableError
from quire.query.querystring import parse_query
from quire.schema.model import Schema
from tests.databases.kind import Kind
from tests.databases.sqlite_store import SqliteStore
from tests.databases.store import Store
from tests.databases.tables import lay_tables, open_database
from tests.library.model import BOOK, PERSON, TAG, library_schema, library_tables
from tests.library.queries import resolver
from tests.unit.database.golden_plans import bound_list, plan_of
from tests.unit.database.many_books import Indexes, fill, leave

T = TypeVar("T")

BY_RATING = SlowList(uid=BOOK, status="published", sort=(("rating", True),))
NOVELS = SlowList(uid=BOOK, status="draft", equal=("kind",))
NOW = 1_700_000_000_000


@pytest.fixture
def store(open_store: Callable[[Schema], Store]) -> Store:
    return open_store(library_schema())


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("sort=rating:desc", BY_RATING),
        ("sort=rating:desc,id&pagination[page]=7", BY_RATING),
        ("sort=author.name", SlowList(uid=BOOK, status="published")),
        ("filters[kind]=novel&filters[title][$contains]=a&status=draft", NOVELS),
        ("filters[$and][0][kind][$in][0]=novel&status=draft", NOVELS),
        ("filters[$or][0][kind]=novel&filters[$or][1][rating]=1&status=draft",
         SlowList(uid=BOOK, status="draft")),
        ("_q=a", SlowList(uid=BOOK, status="published")),
    ],
)  # fmt: skip
def test_a_slow_list_is_known_by_what_an_index_is_made_of(query: str, expected: SlowList) -> None:
    assert slow_list_of(resolver(BOOK).list(parse_query(query)).plan) == expected


def test_numbers_are_added_to_those_that_are_stored(store: Store) -> None:
    writes = Writes(store.dialect)
    store.run(add_slow_lists(writes, {BY_RATING: 2, NOVELS: 1}, NOW))
    store.run(add_slow_lists(writes, {NOVELS: 4}, NOW + 1))
    assert store.run(stored_slow_lists(writes)) == [
        SlowListCount(list=NOVELS, times=5, last=NOW + 1),
        SlowListCount(list=BY_RATING, times=2, last=NOW),
    ]


def test_the_oldest_are_left_out_where_there_are_too_many(store: Store) -> None:
    writes = Writes(store.dialect)
    store.run(add_slow_lists(writes, {BY_RATING: 1}, NOW))
    many = {SlowList(uid=f"api::x.x{number}", equal=("a",)): 1 for number in range(100)}
    store.run(add_slow_lists(writes, many, NOW + 1))
    assert {one.list for one in store.run(stored_slow_lists(writes))} == many.keys()


def test_what_is_stored_otherwise_is_passed_over(store: Store) -> None:
    writes = Writes(store.dialect)
    store.run(write_setting(writes, KEY, [{"other": "form"}]))
    assert store.run(stored_slow_lists(writes)) == []


def test_lists_that_no_index_helps_are_not_counted() -> None:
    slow = SlowLists()
    slow.count(resolver(BOOK).list(parse_query("_q=a")).plan)
    assert slow.counts == {}


async def test_what_was_counted_is_stored_once(kind: Kind, tmp_path: Path) -> None:
    project = await lay_tables(kind, tmp_path, library_schema())
    database = await open_database(project)
    writes, slow = Writes(database.dialect), SlowLists()
    plan = resolver(BOOK).list(parse_query("sort=rating:desc")).plan
    try:
        for _ in range(3):
            slow.count(plan)
        news = [slow.has_news]
        for _ in range(2):
            await slow.store(database, writes, lambda: NOW)
        slow.count(plan)
        news.append(slow.has_news)
        stored = await database.read(lambda: stored_slow_lists(writes))
    finally:
        await database.close()
        kind.release(project)
    assert stored == [SlowListCount(list=BY_RATING, times=3, last=NOW)]
    assert news == [True, False]


async def test_what_was_counted_is_stored_after_a_while(kind: Kind, tmp_path: Path) -> None:
    project = await lay_tables(kind, tmp_path, library_schema())
    database = await open_database(project)
    writes, slow = Writes(database.dialect), SlowLists(pause_seconds=0.01)
    written = asyncio.Event()

    def clock() -> int:
        written.set()
        return NOW

    slow.start(database, writes, clock)
    try:
        slow.count(resolver(BOOK).list(parse_query("sort=rating:desc")).plan)
        await asyncio.wait_for(written.wait(), 30)
        # Writes happen one after the other, so this one comes after.
        await database.write(add_slow_lists(writes, {}, NOW))
        stored = await database.read(lambda: stored_slow_lists(writes))
    finally:
        await slow.stop()
        await database.close()
        kind.release(project)
    assert stored == [SlowListCount(list=BY_RATING, times=1, last=NOW)]


def advised(store: Store, *lists: SlowList) -> list[tuple[str, str]]:
    schema, tables = library_schema(), library_tables()
    metadata = build_metadata(schema, tables, store.kind.column_types)
    found = store.run(store.kind.inspector.tables())
    slow = [SlowListCount(list=one, times=1, last=NOW) for one in lists]
    ddl = store.kind.ddl
    advice = advised_indexes(slow, schema, tables, metadata, found, ddl)
    return [(one.name, one.statement.replace("`", '"').replace(" on ", " ON ")) for one in advice]


def test_an_index_of_a_slow_list_holds_its_rows_in_their_order(store: Store) -> None:
    by_age = SlowList(uid=PERSON, equal=("name",), sort=(("age", False),))
    assert dict(advised(store, BY_RATING, NOVELS, by_age)) == {
        "quire_books_locale_rating_desc_list": (
            'CREATE INDEX "quire_books_locale_rating_desc_list" ON "books"'
            ' ("locale", "rating" DESC, "id") WHERE "published_at" IS NOT NULL'
        ),
        "quire_books_locale_kind_drafts": (
            'CREATE INDEX "quire_books_locale_kind_drafts" ON "books" ("locale", "kind", "id")'
            ' WHERE "published_at" IS NULL'
        ),
        "quire_persons_name_age_list": (
            'CREATE INDEX "quire_persons_name_age_list" ON "persons" ("name", "age", "id")'
        ),
    }


def test_an_advised_index_that_is_there_is_not_advised_again(store: Store) -> None:
    ((_, statement),) = advised(store, BY_RATING)
    store.execute(statement)
    assert advised(store, BY_RATING) == []


@pytest.mark.parametrize(
    "slow",
    [
        SlowList(uid="api::gone.gone", sort=(("rating", True),)),
        SlowList(uid=BOOK, status="published", sort=(("gone", True),)),
        SlowList(uid=BOOK, status="published", sort=(("summary", False),)),
        SlowList(uid=BOOK, status="published", equal=("code",)),
        SlowList(uid=TAG, sort=(("documentId", False), ("gone", False))),
    ],
)
def test_nothing_is_advised_for_what_is_gone_or_cannot_be_indexed(
    slow: SlowList, store: Store
) -> None:
    assert advised(store, slow) == []


@pytest.mark.parametrize(
    "query", ["sort=rating:desc", "sort=rating", "filters[kind]=novel&sort=rating&status=draft"]
)
def test_sqlite_reads_a_list_in_the_order_of_its_index(query: str) -> None:
    with closing(SqliteStore()) as store:
        store.make_tables(library_schema())
        fill(store)
        leave(store, Indexes.REFERENCE)
        page = bound_list(query, store.dialect).page_statement
        assert "USE TEMP B-TREE FOR ORDER BY" in plan_of(store, page)
        resolved = resolver(BOOK).list(parse_query(query))
        ((name, statement),) = advised(store, slow_list_of(resolved.plan))
        store.execute(statement)
        (plan,) = plan_of(store, page)
    assert f"USING INDEX {name}" in plan


@pytest.mark.parametrize("error", [ServiceUnavailableError(), LookupError("unexpected")])
async def test_what_cannot_be_stored_is_logged_and_tried_again(
    kind: Kind, tmp_path: Path, error: Exception
) -> None:
    """An outage without a traceback."""
    project = await lay_tables(kind, tmp_path, library_schema())
    database = await open_database(project)
    slow = SlowLists(pause_seconds=0.01)
    attempts: asyncio.Queue[None] = asyncio.Queue()

    class DatabaseOfLostServer(DatabaseWrapper):
        async def write(self, program: Program[T]) -> T:
            program.close()
            attempts.put_nowait(None)
            raise error

    try:
        with capture_logs() as lines:
            slow.start(DatabaseOfLostServer(database), Writes(database.dialect), lambda: NOW)
            slow.count(resolver(BOOK).list(parse_query("sort=rating:desc")).plan)
            for _ in range(2):
                await asyncio.wait_for(attempts.get(), 30)
            await slow.stop()
    finally:
        await database.close()
        kind.release(project)
    assert {line["event"] for line in lines} == {"slow lists are not stored"}
    assert all(("exc_info" in line) is isinstance(error, LookupError) for line in lines)
