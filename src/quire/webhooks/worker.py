"""Delivers the outbox to webhooks, with retries and signatures (Standard Webhooks).

An event may be delivered twice, and never out of order for one document. Writes of content do not
wait for deliveries. A receiver with the secret of a webhook can verify the sender of a request, and
its time. The secret of each webhook is derived from one secret of the project.
"""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

import msgspec
import structlog
from msgspec import Struct

from quire.clock import Clock
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.webhook_deliveries import (
    DELIVERED,
    DELIVERIES,
    FAILED,
    WAITING,
    Deliveries,
    Delivery,
    DeliveryOutcome,
)
from quire.database.stores.webhooks import Webhook
from quire.database.tables.system_tables import WEBHOOKS
from quire.database.versioned_cache import VersionedValue
from quire.errors import ApplicationError
from quire.queue_worker import QueueWorker
from quire.tracing.trace_context import TRACE_PARENT
from quire.webhooks.cache_purge import PURGE_ID, Purge
from quire.webhooks.http_client import DeliveryResponse
from quire.webhooks.outbox import Outbox

_PREFIX = "whsec_"


def webhook_secret(key: str, webhook_id: int) -> str:
    """Return the secret of a webhook; ``key`` is the project's secret."""
    purpose = f"quire webhook {webhook_id}".encode()
    return _PREFIX + base64.b64encode(hmac.digest(key.encode(), purpose, hashlib.sha256)).decode()


