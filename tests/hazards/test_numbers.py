"""Numbers of any size and form in requests get a valid response."""

import json

import pytest

from quire.settings import Settings
from tests.databases.kind import Kind
from tests.hazards.visitors import FULL, Visitor, error, rows, serving

NOT_A_NUMBER = "convertStartQueryParams expected a positive integer got NaN"
TOO_FAR = "convertStartQueryParams expected a number up to 9223372036854775807"
MIXED = "Cannot use both page & offset pagination in the same query"

NUMBERS = [
    "1000000000", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1e21",
    "1e308", "1e309", "-1", "-0", "0", "1.5", "NaN", "Infinity", "-Infinity", "0x10", "0b1", "1_0",
    "%D9%A1", "", "%20", "abc", "true", "null", "[]",
    "9" * 30, "9" * 5000, "1e-400", "." + "9" * 400,
]  # fmt: skip
"""Among them a digit that is not ASCII, and more digits than Python reads as a number."""


@pytest.mark.parametrize(
    ("query", "pagination"),
    [
        ("page]=0", {"page": 1, "pageSize": 25, "pageCount": 1, "total": 3}),
        ("page]=-1", {"page": 1, "pageSize": 25, "pageCount": 1, "total": 3}),
        ("pageSize]=-1", {"page": 1, "pageSize": 1, "pageCount": 3, "total": 3}),
        ("pageSize]=0", {"page": 1, "pageSize": 1, "pageCount": 3, "total": 3}),
        ("pageSize]=100000", {"page": 1, "pageSize": 100, "pageCount": 1, "total": 3}),
        ("pageSize]=1e21", {"page": 1, "pageSize": 100, "pageCount": 1, "total": 3}),
        ("limit]=-1", {"start": 0, "limit": 1, "total": 3}),
        ("limit]=1000000000", {"start": 0, "limit": 100, "total": 3}),
        ("start]=-5", {"start": 0, "limit": 25, "total": 3}),
    ],
)
async def test_h116_pages_stay_within_bounds(
    ask: Visitor, query: str, pagination: dict[str, int]
) -> None:
    """A page has at least one entry and at most as many as the settings say."""
    response = await ask(f"articles?pagination[{query}")
    assert json.loads(response.content)["meta"]["pagination"] == pagination


@pytest.mark.parametrize(
    ("query", "name", "message"),
    [
        ("pagination[page]=abc", "ValidationError", NOT_A_NUMBER),
        ("pagination[page]=NaN", "ValidationError", NOT_A_NUMBER),
        ("pagination[page]=1e400", "ValidationError", NOT_A_NUMBER),
        ("pagination[page]=1e21", "ValidationError", TOO_FAR),
        ("pagination[start]=1e21", "ValidationError", TOO_FAR),
        ("pagination[page]=1&pagination[start]=0", "PaginationError", MIXED),
        ("pagination[pageSize]=1&pagination[limit]=1", "PaginationError", MIXED),
    ],
)
async def test_h116_pages_that_cannot_be_are_refused(
    ask: Visitor, query: str, name: str, message: str
) -> None:
    """What is no place in a list is rejected, and not guessed."""
    response = await ask(f"articles?{query}")
    assert response.status == 400
    assert (error(response)["name"], error(response)["message"]) == (name, message)


@pytest.mark.parametrize("query", ["page]=1000000000", "start]=9007199254740993"])
async def test_h116_a_place_far_behind_the_end_is_an_empty_page(ask: Visitor, query: str) -> None:
    """Any row that can be counted is a place like any other."""
    assert rows(await ask(f"articles?pagination[{query}")) == []


@pytest.mark.parametrize(
    "place",
    [
        "articles?pagination[page]=",
        "articles?pagination[pageSize]=",
        "articles?pagination[start]=",
        "articles?pagination[limit]=",
        "articles?pagination[withCount]=",
        "articles?populate[related][limit]=",
        "articles?populate[related][start]=",
        *(
            f"articles?filters[{name}]{operator}="
            for name in ("id", "views", "rank", "price", "happensAt", "category][id")
            for operator in ("", "[$gt]", "[$in]", "[$notIn]", "[$contains]", "[$eqi]", "[$null]")
        ),
        "articles?filters[rank][$between][]=0&filters[rank][$between][]=",
        "upload/files?start=",
        "upload/files?limit=",
        "upload/files/",
        "users?start=",
        "users?limit=",
        "users/",
        "articles/",
    ],
)
async def test_h122_no_number_is_an_error_of_the_server(ask: Visitor, place: str) -> None:
    """Any number anywhere is understood or refused (CVE-2024-36128)."""
    for number in NUMBERS:
        response = await ask(place + number, FULL)
        assert response.status in {200, 204, 400, 404}, (number, response.content)


@pytest.mark.parametrize("number", ["9" * 30, "-" + "9" * 30, "9" * 400, "1e300"])
@pytest.mark.parametrize("name", ["id", "rank", "views", "price"])
async def test_h122_numbers_beyond_every_column_equal_nothing(
    kind: Kind, ask: Visitor, name: str, number: str
) -> None:
    """A number that no column holds is one like any other: it equals none, and is greater.

    Where a column takes whole numbers of so many bits, it is rejected.
    """
    beyond = "is outside the range of integers"
    for operator in ("[$eq]", "[$in]"):
        found = await ask(f"articles?filters[{name}]{operator}={number}")
        if found.status == 200:
            assert rows(found) == []
            continue
        assert found.status == 400
        payload = error(found)["message"]
        assert payload.startswith("Invalid ") or (kind.name == "postgresql" and beyond in payload)


async def test_h116_pages_are_bounded_by_the_settings_alone(newsroom: Settings) -> None:
    """Without a greatest page size, the rows of a read are still bounded."""
    async with serving(newsroom.project, api__max_limit=None, limits__rows=2) as ask:
        response = await ask("articles?pagination[pageSize]=1e18")
    assert response.status == 400
    assert error(response)["message"].startswith("The page needs more than 2 rows (limits.rows)")
