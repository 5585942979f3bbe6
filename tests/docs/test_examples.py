"""Requests in the pages return the documented responses."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from quire.query.filter_operators import GROUPS, OPERATORS
from tests.conformance.client import AsgiClient, ClientResponse
from tests.conformance.corpus import JSON
from tests.docs.examples import Example, Expected, examples, fits, parse_pattern
from tests.docs.pages import DOCS, all_pages, fences, name_of

EXAMPLES = {page: list(examples(page)) for page in all_pages()}
ASKING = [page for page, found in EXAMPLES.items() if found]
API_PAGES = sorted((DOCS / "api").glob("*.md"))


@pytest.mark.parametrize("page", ASKING, ids=name_of)
async def test_the_requests_of_a_page_are_answered_as_it_says(
    page: Path,
    clients: Mapping[str, AsgiClient],
    words: Mapping[str, Mapping[str, str]],
) -> None:
    """Every page begins with new copies of the projects; its requests follow one another."""
    known = {project: dict(found) for project, found in words.items()}
    problems: list[str] = []
    for example in EXAMPLES[page]:
        filled = known[example.project]
        request, expected = example.request.filled(filled), example.expected.filled(filled)
        response = await clients[example.project].request(
            request.method, request.target, request.headers, request.content
        )
        problems += [f"{example.place}: {problem}" for problem in expected.problems(response)]
        filled |= dict(expected.values(response))

    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("page", API_PAGES, ids=name_of)
def test_every_request_of_the_api_pages_is_run(page: Path) -> None:
    """Every block that looks like a request is marked and therefore checked."""
    unmarked = [
        f"{block.page}:{block.line}"
        for block in fences(page)
        if block.info == "http" and not block.text.startswith("HTTP/1.1 ")
    ]

    assert not unmarked


@pytest.mark.parametrize("operator", sorted({*OPERATORS, *GROUPS}))
def test_every_operator_is_shown_in_a_request(operator: str) -> None:
    shown = [e for e in EXAMPLES[DOCS / "api/filters.md"] if operator_in(e, operator)]

    assert any(example.expected.status == 200 for example in shown)


def operator_in(example: Example, operator: str) -> bool:
    return f"[{operator}]" in example.request.target


FITTING: list[tuple[str, JSON]] = [
    ("[1, …]", [1]),
    ("[1, …]", [1, 2, 3]),
    ("[…, 3]", [1, 2, 3]),
    ("[…]", []),
    ('{"a": 1, …}', {"a": 1, "b": 2}),
    ('{"a": 1, …}', {"a": 1}),
    ('{"a": …}', {"a": {"b": [None]}}),
    ('{"a": "…"}', {"a": ""}),
    ('"from … to …"', "from here to there"),
    ('"a (b) …"', "a (b) [c]"),
    ("true", True),
    ('"DOCUMENT_ID"', "any text"),
]
NOT_FITTING: list[tuple[str, JSON]] = [
    ("[1, 2]", [1]),
    ("[…, 3]", [1, 2]),
    ("[]", [1]),
    ('{"a": 1}', {"a": 1, "b": 2}),
    ('{"a": 1, …}', {"b": 2}),
    ('{"b": 1, "a": 2}', {"a": 2, "b": 1}),
    ('{"a": "…"}', {"a": None}),
    ('"from … to …"', "from here"),
    ('"a.c"', "abc"),
    ("true", 1),
    ("1", 1.0),
    ('"DOCUMENT_ID"', 7),
    ('"DRAFT"', "draft"),
]


@pytest.mark.parametrize(("pattern", "value"), FITTING)
def test_what_is_left_out_may_be_anything(pattern: str, value: JSON) -> None:
    assert fits(parse_pattern(pattern), value)


@pytest.mark.parametrize(("pattern", "value"), NOT_FITTING)
def test_what_is_written_must_be_so(pattern: str, value: JSON) -> None:
    assert not fits(parse_pattern(pattern), value)


def test_a_word_in_a_response_stands_for_what_is_there() -> None:
    expected = Expected(
        status=200, body=parse_pattern('{"data": [{"id": 1, "documentId": "A_TAG"}]}')
    )
    response = ClientResponse(
        200,
        {"content-type": "application/json"},
        b'{"data": [{"id": 1, "documentId": "abc"}]}',
    )

    assert dict(expected.values(response)) == {"A_TAG": "abc"}
    assert not expected.filled({"A_TAG": "abc"}).problems(response)
    assert expected.filled({"A_TAG": "xyz"}).problems(response)
