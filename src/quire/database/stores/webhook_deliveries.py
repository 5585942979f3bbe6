"""The outbox: events for webhooks, and the results of their deliveries.

A row is written in the transaction of the change that it tells of, and stays as a log when it has
been delivered. Of what one document has to tell one webhook, the oldest goes first: the others wait
until it was delivered or given up.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program, Row, Value
from quire.database.stores.queue_rows import FIRST_SLOT, QueueRows
from quire.database.stores.table import OwnTable
from quire.schema.attributes.base import StorageKind

WAITING, DELIVERED, FAILED = "waiting", "delivered", "failed"
STATES = (WAITING, DELIVERED, FAILED)

_NAME = "quire_deliveries"
_WEBHOOKS = "strapi_webhooks"
_COLUMNS: Mapping[str, StorageKind] = {
    "webhook_id": StorageKind.INTEGER,
    "event": StorageKind.STRING,
    "uid": StorageKind.STRING,
    "document_id": StorageKind.STRING,
    "body": StorageKind.TEXT,
    "state": StorageKind.STRING,
    "attempts": StorageKind.INTEGER,
    "due": StorageKind.BIGINTEGER,
    "created_at": StorageKind.BIGINTEGER,
    "ended_at": StorageKind.BIGINTEGER,
    "status": StorageKind.INTEGER,
    "message": StorageKind.TEXT,
    "trace": StorageKind.STRING,
}
DELIVERIES = OwnTable(
    name=_NAME,
    columns=_COLUMNS,
    indexes={
        "quire_deliveries_due": ("webhook_id", "state", "due"),
        "quire_deliveries_document": ("webhook_id", "document_id", "state"),
    },
)
_ADDED = ("webhook_id", "event", "uid", "document_id", "body", "state", "attempts", "due",
          "created_at", "trace")  # fmt: skip


class WebhookMessage(Struct, frozen=True, kw_only=True):
    """Something that one webhook is to be told; ``body`` is the JSON that is sent.

    ``trace`` is the ``traceparent`` of the request that caused it, if it has one.
    """

    webhook_id: int
    event: str
    uid: str
    document_id: str
    body: str
    trace: str | None = None


class Delivery(Struct, frozen=True, kw_only=True):
    """A row. ``due`` is when it is tried next, ``status`` and ``message`` are the last answer's."""

    id: int
    webhook_id: int
    event: str
    uid: str
    document_id: str
    body: str
    state: str
    attempts: int
    due: int
    created_at: int
    ended_at: int | None
    status: int | None
    message: str | None
    trace: str | None


class DeliveryOutcome(Struct, frozen=True, kw_only=True):
    """What became of one attempt; ``due`` is when the next one is, while the state is waiting."""

    state: str
    due: int
    ended_at: int | None
    status: int | None
    message: str


