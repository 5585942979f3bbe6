"""Puts the webhooks together: outbox, table, worker."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from quire.clock import Clock
from quire.database.compile.writes import Writes
from quire.database.connection import Database
from quire.database.stores.table import OwnTables
from quire.database.stores.webhook_deliveries import Deliveries
from quire.database.stores.webhooks import Webhooks
from quire.settings import Settings
from quire.tracing.trace_parent import TRACE_PARENT
from quire.webhooks.http_client import DeliveryResponse, post
from quire.webhooks.outbox import Outbox
from quire.webhooks.worker import WebhookWorker, WebhookWorkerOptions

if TYPE_CHECKING:
    from quire.tracing.otel import Tracing


class WebhookParts(Struct, frozen=True, kw_only=True):
    """What tells webhooks; ``key`` is what their secrets are made of, if there is any."""

    webhooks: Webhooks
    deliveries: Deliveries
    tables: OwnTables
    outbox: Outbox
    worker: WebhookWorker
    key: str | None


def open_webhooks(
    settings: Settings,
    database: Database,
    writes: Writes,
    tables: OwnTables,
    clock: Clock,
    tracing: "Tracing | None" = None,
) -> WebhookParts:
    """Make them for one database; nothing is sent before the courier starts."""
    webhooks, deliveries = Webhooks(writes), Deliveries(writes)
    outbox = Outbox(
        database, webhooks, deliveries, tables, clock=clock, most=settings.webhooks.queue
    )
    private = settings.webhooks.private_addresses
    key = settings.secrets.encryption_key or settings.secrets.admin_jwt_secret

    async def call(url: str, headers: Mapping[str, str], body: bytes) -> DeliveryResponse:
        return await post(url, headers, body, private=private)

    async def traced_call(url: str, headers: Mapping[str, str], body: bytes) -> DeliveryResponse:
        if tracing is None:
            return await call(url, headers, body)
        with tracing.call("POST", url, headers.get(TRACE_PARENT)) as (span, parent):
            response = await call(url, {**headers, TRACE_PARENT: parent}, body)
            span.set_attribute("http.response.status_code", response.status)
            return response

    options = WebhookWorkerOptions(key=key, log_days=settings.webhooks.log_days)
    worker = WebhookWorker(database, deliveries, outbox, traced_call, clock=clock, options=options)
    return WebhookParts(
        webhooks=webhooks,
        deliveries=deliveries,
        tables=tables,
        outbox=outbox,
        worker=worker,
        key=key,
    )
