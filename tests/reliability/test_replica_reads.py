"""Every recorded read of the content API, sent to a server that reads from a replica."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.client import Authorization
from tests.conformance.corpus import credentials
from tests.conformance.deviations import read_deviations
from tests.conformance.test_reads import GROUPS, replay_group
from tests.databases.kinds import POSTGRESQL
from tests.reliability.replicas import Pair, served, started_pair


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with started_pair() as found:
        yield found


@pytest.mark.parametrize("group", GROUPS)
async def test_recorded_reads_are_answered_alike_with_a_replica(
    group: str, pair: Pair, tmp_path: Path
) -> None:
    async with served(pair, tmp_path, replica_wait_ms=60_000) as (_, client):
        authorization = Authorization(client, credentials())
        await replay_group(group, POSTGRESQL, client, authorization, read_deviations())
