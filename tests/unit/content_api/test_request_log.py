"""Lines of the request log, and masked parameters."""

import json

import pytest

from quire.content_api.http_messages import Request
from quire.content_api.request_log import RequestLog, mask_query
from quire.query.python_parameters import rewrite_query


def request(query: bytes = b"", path: bytes = b"/api/tags") -> Request:
    return Request("GET", path, query, {}, ("203.0.113.7", 40_000), None)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        (b"a=1&b=2", "a=1&b=2"),
        (b"code=x", "code=***"),
        (b"Code=x&code=y", "Code=***&code=***"),
        (b"%63ode=x", "%63ode=***"),
        (b"filters[user][resetPasswordToken][$eq]=x", "filters[user][resetPasswordToken][$eq]=***"),
        (b"filters.password=x", "filters.password=***"),
        (b"client_secret=x&currentPassword=y", "client_secret=***&currentPassword=***"),
        (b"code", "code"),
        (b"code=", "code="),
        (b"zipcode=1", "zipcode=1"),
        (b"signature=a=b==&w=10", "signature=***&w=10"),
        (b"", ""),
    ],
)
def test_values_of_parameters_with_secrets_are_masked(query: bytes, shown: str) -> None:
    assert mask_query(query) == shown


def test_a_query_that_was_changed_is_shown_as_it_was_sent() -> None:
    lines: list[str] = []
    log = RequestLog(as_json=True, write=lines.append)
    for sent in (b"a=1", b""):
        changed = rewrite_query(sent, "a route", lambda query: {**query, "populate": "*"})
        log.add(request(changed), 200, 10, 0.0)

    assert [json.loads(line).get("query") for line in lines] == ["a=1", None]


def test_a_line_for_people_cannot_control_their_terminal() -> None:
    lines: list[str] = []
    log = RequestLog(as_json=False, clock=lambda: 0, write=lines.append)

    log.add(request(b"a=\x9b31m", b"/\x9b2J"), 404, 10, 0.0)

    assert lines[0].startswith("1970-01-01T00:00:00.000Z GET /\\x9b2J?a=\\x9b31m 404 ")
    assert lines[0].isascii()


def test_a_reason_with_line_breaks_is_in_one_line() -> None:
    lines: list[str] = []
    denied = request()
    denied.denial = "the role a\nb\x1b[31m lacks \u00e9"

    RequestLog(as_json=False, write=lines.append).add(denied, 403, 10, 0.0)

    assert lines[0].endswith(" (the role a\\nb\\x1b[31m lacks \\xe9)\n")
    assert lines[0].count("\n") == 1


def test_a_line_is_json_without_breaks() -> None:
    lines: list[str] = []

    RequestLog(as_json=True, write=lines.append).add(request(b'a="\\'), 200, 10, 0.0)

    assert lines[0].count("\n") == 1
    assert json.loads(lines[0])["query"] == 'a="\\'


@pytest.mark.parametrize("error", [OSError("full"), ValueError("closed")])
def test_a_log_that_takes_no_lines_breaks_nothing(error: Exception) -> None:
    def refuse(_: str) -> None:
        raise error

    RequestLog(as_json=True, write=refuse).add(request(), 200, 10, 0.0)
