"""Every recorded write scenario, replayed: each from the recorded rows."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import (
    AsgiApp,
    AsgiClient,
    Authorization,
    Client,
    ClientResponse,
    running,
)
from tests.conformance.corpus import (
    Scenario,
    Step,
    credentials,
    ratelimit_scenarios,
    write_scenarios,
)
from tests.conformance.deviations import Deviation
from tests.conformance.on_postgresql import differs_on_postgresql
from tests.conformance.scenarios import replay
from tests.conformance.written_deviations import name_of, written_deviation
from tests.databases.kind import Kind
from tests.databases.kinds import kind_of

START_MS = 1_798_761_600_000  # 2027-01-01T00:00:00Z, later than anything in the recorded project
STEP_MS = 20
SHOWN_DIFFERENCES = 12


SCENARIOS = write_scenarios()


class Clock:
    """A clock that is stopped during a request, so that results do not depend on speed."""

    def __init__(self) -> None:
        self.now = START_MS

    def __call__(self) -> int:
        return self.now


class TickingClient(AsgiClient):
    """Lets time pass before each request: more than recorded moments that are one lie apart."""

    def __init__(self, app: AsgiApp, clock: Clock) -> None:
        super().__init__(app)
        self.clock = clock

    async def request(
        self,
        method: str,
        raw_target: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> ClientResponse:
        self.clock.now += STEP_MS
        return await super().request(method, raw_target, headers, body)


@asynccontextmanager
async def fresh_app(project: Path, **limits: object) -> AsyncIterator[TickingClient]:
    """Serve a project on a copy of its database; ``enabled`` limits how often may be called."""
    with kind_of(project).borrow(project) as database:
        async with app_on(database, project, **limits) as client:
            yield client


@asynccontextmanager
async def app_on(
    database: Mapping[str, object], project: Path, **limits: object
) -> AsyncIterator[TickingClient]:
    """Serve a project with the settings of another database than its own."""
    with TemporaryDirectory() as folder:
        uploads = {
            "uploads.directory": f"{folder}/uploads",
            "uploads.temporary_directory": f"{folder}/incoming",
        }
        named = {f"users.rate_limit.{name}": value for name, value in limits.items()}
        clock = Clock()
        settings = load_settings(project, environ={}, overrides={**database, **uploads, **named})
        app = build_app(settings, clock=clock)
        async with running(app):
            yield TickingClient(app, clock)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=name_of)
async def test_a_recorded_scenario_is_answered_as_the_reference_did(
    scenario: Scenario, kind: Kind, recorded: Path, deviations: tuple[Deviation, ...]
) -> None:
    async with fresh_app(recorded) as client:
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
    async with fresh_app(recorded, enabled=True) as client:
        authorization = Authorization(client, credentials())
        assert await replay(scenario, client, authorization, deviations) == []
