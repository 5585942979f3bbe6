"""Two processes with one PostgreSQL database: each sees the writes of the other.

They are two applications, each with connections and caches of its own, that share nothing but the
database and the folder of uploads. Requests go to one and the other in turn.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path

import pytest

from tests.conformance.client import Authorization, Client, ClientResponse
from tests.conformance.corpus import Scenario, Step, credentials, write_scenarios
from tests.conformance.deviations import Deviation
from tests.conformance.on_postgresql import differs_on_postgresql
from tests.conformance.scenario_server import ScenarioServer
from tests.conformance.scenarios import replay
from tests.conformance.test_reads import replay_group
from tests.conformance.test_writes import SHOWN_DIFFERENCES
from tests.conformance.written_deviations import name_of, written_deviation
from tests.databases.kinds import POSTGRESQL

READS = ("status", "filters-text", "locale", "pagination", "permissions")
WRITES = ("auth", "flows", "generated-1", "locales", "relations-dp", "roles", "tokens", "users")
"""Groups in which much hangs on what was written just before."""


class Alternating:
    """Asks one client after the other (a `Client`)."""

    def __init__(self, clients: Sequence[Client]) -> None:
        self._clients = cycle(clients)

    async def request(
        self,
        method: str,
        raw_target: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> ClientResponse:
        """Send one request to the next process."""
        return await next(self._clients).request(method, raw_target, headers, body)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return POSTGRESQL.recorded(tmp_path_factory.mktemp("processes") / "project")


@pytest.fixture(scope="module")
async def processes(recorded: Path) -> AsyncIterator[ScenarioServer]:
    """Serves a copy of a project's database by two applications."""
    server = ScenarioServer(recorded, applications=2)
    yield server
    await server.close()


@pytest.mark.parametrize("group", READS)
async def test_recorded_reads_are_answered_alike_by_both(
    group: str, processes: ScenarioServer, deviations: tuple[Deviation, ...]
) -> None:
    async with processes.begin() as clients:
        client = Alternating(clients)
        authorization = Authorization(client, credentials())
        await replay_group(group, POSTGRESQL, client, authorization, deviations)


@pytest.mark.parametrize(
    "scenario", [one for one in write_scenarios() if one.group in WRITES], ids=name_of
)
async def test_recorded_scenarios_are_answered_alike_by_both_in_turn(
    scenario: Scenario, processes: ScenarioServer, deviations: tuple[Deviation, ...]
) -> None:
    deviation = written_deviation(scenario)

    def allow(step: Step, difference: str) -> bool:
        return deviation is not None and deviation.covers(step, difference)

    async with processes.begin() as clients:
        client = Alternating(clients)
        authorization = Authorization(client, credentials())
        found = await replay(scenario, client, authorization, deviations, allow, in_common=True)
    if found and not differs_on_postgresql(scenario, found):
        pytest.fail("\n    ".join(found[: SHOWN_DIFFERENCES + 1]), pytrace=False)


def authorized() -> dict[str, str]:
    token = credentials().api_tokens["full"]
    return {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}


async def test_what_one_has_remembered_is_forgotten_when_the_other_writes(
    processes: ScenarioServer,
) -> None:
    """Each total is requested twice, so that it is cached."""
    async with processes.begin() as (one, other):
        totals = []
        for number in range(4):
            for client in (one, other, one, other):
                response = await client.request("GET", "/api/tags?fields=label", authorized())
                totals.append(response.json["meta"]["pagination"]["total"] - number)  # type: ignore[index, call-overload, operator]
            body = b'{"data": {"label": "number %d"}}' % number
            made = await (one, other)[number % 2].request("POST", "/api/tags", authorized(), body)
            assert made.status == 201

    assert len(set(totals)) == 1


async def test_whoever_loses_a_permission_loses_it_in_both(processes: ScenarioServer) -> None:
    """Both processes have cached the permissions of visitors when one revokes them."""
    async with processes.begin() as (one, other):
        roles = await one.request("GET", "/api/users-permissions/roles", authorized())
        role = next(r for r in roles.json["roles"] if r["type"] == "public")  # type: ignore[index, call-overload, union-attr]
        before = [await client.request("GET", "/api/articles") for client in (one, other)]
        address = f"/api/users-permissions/roles/{role['id']}"  # type: ignore[index, call-overload]
        body = b'{"name": "Public", "description": "-", "permissions": {}}'
        changed = await one.request("PUT", address, authorized(), body)
        after = [await client.request("GET", "/api/articles") for client in (one, other)]

    assert changed.status == 200
    assert [response.status for response in before] == [200, 200]
    assert [response.status for response in after] == [401, 401]
