"""Pages that may be read by their keys, or by walking through the table."""

import pytest

from quire.database.execute.prepared_read import PreparedRead, bind_read
from quire.query.querystring import parse_query
from quire.query.resolve import ResolvedRead
from quire.query.resolve.scope import ReadLimits
from quire.schema.model import USER_UID
from tests.library.model import BOOK, HOMEPAGE, TAG
from tests.library.queries import resolver
from tests.unit.database.compiling import compiled

IN_ORDER = [
    "",
    "sort=id",
    "sort=id:desc,title",
    "locale=*",
    "status=draft",
    "populate=author",
    "pagination[start]=99",
    "pagination[limit]=100",
]
LOOKED_UP = [
    "filters[id]=1",
    "filters[id][$in][0]=1&sort=title",
    "filters[documentId]=abc&filters[title]=a",
    "filters[documentId][$in][0]=abc&_q=a",
    "filters[slug]=a&sort=title",
]
COSTLY = [
    "sort=title",
    "sort=documentId",
    "sort=author.id",
    "sort=title,id",
    "_q=a",
    "publicationFilter=modified",
    "filters[title]=a",
    "filters[id][$gt]=1",
    "filters[id][$ne]=1",
    "filters[slug][$ne]=a",
    "filters[slug][$contains]=a",
    "filters[slug][$eqi]=a",
    "filters[author][id]=1",
    "filters[$or][0][id]=1&filters[$or][1][title]=a",
    "filters[$not][id]=1",
]


def bound(resolved: ResolvedRead) -> PreparedRead:
    return bind_read(compiled(resolved.plan), resolved, ReadLimits(rows=1000))


def may_be_costly(resolved: ResolvedRead) -> bool:
    return bound(resolved).pages is not None


@pytest.mark.parametrize("query", LOOKED_UP)
def test_what_is_found_at_once_is_not_costly(query: str) -> None:
    assert not may_be_costly(resolver(BOOK).list(parse_query(query)))


@pytest.mark.parametrize("query", IN_ORDER)
def test_what_comes_in_the_order_of_ids_can_be_walked_to(query: str) -> None:
    assert bound(resolver(BOOK).list(parse_query(query))).id_scan is not None


@pytest.mark.parametrize("rows", [3, 25, 100])
def test_how_many_rows_a_page_has_makes_it_no_costly_one(rows: int) -> None:
    found = bound(resolver(BOOK).list(parse_query(f"pagination[limit]={rows}")))
    assert found.id_scan is not None
    for probe in (found.probe, found.id_scan.probe):
        assert [*probe.values] == ["en", min(rows, 25), 0]


@pytest.mark.parametrize("query", ["", "sort=id:desc", "pagination[start]=99"])
def test_rows_without_versions_are_found_at_once_in_the_order_of_ids(query: str) -> None:
    assert not may_be_costly(resolver(TAG).list(parse_query(query)))


@pytest.mark.parametrize("query", COSTLY)
def test_what_may_be_costly_can_be_read_by_its_keys(query: str) -> None:
    assert may_be_costly(resolver(BOOK).list(parse_query(query)))


@pytest.mark.parametrize("query", [*IN_ORDER[:6], *LOOKED_UP])
def test_every_deep_page_may_be_costly(query: str) -> None:
    deep = f"{query}&pagination[start]=100".removeprefix("&")
    assert may_be_costly(resolver(BOOK).list(parse_query(deep)))


def test_windows_are_lists_too_where_they_have_a_limit() -> None:
    users = resolver(USER_UID)
    assert not may_be_costly(users.window(parse_query("limit=2")))
    assert may_be_costly(users.window(parse_query("limit=2&sort=username")))
    assert not may_be_costly(users.window(parse_query("sort=username")))


def test_one_document_is_read_at_once() -> None:
    query = parse_query("filters[title]=a&sort=title")
    assert not may_be_costly(resolver(BOOK).document(query, "abc"))
    assert not may_be_costly(resolver(BOOK).entry(query, 1))
    home = parse_query("filters[heading]=a&sort=heading")
    assert not may_be_costly(resolver(HOMEPAGE).single(home))
