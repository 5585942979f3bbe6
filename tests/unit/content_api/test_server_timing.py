"""Responses in development have timings; in production nothing is measured."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, running

LIST = "/api/articles?populate[author][fields]=name"
METRIC = re.compile(r'(\w+)(?:;desc="(\d+) statements")?;dur=([\d.]+)')


@pytest.fixture(scope="module")
async def client(shared_recorded: Path) -> AsyncIterator[AsgiClient]:
    settings = load_settings(shared_recorded, overrides={"environment": "development"}, environ={})
    async with running(build_app(settings)) as client:
        yield client


async def metrics(client: AsgiClient, path: str) -> dict[str, tuple[str, float]]:
    response = await client.request("GET", path)
    return {
        name: (statements, float(spent))
        for name, statements, spent in METRIC.findall(response.headers["server-timing"])
    }


async def metrics_when_remembered(client: AsgiClient) -> dict[str, tuple[str, float]]:
    """Send a request twice, and again after another commit.

    On PostgreSQL everybody counts who uses the server, as other tests do.
    """

    def statements(found: dict[str, tuple[str, float]]) -> int:
        # SQLite need not even be asked whether anything has changed.
        return int(found.get("database", ("0", 0.0))[0])

    await metrics(client, LIST)
    return min([await metrics(client, LIST) for _ in range(20)], key=statements)


async def test_a_response_names_the_rooms_that_it_went_through(client: AsgiClient) -> None:
    found = await metrics(client, LIST)
    assert set(found) == {"authenticate", "resolve", "database", "total"}


async def test_what_is_remembered_takes_no_statements(client: AsgiClient) -> None:
    again = await metrics_when_remembered(client)
    assert again.get("database", ("0", 0.0))[0] == "0"
    assert "authenticate" not in again
    assert "resolve" not in again


async def test_without_cached_responses_other_caches_are_used(shared_recorded: Path) -> None:
    settings = {"environment": "development", "cache.responses": 0}
    app = build_app(load_settings(shared_recorded, overrides=settings, environ={}))
    async with running(app) as client:
        again = await metrics_when_remembered(client)
    # The page and its authors: the total, the plan and the permissions are known by now.
    assert again["database"][0] == "2"
    assert "authenticate" not in again


async def test_rooms_take_no_longer_than_the_whole(client: AsgiClient) -> None:
    found = await metrics(client, LIST)
    total = found.pop("total")[1]
    assert all(spent <= total for _, spent in found.values())


async def test_errors_and_files_are_timed_too(client: AsgiClient) -> None:
    assert "total" in await metrics(client, "/api/articles?sort=nope")
    assert "total" in await metrics(client, "/nothing")


async def test_nothing_is_reported_in_production(shared_recorded: Path) -> None:
    async with running(build_app(load_settings(shared_recorded, environ={}))) as client:
        response = await client.request("GET", LIST)
    assert response.status == 200
    assert "server-timing" not in response.headers
