"""Text of any script, and invalid text, is handled equally in all inputs."""

import unicodedata
from typing import Literal
from urllib.parse import quote

import pytest

from tests.databases.kind import Kind
from tests.hazards.visitors import FULL, Visitor, error, rows

UNKNOWN_CHARACTER = "The text contains a character that cannot be stored"
TEXTS = {
    "a NUL": "%00",
    "a NUL in a word": "Ti%00des",
    "half a character": "%ED%A0%80",
    "no UTF-8": "%FF%FE",
    "an overlong sign": "%C0%AF",
    "beyond Unicode": "%F4%90%80%80",
    "four bytes": quote("\U0001f600"),
    "from right to left": quote("\u202eTides"),
    "no width": quote("Ti\u200bdes"),
    "a byte order mark": quote("\ufeffTides"),
    "line ends": "Tides%0D%0A",
    "full width": quote("\uff34ides"),
    "a stray percent": "Tides%",
    "half an escape": "Tides%2",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize(
    "place", ["filters[title]=", "filters[title][$in]=", "filters[documentId]=", "locale="]
)
async def test_h118_odd_text_equals_nothing(
    kind: Kind, ask: Visitor, place: str, text: str
) -> None:
    """No sign is dropped from a text and none is taken for another one.

    PostgreSQL knows no NUL, and compares none.
    """
    response = await ask(f"articles?{place}{text}", FULL)
    if "%00" in text and kind.name == "postgresql":
        assert (response.status, error(response)["message"]) == (400, UNKNOWN_CHARACTER)
    else:
        assert rows(response) == []


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
async def test_h118_texts_are_compared_as_they_were_sent(
    ask: Visitor, form: Literal["NFC", "NFD", "NFKC", "NFKD"]
) -> None:
    """Forms of a text that look alike are different texts; none is an error."""
    text = quote(unicodedata.normalize(form, "\u00e9\ufb01\u212b\u1e9b\u0323"))
    for operator in ("$eq", "$eqi", "$contains", "$containsi", "$startsWith"):
        assert rows(await ask(f"articles?filters[title][{operator}]={text}")) == []


@pytest.mark.parametrize(
    ("segment", "status"),
    [
        ("%00", 404),
        ("%F0%9F%98%80", 404),
        ("%2e%2e%2fetc", 404),
        ("x%00y", 404),
        ("%ff", 400),
        ("%ED%A0%80", 400),
        ("%C0%AF", 400),
    ],
)
async def test_h118_ids_in_paths_are_text(
    kind: Kind, ask: Visitor, segment: str, status: int
) -> None:
    """A segment of a path that is no text is rejected; other odd ones name no document.

    With a NUL it is no text for PostgreSQL.
    """
    refused = kind.name == "postgresql" and "%00" in segment
    assert (await ask(f"articles/{segment}")).status == (400 if refused else status)
