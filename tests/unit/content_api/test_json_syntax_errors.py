"""Messages about invalid JSON equal those of Node.js 20."""

import json
from pathlib import Path

import orjson
import pytest

from quire.content_api.json_syntax_errors import find_problem

GOLDEN = Path(__file__).parents[2] / "golden" / "json-errors.json"
RECORDED: dict[str, str | None] = dict(json.loads(GOLDEN.read_text(encoding="utf-8")))
"""Texts, each with the message of ``JSON.parse``; none where it took the text."""
LARGE = 1 << 19


def test_errors_are_told_as_javascript_tells_them() -> None:
    assert {text: find_problem(text) for text in RECORDED} == RECORDED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1e999]", "Number beyond the range of a double in JSON at position 1"),
        ("[0, -1e400]", "Number beyond the range of a double in JSON at position 4"),
        (f"[{'9' * 400}]", "Number beyond the range of a double in JSON at position 1"),
        ('["\\ud800"]', "Half of a surrogate pair in JSON at position 2"),
        ('["\\ud800\\ud800\\udc00"]', "Half of a surrogate pair in JSON at position 2"),
        ('["x\\udc00"]', "Half of a surrogate pair in JSON at position 3"),
        ('{"\\ud83d\\n": 1e999}', "Half of a surrogate pair in JSON at position 2"),
        ("[1e999", "Expected ',' or ']' after array element in JSON at position 6"),
        ("[1e308, 1e-999, -0]", None),
        ('["\\ud83d\\ude00"]', None),
    ],
)
def test_what_javascript_would_take_is_told_last(text: str, message: str | None) -> None:
    """Nothing that the parser of bodies refuses goes without a reason."""
    assert find_problem(text) == message
    if message is None:
        orjson.loads(text)
    else:
        with pytest.raises(orjson.JSONDecodeError):
            orjson.loads(text)


def test_the_parser_of_bodies_minds_what_javascript_minds() -> None:
    """The search for an error only begins where that parser refuses a text."""
    for text, message in RECORDED.items():
        if message is not None:
            with pytest.raises(orjson.JSONDecodeError):
                orjson.loads(text)


@pytest.mark.parametrize(
    "piece",
    ["[", "1,", '"",', "[1],", '{"a":1},', '{"a":', '"\\n",', '"\\u0041",', "1e400,", "-1.5e3,"],
)
def test_large_texts_are_searched_to_their_end(piece: str) -> None:
    """No text is too large for the search, whatever it is made of; each is gone through once."""
    assert find_problem("[" + piece * (LARGE // len(piece))) == "Unexpected end of JSON input"


def test_nesting_is_followed_without_recursion() -> None:
    assert find_problem("[" * 100_000 + "]" * 99_999) == (
        "Expected ',' or ']' after array element in JSON at position 199999"
    )
