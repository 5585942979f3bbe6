"""Recorded reads of content by administrators, replayed: one test per group."""

import json
import re
from dataclasses import replace

import pytest

from tests.conformance.client import AsgiClient
from tests.conformance.compare import differences
from tests.conformance.corpus import JSON, ReadCase, credentials
from tests.conformance.managed import (
    AdminAuthorization,
    ManagedCase,
    ask,
    managed_cases,
    reduced,
)
from tests.conformance.on_postgresql import ORDERED_OTHERWISE, common_form
from tests.databases.kind import Kind
from tests.databases.kinds import POSTGRESQL

ARCHIVE = "content-manager-reads"
GROUPS = ("actions", "entries", "lists", "models", "relations", "single-types")
"""Those whose requests Quire knows."""

DEVIATIONS = {
    "relation-populate": re.compile(r"GET /content-manager/relations/.*[?&]populate="),
    "list-secrets": re.compile(r"GET /content-manager/.*[?&]sort=password"),
}
"""Rows of docs/compatibility.md, and the requests that they speak of."""

SHOWN_CASES, SHOWN_DIFFERENCES = 20, 5


@pytest.fixture(scope="module")
def administrators(client: AsgiClient) -> AdminAuthorization:
    return AdminAuthorization(client, credentials())


@pytest.mark.parametrize("group", GROUPS)
async def test_administrators_read_what_the_reference_shows(
    group: str, kind: Kind, client: AsgiClient, administrators: AdminAuthorization
) -> None:
    cases = [case for case in managed_cases(ARCHIVE) if case.group == group]
    failures = []
    for case in cases:
        found = await differing(case, kind, client, administrators)
        expected = deviation_of(case) is not None
        if bool(found) is not expected:
            failures.append(
                "\n    ".join([f"{case.method} {case.path}", *found[:SHOWN_DIFFERENCES]])
            )
    if failures:
        shown = "\n".join(failures[:SHOWN_CASES])
        pytest.fail(f"{len(failures)} of {len(cases)} cases differ\n{shown}", pytrace=False)


def deviation_of(case: ManagedCase) -> str | None:
    asked = f"{case.method} {case.path}"
    if case.data is not None:
        asked = f"{asked} {json.dumps(case.data)}"
    return next((id_ for id_, where in DEVIATIONS.items() if where.search(asked)), None)


async def differing(
    case: ManagedCase, kind: Kind, client: AsgiClient, administrators: AdminAuthorization
) -> list[str]:
    response = await ask(case, client, administrators)
    if case.status >= 500:
        return [] if 400 <= response.status < 500 else [f"expected a 4xx, got {response.status}"]
    if kind is POSTGRESQL and f"{case.method} {case.path}" in ORDERED_OTHERWISE:
        return [] if response.status == case.status else [f"expected {case.status}: {response}"]
    expected = ReadCase(
        group=case.group,
        name=case.name,
        method=case.method,
        path=case.path,
        auth=case.auth,
        headers=case.headers,
        status=case.status,
        content_type="application/json",
        body=counted_on(kind, case.body, case),
    )
    counted = counted_on(kind, response.json, case)
    return differences(expected, replace(response, content=json.dumps(counted).encode()))


def counted_on(kind: Kind, value: JSON, case: ManagedCase) -> JSON:
    """The compared parts of a response, in the form of a kind of database."""
    counted = reduced(value, case.without, case.unordered)
    return common_form(counted) if kind is POSTGRESQL else counted
