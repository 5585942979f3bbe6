"""Recorded requests of administrators about the project, replayed."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.conformance.client import AsgiClient
from tests.conformance.compare import differences
from tests.conformance.corpus import ReadCase, credentials
from tests.conformance.managed import (
    AdminAuthorization,
    ManagedCase,
    ManagedScenario,
    ask,
    counting,
    differing_steps,
    managed_cases,
    managed_scenarios,
)
from tests.conformance.managed_deviations import FOLLOWS
from tests.conformance.scenario_server import ScenarioServer
from tests.databases.kind import Kind

CASES = managed_cases("administration-reads")
SHOWN_DIFFERENCES = 40

ON_POSTGRESQL: Mapping[str, frozenset[int]] = {
    "i18n/deleting a locale takes its entries": frozenset({1, 4, 6})
}
"""Steps that show content as PostgreSQL keeps it: times without fractions, texts as JSON."""

EXPECTED: Mapping[str, Mapping[int, str]] = {
    "roles/permissions": {18: "unknown-condition"},
    "webhooks/life and errors": {
        10: "webhook-urls",
        32: "webhook-headers",
        **dict.fromkeys((18, 27, 29, 31, 37, 46), FOLLOWS),
    },
}
"""Steps that differ on purpose, by the rows of docs/compatibility.md."""


@pytest.fixture(scope="module")
def administrators(client: AsgiClient) -> AdminAuthorization:
    return AdminAuthorization(client, credentials())


@pytest.mark.parametrize("group", sorted({case.group for case in CASES}))
async def test_administrators_are_shown_what_the_reference_shows(
    group: str, client: AsgiClient, administrators: AdminAuthorization
) -> None:
    failures: list[str] = []
    for case in (case for case in CASES if case.group == group):
        found = await differing(case, client, administrators)
        if found:
            failures += [f"{case.method} {case.path}", *found]
    if failures:
        pytest.fail("\n    ".join(failures[:SHOWN_DIFFERENCES]), pytrace=False)


@pytest.mark.parametrize(
    "scenario", managed_scenarios("administration-writes"), ids=lambda scenario: scenario.name
)
async def test_administrators_change_what_the_reference_changes(
    scenario: ManagedScenario, server: ScenarioServer, kind: Kind
) -> None:
    async with server.begin() as (client,):
        authorization = AdminAuthorization(client, credentials(), scenario.admin_users)
        found = await differing_steps(scenario, client, authorization)
    found = {
        step: reported for step, reported in found.items() if step not in skipped(scenario, kind)
    }
    expected = EXPECTED.get(scenario.name, {})
    surprising = [
        line for step, reported in found.items() if step not in expected for line in reported
    ]
    if surprising:
        pytest.fail("\n    ".join(surprising[:SHOWN_DIFFERENCES]), pytrace=False)
    assert sorted(found) == sorted(expected), "what is listed to differ does not"


def skipped(scenario: ManagedScenario, kind: Kind) -> frozenset[int]:
    if kind.name != "postgresql":
        return frozenset()
    return ON_POSTGRESQL.get(scenario.name, frozenset())


async def differing(
    case: ManagedCase, client: AsgiClient, administrators: AdminAuthorization
) -> list[str]:
    response = await ask(case, client, administrators)
    if case.status >= 500:
        return [] if 400 <= response.status < 500 else [f"expected a 4xx, got {response.status}"]
    expected = ReadCase(
        group=case.group,
        name=case.name,
        method=case.method,
        path=case.path,
        auth=case.auth,
        headers=case.headers,
        status=case.status,
        content_type="application/json",
        body=counting(case, case.body),
    )
    counted = json.dumps(counting(case, response.json)).encode()
    return differences(expected, replace(response, content=counted))
