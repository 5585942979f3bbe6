"""Every recorded write scenario, replayed: each from the recorded rows."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conformance.client import Authorization, Client
from tests.conformance.corpus import (
    Scenario,
    Step,
    credentials,
    ratelimit_scenarios,
    write_scenarios,
)
from tests.conformance.deviations import Deviation
from tests.conformance.on_postgresql import differs_on_postgresql
from tests.conformance.scenario_server import ScenarioServer, apps_on
from tests.conformance.scenarios import replay
from tests.conformance.written_deviations import name_of, written_deviation
from tests.databases.kind import Kind
from tests.databases.kinds import kind_of

SHOWN_DIFFERENCES = 12


SCENARIOS = write_scenarios()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=name_of)
async def test_a_recorded_scenario_is_answered_as_the_reference_did(
    scenario: Scenario, kind: Kind, server: ScenarioServer, deviations: tuple[Deviation, ...]
) -> None:
    async with server.begin() as (client,):
        await replay_scenario(scenario, kind, client, deviations)


async def replay_scenario(
    scenario: Scenario, kind: Kind, client: Client, deviations: Sequence[Deviation]
) -> None:
    """Send the requests of a scenario, and fail with what differs from the recorded responses."""
    deviation = written_deviation(scenario)
    allowed: list[str] = []

    def allow(step: Step, difference: str) -> bool:
        if deviation is None or not deviation.covers(step, difference):
            return False
        allowed.append(difference)
        return True

    authorization = Authorization(client, credentials())
    in_common = kind.name != "sqlite"
    found = await replay(scenario, client, authorization, deviations, allow, in_common=in_common)
    if found and in_common and differs_on_postgresql(scenario, found):
        return
    if found:
        pytest.fail("\n    ".join(found[: SHOWN_DIFFERENCES + 1]), pytrace=False)
    assert bool(allowed) == (deviation is not None), "what is listed to differ does not"


@pytest.mark.parametrize("scenario", ratelimit_scenarios(), ids=name_of)
async def test_who_calls_too_often_is_answered_as_the_reference_did(
    scenario: Scenario, recorded: Path, deviations: tuple[Deviation, ...]
) -> None:
    with kind_of(recorded).borrow(recorded) as database:
        settings = {**database, "users.rate_limit.enabled": True}
        async with apps_on(settings, recorded) as (client,):
            authorization = Authorization(client, credentials())
            assert await replay(scenario, client, authorization, deviations) == []
