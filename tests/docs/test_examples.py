"""Requests in the pages are answered as the pages say."""

from pathlib import Path

import pytest

from quire.query.operators import GROUPS, OPERATORS
from tests.conformance.client import AsgiClient
from tests.conformance.corpus import JSON
from tests.docs.examples import Example, examples, fits, parse_pattern
from tests.docs.pages import DOCS, all_pages, fences, name_of

EXAMPLES = [example for page in all_pages() for example in examples(page)]
API_PAGES = sorted((DOCS / "api").glob("*.md"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.place)
async def test_a_request_is_answered_as_the_page_says(
    example: Example, client: AsgiClient, words: dict[str, str]
) -> None:
    request = example.request.filled(words)

    answer = await client.request(
        request.method, request.target, request.headers, request.body.encode()
    )

    assert not (faults := example.expected.faults(answer)), "\n".join(faults)


@pytest.mark.parametrize("page", API_PAGES, ids=name_of)
def test_every_request_of_the_api_pages_is_run(page: Path) -> None:
    """A block that looks like a request, but is not marked, would be believed unchecked."""
    unmarked = [
        f"{block.page}:{block.line}"
        for block in fences(page)
        if block.info == "http" and not block.text.startswith("HTTP/1.1 ")
    ]

    assert not unmarked


@pytest.mark.parametrize("operator", sorted({*OPERATORS, *GROUPS}))
def test_every_operator_is_shown_in_a_request(operator: str) -> None:
    shown = [e for e in EXAMPLES if e.page == "docs/api/filters.md" and operator_in(e, operator)]

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
]


@pytest.mark.parametrize(("pattern", "value"), FITTING)
def test_what_is_left_out_may_be_anything(pattern: str, value: JSON) -> None:
    assert fits(parse_pattern(pattern), value)


@pytest.mark.parametrize(("pattern", "value"), NOT_FITTING)
def test_what_is_written_must_be_so(pattern: str, value: JSON) -> None:
    assert not fits(parse_pattern(pattern), value)
