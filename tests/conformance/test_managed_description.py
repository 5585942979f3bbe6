"""The OpenAPI document of the admin API describes the recorded responses."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from tests.conformance.conftest import open_app
from tests.conformance.corpus import JSON, credentials, unpack_project
from tests.conformance.managed import AdminAuthorization, managed_cases, managed_scenarios
from tests.conformance.test_description import filled

OF_A_TYPE = re.compile(r"/content-manager/(collection|single)-types/([^/?]+)")
ABOUT = re.compile("An entry of the content type (.+)\\.")
TOLERANT = ("cm-validation/", "cm-components/", "cm-relations/wrong shapes")
"""Scenarios with bodies that are accepted, although nobody is told that they would be."""

Validators = Mapping[str, Draft202012Validator]


class Content(NamedTuple):
    """The descriptions of the entries of each content type."""

    shown: Validators
    written: Validators


class Asked(NamedTuple):
    """A successful recorded request about content."""

    request: str
    uid: str
    body: JSON
    response: JSON


@pytest.fixture(scope="module")
async def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    project = unpack_project(tmp_path_factory.mktemp("described") / "project")
    async with open_app(project) as client:
        headers = await AdminAuthorization(client, credentials()).headers("admin")
        response = await client.request("GET", "/admin/x/openapi.json", headers)
    parts = json.loads(response.content)["components"]
    found = Content({}, {})
    for name, schema in parts["schemas"].items():
        about = ABOUT.fullmatch(schema.get("description", ""))
        if about is not None:
            validators: Any = found.written if name.endswith("Input") else found.shown
            validators[about[1]] = Draft202012Validator({**schema, "components": parts})
    return found


def test_recorded_entries_are_as_they_are_described(content: Content) -> None:
    reported = [
        f"{asked.request}: {list(problem.absolute_path)} {problem.message[:200]}"
        for asked in requests()
        if asked.uid in content.shown
        for entry in entries(asked.response)
        for problem in content.shown[asked.uid].iter_errors(filled(entry))
    ]

    assert not reported, "\n".join(reported[:20])


def test_entries_say_nothing_that_is_not_described(content: Content) -> None:
    unknown = {
        (asked.uid, name)
        for asked in requests()
        if asked.uid in content.shown
        for entry in entries(asked.response)
        for name in entry.keys() - described_names(content.shown[asked.uid])
    }

    assert unknown == set()


def test_recorded_bodies_are_as_they_are_described(content: Content) -> None:
    reported = [
        f"{asked.request}: {list(problem.absolute_path)} {problem.message[:200]}"
        for asked in requests(leaving_out=TOLERANT)
        if asked.uid in content.written and isinstance(asked.body, dict)
        for problem in content.written[asked.uid].iter_errors(asked.body)
    ]

    assert not reported, "\n".join(reported[:20])


def requests(leaving_out: tuple[str, ...] = ("none",)) -> Iterator[Asked]:
    """All successful recorded requests about entries."""
    for case in managed_cases("content-manager-reads"):
        about = OF_A_TYPE.match(case.path)
        if about is not None and case.status == 200:
            yield Asked(f"{case.method} {case.path}", about[2], None, case.body)
    for scenario in managed_scenarios("content-manager-writes"):
        if scenario.name.startswith(leaving_out):
            continue
        for step in (one.step for one in scenario.steps):
            about = OF_A_TYPE.match(step.path)
            if about is not None and step.status < 300:
                request = f"{scenario.name}: {step.method} {step.path}"
                body = step.json_body if step.has_json_body else None
                yield Asked(request, about[2], body, step.body)


def entries(response: JSON) -> list[dict[str, Any]]:
    """The entries of a response: a page, or one that is there."""
    if not isinstance(response, dict):
        return []
    results, data = response.get("results"), response.get("data")
    listed = results if isinstance(results, list) else [data]
    return [entry for entry in listed if isinstance(entry, dict) and "documentId" in entry]


def described_names(validator: Draft202012Validator) -> frozenset[str]:
    schema: Any = validator.schema
    return frozenset(schema["properties"])
