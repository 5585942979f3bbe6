"""Parsing and comparison of entity tags in conditional requests."""

import pytest

from quire.content_api.envelope import is_known, tag_of, tags_known

TAG = tag_of(b"some bytes")


def test_the_same_bytes_have_the_same_tag() -> None:
    assert tag_of(b"some bytes") == TAG
    assert tag_of(b"other bytes") != TAG


@pytest.mark.parametrize("listed", [b"%s", b"W/%s", b' "a" , %s', b'"a",W/%s,"b"'])
def test_a_tag_is_found_among_others(listed: bytes) -> None:
    known = tags_known({b"if-none-match": listed % TAG})
    assert known is not None
    assert is_known(TAG, known)


@pytest.mark.parametrize("listed", [b"", b" , ", b'"a"', b"W/", TAG.strip(b'"')])
def test_what_a_client_does_not_have_is_not_known(listed: bytes) -> None:
    known = tags_known({b"if-none-match": listed})
    assert known is not None
    assert not is_known(TAG, known)
    assert not is_known(b"", known)


def test_a_star_is_whatever_there_is() -> None:
    assert is_known(TAG, frozenset({b"*"}))


def test_who_says_nothing_is_known_to_have_nothing() -> None:
    assert tags_known({}) is None
