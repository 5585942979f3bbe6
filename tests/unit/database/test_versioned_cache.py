"""Cached values are valid until one of their tables may have changed."""

import pytest

from quire.database.versioned_cache import (
    NO_TABLES,
    ContentVersions,
    Tables,
    VersionedCache,
    VersionedValue,
)
from quire.metrics.caches import CacheCounter

BOOKS = frozenset({"books"})
BOTH = frozenset({"books", "authors"})
SHOPS = frozenset({"shops"})
ANYTHING = None


@pytest.mark.parametrize(
    ("read", "written", "is_valid"),
    [
        (BOOKS, BOOKS, False),
        (BOOKS, BOTH, False),
        (BOTH, BOOKS, False),
        (BOOKS, SHOPS, True),
        (BOOKS, NO_TABLES, True),
        (BOOKS, ANYTHING, False),
        (NO_TABLES, BOTH, True),
        (NO_TABLES, ANYTHING, False),
        (ANYTHING, BOOKS, False),
        (ANYTHING, NO_TABLES, False),
        (ANYTHING, ANYTHING, False),
    ],
)
def test_a_value_is_valid_unless_a_table_that_it_was_read_from_was_written(
    read: Tables, written: Tables, *, is_valid: bool
) -> None:
    versions = ContentVersions()
    value: VersionedValue[str] = VersionedValue(versions, read)
    cache: VersionedCache[str, str] = VersionedCache(versions, 10)
    first = versions.advance(None)
    value.set(first, "a")
    cache.keep("key", first, "a", read)
    assert (value.get(first), cache.get("key", first)) == ("a", "a")

    second = versions.advance(written)

    expected = "a" if is_valid else None
    assert (value.get(second), cache.get("key", second)) == (expected, expected)
    third = versions.advance(SHOPS)
    assert value.get(third) == (None if read is ANYTHING else expected)


def test_a_change_between_two_that_do_not_matter_is_not_overlooked() -> None:
    versions = ContentVersions()
    cache: VersionedCache[str, str] = VersionedCache(versions, 10)
    cache.keep("key", versions.current, "a", BOOKS)
    for written in (SHOPS, BOOKS, SHOPS):
        versions.advance(written)
    assert cache.get("key", versions.current) is None


def test_what_was_read_before_a_change_is_not_valid_after_it_however_late_it_is_kept() -> None:
    versions = ContentVersions()
    value: VersionedValue[str] = VersionedValue(versions, BOOKS)
    cache: VersionedCache[str, str] = VersionedCache(versions, 10)
    early = versions.advance(None)
    late = versions.advance(BOOKS)
    value.set(early, "old")
    cache.keep("key", early, "old", BOOKS)
    assert (value.get(late), cache.get("key", late)) == (None, None)
    assert (value.get(early), cache.get("key", early)) == ("old", "old")


def test_a_request_of_an_earlier_version_is_not_given_what_was_changed_since() -> None:
    versions = ContentVersions()
    cache: VersionedCache[str, str] = VersionedCache(versions, 10)
    early = versions.advance(None)
    late = versions.advance(BOOKS)
    cache.keep("books", late, "new", BOOKS)
    cache.keep("shops", late, "same", SHOPS)
    assert cache.get("books", early) is None
    assert cache.get("shops", early) == "same"


def test_an_unknown_version_has_no_value() -> None:
    versions = ContentVersions()
    value: VersionedValue[str] = VersionedValue(versions, BOOKS)
    cache: VersionedCache[str, str] = VersionedCache(versions, 10)
    value.set(None, "a")
    cache.keep("key", None, "a", BOOKS)
    assert (value.get(None), len(cache)) == (None, 0)
    value.set(0, "a")
    cache.keep("key", 0, "a", BOOKS)
    assert (value.get(None), cache.get("key", None)) == (None, None)
    value.set(None, "b")
    assert value.get(0) is None
    assert not cache.can_keep(None)


def test_values_that_were_not_asked_for_longest_give_way() -> None:
    cache: VersionedCache[str, int] = VersionedCache(ContentVersions(), 2)
    cache.keep("a", 0, 1, BOOKS)
    cache.keep("b", 0, 2, BOOKS)
    assert cache.get("a", 0) == 1
    cache.keep("c", 0, 3, BOOKS)
    assert [cache.get(key, 0) for key in "abc"] == [1, None, 3]


def test_without_room_nothing_is_kept() -> None:
    counter = CacheCounter()
    cache: VersionedCache[str, int] = VersionedCache(ContentVersions(), 0, counter)
    cache.keep("a", 0, 1, BOOKS)
    assert cache.get("a", 0) is None
    assert (len(cache), cache.can_keep(0), counter.misses) == (0, False, 0)


def test_values_weigh_what_they_are_said_to() -> None:
    cache: VersionedCache[str, int] = VersionedCache(
        ContentVersions(), 10, weigh=lambda _, value: value, largest=6
    )
    cache.keep("a", 0, 6, BOOKS)
    cache.keep("a", 0, 5, BOOKS)
    cache.keep("b", 0, 5, BOOKS)
    cache.keep("c", 0, 7, BOOKS)
    assert [cache.get(key, 0) for key in "abc"] == [5, 5, None]
    cache.keep("c", 0, 1, BOOKS)
    assert [cache.get(key, 0) for key in "abc"] == [None, 5, 1]


def test_what_nobody_can_be_given_any_more_takes_no_room() -> None:
    versions, counter = ContentVersions(), CacheCounter()
    cache: VersionedCache[str, int] = VersionedCache(versions, 10, counter)
    for key in "abc":
        cache.keep(key, 0, 1, BOOKS)
    assert counter.entries() == 3
    cache.keep("d", versions.advance(None), 1, BOOKS)
    assert counter.entries() == 1


def test_lookups_are_counted() -> None:
    versions, counter = ContentVersions(), CacheCounter()
    cache: VersionedCache[str, int] = VersionedCache(versions, 10, counter)
    cache.get("a", 0)
    cache.keep("a", 0, 1, BOOKS)
    cache.get("a", 0)
    cache.get("a", versions.advance(BOOKS))
    assert (counter.hits, counter.misses) == (1, 2)
