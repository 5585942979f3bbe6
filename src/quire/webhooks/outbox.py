"""Writes events for webhooks to the outbox, in the transaction of the change.

So no event of a committed change is lost, and none of a rolled back change is sent. The worker
(`webhooks.worker`) sends them.

Any process may change webhooks: each transaction reads the enabled ones (`listeners`); for the
worker they are cached, and read again by `refresh`.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec
import structlog

from quire.clock import Clock
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.quire_tables import QuireTables
from quire.database.stores.webhook_deliveries import DELIVERIES, Deliveries, Delivery
from quire.database.stores.webhooks import Webhook, Webhooks
from quire.webhooks.cache_purge import PURGE_ID, purged_tags
from quire.webhooks.events import Event, EventName

_log = structlog.get_logger("quire.webhooks")


_PURGES = Webhook(id=PURGE_ID, name="CDN", url="", headers={}, events=(), enabled=True)
_OF_PUBLISHED = frozenset({EventName.PUBLISH, EventName.UNPUBLISH, EventName.DELETE})


class Outbox:
    """Stores events for enabled webhooks; at most ``limit`` may be waiting for each."""

    def __init__(
        self,
        database: Database,
        webhooks: Webhooks,
        deliveries: Deliveries,
        tables: QuireTables,
        *,
        clock: Clock,
        limit: int,
        purges: bool = False,
    ) -> None:
        """With ``purges``, shared caches are notified too (`quire.webhooks.cache_purge`)."""
        self.purges = purges
        self._database = database
        self._webhooks = webhooks
        self._deliveries = deliveries
        self._tables = tables
        self._clock = clock
        self._most = limit
        self._enabled: Mapping[int, Webhook] = {}
        self._full: frozenset[int] = frozenset()
        self.added: Callable[[], None] = lambda: None
        """Called after deliveries were committed."""

    @property
    def listens(self) -> bool:
        """Whether any webhook is enabled or caches are notified."""
        return bool(self._enabled)

    @property
    def enabled(self) -> Mapping[int, Webhook]:
        """The enabled webhooks, by id."""
        return self._enabled

    async def refresh(self) -> None:
        """Read the enabled webhooks, and the number of their waiting deliveries.

        Raises ServiceUnavailableError.
        """
        enabled = await self._database.read(self._receivers)
        full: frozenset[int] = frozenset()
        if enabled:
            await self._tables.ensure(DELIVERIES)
            waiting = await self._database.read(self._deliveries.waiting_counts)
            full = frozenset(id_ for id_, count in waiting.items() if count >= self._most)
        for webhook_id in full - self._full:
            _log.error(
                "a webhook has too many pending deliveries: further events are dropped",
                webhook=webhook_id,
            )
        self._enabled, self._full = enabled, full

    def backlog(self) -> Program[tuple[int, int | None]]:
        """Count the deliveries that wait to be sent; return that and when the oldest was written.

        Those of disabled webhooks wait until these are enabled again: they are not counted.
        """
        if not (yield from self._tables.exists(DELIVERIES)):
            return 0, None
        receivers = yield from self._receivers()
        return (yield from self._deliveries.backlog(receivers))

    def _receivers(self) -> Program[dict[int, Webhook]]:
        """Return the enabled webhooks, and shared caches if they are notified, by id."""
        receivers = {webhook.id: webhook for webhook in (yield from self.listeners())}
        if self.purges:
            receivers[PURGE_ID] = _PURGES
        return receivers

    def listeners(self) -> Program[list[Webhook]]:
        """Return the enabled webhooks."""
        webhooks = yield from self._webhooks.all()
        return [
            webhook for webhook in webhooks if webhook.enabled and webhook.url and webhook.events
        ]

    def record(
        self,
        events: Sequence[Event],
        listeners: Sequence[Webhook],
        trace: str | None = None,
        *,
        purges: Sequence[Event] = (),
    ) -> Program[bool]:
        """Store deliveries of events to listeners; tells whether there were any.

        Shared caches are notified of them, and of ``purges``. ``trace`` is the ``traceparent`` of
        the cause of the events, if it has one.
        """
        deliveries = [
            delivery
            for event in events
            for delivery in self._deliveries_of(event, listeners, trace)
        ]
        if self.purges and PURGE_ID not in self._full:
            deliveries += [
                _purge(event, trace) for event in (*events, *purges) if _is_public(event)
            ]
        if deliveries:
            yield from self._tables.ensure_in_transaction(DELIVERIES)
            yield from self._deliveries.add(deliveries, self._clock())
        return bool(deliveries)

    def _deliveries_of(
        self, event: Event, listeners: Sequence[Webhook], trace: str | None
    ) -> list[Delivery]:
        name = event.name.value
        webhook_ids = [
            webhook.id
            for webhook in listeners
            if name in webhook.events and webhook.id not in self._full
        ]
        if not webhook_ids:
            return []
        body = msgspec.json.encode(event.payload()).decode()
        return [
            Delivery(
                webhook_id=webhook_id,
                event=name,
                uid=event.uid,
                document_id=event.document_id,
                body=body,
                trace=trace,
            )
            for webhook_id in webhook_ids
        ]


def _is_public(event: Event) -> bool:
    """Tell whether an event may change public content: changes of drafts do not."""
    return event.published or event.name in _OF_PUBLISHED


def _purge(event: Event, trace: str | None) -> Delivery:
    """Return the purge request for an event."""
    return Delivery(
        webhook_id=PURGE_ID,
        event=event.name.value,
        uid=event.uid,
        document_id=event.document_id,
        body=msgspec.json.encode(purged_tags(event)).decode(),
        trace=trace,
    )
