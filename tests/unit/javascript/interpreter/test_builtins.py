"""Built-in functions: sorting, local dates, and names that code may use."""

from itertools import pairwise

import pytest

from quire.javascript.interpreter.builtins import GLOBAL_NAMES, library
from quire.javascript.interpreter.collation import compared
from quire.javascript.interpreter.evaluator import Machine
from quire.javascript.interpreter.values import HostObject, UnsupportedError
from tests.unit.javascript.interpreter.evaluation import evaluate_body

# As Node.js 20 sorts them with localeCompare and the locale en-US.
SORTED = [
    *("", " ", "_", "-", "1", "10", "2", "2023-W12", "2024-01", "2024-02", "a", "A", "á", "Á", "à"),
    *("ä", "a b", "a-b", "a.b", "a1", "A1", "aa", "ab", "áb", "az", "b", "B", "č", "e", "E", "é"),
    *("z", "Z", "ž"),
]
# What Node.js 20 gives with TZ=Europe/Berlin.
LOCAL_TEXTS = [
    ("toLocaleString('en-US', { timeZone: 'Europe/Kyiv' })", "3/29/2026, 1:30:05 AM"),
    ("toLocaleString('en-US', { timeZone: 'America/New_York' })", "3/28/2026, 7:30:05 PM"),
    ("toLocaleString('en-US')", "3/29/2026, 12:30:05 AM"),
    ("toLocaleDateString('en-US', { timeZone: 'UTC' })", "3/28/2026"),
    ("toLocaleTimeString('en-US', { timeZone: 'UTC' })", "11:30:05 PM"),
    ("toLocaleDateString('en-CA', { timeZone: 'Europe/Kyiv' })", "2026-03-29"),
    ("toLocaleString('en-GB', { timeZone: 'UTC' })", "28/03/2026, 23:30:05"),
    ("toLocaleString('sv-SE', { timeZone: 'Europe/Kyiv' })", "2026-03-29 01:30:05"),
]
READ_AGAIN = [
    ("3/29/2026, 1:30:05 AM", "2026-03-29T00:30:05.000Z"),
    ("3/29/2026, 12:30:05 AM", "2026-03-28T23:30:05.000Z"),
    ("3/29/2026, 12:30 PM", "2026-03-29T10:30:00.000Z"),
    ("3/29/2026, 2:30:05 AM", "2026-03-29T01:30:05.000Z"),
    ("3/29/2026", "2026-03-28T23:00:00.000Z"),
]


def test_texts_are_in_the_order_of_the_reference() -> None:
    assert [compared(left, right) for left, right in pairwise(SORTED)] == [-1] * (len(SORTED) - 1)
    assert [compared(right, left) for left, right in pairwise(SORTED)] == [1] * (len(SORTED) - 1)
    assert compared("a\u0301", "\u00e1") == 0


@pytest.mark.parametrize("text", ["ß", "Ж", "漢", "\u0301"])
def test_the_order_of_other_letters_is_not_guessed(text: str) -> None:
    with pytest.raises(UnsupportedError):
        compared("a", text)


@pytest.mark.usefixtures("berlin_time_zone")
@pytest.mark.parametrize(("call", "expected"), LOCAL_TEXTS)
async def test_a_date_is_written_as_its_locale_does(call: str, expected: str) -> None:
    assert await evaluate_body(f"return new Date('2026-03-28T23:30:05Z').{call};") == expected


@pytest.mark.usefixtures("berlin_time_zone")
@pytest.mark.parametrize(("text", "expected"), READ_AGAIN)
async def test_an_american_date_is_local_time(text: str, expected: str) -> None:
    assert await evaluate_body(f"return new Date('{text}').toISOString();") == expected


@pytest.mark.parametrize("text", ["2/30/2026", "13:00", "1/1/2026, 13:00:00 PM", "29/3/2026"])
async def test_a_date_that_is_read_otherwise_is_refused(text: str) -> None:
    with pytest.raises(UnsupportedError):
        await evaluate_body(f"return new Date('{text}');")


VALUES = [
    ("Object.assign({ a: 1 }, null, { b: 2 }, undefined, { a: 3 })", {"a": 3, "b": 2}),
    ("Array.from({ length: 3 }, (_, index) => index * 2)", [0, 2, 4]),
    ("JSON.stringify({ a: [1], b: {} }, null, 2)", '{\n  "a": [\n    1\n  ],\n  "b": {}\n}'),
    ("[Math.sqrt(9), Math.sqrt(2), isNaN(Math.sqrt(-1))]", [3, 2**0.5, True]),
]


@pytest.mark.parametrize(("expression", "expected"), VALUES)
async def test_functions_of_the_language_compute(expression: str, expected: object) -> None:
    assert await evaluate_body(f"return {expression};") == expected


async def test_what_requests_share_is_not_assigned_to() -> None:
    with pytest.raises(UnsupportedError):
        await evaluate_body("Object.assign(SHARED, { a: 1 });")


def test_the_names_that_code_may_use_are_those_that_are_evaluated() -> None:
    found = library(Machine({}), lambda: 0)
    members = {
        name: frozenset(value.members) if isinstance(value, HostObject) else frozenset()
        for name, value in found.items()
    }
    assert {"undefined": frozenset(), **members} == dict(GLOBAL_NAMES)
