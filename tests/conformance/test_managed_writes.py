"""Recorded writes of administrators, replayed: each scenario from the recorded rows."""

import pytest

from tests.conformance.corpus import JSON, credentials
from tests.conformance.managed import (
    AdminAuthorization,
    ManagedScenario,
    differing_steps,
    managed_scenarios,
)
from tests.conformance.managed_deviations import expected_steps
from tests.conformance.on_postgresql import common_form
from tests.conformance.scenario_server import ScenarioServer
from tests.databases.kind import Kind
from tests.databases.kinds import POSTGRESQL

ARCHIVE = "content-manager-writes"
SHOWN_DIFFERENCES, SHOWN_OF_STEP = 60, 5


SCENARIOS = managed_scenarios(ARCHIVE)


def as_it_is(value: JSON) -> JSON:
    return value


def name_of(scenario: ManagedScenario) -> str:
    return scenario.name


@pytest.mark.parametrize("scenario", SCENARIOS, ids=name_of)
async def test_administrators_change_what_the_reference_changes(
    scenario: ManagedScenario, kind: Kind, server: ScenarioServer
) -> None:
    form = common_form if kind is POSTGRESQL else as_it_is
    async with server.begin() as (client,):
        authorization = AdminAuthorization(client, credentials(), scenario.admin_users)
        found = await differing_steps(scenario, client, authorization, form)
    expected = expected_steps(scenario.name, on_postgresql=kind is POSTGRESQL)
    surprising = [
        line
        for step, reported in found.items()
        if step not in expected
        for line in reported[:SHOWN_OF_STEP]
    ]
    if surprising:
        pytest.fail("\n    ".join(surprising[:SHOWN_DIFFERENCES]), pytrace=False)
    assert sorted(found) == sorted(expected), "what is listed to differ does not"
