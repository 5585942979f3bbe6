"""Bounded caches."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from quire.database.bounded_cache import BoundedCache


def test_what_was_put_in_is_found() -> None:
    cache: BoundedCache[str, int] = BoundedCache(2)
    cache["a"] = 1
    assert cache["a"] == cache.get("a") == 1
    assert "a" in cache
    assert dict(cache) == {"a": 1}


def test_what_is_not_there_is_the_default_or_a_key_error() -> None:
    cache: BoundedCache[str, int] = BoundedCache(2)
    assert cache.get("a") is None
    assert cache.get("a", 5) == 5
    with pytest.raises(KeyError):
        cache["a"]


def test_there_are_never_more_entries_than_the_size() -> None:
    cache: BoundedCache[int, int] = BoundedCache(3)
    for number in range(10):
        cache[number] = number
        assert len(cache) <= 3
    assert cache.get(9) == 9
    assert cache.get(0) is None


def test_an_entry_that_is_there_is_changed_without_pushing_another_out() -> None:
    cache: BoundedCache[str, int] = BoundedCache(2)
    cache["a"] = 1
    cache["b"] = 2
    cache["a"] = 3
    assert dict(cache) == {"a": 3, "b": 2}


def test_with_size_zero_nothing_is_kept() -> None:
    cache: BoundedCache[str, int] = BoundedCache(0)
    cache["a"] = 1
    assert len(cache) == 0
    assert cache.get("a") is None


def test_entries_can_be_forgotten_one_by_one_or_all_at_once() -> None:
    cache: BoundedCache[str, int] = BoundedCache(3)
    cache.update(a=1, b=2, c=3)
    del cache["a"]
    assert set(cache) == {"b", "c"}
    cache.clear()
    assert len(cache) == 0


def test_several_threads_evict_entries_at_once() -> None:
    cache: BoundedCache[tuple[int, int], int] = BoundedCache(10)

    def fill(thread: int) -> None:
        for number in range(50_000):
            cache[thread, number] = number

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(fill, range(4)))
    finally:
        sys.setswitchinterval(interval)
    assert len(cache) == 10
