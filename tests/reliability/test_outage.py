"""A PostgreSQL server that stops and restarts while the site is used."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import running
from tests.conformance.corpus import credentials, postgresql_dump, unpack_project
from tests.databases.environment import write_environment
from tests.postgresql.cluster import Cluster
from tests.postgresql.session import Session
from tests.reliability.outage import WAYS, live_through

CLIENTS = 6
DURABLE = {"synchronous_commit": "on"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[Cluster, str]]:
    """A server of this module's own, with the recorded rows, and its URL."""
    # Not a folder of pytest's: the server may run as somebody else, who cannot go through those.
    folder = Path(tempfile.mkdtemp(prefix="quire-outage-"))
    server = Cluster(folder, DURABLE)
    try:
        url = server.start()
        session = Session(url)
        session.script(postgresql_dump())
        session.close()
        yield server, url
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def project(cluster: tuple[Cluster, str], tmp_path: Path) -> Path:
    unpacked = unpack_project(tmp_path)
    write_environment(unpacked, {"DATABASE_CLIENT": "postgres", "DATABASE_URL": cluster[1]})
    return unpacked


@pytest.mark.parametrize("way", WAYS)
async def test_while_the_database_is_down_everybody_gets_retry_after(
    way: str, project: Path, cluster: tuple[Cluster, str]
) -> None:
    server, _ = cluster
    settings = load_settings(project, environ={}, overrides={"database.connect_timeout_ms": 300})
    async with running(build_app(settings)) as client:
        token = credentials().api_tokens["full"]
        outcome = await live_through(WAYS[way], server, [client] * CLIENTS, token, seconds=0.5)
        healthy = await client.request("GET", "/_health")

    assert outcome.problems == []
    assert outcome.refused
    assert outcome.kept
    assert healthy.status == 204


@pytest.mark.parametrize("way", WAYS)
async def test_a_server_is_ready_again_when_the_database_is_back(
    way: str, project: Path, cluster: tuple[Cluster, str]
) -> None:
    server, _ = cluster
    async with running(build_app(load_settings(project, environ={}))) as client:
        before = await client.request("GET", "/_ready")
        WAYS[way].leave(server)
        try:
            during = await client.request("GET", "/_ready")
        finally:
            WAYS[way].come_back(server)
        after = await client.request("GET", "/_ready")

    assert (before.status, during.status, after.status) == (200, 503, 200)
    assert before.json == {"status": "ready", "checks": {"database": "ok", "schema": "ok"}}
    assert during.json == {
        "status": "unavailable",
        "checks": {"database": "failed", "schema": "unknown"},
    }
    assert during.headers["retry-after"] == "1"
    assert during.headers["cache-control"] == "no-store"
