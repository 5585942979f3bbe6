"""Collects the metrics of one process."""

import asyncio
import platform
from collections.abc import Iterator
from typing import TYPE_CHECKING

import quire
from quire.clock import Clock
from quire.content_api.request_log import RequestLog
from quire.content_api.request_metrics import RequestMetrics
from quire.content_api.request_observer import RequestObserver
from quire.database.interface import Database
from quire.database.observed_database import ObservedDatabase, Operation, Record
from quire.database.program import Program
from quire.database.stores.jobs import JOBS
from quire.errors import AppError
from quire.hooks.function_times import slow_calls
from quire.jobs.setup import JobParts
from quire.logging import is_json
from quire.metrics.caches import CacheCounters
from quire.metrics.catalogue import (
    BUILD,
    CACHE_ENTRIES,
    CACHE_HITS,
    CACHE_MISSES,
    DATABASE_SECONDS,
    IN_FLIGHT,
    JOB_LAG,
    JOB_QUEUE,
    JOB_RUNS,
    POOL_IN_USE,
    POOL_REFUSED,
    POOL_SIZE,
    POOL_WAIT_SECONDS,
    POOL_WAITING,
    POOL_WAITS,
    PROCESSES,
    SLOW_FUNCTIONS,
    SLOW_OPERATIONS,
    WEBHOOK_DELIVERIES,
    WEBHOOK_LAG,
    WEBHOOK_QUEUE,
)
from quire.metrics.families import Histogram, MetricFamily, family, histogram_family, single
from quire.metrics.process import ProcessMetrics
from quire.query.querystring import cache_statistics
from quire.settings import Settings
from quire.tracing.trace_context import present_tracing
from quire.webhooks.setup import WebhookParts

if TYPE_CHECKING:
    from quire.tracing.otel import Tracing

_QUEUE_SECONDS = 1.0
"""Timeout for the sizes of the queues; without them the other metrics are returned."""


class DatabaseMetrics:
    """Durations of the operations of a database."""

    def __init__(self, slow_seconds: float) -> None:
        self._times: dict[Operation, Histogram] = {
            "read": Histogram(DATABASE_SECONDS, slow_seconds),
            "write": Histogram(DATABASE_SECONDS, slow_seconds),
            "version": Histogram(DATABASE_SECONDS, slow_seconds),
        }

    def recorder(self, operation: Operation) -> Record:
        """Return what records operations of a kind."""
        return self._times[operation].observe

    def aggregate(self) -> None:
        """See `Histogram.aggregate`."""
        for times in self._times.values():
            times.aggregate()

    def families(self) -> Iterator[MetricFamily]:
        """Yield the metrics."""
        self.aggregate()
        yield histogram_family(
            DATABASE_SECONDS, {(name,): times for name, times in self._times.items()}
        )
        yield family(
            SLOW_OPERATIONS, [((name,), times.exceeded) for name, times in self._times.items()]
        )


