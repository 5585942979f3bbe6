"""Cached facts of lists: limited, and valid until the content changes."""

import pytest

from quire.database.execute.cached_lists import LONGEST_PAGE, ListCache
from quire.database.execute.prepared_read import PreparedRead, bind_read
from quire.database.execute.reader import Keys, ListFacts
from quire.database.versioned_cache import ContentVersions
from quire.query.resolve.scope import ReadLimits
from tests.library.model import PERSON, library_tables
from tests.library.queries import resolve
from tests.unit.database.compiling import compiled


def bound(query: str) -> PreparedRead:
    resolved = resolve(query)
    return bind_read(compiled(resolved.plan), resolved, ReadLimits(rows=1000))


def cache(totals: int = 10, pages: int = 10) -> ListCache:
    """Return a cache for a database whose version is 0."""
    return ListCache(ContentVersions(), totals, pages)


def known(lists: ListCache, query: str, version: int | None = 0) -> tuple[int | None, Keys | None]:
    """Return the total and the keys that are remembered of a list."""
    facts = lists.facts(bound(query), "by keys", version)
    return facts.total, facts.keys


def keep(
    lists: ListCache, query: str, total: int | None, keys: Keys | None, version: int | None = 0
) -> None:
    lists.keep(bound(query), ListFacts(total, keys, "by keys"), version)


def test_facts_are_those_of_the_list_and_of_no_other() -> None:
    lists = cache()
    keep(lists, "sort=title&filters[rating]=1", 7, (3, 1, 2))
    assert known(lists, "sort=title&filters[rating]=1") == (7, (3, 1, 2))
    assert known(lists, "sort=title:desc&filters[rating]=1") == (7, None)
    assert known(lists, "sort=title&filters[rating]=1&pagination[page]=2") == (7, None)
    assert known(lists, "sort=title&filters[rating]=2") == (None, None)
    # Which rows these are does not depend on what is shown of them.
    shown = "sort=title&filters[rating]=1&fields=title&populate=author"
    assert known(lists, shown) == (7, (3, 1, 2))


def test_keys_are_nothing_to_a_page_that_is_read_at_once() -> None:
    lists = cache()
    keep(lists, "sort=title", 7, (3, 1, 2))
    assert lists.facts(bound("sort=title"), "at once", 0) == ListFacts(7)


def test_a_list_that_is_empty_is_known_to_be() -> None:
    lists = cache()
    keep(lists, "_q=nope", 0, ())
    assert known(lists, "_q=nope") == (0, ())


@pytest.mark.parametrize(("count", "is_kept"), [(LONGEST_PAGE, True), (LONGEST_PAGE + 1, False)])
def test_long_pages_are_not_remembered(count: int, *, is_kept: bool) -> None:
    lists = cache()
    keys = tuple(range(count))
    keep(lists, "sort=title", 1000, keys)
    assert known(lists, "sort=title") == (1000, keys if is_kept else None)


def test_so_many_pages_are_remembered_and_then_the_oldest_gives_way() -> None:
    lists = cache(pages=2)
    pages = [f"sort=title&pagination[page]={page}" for page in (1, 2, 3)]
    for number, page in enumerate(pages):
        keep(lists, page, 9, (number,))
    assert [known(lists, page)[1] for page in pages] == [None, (1,), (2,)]


def test_without_room_nothing_is_remembered() -> None:
    lists = cache(totals=0, pages=0)
    keep(lists, "sort=title", 1, (1,))
    assert known(lists, "sort=title") == (None, None)


def test_totals_are_remembered_by_their_statement() -> None:
    lists, total = cache(), bound("sort=title").total_statement
    assert total is not None
    assert lists.total(total, 0) is None
    lists.keep_total(total, 0, 3, frozenset({"books"}))
    assert lists.total(total, 0) == 3
    assert known(lists, "sort=rating") == (3, None)


def test_a_list_is_known_until_a_table_changes_that_decides_on_it() -> None:
    versions = ContentVersions()
    lists = ListCache(versions, totals=10, pages=10)
    page = "sort=title&filters[author][name]=Ada"
    keep(lists, page, 1, (1,))
    assert known(lists, page, None) == (None, None)
    unrelated = versions.advance(frozenset({"shops"}))
    assert known(lists, page, unrelated) == (1, (1,))
    related = versions.advance(frozenset({library_tables()[PERSON].name}))
    assert known(lists, page, related) == (None, None)
    # A read that began before finishes only now.
    keep(lists, page, 1, (1,), unrelated)
    assert known(lists, page, related) == (None, None)
