"""Requests from pages of other sites through a user's browser."""

import pytest

from quire.settings import Settings
from tests.conformance.client import ClientResponse
from tests.hazards.visitors import FULL, Visitor, serving

OURS, OTHER = "https://www.example.org", "https://evil.example"
ALIKE = [
    "null",
    "",
    OTHER,
    "http://www.example.org",
    "https://www.example.org:8443",
    "https://www.example.org.evil.example",
    "https://evil-www.example.org",
    "https://example.org",
    "https://www.example.org/",
    "https://www.example.org@evil.example",
    "HTTPS://WWW.EXAMPLE.ORG",
    "https://www.example.org, https://evil.example",
    "*",
]
"""What is not our page, though some of it looks so."""
TARGETS = ["/api/articles", "/api/nope", "/_health", "/nope.txt", "/admin/users/me"]
ASKING = {"Access-Control-Request-Method": "GET"}


def cors(response: ClientResponse) -> dict[str, str]:
    """The CORS headers of a response."""
    prefix = "access-control-allow-"
    return {
        name.removeprefix(prefix): value
        for name, value in response.headers.items()
        if name in {f"{prefix}origin", f"{prefix}credentials"}
    }


async def asked(visitor: Visitor, origin: str | None) -> list[ClientResponse]:
    """Answers of all kinds to a page: good ones, errors, preflights."""
    headers = {} if origin is None else {"Origin": origin}
    return [
        *[await visitor.send("GET", target, headers=headers) for target in TARGETS],
        await visitor.send("POST", "/api/articles", FULL, headers, b"{"),
        await visitor.send("OPTIONS", "/api/articles", headers={**headers, **ASKING}),
    ]


@pytest.mark.parametrize("origin", ALIKE)
async def test_h084_an_unlisted_origin_gets_no_cors_headers(
    newsroom: Settings, origin: str
) -> None:
    """An origin similar to a listed one is neither repeated nor allowed cookies."""
    async with serving(newsroom.project, cors__origins=(OURS,)) as visitor:
        assert [cors(response) for response in await asked(visitor, origin)] == [{}] * 7
        for response in await asked(visitor, OURS):
            assert cors(response) == {"origin": OURS, "credentials": "true"}


async def test_h084_by_default_no_page_is_repeated_and_none_may_send_cookies(ask: Visitor) -> None:
    """Any page may read what it can ask for without the cookies of whoever looks at it."""
    for origin in (OTHER, OURS, "http://localhost:3000", "HTTPS://X"):
        assert [cors(response) for response in await asked(ask, origin)] == [{"origin": "*"}] * 7
    assert [cors(response) for response in await asked(ask, "null")] == [{}] * 7
    # Whoever is no page is told what the format has always said: that no page is meant.
    to_no_page = {"origin": "", "credentials": "true"}
    assert [cors(response) for response in await asked(ask, None)] == [to_no_page] * 6 + [{}]


async def test_h084_an_origin_can_be_listed_beside_all_others(newsroom: Settings) -> None:
    async with serving(newsroom.project, cors__origins=("*", OURS)) as visitor:
        for response in await asked(visitor, OURS):
            assert cors(response) == {"origin": OURS, "credentials": "true"}
        for response in await asked(visitor, OTHER):
            assert cors(response) == {"origin": "*"}


async def test_h086_responses_vary_by_origin(newsroom: Settings) -> None:
    """A cache on the way gives no page the response that was made for another one."""
    for origins in (("*",), (OURS,)):
        async with serving(newsroom.project, cors__origins=origins) as visitor:
            for origin in (None, OURS, OTHER, "null"):
                for response in await asked(visitor, origin):
                    assert "origin" in response.headers["vary"].lower()


async def test_a_page_of_another_origin_may_edit_what_it_has_read(ask: Visitor) -> None:
    """It reads the tag of a document, and sends it back with its change."""
    page = {"Origin": "https://editor.example"}
    read = await ask.send("GET", "/api/articles", FULL, page)
    assert "etag" in read.headers
    assert "ETag" in read.headers["access-control-expose-headers"].split(",")
    asking = {**page, "Access-Control-Request-Method": "PUT"}
    asking["Access-Control-Request-Headers"] = "if-match,authorization,content-type"
    preflight = await ask.send("OPTIONS", "/api/articles/x", headers=asking)
    assert preflight.status == 204
    allowed = preflight.headers["access-control-allow-headers"].lower().split(",")
    assert {"if-match", "authorization", "content-type"} <= {name.strip() for name in allowed}


@pytest.mark.parametrize(
    ("name", "value"),
    [("Authorization", None), ("Strapi-Response-Format", "v4"), ("Origin", "https://a.example")],
)
async def test_vary_names_the_request_headers_that_a_response_depends_on(
    ask: Visitor, name: str, value: str | None
) -> None:
    who = FULL if value is None else None
    plain = await ask.send("GET", "/api/articles?filters[title]=Tides")
    other = await ask.send(
        "GET", "/api/articles?filters[title]=Tides", who, {} if value is None else {name: value}
    )
    for response in (plain, other):
        assert name in [listed.strip() for listed in response.headers["vary"].split(",")]
    if name == "Strapi-Response-Format":
        assert plain.content != other.content


async def test_files_that_are_the_same_for_everybody_depend_on_the_origin_alone(
    ask: Visitor,
) -> None:
    assert (await ask.send("GET", "/nope.txt")).headers["vary"] == "Origin"