class Metrics:
    """The metrics of a process: requests, database, caches, itself.

    If metrics are disabled, ``requests`` and ``database`` are ``None``, and nothing is timed;
    lookups of caches are counted all the same. ``observer`` receives each request, ``None`` without
    metrics and a request log.
    """

    def __init__(self, settings: Settings, clock: Clock, tracing: "Tracing | None" = None) -> None:
        is_wanted = settings.metrics.port is not None
        self.caches = CacheCounters()
        self.process = ProcessMetrics(clock)
        self._clock = clock
        self._kind = settings.database.client
        self.requests = RequestMetrics() if is_wanted else None
        self.database = (
            DatabaseMetrics(settings.metrics.slow_query_ms / 1000) if is_wanted else None
        )
        self.observer = _observer(settings, self.requests)
        self._tracing = tracing

    def observed(self, database: Database) -> Database:
        """Return a wrapper of a database that measures and traces it, or the database itself."""
        if self.database is not None:
            return ObservedDatabase(database, self.database.recorder, present_tracing.get)
        if self._tracing is not None:
            return ObservedDatabase(database, None, present_tracing.get)
        return database

    def start(self) -> None:
        """Start to measure the event loop, if metrics are enabled."""
        if self.requests is not None:
            self.process.start(self._aggregate)

    def _aggregate(self) -> None:
        """Empty the lists of recorded values."""
        if self.requests is not None:
            self.requests.aggregate()
        if self.database is not None:
            self.database.aggregate()

    def stop(self) -> None:
        """Stop to measure."""
        self.process.stop()

    async def collect(
        self, database: Database, webhooks: WebhookParts, jobs: JobParts
    ) -> list[MetricFamily]:
        """Return the present metrics of this process."""
        families = [self._build(), single(PROCESSES, 1), *self.process.families()]
        if self.requests is not None:
            families += self.requests.families()
        if self.observer is not None:
            families.append(single(IN_FLIGHT, self.observer.in_flight))
        families.append(single(SLOW_FUNCTIONS, slow_calls.count))
        if self.database is not None:
            families += self.database.families()
        families += _pools(database)
        families += self.caches.families()
        families += _query_cache()
        attempts = webhooks.worker.attempts
        families.append(
            family(WEBHOOK_DELIVERIES, [((name,), count) for name, count in attempts.items()])
        )
        families.append(family(JOB_RUNS, [*jobs.worker.runs_by_outcome.items()]))
        families += await self._queues(database, webhooks, jobs)
        return families

    def _build(self) -> MetricFamily:
        return family(BUILD, [((quire.__version__, platform.python_version(), self._kind), 1)])

    async def _queues(
        self, database: Database, webhooks: WebhookParts, jobs: JobParts
    ) -> list[MetricFamily]:
        """Read the sizes of the queues; returns none while the database does not respond."""
        now = self._clock()
        try:
            async with asyncio.timeout(_QUEUE_SECONDS):
                delivery = await database.read(webhooks.outbox.backlog)
                job = await database.read(lambda: _job_backlog(jobs, now))
        except (AppError, TimeoutError):
            return []
        return [
            single(WEBHOOK_QUEUE, delivery[0]),
            single(WEBHOOK_LAG, _age(delivery[1], now)),
            single(JOB_QUEUE, job[0]),
            single(JOB_LAG, _age(job[1], now)),
        ]


def _job_backlog(jobs: JobParts, now: int) -> Program[tuple[int, int | None]]:
    if not (yield from jobs.queue.tables.exists(JOBS)):
        return 0, None
    return (yield from jobs.queue.rows.backlog(now))


def _age(moment: int | None, now: int) -> float:
    """Return the seconds since a time, 0 for none."""
    return 0.0 if moment is None else max(0, now - moment) / 1000


def _observer(settings: Settings, requests: RequestMetrics | None) -> RequestObserver | None:
    log = None
    if settings.log.requests:
        log = RequestLog(as_json=is_json(settings.log.format, development=settings.is_development))
    return None if requests is None and log is None else RequestObserver(requests, log)


def _pools(database: Database) -> Iterator[MetricFamily]:
    pools = database.pools()
    yield family(POOL_SIZE, [((pool.name,), pool.size) for pool in pools])
    yield family(POOL_IN_USE, [((pool.name,), pool.in_use) for pool in pools])
    yield family(POOL_WAITING, [((pool.name,), pool.waiting) for pool in pools])
    yield family(POOL_WAITS, [((pool.name,), pool.waits) for pool in pools])
    yield family(POOL_WAIT_SECONDS, [((pool.name,), pool.wait_seconds) for pool in pools])
    yield family(POOL_REFUSED, [((pool.name,), pool.refused) for pool in pools])


def _query_cache() -> Iterator[MetricFamily]:
    statistics = cache_statistics()
    labels = ("queries",)
    yield family(CACHE_HITS, [(labels, statistics.hits)])
    yield family(CACHE_MISSES, [(labels, statistics.misses)])
    yield family(CACHE_ENTRIES, [(labels, statistics.entries)])
