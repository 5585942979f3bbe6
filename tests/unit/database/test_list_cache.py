"""What is remembered of lists: so much, and only while the content stays as it is."""

import pytest

from quire.database.list_cache import LONGEST_PAGE, CachedLists, ListCache
from quire.database.read import BoundRead, ListFacts, bind_read
from tests.library.queries import resolve
from tests.unit.database.compiling import compiled

NOTHING = ListFacts()


def bound(query: str) -> BoundRead:
    resolved = resolve(query)
    return bind_read(compiled(resolved.plan), resolved.values, rows=1000)


def test_facts_are_those_of_the_list_and_of_no_other() -> None:
    lists = CachedLists(totals=10, pages=10)
    found = ListFacts(7, (3, 1, 2), by_keys=True)
    lists.keep(bound("sort=title&filters[rating]=1"), found)
    assert lists.facts(bound("sort=title&filters[rating]=1")) == found
    assert lists.facts(bound("sort=title:desc&filters[rating]=1")) == ListFacts(7, None)
    assert lists.facts(bound("sort=title&filters[rating]=1&pagination[page]=2")) == ListFacts(7)
    assert lists.facts(bound("sort=title&filters[rating]=2")) == NOTHING
    # Which rows these are does not depend on what is shown of them.
    shown = "sort=title&filters[rating]=1&fields=title&populate=author"
    assert lists.facts(bound(shown)) == found


def test_a_list_that_is_empty_is_known_to_be() -> None:
    lists = CachedLists(totals=10, pages=10)
    lists.keep(bound("_q=nope"), ListFacts(0, ()))
    assert lists.facts(bound("_q=nope")) == ListFacts(0, (), by_keys=True)


@pytest.mark.parametrize(("count", "is_kept"), [(LONGEST_PAGE, True), (LONGEST_PAGE + 1, False)])
def test_long_pages_are_not_remembered(count: int, *, is_kept: bool) -> None:
    lists = CachedLists(totals=10, pages=10)
    keys = tuple(range(count))
    lists.keep(bound("sort=title"), ListFacts(1000, keys))
    expected = ListFacts(1000, keys, by_keys=True) if is_kept else ListFacts(1000)
    assert lists.facts(bound("sort=title")) == expected


def test_so_many_pages_are_remembered_and_then_the_oldest_gives_way() -> None:
    lists = CachedLists(totals=10, pages=2)
    pages = [bound(f"sort=title&pagination[page]={page}") for page in (1, 2, 3)]
    for number, page in enumerate(pages):
        lists.keep(page, ListFacts(9, (number,)))
    assert [lists.facts(page).keys for page in pages] == [None, (1,), (2,)]


def test_without_room_nothing_is_remembered() -> None:
    lists = CachedLists(totals=0, pages=0)
    lists.keep(bound("sort=title"), ListFacts(1, (1,)))
    assert lists.facts(bound("sort=title")) == NOTHING


def test_totals_are_remembered_by_their_statement() -> None:
    lists, total = CachedLists(totals=10, pages=10), bound("sort=title").total
    assert total is not None
    assert lists.total(total) is None
    lists.keep_total(total, 3)
    assert lists.total(total) == 3
    assert lists.facts(bound("sort=rating")) == ListFacts(3)


def test_another_state_begins_with_nothing() -> None:
    cache, page = ListCache(totals=10, pages=10), bound("sort=title")
    assert cache.at(None) is None
    first = cache.at(1)
    assert first is not None
    assert cache.at(1) is first
    second = cache.at(2)
    assert second is not None
    # A read that began before finishes only now.
    first.keep(page, ListFacts(1, (1,)))
    assert second.facts(page) == NOTHING
    assert cache.at(2) is second
