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
from tests.conformance.managed_deviations import ELSEWHERE, EXPECTED
from tests.conformance.test_writes import fresh_app

ARCHIVE = "content-manager-writes"
SHOWN_DIFFERENCES = 40


def known(scenario: ManagedScenario) -> bool:
    return not scenario.name.startswith(ELSEWHERE)


SCENARIOS = [scenario for scenario in managed_scenarios(ARCHIVE) if known(scenario)]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
async def test_administrators_change_what_the_reference_changes(
    scenario: ManagedScenario, recorded: Path
) -> None:
    async with fresh_app(recorded) as client:
        authorization = AdminAuthorization(client, credentials(), scenario.people)
        found = await differing_steps(scenario, client, authorization)
    expected = EXPECTED.get(scenario.name, {})
    surprising = [line for step, told in found.items() if step not in expected for line in told]
    if surprising:
        pytest.fail("\n    ".join(surprising[:SHOWN_DIFFERENCES]), pytrace=False)
    assert sorted(found) == sorted(expected), "what is listed to differ does not"
