"""Recorded reads and writes on a server that reads from a replica."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.conformance.client import Authorization
from tests.conformance.corpus import Scenario, credentials
from tests.conformance.deviations import read_deviations
from tests.conformance.scenario_server import apps_on
from tests.conformance.test_reads import GROUPS, replay_group
from tests.conformance.test_writes import SCENARIOS, replay_scenario
from tests.conformance.written_deviations import name_of
from tests.databases.kinds import POSTGRESQL
from tests.examples import sample
from tests.postgresql.session import Session
from tests.reliability.replicas import Pair, served, started_pair, unpacked

_numbers = count(1)


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with started_pair() as found:
        yield found


@pytest.fixture(scope="module")
def databases(pair: Pair) -> Iterator[Session]:
    """Makes databases that are copies of ``recorded``, at once on the replica as well."""
    with pair.in_step():
        session = Session(of_name(pair.url, "template1"))
        session.execute("CREATE DATABASE recorded TEMPLATE postgres")
        yield session
        session.close()


def of_name(url: str, name: str) -> str:
    return urlsplit(url)._replace(path=f"/{name}").geturl()


@pytest.mark.parametrize("group", GROUPS)
async def test_recorded_reads_are_answered_alike_with_a_replica(
    group: str, pair: Pair, tmp_path: Path
) -> None:
    async with served(pair, tmp_path, replica_wait_ms=60_000) as (_, client):
        authorization = Authorization(client, credentials())
        await replay_group(group, POSTGRESQL, client, authorization, read_deviations())


@pytest.mark.parametrize("scenario", sample(SCENARIOS), ids=name_of)
async def test_recorded_scenarios_are_answered_alike_with_a_replica(
    scenario: Scenario, pair: Pair, databases: Session, tmp_path: Path
) -> None:
    name = f"scenario_{next(_numbers)}"
    databases.execute(f"CREATE DATABASE {name} TEMPLATE recorded")
    settings = {
        "database.url": of_name(pair.url, name),
        "database.replicas": (of_name(pair.replica_url, name),),
        "database.replica_wait_ms": 60_000,
    }
    async with apps_on(settings, unpacked(pair, tmp_path)) as (client,):
        await replay_scenario(scenario, POSTGRESQL, client, read_deviations())
    databases.execute(f"DROP DATABASE {name} WITH (FORCE)")
