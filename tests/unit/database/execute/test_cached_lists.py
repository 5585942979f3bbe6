"""Repeated lists return the same rows until the rows change.

The few rows there are here are taken for costly to find, but where a test says otherwise.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from quire.access.ability import Ability, Granted
from quire.database.execute.cached_lists import StatementCosts
from quire.database.execute.json_encoding import ResponseBudget
from quire.database.execute.prepared_read import bind_read
from quire.database.execute.reader import ListFacts, read_program
from quire.database.interface import Database, WouldBlockError, run_now
from quire.database.program import Program, Statement
from quire.database.stores.slow_lists import SlowList
from quire.document_service.read_service import ReadService
from quire.errors import ValidationError
from quire.query.resolve.scope import ReadLimits
from tests.databases.kind import Kind
from tests.databases.kinds import rows_of
from tests.databases.tables import lay_tables, open_database
from tests.library.model import BOOK, EVERYTHING, NOTE, PERSON, TAG, library_schema
from tests.library.queries import resolve
from tests.library.reading import reader
from tests.library.rows import LibraryRows
from tests.library.shelf import fill_shelf
from tests.library.statements import StatementLog, log_statements
from tests.postgresql.commits import Commits
from tests.unit.database.compiling import compiled

BOOKS = 6
TAGS = 103
TOP_RATED = Granted(
    frozenset({f"{BOOK}.find", f"{PERSON}.find"}), frozenset({(f"{BOOK}.find", '{"rating":2}')})
)
"""May see the books that are rated 2, whichever these are."""

LISTS = [
    ("sort=title:desc", BOOK, EVERYTHING),
    ("sort=rating,title:desc&pagination[page]=2&pagination[pageSize]=2", BOOK, EVERYTHING),
    ("sort=author.name:desc&populate=author,tags", BOOK, EVERYTHING),
    ("filters[rating][$lt]=2&fields=rating", BOOK, EVERYTHING),
    ("filters[author][age][$gt]=3&sort=title:desc&populate=*", BOOK, EVERYTHING),
    ("_q=book&sort=title:desc", BOOK, EVERYTHING),
    ("_q=nothing", BOOK, EVERYTHING),
    ("publicationFilter=unmodified&sort=title:desc", BOOK, EVERYTHING),
    ("status=draft&sort=title:desc", BOOK, EVERYTHING),
    ("locale=*&sort=title:desc", BOOK, EVERYTHING),
    ("locale=fr&sort=title:desc&pagination[withCount]=false", BOOK, EVERYTHING),
    ("sort=title:desc", BOOK, TOP_RATED),
    ("populate[books][sort]=title:desc&sort=name:desc&pagination[limit]=3", PERSON, EVERYTHING),
    ("sort=text:desc&populate=about", NOTE, EVERYTHING),
    ("pagination[start]=100&pagination[limit]=3", TAG, EVERYTHING),
]

_NUMBERED = "INSERT INTO tags (document_id, label, created_at) SELECT {}, {}, {} FROM "
MANY_TAGS = {
    "sqlite": "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 20000) "
    + _NUMBERED.format("'many' || n", "hex(randomblob(20))", "1600000000000 + n")
    + "t",
    "postgres": _NUMBERED.format("'many' || n", "md5(n::text)", "now() + n * interval '1 second'")
    + "generate_series(1, 20000) AS n",
}
"""Inserts more tags than a database sorts in no time."""

Answer = tuple[list[dict[str, Any]], int | None]


@dataclass(slots=True)
class Shelf:
    """A database of books, and the lists that were asked of it."""

    project: Path
    database: Database
    reader: ReadService
    log: StatementLog
    commits: Commits

    async def version(self) -> int:
        """The token of the present content."""
        version = self.database.version()
        if version is None:
            version = await self.database.present_version()
        assert version is not None
        return version

    async def ask(
        self,
        query: str,
        uid: str = BOOK,
        ability: Ability = EVERYTHING,
        *,
        version: int | None = None,
        by: ReadService | None = None,
    ) -> tuple[Answer, int]:
        """Read a list; returns it and how many statements it took."""
        asked = by or self.reader
        prepared = asked.prepare_small(
            asked.schema.content_types[uid], "list", query.encode(), ability
        )
        present = await self.version() if version is None else version
        before = len(self.log.statements)
        items, total = await asked.rows(prepared, present)
        return (json.loads(msgspec.json.encode(items)), total), len(self.log.since(before))

    async def write(self, sql: str) -> None:
        """Change rows through the database that is read from."""

        def program() -> Program[None]:
            yield Statement(sql)

        await self.database.write(program())
        self.commits.count += 1

    async def write_elsewhere(self, sql: str) -> None:
        """Change rows as another program does, and let the event loop go on to its next round."""
        with rows_of(self.project) as rows:
            rows.execute(sql)
        self.commits.count += 1
        await asyncio.sleep(0)


async def always(database: Database, statement: Statement) -> bool:
    """Take every statement for costly."""
    assert database.dialect.name
    assert statement.sql
    return True


def thorough(database: Database, **options: Any) -> ReadService:  # noqa: ANN401 - those of `reader`
    """Return a reader to whom every page that may be costly is."""
    return reader(database, costs=StatementCosts(always), **options)


@asynccontextmanager
async def opened(kind: Kind, folder: Path) -> AsyncIterator[Shelf]:
    project = await lay_tables(kind, folder, library_schema())
    store = kind.store_of(project)
    rows = LibraryRows(store)
    fill_shelf(rows, BOOKS)
    for number in range(TAGS):
        rows.add(TAG, label=f"tag {number}")
    store.close()
    with log_statements() as log:
        database = await open_database(project, slow_query_ms=60_000)
        commits = Commits()
        commits.tell(database)
        yield Shelf(project, database, thorough(database), log, commits)
        await database.close()
    kind.release(project)


@pytest.fixture(scope="module")
async def shelf(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shelf]:
    """A shelf that nobody changes."""
    async with opened(kind, tmp_path_factory.mktemp("shelf")) as shelf:
        yield shelf


@pytest.fixture
async def own_shelf(kind: Kind, tmp_path: Path) -> AsyncIterator[Shelf]:
    async with opened(kind, tmp_path) as shelf:
        yield shelf


def titles(response: Answer) -> list[str]:
    return [str(book["title"]) for book in response[0]]


async def page_of_titles(shelf: Shelf, query: str = "sort=title:desc") -> list[str]:
    response, _ = await shelf.ask(query)
    return titles(response)


@pytest.mark.parametrize(("query", "uid", "ability"), LISTS)
async def test_a_list_is_the_same_whether_it_is_remembered_or_not(
    query: str, uid: str, ability: Ability, shelf: Shelf
) -> None:
    anew = thorough(shelf.database, count_cache=0, page_cache=0)
    expected, statements = await shelf.ask(query, uid, ability, by=anew)
    assert await shelf.ask(query, uid, ability, by=anew) == (expected, statements)

    remembering = thorough(shelf.database)
    assert await shelf.ask(query, uid, ability, by=remembering) == (expected, statements)
    # A page that is not full is the last one, so that nothing has to be counted.
    counted = expected[1] is not None and "pagination" in query
    again, fewer = await shelf.ask(query, uid, ability, by=remembering)
    assert again == expected
    assert json.dumps(again) == json.dumps(expected)
    assert fewer == statements - 1 - counted


@pytest.mark.whatever_the_database("PostgreSQL has to be waited for, always")
@pytest.mark.parametrize(("query", "uid", "ability"), LISTS)
async def test_a_list_is_the_same_whether_it_is_waited_for_or_not(
    query: str, uid: str, ability: Ability, shelf: Shelf
) -> None:
    asked = thorough(shelf.database)
    content_type = asked.schema.content_types[uid]
    prepared = run_now(asked.prepare(content_type, "list", query.encode(), ability, may_wait=False))
    expected = await asked.encoded_rows(prepared, await shelf.version())
    for _ in range(2):
        version = await shelf.version()
        at_once = run_now(asked.encoded_rows(prepared, version, may_wait=False))
        assert at_once == expected
    without_estimate = thorough(shelf.database)
    with pytest.raises(WouldBlockError):
        run_now(without_estimate.encoded_rows(prepared, version, may_wait=False))


@pytest.mark.parametrize("page", range(1, 4))
async def test_rows_come_in_the_order_that_was_asked_for(page: int, shelf: Shelf) -> None:
    query = f"sort=title:desc&pagination[page]={page}&pagination[pageSize]=2"
    expected = [f"book {number}" for number in range(BOOKS, 0, -1)][2 * page - 2 : 2 * page]
    assert [await page_of_titles(shelf, query) for _ in range(2)] == [expected] * 2


@pytest.mark.parametrize(
    "sort", ["title", "rating", "rating:desc", "price:desc,title", "author.name:desc", "id:desc"]
)
async def test_pages_near_the_end_are_those_of_the_list(sort: str, shelf: Shelf) -> None:
    """They are found from the end, whatever places equal values and nulls have."""
    (whole, total), _ = await shelf.ask(f"sort={sort}&locale=*")
    assert total == len(whole)
    for size in (1, 2, 5):
        pages = []
        for start in range(0, len(whole) + size, size):
            query = f"sort={sort}&locale=*&pagination[start]={start}&pagination[limit]={size}"
            anew = thorough(shelf.database, page_cache=0)
            (page, counted), _ = await shelf.ask(query, by=anew)
            assert counted == total
            pages += page
            assert (await shelf.ask(query, by=anew))[0] == (page, total)
        assert pages == whole


async def test_a_page_near_the_end_follows_what_is_written(own_shelf: Shelf) -> None:
    """Its rows are not found by a total of another state."""
    query = "sort=title&pagination[start]=4&pagination[limit]=2"
    version = await own_shelf.version()
    assert titles((await own_shelf.ask(query))[0]) == ["book 5", "book 6"]
    other = "sort=title:desc&pagination[start]=4&pagination[limit]=2"

    await own_shelf.write_elsewhere("DELETE FROM books WHERE title = 'book 1'")

    for _ in range(2):
        response, _ = await own_shelf.ask(other, version=version)
        assert titles(response) == ["book 2"]
    response, _ = await own_shelf.ask(other)
    assert (titles(response), response[1]) == (["book 2"], 5)


async def test_a_first_page_in_the_order_of_ids_takes_one_statement(shelf: Shelf) -> None:
    anew = reader(shelf.database, count_cache=0)
    query = "pagination[withCount]=false"
    assert [(await shelf.ask(query, by=anew))[1] for _ in range(2)] == [1, 1]


async def test_a_page_in_the_order_of_ids_is_walked_to_where_an_index_has_to_sort(
    shelf: Shelf,
) -> None:
    walked = {"sqlite": "(+ (t1.locale", "postgres": "CASE WHEN (t1.locale"}
    mark = walked[shelf.database.dialect.name]

    async def sorted_by_index(database: Database, statement: Statement) -> bool:
        del database
        return mark not in statement.sql

    asked = reader(shelf.database, costs=StatementCosts(sorted_by_index), count_cache=0)
    for query in ("", "filters[rating][$gt]=0", "sort=id:desc"):
        (expected, _), _ = await shelf.ask(query)
        before = len(shelf.log.statements)
        (found, _), took = await shelf.ask(f"{query}&pagination[withCount]=false", by=asked)
        assert (found, took) == (expected, 1)
        assert mark in shelf.log.since(before)[0]


async def test_pages_that_are_looked_for_among_many_rows_are_counted(shelf: Shelf) -> None:
    asked = thorough(shelf.database)
    for query in ("sort=title:desc", "sort=title:desc", "sort=title:desc&fields=rating", "_q=a"):
        await shelf.ask(query, by=asked)
    by_title = SlowList(uid=BOOK, status="published", sort=(("title", True),))
    assert asked.lists.slow_lists.counts == {by_title: 1}

    quick = reader(shelf.database)
    await shelf.ask("sort=title:desc", by=quick)
    assert quick.lists.slow_lists.counts == {}


async def test_what_costs_little_is_read_at_once(shelf: Shelf) -> None:
    asked = reader(shelf.database, count_cache=0)
    query = "sort=title:desc&pagination[withCount]=false"
    assert [(await shelf.ask(query, by=asked))[1] for _ in range(2)] == [1, 1]


async def test_what_costs_much_is_told_from_what_costs_little(own_shelf: Shelf) -> None:
    """The database knows: it has to sort all rows, or has an index that has them in order."""
    await own_shelf.write(MANY_TAGS[own_shelf.database.dialect.name])
    await own_shelf.write("CREATE INDEX tags_created ON tags (created_at, id)")
    await own_shelf.write("ANALYZE tags")
    asked = reader(own_shelf.database)
    deep = "sort=createdAt&pagination[start]={}&pagination[limit]=3"
    took = {
        query: [(await own_shelf.ask(query, TAG, by=asked))[1] for _ in range(2)]
        for query in ("sort=label", "sort=createdAt", deep.format(200), deep.format(15_000))
    }
    # The page or the two steps of it, and the total the first time.
    assert took == {
        "sort=label": [3, 1],
        "sort=createdAt": [1, 1],
        deep.format(200): [1, 1],
        deep.format(15_000): [2, 1],
    }


async def test_pages_are_shared_by_what_shows_them_otherwise(shelf: Shelf) -> None:
    query = "sort=rating,title"
    anew = thorough(shelf.database)
    assert (await shelf.ask(query, by=anew))[1] == 2
    assert (await shelf.ask(f"{query}&fields=title", by=anew))[1] == 1
    assert (await shelf.ask(f"{query}&populate=author", by=anew))[1] == 2


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
async def test_what_is_written_is_shown_at_once(own_shelf: Shelf, *, elsewhere: bool) -> None:
    expected = [f"book {number}" for number in range(BOOKS, 0, -1)]
    assert [await page_of_titles(own_shelf) for _ in range(2)] == [expected] * 2

    renamed = "UPDATE books SET title = 'zebra' WHERE title = 'book 1'"
    if elsewhere:
        await own_shelf.write_elsewhere(renamed)
    else:
        await own_shelf.write(renamed)

    response, statements = await own_shelf.ask("sort=title:desc")
    assert (titles(response), statements) == (["zebra", *expected[:-1]], 2)
    again, fewer = await own_shelf.ask("sort=title:desc")
    assert (again, fewer) == (response, 1)


@pytest.mark.parametrize("known", [False, True], ids=["unknown", "known"])
async def test_a_row_that_a_rule_no_longer_lets_through_is_not_shown(
    own_shelf: Shelf, *, known: bool
) -> None:
    """Also not with a token of the content before the change."""
    query = "sort=title:desc"
    version = await own_shelf.version()
    if known:
        seen = [await own_shelf.ask(query, ability=TOP_RATED) for _ in range(2)]
        assert [titles(response) for response, _ in seen] == [["book 5", "book 2"]] * 2

    await own_shelf.write_elsewhere("UPDATE books SET rating = 1 WHERE title = 'book 5'")

    for _ in range(2):
        response, _ = await own_shelf.ask(query, ability=TOP_RATED, version=version)
        assert titles(response) == ["book 2"]
    response, _ = await own_shelf.ask(query, ability=TOP_RATED)
    assert (titles(response), response[1]) == (["book 2"], 1)


async def test_what_was_found_late_is_not_gone_by_either(own_shelf: Shelf) -> None:
    """Keys that were found after a commit are kept under the token of before, for nobody."""
    query = "sort=title:desc"
    version = await own_shelf.version()
    await own_shelf.write_elsewhere("UPDATE books SET rating = 1 WHERE title = 'book 5'")
    response, _ = await own_shelf.ask(query, ability=TOP_RATED, version=version)
    assert titles(response) == ["book 2"]

    await own_shelf.write_elsewhere("UPDATE books SET rating = 1 WHERE title = 'book 2'")
    response, _ = await own_shelf.ask(query, ability=TOP_RATED, version=version)
    assert titles(response) == []


async def test_a_total_that_is_not_remembered_is_counted_again_when_a_read_is_begun_again(
    own_shelf: Shelf,
) -> None:
    """Keys are known and the total is not, when somebody commits: both are of one state."""
    query = "filters[rating]=2&sort=title:desc"
    version = await own_shelf.version()
    await own_shelf.ask(f"{query}&pagination[withCount]=false")
    await own_shelf.write_elsewhere("UPDATE books SET rating = 1 WHERE title = 'book 5'")
    response, _ = await own_shelf.ask(query, version=version)
    assert (titles(response), response[1]) == (["book 2"], 1)


@pytest.mark.parametrize(("pages", "statements"), [(0, [2, 2, 2]), (1, [2, 1, 1])])
async def test_so_many_pages_are_remembered(
    pages: int, statements: list[int], shelf: Shelf
) -> None:
    anew = thorough(shelf.database, page_cache=pages)
    queries = [f"sort=title&pagination[withCount]=false&pagination[page]={n}" for n in (1, 2)]
    asked = [await shelf.ask(queries[0], by=anew) for _ in range(3)]
    assert [took for _, took in asked] == statements
    await shelf.ask(queries[1], by=anew)
    assert (await shelf.ask(queries[0], by=anew))[1] == 2
    assert [response for response, _ in asked] == [asked[0][0]] * 3


@pytest.mark.parametrize(("most", "is_refused"), [(BOOKS, False), (BOOKS - 1, True)])
async def test_rows_are_bounded_and_their_keys_do_not_count(
    most: int, shelf: Shelf, *, is_refused: bool
) -> None:
    bounded = thorough(shelf.database, limits=ReadLimits(rows=most, default_limit=100))
    for _ in range(2):
        if is_refused:
            with pytest.raises(ValidationError, match=f"more than {most} rows"):
                await shelf.ask("sort=title", by=bounded)
        else:
            response, _ = await shelf.ask("sort=title", by=bounded)
            assert len(response[0]) == BOOKS


async def test_what_is_populated_is_bounded_where_the_page_is_remembered_too(shelf: Shelf) -> None:
    bounded = thorough(shelf.database, limits=ReadLimits(rows=BOOKS + 1))
    await shelf.ask("sort=title", by=bounded)
    for _ in range(2):
        with pytest.raises(ValidationError, match=f"more than {BOOKS + 1} rows"):
            await shelf.ask("sort=title&populate=tags", by=bounded)


def test_a_row_that_is_gone_is_left_out() -> None:
    """Between two statements of one state none goes; who lets them run apart sees no error."""
    resolved = resolve("sort=title&fields=title&pagination[withCount]=false")
    read = bind_read(compiled(resolved.plan), resolved, ReadLimits(rows=100))
    facts = ListFacts(strategy="by keys")
    program = read_program(read, facts, ResponseBudget(100))
    next(program)
    program.send([(3,), (1,), (2,)])
    with pytest.raises(StopIteration) as done:
        program.send([(1, "a", "one"), (3, "c", "three")])
    items, total = done.value.value
    shown = json.loads(msgspec.json.encode(items))
    assert [item["title"] for item in shown] == ["three", "one"]
    assert total is None
    assert (facts.total, facts.keys) == (None, (3, 1, 2))
