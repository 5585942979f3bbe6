"""Metrics of a process about its database, caches and webhooks."""

import asyncio
from pathlib import Path

from quire.database.interface import Database
from quire.database.program import Program, Statement
from quire.metrics.catalogue import (
    CACHE_HITS,
    DATABASE_SECONDS,
    POOL_IN_USE,
    POOL_SIZE,
    POOL_WAIT_SECONDS,
    POOL_WAITING,
    POOL_WAITS,
    SLOW_OPERATIONS,
    WEBHOOK_LAG,
    WEBHOOK_QUEUE,
)
from quire.metrics.families import LabelValues, Metric, MetricFamily, merge_families
from quire.runtime.metrics_collector import DatabaseMetrics
from tests.databases.kind import Kind
from tests.unit.kiosk import open_kiosk


def values(families: list[MetricFamily], metric: Metric) -> dict[LabelValues, float]:
    (found,) = [one for one in merge_families([families]) if one.metric is metric]
    return {sample.labels: sample.value for sample in found.samples}


def test_operations_count_as_slow_from_the_limit_on() -> None:
    metrics = DatabaseMetrics(0.2)
    for seconds in (0.1, 0.2, 3.0):
        metrics.recorder("read")(seconds)
    metrics.recorder("write")(0.01)

    assert values(list(metrics.families()), SLOW_OPERATIONS) == {
        ("read",): 2,
        ("write",): 0,
        ("version",): 0,
    }
    times = next(one for one in metrics.families() if one.metric is DATABASE_SECONDS)
    assert [sum(sample.buckets) for sample in times.samples] == [3, 1, 0]


async def test_lookups_of_caches_are_counted_across_content_versions(tmp_path: Path) -> None:
    async with open_kiosk(tmp_path) as kiosk:
        before = values(await kiosk.app.collect_metrics(), CACHE_HITS)
        for number in range(3):
            await kiosk.send("GET", "papers?pagination[pageSize]=3")
            await kiosk.send("GET", "papers?pagination[pageSize]=3")
            await kiosk.sent("POST", "papers", {"title": str(number)})
        after = values(await kiosk.app.collect_metrics(), CACHE_HITS)

    assert after["responses",] - before["responses",] == 3


async def test_what_waits_for_webhooks_is_reported_with_its_age(tmp_path: Path) -> None:
    async with open_kiosk(tmp_path) as kiosk:
        services = kiosk.app.services
        assert services is not None
        await services.database.write(_webhook())
        await services.webhooks.outbox.refresh()
        assert values(await kiosk.app.collect_metrics(), WEBHOOK_QUEUE) == {(): 0}
        await services.webhooks.worker.stop()
        await kiosk.sent("POST", "papers", {"title": "one"})
        await kiosk.sent("POST", "papers", {"title": "two"})
        await _make_older(services.database, 90_000)
        found = await kiosk.app.collect_metrics()
        await services.database.write(services.webhooks.webhooks.update(1, {"enabled": False}))
        disabled = await kiosk.app.collect_metrics()

    assert values(found, WEBHOOK_QUEUE) == {(): 2}
    assert values(found, WEBHOOK_LAG)[()] >= 90
    assert values(disabled, WEBHOOK_QUEUE) == {(): 0}
    assert values(disabled, WEBHOOK_LAG) == {(): 0}


async def test_pools_are_told_by_what_they_are_for(kind: Kind, tmp_path: Path) -> None:
    kind.settle(tmp_path)
    async with open_kiosk(tmp_path) as kiosk:
        await kiosk.send("GET", "papers")
        found = await kiosk.app.collect_metrics()

    sizes = {"sqlite": {("read",): 1, ("write",): 1}}
    several = {("read",): 8, ("write",): 1, ("version",): 1}
    assert values(found, POOL_SIZE) == sizes.get(kind.name, several)
    assert set(values(found, POOL_IN_USE).values()) == {0}


async def test_who_waits_for_a_connection_is_counted(kind: Kind, tmp_path: Path) -> None:
    kind.settle(tmp_path)
    async with open_kiosk(tmp_path) as kiosk:
        before = values(await kiosk.app.collect_metrics(), POOL_WAITS)["write",]
        await asyncio.gather(
            *(kiosk.sent("POST", "papers", {"title": str(number)}) for number in range(3))
        )
        found = await kiosk.app.collect_metrics()

    # The first one may have ended before the last one asks.
    assert values(found, POOL_WAITS)["write",] - before in {1, 2}
    assert values(found, POOL_WAIT_SECONDS)["write",] > 0
    assert values(found, POOL_WAITING)["write",] == 0


def _webhook() -> Program[None]:
    yield Statement(
        "INSERT INTO strapi_webhooks (name, url, headers, events, enabled)"
        " VALUES ('one', 'http://127.0.0.1:9/', '{}', '[\"entry.create\"]', 1)"
    )


async def _make_older(database: Database, milliseconds: int) -> None:
    def program() -> Program[None]:
        yield Statement(f"UPDATE quire_deliveries SET created_at = created_at - {milliseconds}")

    await database.write(program())
