"""Which pages are read in two steps, first their keys and then their rows."""

import pytest

from quire.database.read import bind_read
from quire.query.querystring import parse
from quire.query.resolve import ResolvedRead
from quire.schema.model import USER_UID
from tests.library.model import BOOK, HOMEPAGE
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
SEARCHED = [
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


def is_searched(resolved: ResolvedRead) -> bool:
    read = compiled(resolved.plan)
    bound = bind_read(read, resolved.values, rows=1000)
    return bound.steps is not None


@pytest.mark.parametrize("query", [*IN_ORDER, *LOOKED_UP])
def test_what_is_found_at_once_is_read_at_once(query: str) -> None:
    assert not is_searched(resolver(BOOK).list(parse(query)))


@pytest.mark.parametrize("query", SEARCHED)
def test_what_has_to_be_searched_for_is_read_by_its_keys(query: str) -> None:
    assert is_searched(resolver(BOOK).list(parse(query)))


@pytest.mark.parametrize("query", [*IN_ORDER[:6], *LOOKED_UP])
def test_every_deep_page_is_read_by_its_keys(query: str) -> None:
    deep = f"{query}&pagination[start]=100".removeprefix("&")
    assert is_searched(resolver(BOOK).list(parse(deep)))


def test_windows_are_lists_too_where_they_have_a_limit() -> None:
    users = resolver(USER_UID)
    assert not is_searched(users.window(parse("limit=2")))
    assert is_searched(users.window(parse("limit=2&sort=username")))
    assert not is_searched(users.window(parse("sort=username")))


def test_one_document_is_read_at_once() -> None:
    query = parse("filters[title]=a&sort=title")
    assert not is_searched(resolver(BOOK).document(query, "abc"))
    assert not is_searched(resolver(BOOK).entry(query, 1))
    home = parse("filters[heading]=a&sort=heading")
    assert not is_searched(resolver(HOMEPAGE).single(home))