def signature_headers(secret: str, delivery_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return the headers that sign a body which is sent at a time."""
    signed = f"{delivery_id}.{seconds}.".encode() + body
    raw = base64.b64decode(secret.removeprefix(_PREFIX))
    digest = base64.b64encode(hmac.digest(raw, signed, hashlib.sha256)).decode()
    return {
        "webhook-id": delivery_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{digest}",
    }


_log = structlog.get_logger("quire.webhooks")


class OutgoingCall(NamedTuple):
    """A request to another server; with ``private``, private addresses are allowed."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    private: bool = False


Call = Callable[[OutgoingCall], Awaitable[DeliveryResponse]]
"""Sends a request. Raises ApplicationError on failure."""

_SECOND = 1000
DELAYS = (5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200)
"""Seconds between two attempts; after the last one the delivery is given up."""

_LEASE = 60 * _SECOND
_MAX_CLAIMED, _MAX_PARALLEL = 40, 10
"""How many deliveries of a webhook are claimed and not settled, and how many are being sent.

Those that are claimed can be sent within the lease, if each takes as long as a call may.
"""
_PRUNE_EVERY = 600 * _SECOND
_SUCCESS_STATUSES = range(200, 300)
_NO_RESPONSE = 0
RETRIED = "retried"
"""The counter label of attempts that are retried; others are counted by their final state."""


class WebhookWorkerOptions(Struct, frozen=True, kw_only=True):
    """``key`` is the secret that theirs are derived from, ``None`` sends without a signature.

    ``purge`` makes the purge requests, if there is a cache. Ended deliveries are kept for
    ``log_days``, and at most ``log_rows`` of them.
    """

    key: str | None
    purge: Purge | None = None
    log_days: int = 7
    log_rows: int = 10_000


class WebhookWorker(QueueWorker):
    """Claims due deliveries and sends them."""

    def __init__(
        self,
        database: Database,
        deliveries: Deliveries,
        outbox: Outbox,
        call: Call,
        *,
        clock: Clock,
        options: WebhookWorkerOptions,
    ) -> None:
        super().__init__("webhooks", database)
        self._deliveries = deliveries
        self._outbox = outbox
        self._call = call
        self._clock = clock
        self._options = options
        self._is_claiming = False
        self._turns: dict[int, asyncio.Semaphore] = {}
        """The calls that may be made at once, by webhook."""
        self._outcomes: list[tuple[int, DeliveryOutcome]] = []
        """Outcomes, by delivery, that are not recorded yet."""
        self._recording: asyncio.Task[None] | None = None
        """Waits for the database, to record them all."""
        self._recordings: set[asyncio.Task[None]] = set()
        self._is_refreshed: VersionedValue[bool] = VersionedValue(
            database.versions, frozenset({WEBHOOKS, DELIVERIES.name})
        )
        self._pruned = 0
        self.attempts: dict[str, int] = {DELIVERED: 0, RETRIED: 0, FAILED: 0}
        """The number of attempts, by result."""
        outbox.added = self.wake

    @property
    def is_sending(self) -> bool:
        """Whether deliveries are claimed whose result is not recorded yet."""
        return self._is_claiming or bool(self._running)

    async def stop(self, seconds: float = 5) -> None:
        """See `QueueWorker.stop`; outcomes that are being recorded are waited for as well."""
        await super().stop(seconds)
        if self._recordings:
            await asyncio.wait(self._recordings, timeout=seconds)

    async def work(self) -> None:
        """Claim due deliveries and start to send them. Raises ServiceUnavailableError."""
        version = self._database.version()
        now = self._clock()
        if not self._is_refreshed.get(version):
            await self._outbox.refresh()
            self._next_due = 0
            self._is_refreshed.set(version, True)  # noqa: FBT003 - the value, not a flag
        if not self._outbox.listens or now < self._next_due:
            return
        dues = [await self._take(webhook, now) for webhook in self._outbox.enabled.values()]
        self._next_due = min(dues)
        if now - self._pruned > _PRUNE_EVERY:
            self._pruned = now
            await self._database.write(self._pruning(now))

    async def _take(self, webhook: Webhook, now: int) -> int:
        """Claim the due deliveries of a webhook; returns when to check again."""
        free = _MAX_CLAIMED - self._count_of(webhook.id)
        if free < _MAX_CLAIMED // 2:  # each claim is a write: few of many rows cost less
            free = 0
        due = await self._database.read(lambda: self._deliveries.first_due(webhook.id, now))
        if due is None:
            return now + _LEASE
        if due > now or not free:
            # A delivery wakes the worker when it ends.
            return due if due > now else now + _LEASE
        claim = self._deliveries.claim(webhook.id, now=now, until=now + _LEASE, limit=free)
        self._is_claiming = True
        try:
            for delivery in await self._database.write(claim):
                self._begin(self._deliver(webhook, delivery), webhook.id)
        finally:
            self._is_claiming = False
        return now

    async def _deliver(self, webhook: Webhook, delivery: Delivery) -> None:
        async with self._turns.setdefault(webhook.id, asyncio.Semaphore(_MAX_PARALLEL)):
            response = await self._send(webhook, delivery)
        outcome = self._outcome(delivery, response)
        self.attempts[RETRIED if outcome.state == WAITING else outcome.state] += 1
        if outcome.state == FAILED:
            _log.error("a webhook delivery has failed", webhook=webhook.id, delivery=delivery.id)
        await self._record(delivery.id, outcome)

    async def _send(self, webhook: Webhook, delivery: Delivery) -> DeliveryResponse:
        """Send a delivery once; a failure is a response without a status."""
        try:
            if webhook.id == PURGE_ID and self._options.purge is not None:
                return await self._purge(self._options.purge, delivery)
            return await self._call_webhook(webhook, delivery)
        except ApplicationError as error:
            reason = error.message
        except Exception as error:  # noqa: BLE001 - an outcome of the delivery
            # Without an outcome it would be sent again whenever its lease ends, without an end. The
            # text of the error may contain headers with secrets.
            _log.exception(
                "a webhook delivery cannot be made", webhook=webhook.id, delivery=delivery.id
            )
            reason = f"The call cannot be made: {type(error).__name__}"
        return DeliveryResponse(status=_NO_RESPONSE, reason=reason)

    async def _record(self, delivery_id: int, outcome: DeliveryOutcome) -> None:
        """Record an outcome, in one transaction with those that wait for the database, too."""
        self._outcomes.append((delivery_id, outcome))
        if self._recording is None:
            self._recording = asyncio.get_running_loop().create_task(self._record_waiting())
            self._recordings.add(self._recording)
            self._recording.add_done_callback(self._recordings.discard)
        await asyncio.shield(self._recording)

    async def _record_waiting(self) -> None:
        try:
            await self._database.write(self._recording_program())
        except BaseException:
            if self._recording is asyncio.current_task():  # it was refused before it began
                self._outcomes, self._recording = [], None
            raise

    def _recording_program(self) -> Program[None]:
        # What comes from here on is recorded by another transaction.
        outcomes, self._outcomes, self._recording = self._outcomes, [], None
        for delivery_id, outcome in outcomes:
            yield from self._deliveries.settle(delivery_id, outcome)

    async def _purge(self, purge: Purge, delivery: Delivery) -> DeliveryResponse:
        call = purge(msgspec.json.decode(delivery.body, type=list[str]))
        headers = {**call.headers, **_trace_of(delivery)}
        return await self._call(
            OutgoingCall(call.method, call.url, headers, call.body, private=True)
        )

    async def _call_webhook(self, webhook: Webhook, delivery: Delivery) -> DeliveryResponse:
        body = delivery.body.encode()
        headers = {
            **{name: str(value) for name, value in webhook.headers.items()},
            "Content-Type": "application/json",
            "X-Strapi-Event": delivery.event,
            **self._signature(delivery, body),
            **_trace_of(delivery),
        }
        return await self._call(OutgoingCall("POST", webhook.url, headers, body))

    def _signature(self, delivery: Delivery, body: bytes) -> dict[str, str]:
        if self._options.key is None:
            return {}
        secret = webhook_secret(self._options.key, delivery.webhook_id)
        return signature_headers(secret, str(delivery.id), self._clock() // _SECOND, body)

    def _outcome(self, delivery: Delivery, response: DeliveryResponse) -> DeliveryOutcome:
        now = self._clock()
        state, due, ended = DELIVERED, now, now
        if response.status not in _SUCCESS_STATUSES:
            tried = delivery.attempts
            again = tried <= len(DELAYS)
            state = WAITING if again else FAILED
            due = now + DELAYS[tried - 1] * _SECOND if again else now
        return DeliveryOutcome(
            state=state,
            due=due,
            ended_at=None if state == WAITING else ended,
            status=response.status or None,
            message=response.reason,
        )

    def _pruning(self, now: int) -> Program[None]:
        oldest_time = now - self._options.log_days * 86_400 * _SECOND
        return self._deliveries.prune(before=oldest_time, limit=self._options.log_rows)


def _trace_of(delivery: Delivery) -> dict[str, str]:
    """Return the trace header of a delivery, if it is part of a trace."""
    return {} if delivery.trace is None else {TRACE_PARENT: delivery.trace}
