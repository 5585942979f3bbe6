"""A placeholder has the same value wherever a scenario uses it."""

import pytest

from tests.conformance.corpus import JSON
from tests.conformance.placeholders import Placeholders

ONE, OTHER = "a" + "0" * 23, "b" + "0" * 23
NOON = "2026-01-01T12:00:00.000Z"


def found(*pairs: tuple[str, JSON]) -> list[str]:
    placeholders = Placeholders()
    return [
        difference
        for expected, actual in pairs
        for difference in placeholders.differences(expected, actual)
    ]


@pytest.mark.parametrize(
    ("expected", "actual", "fits"),
    [
        ("<id:1>", 7, True),
        ("<id:1>", "7", False),
        ("<id:1>", True, False),
        ("<id:1>", 7.0, False),
        ("<id:1>", None, False),
        ("<documentId:1>", ONE, True),
        ("<documentId:1>", ONE[1:], False),
        ("<documentId:1>", "0" + ONE[1:], False),
        ("<time:1>", NOON, True),
        ("<time:1>", "2026-01-01T12:00:00Z", False),
        ("<time:1>", 1767268800000, False),
        ("<size:1>", 3, True),
        ("<size:1>", 3.5, True),
        ("<size:1>", "3", False),
        ("<jwt:1>", "aa.bb.cc", True),
        ("<jwt:1>", "aa.bb", False),
        ("entry <id:1>, locale en", "entry 7, locale en", True),
        ("entry <id:1>, locale en", "entry 7, locale de", False),
        ("/uploads/a_<hash:1>.png", "/uploads/a_0f.png", True),
        ("/uploads/a_<hash:1>.png", "/uploads/a_0f,png", False),
    ],
)
def test_a_placeholder_says_what_a_value_looks_like(
    expected: str, actual: JSON, *, fits: bool
) -> None:
    assert (found((expected, actual)) == []) is fits


@pytest.mark.parametrize(
    ("pairs", "fits"),
    [
        ([("<id:1>", 7), ("<id:1>", 7)], True),
        ([("<id:1>", 7), ("<id:1>", 8)], False),
        ([("<id:1>", 7), ("entry <id:1>", "entry 8")], False),
        ([("<id:1>", 7), ("<id:2>", 7)], True),
        ([("<documentId:1>", ONE), ("<documentId:1>", OTHER)], False),
        ([("<documentId:1>", ONE), ("<documentId:2>", OTHER)], True),
        ([("<documentId:1>", ONE), ("<documentId:2>", ONE)], False),
        ([("<time:1>", NOON), ("<time:1>", "2026-01-01T12:00:00.015Z")], True),
        ([("<time:1>", NOON), ("<time:1>", "2026-01-01T12:00:00.016Z")], False),
        ([("<time:1>", NOON), ("<time:2>", NOON)], True),
        ([("<jwt:1>", "a.b.c"), ("<jwt:1>", "a.b.d")], True),
        ([("<size:1>", 1), ("<size:1>", 2)], True),
    ],
)
def test_it_stands_for_the_same_value_each_time(
    pairs: list[tuple[str, JSON]], *, fits: bool
) -> None:
    assert (found(*pairs) == []) is fits


def test_a_text_without_placeholder_is_none() -> None:
    placeholders = Placeholders()
    assert placeholders.stand_in("<id:1>")
    assert placeholders.stand_in("entry <id:1>")
    assert not placeholders.stand_in("<id>")
    assert not placeholders.stand_in("<name:1>")
    assert not placeholders.stand_in(1)
