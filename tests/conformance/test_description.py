"""The OpenAPI document describes the recorded requests and responses of the reference."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance.client import Authorization
from tests.conformance.conftest import open_app
from tests.conformance.corpus import (
    JSON,
    Recorded,
    Scenario,
    credentials,
    read_cases,
    unpack_project,
    write_scenarios,
)
from tests.conformance.described import Described

COUNTED = re.compile(r"\[count\]=(true|t|1)")
"""Counts in the place of entries are not described: they would stand beside every relation."""
OTHER_FORM = frozenset({"strapi-response-format", "strapi-encode-source-maps"})
UNLISTED = "k61-026 zone"
"""Puts a component into a zone that is not for it."""
SERVER_FAULT = 500

READ_GROUPS = sorted({case.group for case in read_cases()})
WRITE_GROUPS = sorted({scenario.group for scenario in write_scenarios()})

TOLERATED = frozenset(
    {
        # Members that are ignored.
        *("data plus extras", "reserved keys", "reserved keys on update", "locale in the body"),
        *("create errors", "update errors", "status in the connect", "position invalid"),
        # Values without meaning for a relation.
        *("empty object", "garbage", "true", "odd values"),
        # Components that are not for a zone.
        *("validation", UNLISTED),
        # Numbers, flags and documents written as text.
        *("g31-004 article-old", "g31-033 article-new", "g31-053 article-old", "g31-059 category"),
        "g31-067 article-new",
    }
)
"""Scenarios with bodies that are accepted, although nobody is told that they would be."""


@pytest.fixture(scope="module")
async def described(tmp_path_factory: pytest.TempPathFactory) -> Described:
    """The description of the recorded project for a full-access token."""
    project = unpack_project(tmp_path_factory.mktemp("described") / "project")
    async with open_app(project) as client:
        headers = await Authorization(client, credentials()).headers("full")
        response = await client.request("GET", "/api/openapi.json", headers)
    return Described(json.loads(response.content))


@pytest.mark.parametrize("group", READ_GROUPS)
async def test_a_recorded_response_is_as_it_is_described(group: str, described: Described) -> None:
    cases = [case for case in read_cases() if case.group == group]
    problems = [
        f"{case.method} {case.path}: {problem}"
        for case in cases
        for problem in problems_of_response(case, described)
    ]

    assert not problems, "\n".join(problems[:20])


@pytest.mark.parametrize("group", WRITE_GROUPS)
async def test_a_response_to_who_writes_is_as_it_is_described(
    group: str, described: Described
) -> None:
    problems = [
        f"{scenario.name}: {step.method} {step.path}: {problem}"
        for scenario in scenarios_of(group)
        for step in scenario.steps
        if scenario.name != UNLISTED
        for problem in problems_of_response(step, described)
    ]

    assert not problems, "\n".join(problems[:20])


@pytest.mark.parametrize("group", [group for group in WRITE_GROUPS if group != "validation"])
async def test_a_recorded_body_that_is_accepted_is_as_it_is_described(
    group: str, described: Described
) -> None:
    problems = [
        f"{scenario.name}: {problem}"
        for scenario in scenarios_of(group)
        if scenario.name not in TOLERATED
        for problem in problems_of_bodies(scenario, described)
    ]

    assert not problems, "\n".join(problems[:20])


def scenarios_of(group: str) -> list[Scenario]:
    return [scenario for scenario in write_scenarios() if scenario.group == group]


def problems_of_bodies(scenario: Scenario, described: Described) -> Iterator[str]:
    for step in scenario.steps:
        operation = described.operation(step.method, step.path)
        if operation is not None and step.has_json_body and step.status < 300:
            yield from described.problems_of_body(operation, step.json_body)


def problems_of_response(recorded: Recorded, described: Described) -> list[str]:
    operation = described.operation(recorded.method, recorded.path)
    other_form = any(name.lower() in OTHER_FORM for name in recorded.headers)
    if operation is None or other_form or COUNTED.search(recorded.path):
        return []
    if recorded.status >= SERVER_FAULT:
        return []
    return described.problems_of_response(operation, recorded.status, filled(recorded.body))


PLACES: dict[str, Any] = {"id": 1, "size": 1.5, "time": "2026-01-01T00:00:00.000Z"}
_PLACE = re.compile(r"<(\w+):\d+>")


def filled(value: JSON) -> JSON:
    """Replace the placeholders of a recorded response by values of their kinds."""
    match value:
        case str():
            found = _PLACE.fullmatch(value)
            place: JSON = PLACES.get(found[1], value) if found else value
            return place
        case list():
            return [filled(item) for item in value]
        case dict():
            return {key: filled(item) for key, item in value.items()}
        case _:
            return value
