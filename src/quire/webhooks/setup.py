"""Creates the parts of webhooks: outbox, table, worker."""

from typing import TYPE_CHECKING

from msgspec import Struct

from quire.clock import Clock
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.stores.quire_tables import QuireTables
from quire.database.stores.webhook_deliveries import Deliveries
from quire.database.stores.webhooks import Webhooks
from quire.settings import Settings
from quire.tracing.trace_context import TRACE_PARENT
from quire.webhooks.cache_purge import open_purge
from quire.webhooks.http_client import DeliveryResponse, post
from quire.webhooks.outbox import Outbox
from quire.webhooks.worker import OutgoingCall, WebhookWorker, WebhookWorkerOptions

if TYPE_CHECKING:
    from quire.tracing.otel import Tracing


class WebhookParts(Struct, frozen=True, kw_only=True):
    """The parts of webhooks; ``key`` is the secret that theirs are derived from, if any."""

    webhooks: Webhooks
    deliveries: Deliveries
    tables: QuireTables
    outbox: Outbox
    worker: WebhookWorker
    key: str | None


def open_webhooks(
    settings: Settings,
    database: Database,
    writes: Writes,
    tables: QuireTables,
    clock: Clock,
    tracing: "Tracing | None" = None,
) -> WebhookParts:
    """Create the parts for one database; nothing is sent before the worker starts."""
    webhooks, deliveries = Webhooks(writes), Deliveries(writes)
    purge = open_purge(settings.cdn)
    outbox = Outbox(
        database,
        webhooks,
        deliveries,
        tables,
        clock=clock,
        limit=settings.webhooks.queue,
        purges=purge is not None,
    )
    private = settings.webhooks.private_addresses
    key = settings.secrets.encryption_key or settings.secrets.admin_jwt_secret

    async def call(request: OutgoingCall) -> DeliveryResponse:
        method, url, headers, body, is_inside = request
        return await post(url, headers, body, private=private or is_inside, method=method)

    async def traced_call(request: OutgoingCall) -> DeliveryResponse:
        if tracing is None:
            return await call(request)
        headers = request.headers
        parent = headers.get(TRACE_PARENT)
        with tracing.call(request.method, request.url, parent) as (span, trace):
            response = await call(request._replace(headers={**headers, TRACE_PARENT: trace}))
            span.set_attribute("http.response.status_code", response.status)
            return response

    options = WebhookWorkerOptions(key=key, purge=purge, log_days=settings.webhooks.log_days)
    worker = WebhookWorker(database, deliveries, outbox, traced_call, clock=clock, options=options)
    return WebhookParts(
        webhooks=webhooks,
        deliveries=deliveries,
        tables=tables,
        outbox=outbox,
        worker=worker,
        key=key,
    )