class Deliveries:
    """Programs that write and read the outbox."""

    def __init__(self, writes: Writes) -> None:
        self._writes = writes
        self._rows = QueueRows(writes, DELIVERIES)

    def add(self, told: Sequence[WebhookMessage], now: int) -> Program[None]:
        """Write what is to be told, in this order."""
        rows: list[tuple[Value, ...]] = [
            (
                one.webhook_id,
                one.event,
                one.uid,
                one.document_id,
                one.body,
                WAITING,
                0,
                now,
                now,
                one.trace,
            )
            for one in told
        ]
        yield from self._writes.insert_many(_NAME, _ADDED, rows)

    def first_due(self, webhook_id: int) -> Program[int | None]:
        """Return when something is to be told next; ``None`` when nothing waits."""
        return (yield from self._rows.first_due(_heads, webhook_id))

    def claim(self, webhook_id: int, *, now: int, until: int, most: int) -> Program[list[Delivery]]:
        """Take what is due, for nobody else to take until then; each counts as an attempt."""
        rows = yield from self._rows.claim(_heads, webhook_id, now=now, until=until, most=most)
        return [_delivery(row) for row in rows]

    def settle(self, delivery_id: int, outcome: DeliveryOutcome) -> Program[None]:
        """Write down what became of an attempt."""
        values: dict[str, Value] = {
            "state": outcome.state,
            "due": outcome.due,
            "ended_at": outcome.ended_at,
            "status": outcome.status,
            "message": outcome.message,
        }
        yield from self._rows.settle(delivery_id, values)

    def waiting(self) -> Program[dict[int, int]]:
        """Count what waits, by webhook."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            webhook = table.c("webhook_id")
            counted = sa.select(webhook, sa.func.count()).select_from(table.source)
            here = table.c("state") == builder.constant(WAITING)
            return counted.where(here).group_by(webhook)

        rows = yield from self._writes.run((_NAME, "waiting"), build)
        return {int(webhook or 0): int(count or 0) for webhook, count in rows}

    def backlog(self) -> Program[tuple[int, int | None]]:
        """Count what waits for any webhook; return that and when the oldest of it was written."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            oldest = sa.func.min(table.c("created_at"))
            counted = sa.select(sa.func.count(), oldest).select_from(table.source)
            return counted.where(table.c("state") == builder.constant(WAITING))

        ((count, oldest),) = yield from self._writes.run((_NAME, "backlog"), build)
        return int(count or 0), None if oldest is None else int(oldest)

    def failing(self) -> Program[dict[int, int]]:
        """Count what was given up or has been tried in vain, by webhook."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            webhook = table.c("webhook_id")
            counted = sa.select(webhook, sa.func.count()).select_from(table.source)
            tried = (table.c("state") == builder.constant(WAITING)) & (
                table.c("message").is_not(None)
            )
            here = sa.or_(table.c("state") == builder.constant(FAILED), tried)
            return counted.where(here).group_by(webhook)

        rows = yield from self._writes.run((_NAME, "failing"), build)
        return {int(webhook or 0): int(count or 0) for webhook, count in rows}

    def find(
        self, webhook_id: int | None, *, state: str | None, before: int | None, limit: int
    ) -> Program[list[Delivery]]:
        """Return deliveries of a webhook, or of all that exist, the latest first.

        ``before`` is an id that is known.
        """

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            webhook = table.c("webhook_id")
            where: list[sa.ColumnElement[bool]] = []
            if webhook_id is None:
                webhooks = builder.table(_WEBHOOKS)
                known = sa.select(webhooks.c("id")).select_from(webhooks.source)
                where.append(webhook.in_(known))
            else:
                where.append(webhook == builder.plain_slot(0))
            if state is not None:
                where.append(table.c("state") == builder.plain_slot(2))
            if before is not None:
                where.append(table.c("id") < builder.plain_slot(3))
            chosen = sa.select(*(table.c(name) for name in ("id", *_COLUMNS))).where(*where)
            return chosen.order_by(table.c("id").desc()).limit(builder.plain_slot(1))

        key = (_NAME, "find", webhook_id is None, state is None, before is None)
        rows = yield from self._writes.run(key, build, (webhook_id, limit, state, before))
        return [_delivery(row) for row in rows]

    def one(self, webhook_id: int, delivery_id: int) -> Program[Delivery | None]:
        """Return a delivery of a webhook."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            here = (
                table.c("webhook_id") == builder.plain_slot(0),
                table.c("id") == builder.plain_slot(1),
            )
            return sa.select(*(table.c(name) for name in ("id", *_COLUMNS))).where(*here)

        rows = yield from self._writes.run((_NAME, "one"), build, (webhook_id, delivery_id))
        return _delivery(rows[0]) if rows else None

    def prune(self, *, before: int, most: int) -> Program[None]:
        """Forget what ended long ago, more than so many rows of it, and webhooks that are gone."""

        def gone(builder: StatementBuilder) -> sa.ClauseElement:
            over = self._rows.described()
            webhooks = builder.table(_WEBHOOKS)
            known = sa.select(webhooks.c("id")).select_from(webhooks.source)
            # 0 is no webhook: those rows are for shared caches.
            is_webhook = over.c.webhook_id != builder.constant(0)
            return sa.delete(over).where(is_webhook, over.c.webhook_id.not_in(known))

        yield from self._rows.prune(before=before, most=most)
        yield from self._rows.run(("prune", "gone"), gone)


def _heads(builder: StatementBuilder, table: AliasedTable) -> tuple[sa.ColumnElement[Any], ...]:
    """Return what is true of the first waiting row of each document of a webhook."""
    earlier = builder.table(_NAME)
    before = (
        sa.select(earlier.c("id"))
        .select_from(earlier.source)
        .where(
            earlier.c("webhook_id") == table.c("webhook_id"),
            earlier.c("document_id") == table.c("document_id"),
            earlier.c("state") == builder.constant(WAITING),
            earlier.c("id") < table.c("id"),
        )
    )
    return (
        table.c("webhook_id") == builder.plain_slot(FIRST_SLOT),
        table.c("state") == builder.constant(WAITING),
        sa.not_(before.correlate(table.source).exists()),
    )


def _delivery(row: Row) -> Delivery:
    id_, webhook_id, event, uid, document_id, body, state, *rest = row
    attempts, due, created_at, ended_at, status, message, trace = rest
    return Delivery(
        id=int(id_ or 0),
        webhook_id=int(webhook_id or 0),
        event=str(event or ""),
        uid=str(uid or ""),
        document_id=str(document_id or ""),
        body=str(body or ""),
        state=str(state or ""),
        attempts=int(attempts or 0),
        due=int(due or 0),
        created_at=int(created_at or 0),
        ended_at=None if ended_at is None else int(ended_at),
        status=None if status is None else int(status),
        message=None if message is None else str(message),
        trace=None if trace is None else str(trace),
    )
