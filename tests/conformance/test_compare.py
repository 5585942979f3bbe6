"""The comparison reports all differences, and no others."""

from dataclasses import replace

import pytest

from tests.conformance.client import ClientResponse
from tests.conformance.compare import differences
from tests.conformance.corpus import JSON, ReadCase

CASE = ReadCase(
    group="group",
    name="name",
    method="GET",
    path="/api/articles",
    auth=None,
    headers={},
    status=200,
    content_type="application/json; charset=utf-8",
    body={"data": [{"id": 1, "title": "One"}, {"id": 2, "title": None}], "meta": {"total": 2}},
)
JSON_TYPE = {"content-type": "application/json"}
TAIL = "sections[0].__component must be one of the following values: "


def response(
    content: str, status: int = 200, content_type: str = "application/json"
) -> ClientResponse:
    return ClientResponse(status, {"content-type": content_type}, content.encode())


def test_members_may_come_in_any_order() -> None:
    content = '{"meta":{"total":2},"data":[{"title":"One","id":1},{"id":2,"title":null}]}'
    assert differences(CASE, response(content)) == []


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (
            '{"data":[{"id":2,"title":null},{"id":1,"title":"One"}],"meta":{"total":2}}',
            [
                "body.data[0].id: expected 1, got 2",
                'body.data[0].title: expected "One", got null',
                "body.data[1].id: expected 2, got 1",
                'body.data[1].title: expected null, got "One"',
            ],
        ),
        (
            '{"data":[{"id":1,"title":"One"}],"meta":{"total":2}}',
            ["body.data: expected 2 items (ids [1, 2]), got 1 (ids [1])"],
        ),
        (
            '{"data":[{"id":1,"title":"One"},{"id":2}],"meta":{"total":2,"page":1}}',
            [
                "body.data[1].title: expected null, but it is missing",
                "body.meta.page: not expected, got 1",
            ],
        ),
        (
            '{"data":[],"meta":3}',
            [
                "body.data: expected 2 items (ids [1, 2]), got 0",
                'body.meta: expected {"total": 2}, got 3',
            ],
        ),
    ],
)
def test_each_difference_is_reported_with_its_path(content: str, found: list[str]) -> None:
    assert differences(CASE, response(content)) == found


@pytest.mark.parametrize(
    ("recorded", "content", "equal"),
    [
        (1, "1", True),
        (1, "1.0", True),
        (1, "true", False),
        (True, "1", False),
        (False, "0", False),
        (False, "null", False),
        (0, "null", False),
        ("1", "1", False),
        ([], "{}", False),
        (9223372036854775807, "9223372036854775807", True),
        (9223372036854775807, "9223372036854775806", False),
    ],
)
def test_values_are_equal_when_type_and_value_are(
    recorded: JSON, content: str, *, equal: bool
) -> None:
    found = differences(replace(CASE, body={"a": recorded}), response(f'{{"a":{content}}}'))
    assert (found == []) is equal


@pytest.mark.parametrize(
    ("message", "equal"),
    [
        (TAIL + "a.b, c.d", True),
        (TAIL + "c.d, a.b", True),
        (TAIL + "c.d", False),
        ("Another sentence: c.d, a.b", False),
    ],
)
def test_component_names_in_an_error_have_no_order(message: str, *, equal: bool) -> None:
    found = differences(replace(CASE, body=TAIL + "a.b, c.d"), response(f'"{message}"'))
    assert (found == []) is equal


def test_the_status_and_the_media_type_count_but_not_its_parameters() -> None:
    case = replace(CASE, body=None, text="Not Found", status=404, content_type="text/plain")
    assert differences(case, response("Not Found", 404, "text/PLAIN; charset=utf-8")) == []
    assert differences(case, response("Not Found", 405, "text/html")) == [
        "status: expected 404, got 405",
        'media type: expected "text/plain", got "text/html"',
    ]


def test_a_response_without_body_has_none() -> None:
    case = replace(CASE, status=204, content_type=None, body=None)
    assert differences(case, ClientResponse(204, {}, b"")) == []
    assert differences(case, ClientResponse(204, {}, b"x")) == ['text: expected null, got "x"']
    assert differences(case, ClientResponse(204, {"content-type": "application/json"}, b"{}")) != []


def test_bytes_are_compared_by_their_code() -> None:
    case = replace(CASE, body=None, text="base64:/wA=", content_type="image/png", length=2)
    assert differences(case, ClientResponse(200, {"content-type": "image/png"}, b"\xff\0")) == []
    assert differences(case, ClientResponse(200, {"content-type": "image/png"}, b"\xff\1\1")) == [
        'text: expected "base64:/wA=", got "base64:/wEB"',
        "length: expected 2, got 3",
    ]


def test_only_recorded_headers_are_compared() -> None:
    case = replace(CASE, body={}, response_headers={"vary": "Origin", "allow": ""})
    headers = {**JSON_TYPE, "vary": "Origin", "allow": "", "date": "today"}
    assert differences(case, ClientResponse(200, headers, b"{}")) == []
    assert differences(case, ClientResponse(200, JSON_TYPE, b"{}")) == [
        'header vary: expected "Origin", got null',
        'header allow: expected "", got null',
    ]
