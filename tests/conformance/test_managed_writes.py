"""What administrators do to content, replayed: each scenario from the recorded rows."""

from pathlib import Path

import pytest

from tests.conformance.corpus import credentials
from tests.conformance.managed import (
    AdminAuthorization,
    ManagedScenario,
    differing_steps,
    managed_scenarios,
)
from tests.conformance.managed_deviations import EXPECTED
from tests.conformance.test_writes import fresh_app

ARCHIVE = "content-manager-writes"
SHOWN_DIFFERENCES, SHOWN_OF_STEP = 60, 5


SCENARIOS = managed_scenarios(ARCHIVE)


def name_of(scenario: ManagedScenario) -> str:
    return scenario.name


@pytest.mark.parametrize("scenario", SCENARIOS, ids=name_of)
async def test_administrators_change_what_the_reference_changes(
    scenario: ManagedScenario, recorded: Path
) -> None:
    async with fresh_app(recorded) as client:
        authorization = AdminAuthorization(client, credentials(), scenario.people)
        found = await differing_steps(scenario, client, authorization)
    expected = EXPECTED.get(scenario.name, {})
    surprising = [
        line
        for step, told in found.items()
        if step not in expected
        for line in told[:SHOWN_OF_STEP]
    ]
    if surprising:
        pytest.fail("\n    ".join(surprising[:SHOWN_DIFFERENCES]), pytrace=False)
    assert sorted(found) == sorted(expected), "what is listed to differ does not"
