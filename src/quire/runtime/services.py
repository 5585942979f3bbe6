"""Objects that live as long as the process: connections, queues, counters, threads."""

import asyncio
from typing import TYPE_CHECKING

from msgspec import Struct

from quire.admin_api.login_throttle import LoginThrottle
from quire.auth.counter_exchange import CounterExchange
from quire.builder.apply import Adopt, FindCodeProblems
from quire.clock import Clock
from quire.content_api.application import Successor
from quire.content_api.readiness import StopNotice
from quire.content_api.user_routes import AccountServices, account_services
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.settings_target import kind_of
from quire.database.stores.audit_log import AuditLog
from quire.database.stores.leases import Leases
from quire.database.stores.quire_tables import QuireTables
from quire.database.stores.slow_lists import SlowLists
from quire.jobs.setup import JobParts, open_jobs
from quire.queue_worker import no_span
from quire.runtime.metrics_collector import Metrics
from quire.settings import Settings
from quire.uploads.context import UploadContext
from quire.uploads.setup import open_upload_context
from quire.uploads.storage.open import StorageBackends
from quire.webhooks.setup import WebhookParts, open_webhooks

if TYPE_CHECKING:
    from quire.tracing.otel import Tracing


class Services(Struct, frozen=True, kw_only=True):
    """The process-wide objects of every `SchemaRuntime`; none of them knows content types.

    ``counter_exchange`` is for databases that several machines can share. ``successor`` returns the
    handler that replaces an API whose tables have changed; ``adopt`` switches to another schema.
    With ``is_timed``, stages of requests are measured; ``tracing`` makes spans, if enabled.
    """

    settings: Settings
    clock: Clock
    database: Database
    upload_context: UploadContext
    services: AccountServices
    attempts: LoginThrottle
    counter_exchange: CounterExchange | None
    audit: AuditLog
    webhooks: WebhookParts
    jobs: JobParts
    slow_lists: SlowLists
    metrics: Metrics
    stop_notice: StopNotice
    is_timed: bool
    tracing: "Tracing | None"
    successor: Successor
    adopt: Adopt
    code_problems: FindCodeProblems

    async def start(self) -> None:
        """Start the background work."""
        self.metrics.start()
        await self.webhooks.outbox.refresh()
        self.webhooks.worker.start()
        await self.jobs.run_start()
        self.jobs.start()
        if self.counter_exchange is not None:
            self.counter_exchange.start()
        self.slow_lists.start(self.database, Writes(self.database.dialect), self.clock)

    async def close(self) -> None:
        """Finish running work, and close the database last."""
        seconds = self.settings.server.shutdown_timeout.total_seconds()
        self.metrics.stop()
        await self.slow_lists.stop()
        await self.jobs.stop(seconds)
        await self.jobs.run_stop(seconds)
        await self.webhooks.worker.stop()
        if self.counter_exchange is not None:
            await self.counter_exchange.stop()
        await self.services.close(seconds)
        self.upload_context.close()
        await self.database.close()
        if self.tracing is not None:
            await asyncio.to_thread(self.tracing.close)


def open_services(  # noqa: PLR0913 - what a process has but once, given by name
    settings: Settings,
    database: Database,
    *,
    clock: Clock,
    metrics: Metrics,
    is_timed: bool,
    tracing: "Tracing | None" = None,
    successor: Successor,
    adopt: Adopt,
    code_problems: FindCodeProblems,
    storage_backends: StorageBackends,
) -> Services:
    """Create the process-wide objects. Raises ConfigurationError for an invalid file storage."""
    services = account_services(settings, clock)
    writes = Writes(database.dialect)
    tables = QuireTables(database, kind_of(settings))
    return Services(
        settings=settings,
        clock=clock,
        database=database,
        upload_context=open_upload_context(
            settings, clock, Leases(database, writes, tables, clock), storage_backends
        ),
        services=services,
        attempts=LoginThrottle(settings.admin.rate_limit, services.calls, clock),
        counter_exchange=(
            CounterExchange(services.calls, database, writes, tables, clock)
            if settings.database.client == "postgres"
            else None
        ),
        audit=AuditLog(database, writes, tables),
        webhooks=open_webhooks(settings, database, writes, tables, clock, tracing),
        jobs=open_jobs(
            settings,
            database,
            writes,
            tables,
            clock,
            no_span if tracing is None else tracing.background,
        ),
        slow_lists=SlowLists(),
        metrics=metrics,
        stop_notice=StopNotice(),
        is_timed=is_timed,
        tracing=tracing,
        successor=successor,
        adopt=adopt,
        code_problems=code_problems,
    )
