"""SQLite uses the most selective index without statistics.

A large part of the entries have the same locale and status. Whoever asks for one slug must not wait
until all of them were looked at because there is an index over these two columns.
"""

import apsw
import pytest
from msgspec.structs import replace

from quire.database.compile.compiler import compile_read
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.entries.entry_tables import open_store
from quire.database.entries.lookup import is_taken
from quire.database.program import Statement
from quire.query.querystring import parse_query
from tests.library.model import BOOK, library_schema, library_tables
from tests.library.queries import resolver
from tests.library.rows import new_connection

BY_SLUG, BY_DOCUMENT = "quire_books_slug_value (slug=?", "books_documents_idx (document_id=?"


@pytest.fixture(scope="module")
def connection() -> apsw.Connection:
    return new_connection()


def first_step(connection: apsw.Connection, sql: str) -> str:
    """What SQLite does with the rows of books."""
    steps = connection.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?"))
    return next(str(text) for *_, text in steps if " t1 " in f"{text} ")


@pytest.mark.parametrize("also", ["", "&status=draft", "&locale=en&locale=fr", "&sort=title"])
@pytest.mark.parametrize(
    ("filters", "index"),
    [
        ("filters[slug]=a", BY_SLUG),
        ("filters[slug][$in]=a&filters[slug][$in]=b", BY_SLUG),
        ("filters[$and][0][slug]=a&filters[rating][$gt]=1", BY_SLUG),
        ("filters[documentId]=a", BY_DOCUMENT),
        ("filters[documentId][$in]=a&filters[documentId][$in]=b", BY_DOCUMENT),
    ],
)
def test_a_list_of_few_values_goes_by_these(
    connection: apsw.Connection, filters: str, index: str, also: str
) -> None:
    resolved = resolver(BOOK).list(parse_query(filters + also))
    read = compile_read(resolved.plan, library_schema(), library_tables(), SqliteDialect())
    assert read.count is not None
    for query in (read.page, read.count):
        assert index in first_step(connection, query.sql)


@pytest.mark.parametrize(
    "filters", ["filters[slug][$ne]=a", "filters[slug][$eqi]=a", "filters[$or][0][slug]=a"]
)
def test_a_list_of_any_values_goes_by_locale_and_status(
    connection: apsw.Connection, filters: str
) -> None:
    other = "&filters[$or][1][title]=b" if "$or" in filters else ""
    resolved = resolver(BOOK).list(parse_query(filters + other))
    read = compile_read(resolved.plan, library_schema(), library_tables(), SqliteDialect())
    assert "quire_books_published (locale=?)" in first_step(connection, read.page.sql)


def test_versions_in_a_missing_locale_are_looked_up_by_document(
    connection: apsw.Connection,
) -> None:
    plan = resolver(BOOK).list(parse_query("sort=title")).plan
    plan = replace(plan, root=replace(plan.root, missing_locale=0))
    read = compile_read(plan, library_schema(), library_tables(), SqliteDialect())
    assert read.count is not None
    for query in (read.page, read.count):
        plans = connection.execute(f"EXPLAIN QUERY PLAN {query.sql}", [None] * query.sql.count("?"))
        looked_up = [str(text) for *_, text in plans if "books_documents_idx" in str(text)]
        assert ["document_id=? AND locale=?" in text for text in looked_up] == [True]


@pytest.mark.parametrize("locale", [None, "en"])
@pytest.mark.parametrize("besides", [None, "abc"])
def test_whether_a_value_is_taken_is_looked_up_by_the_value(
    connection: apsw.Connection, besides: str | None, locale: str | None
) -> None:
    store = open_store(library_schema(), library_tables(), SqliteDialect())
    asked = next(is_taken(store, BOOK, (), "slug", "a", except_document_id=besides, locale=locale))
    assert isinstance(asked, Statement)
    assert BY_SLUG in first_step(connection, asked.sql)
