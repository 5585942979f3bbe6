"""Objects that live as long as the process: connections, queues, counters, threads."""

import asyncio
from contextlib import AsyncExitStack
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
from quire.runtime.audit_log_retention import SystemRowCleanup
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
    system_row_cleanup: SystemRowCleanup
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
        self.system_row_cleanup.start()

    async def close(self) -> None:
        """Finish running work, and close the database last.

        Everything is closed even if a part raises an error, which is raised afterwards.
        """
        seconds = self.settings.server.shutdown_timeout.total_seconds()
        async with AsyncExitStack() as parts:  # closes the last one first
            if self.tracing is not None:
                parts.push_async_callback(asyncio.to_thread, self.tracing.close)
            parts.push_async_callback(self.database.close)
            parts.callback(self.upload_context.close)
            parts.push_async_callback(self.services.close, seconds)
            if self.counter_exchange is not None:
                parts.push_async_callback(self.counter_exchange.stop)
            parts.push_async_callback(self.webhooks.worker.stop)
            parts.push_async_callback(self.jobs.run_stop, seconds)
            parts.push_async_callback(self.jobs.stop, seconds)
            parts.push_async_callback(self.system_row_cleanup.stop)
            parts.push_async_callback(self.slow_lists.stop)
            parts.callback(self.metrics.stop)


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
    audit = AuditLog(database, writes, tables)
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
        audit=audit,
        system_row_cleanup=SystemRowCleanup(settings.audit, audit),
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
