"""The table of deviations matches the recordings exactly."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from quire.query.querystring import parse
from tests.conformance.client import ClientResponse
from tests.conformance.corpus import JSON, ReadCase, Recorded, Step, read_cases
from tests.conformance.deviations import Deviation, judge, read_deviations
from tests.conformance.managed_deviations import EXPECTED, NO_DEVIATIONS
from tests.conformance.test_administration import EXPECTED as EXPECTED_OF_THE_PROJECT
from tests.conformance.test_managed_reads import DEVIATIONS as EXPECTED_OF_READS
from tests.conformance.test_writes import SCENARIOS
from tests.conformance.written_deviations import WRITTEN, documented_ids, name_of

TABLE = """
# Compatibility

## Deviations

| id | where | reference | Quire | why |
|---|---|---|---|---|
{rows}

## Another table

| a |
|---|
| b |
"""


def table(tmp_path: Path, *rows: str) -> tuple[Deviation, ...]:
    file = tmp_path / "compatibility.md"
    file.write_text(TABLE.format(rows="\n".join(rows)))
    return read_deviations(file)


def recorded(
    status: int,
    path: str = "/api/articles?a=1",
    *,
    headers: Mapping[str, str] | None = None,
    body: JSON = None,
) -> ReadCase:
    return ReadCase(
        group="group",
        name="name",
        method="GET",
        path=path,
        auth=None,
        headers=headers or {},
        status=status,
        content_type="application/json",
        body={} if body is None else body,
    )


def envelope(status: int, stated: int | None = None) -> ClientResponse:
    content = '{"data":null,"error":{"status":%d,"name":"E","message":"m","details":{}}}'
    return ClientResponse(
        status, {"content-type": "application/json"}, (content % (stated or status)).encode()
    )


def replayed() -> list[Recorded]:
    return [*read_cases(), *(step for scenario in SCENARIOS for step in scenario.steps)]


def test_every_row_covers_a_recorded_case() -> None:
    recorded_cases = replayed()
    stale = [row.id for row in read_deviations() if not any(map(row.covers, recorded_cases))]
    assert stale == []


def test_every_id_is_used_once() -> None:
    ids = [row.id for row in read_deviations()]
    assert len(ids) == len(set(ids))


def test_every_recorded_server_error_is_covered_by_a_row() -> None:
    rows = read_deviations()
    uncovered = [
        f"{case.method} {case.path}"
        for case in replayed()
        if case.status >= 500 and case.status != 501 and not any(row.covers(case) for row in rows)
    ]
    assert uncovered == []


LONG_LISTS = frozenset({"`filters-long-list`", "`fields-long-list`"})
"""Rows about lists that the reference takes for none; `tests/hazards` shows what they find."""


def test_only_a_recorded_leak_or_a_long_list_may_succeed_with_another_body() -> None:
    same_body = {row.id for row in read_deviations() if row.visible_only or row.except_cors}
    allowed = same_body | LONG_LISTS
    rows = [row for row in read_deviations() if row.quire_status < 400 and row.id not in allowed]
    leaks = [case for case in replayed() if case.deviation]
    covered = [case for case in replayed() if any(row.covers(case) for row in rows)]
    assert covered == leaks


def test_the_rows_of_long_lists_cover_lists_beyond_the_hundredth_place_alone() -> None:
    rows = [row for row in read_deviations() if row.id in LONG_LISTS]
    assert len(rows) == len(LONG_LISTS)
    for case in (case for row in rows for case in replayed() if row.covers(case)):
        query = parse(case.path.partition("?")[2])
        filters = query.get("filters")
        found = next(iter(filters.values())) if isinstance(filters, dict) else query
        assert isinstance(found, dict)
        value = found["$in"] if "$in" in found else found["fields"]
        assert isinstance(value, dict), case.path
        assert all(index.isdecimal() for index in value)


def test_every_deviation_of_writing_has_its_row() -> None:
    assert {one.id for one in WRITTEN} <= set(documented_ids())


def test_every_difference_that_administrators_see_has_its_row() -> None:
    of_steps = [*EXPECTED.values(), *EXPECTED_OF_THE_PROJECT.values()]
    reasons = {reason for steps in of_steps for reason in steps.values()} - NO_DEVIATIONS
    documented = set(documented_ids("Deviations of the admin API"))
    assert reasons | EXPECTED_OF_READS.keys() <= documented


def test_every_scenario_that_is_listed_to_differ_was_recorded() -> None:
    listed = [name for one in WRITTEN for name in one.scenarios]
    assert len(listed) == len(set(listed))
    assert set(listed) <= set(map(name_of, SCENARIOS))


def test_a_deviation_of_writing_covers_only_the_requests_and_places_it_names() -> None:
    (shared,) = (one for one in WRITTEN if one.id == "shared-attributes")
    asked = Step(
        method="GET",
        path="/api/articles/a?status=draft",
        auth=None,
        headers={},
        status=200,
        content_type="application/json",
        body={},
    )
    assert shared.covers(asked, "body.data.localizations[0].rating: expected 1, got 2")
    assert not shared.covers(asked, "body.data.title: expected 1, got 2")
    assert not shared.covers(asked, "status: expected 200, got 404")
    published = replace(asked, path="/api/articles/a")
    assert not shared.covers(published, "body.data.rating: expected 1, got 2")


def test_a_row_about_origins_leaves_nothing_else_open() -> None:
    row = next(row for row in read_deviations() if row.except_cors)
    case = next(case for case in replayed() if row.covers(case))
    assert case.response_headers.keys() >= {"access-control-allow-origin"}
    body = json.dumps(case.body).encode()
    said = {"content-type": "application/json", "access-control-allow-origin": "*"}
    kept = {**case.response_headers, **said}
    assert row.differences(case, ClientResponse(case.status, kept, body)) == []
    assert row.differences(case, ClientResponse(case.status, kept, b"{}")) != []
    assert row.differences(case, ClientResponse(404, kept, body)) != []


def test_a_row_covers_only_the_status_it_names(tmp_path: Path) -> None:
    (row,) = table(tmp_path, r"| `x` | `^GET /api/articles\?(a\|b)=1` | 500 | 400 | why |")
    assert row.covers(recorded(500))
    assert row.covers(recorded(500, "/api/articles?b=1"))
    assert not row.covers(recorded(500, "/api/articles?c=1"))
    assert not row.covers(recorded(200))


def test_a_row_may_speak_of_a_header_of_the_request(tmp_path: Path) -> None:
    (row,) = table(tmp_path, "| `x` | `^x-odd: yes$` | 200 | 200 | why |")
    assert row.covers(recorded(200, headers={"X-Odd": "Yes"}))
    assert not row.covers(recorded(200, headers={"X-Odd": "no"}))
    assert not row.covers(recorded(200, path="/api/articles?x-odd: yes"))


def test_a_row_may_speak_of_the_body_of_the_request(tmp_path: Path) -> None:
    (row,) = table(tmp_path, r'| `x` | `"title": null\}` | 500 | 400 | why |')
    case = Step(
        method="POST",
        path="/api/articles",
        auth=None,
        headers={},
        json_body={"data": {"title": None}},
        has_json_body=True,
        status=500,
        content_type="application/json",
        body={},
    )
    assert row.covers(case)
    assert not row.covers(replace(case, json_body={"data": {"title": "One"}}))


@pytest.mark.parametrize(
    ("content", "accepted"),
    [
        ('{"a":["x",{"b":"y"}],"n":1}', True),
        ('{"a":["x\u200b",{"b":"y"}],"n":1}', False),
        ('{"a":["x",{"b":"z"}],"n":1}', False),
        ('{"a":["x"],"n":1}', False),
    ],
)
def test_without_zero_width_characters_the_response_is_the_recorded_one_but_for_them(
    content: str, tmp_path: Path, *, accepted: bool
) -> None:
    rows = table(tmp_path, "| `x` | `a=1` | 200 | 200 without zero-width characters | why |")
    case = recorded(200, body={"a": ["x\u200b\ufeff", {"b": "\u200dy\u200c"}], "n": 1})
    response = ClientResponse(200, {"content-type": "application/json"}, content.encode())
    assert (judge(case, response, rows) == []) is accepted
    refused = ClientResponse(404, {"content-type": "application/json"}, content.encode())
    assert judge(case, refused, rows)


@pytest.mark.parametrize(
    ("response", "accepted"),
    [
        (envelope(400), True),
        (envelope(404), True),
        (envelope(500), False),
        (envelope(200), False),
        (envelope(404, stated=400), False),
        (ClientResponse(400, {"content-type": "text/plain"}, b"Bad Request"), False),
    ],
)
def test_for_a_recorded_server_error_any_client_error_in_its_envelope_will_do(
    response: ClientResponse, tmp_path: Path, *, accepted: bool
) -> None:
    rows = table(tmp_path, "| `x` | `a=1` | 500 | 400 | why |")
    assert (judge(recorded(500), response, rows) == []) is accepted


def test_for_another_recorded_response_the_status_of_the_row_will_do(tmp_path: Path) -> None:
    rows = table(tmp_path, "| `x` | `a=1` | 200 with secrets | 403 | why |")
    assert judge(recorded(200), envelope(403), rows) == []
    assert judge(recorded(200), envelope(200), rows) == ["status: expected 403 by `x`, got 200"]


def test_without_a_row_the_response_has_to_be_the_recorded_one(tmp_path: Path) -> None:
    rows = table(tmp_path)
    assert (
        judge(recorded(200), ClientResponse(200, {"content-type": "application/json"}, b"{}"), rows)
        == []
    )
    assert judge(recorded(200), envelope(404), rows) != []


@pytest.mark.parametrize(
    "row",
    [
        "| `x` | `a=1` | 500 | 400 |",
        "| `x` | a=1 | 500 | 400 | why |",
        "| `x` | `a=1` | fails | 400 | why |",
        "| `x` | `a=1` | 500 | refuses | why |",
        "| `x` | `a|b` | 500 | 400 | why |",
    ],
)
def test_a_row_of_another_form_is_refused(row: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"cells|pattern"):
        table(tmp_path, row)


def test_a_file_without_the_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "compatibility.md"
    file.write_text("# Compatibility\n")
    with pytest.raises(ValueError, match="Deviations"):
        read_deviations(file)
