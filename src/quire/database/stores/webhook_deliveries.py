"""The outbox: events for webhooks, and the results of their deliveries.

A row is written in the transaction of its change, and stays as a log when it has been delivered.
The events of one document are delivered to a webhook in order: the others wait until the oldest was
delivered or given up.
"""

from collections.abc import Collection, Sequence

from msgspec import Struct, structs

from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.stores.queue_table import QueueTable
from quire.database.stores.quire_tables import QuireTable
from quire.database.stores.row_conditions import (
    Condition,
    all_of,
    any_of,
    eq,
    gt,
    in_list,
    is_id_of,
    is_no_id_of,
    lt,
    none_earlier,
    not_null,
)
from quire.database.stores.row_types import BigInt, LongText
from quire.database.tables.system_tables import WEBHOOKS

WAITING, DELIVERED, FAILED = "waiting", "delivered", "failed"
STATES = (WAITING, DELIVERED, FAILED)

_IS_WAITING = eq("state", WAITING)


class Delivery(Struct, frozen=True, kw_only=True):
    """A delivery of an event to one webhook; ``body`` is the JSON that is sent.

    ``due`` is the time of the next attempt, ``status`` and ``message`` are those of the last
    response. ``trace`` is the ``traceparent`` of the request that caused it, if any.
    """

    id: int = 0
    webhook_id: int
    event: str
    uid: str
    document_id: str
    body: LongText
    state: str = WAITING
    attempts: int = 0
    due: BigInt = 0
    created_at: BigInt = 0
    ended_at: BigInt | None = None
    status: int | None = None
    message: LongText | None = None
    trace: str | None = None


DELIVERIES = QuireTable(
    name="quire_deliveries",
    row=Delivery,
    indexes={
        "quire_deliveries_due": ("webhook_id", "state", "due"),
        "quire_deliveries_document": ("webhook_id", "document_id", "state"),
    },
)


class DeliveryOutcome(Struct, frozen=True, kw_only=True):
    """The result of one attempt.

    ``due`` is the time of the next one, while the state is waiting.
    """

    state: str
    due: int
    ended_at: int | None
    status: int | None
    message: str


class Deliveries:
    """Programs that write and read the outbox."""

    def __init__(self, writes: Writes) -> None:
        self._table = QueueTable(writes, DELIVERIES.name, DELIVERIES.row)

    def add(self, deliveries: Sequence[Delivery], now: int) -> Program[None]:
        """Add deliveries, in this order; they are due now."""
        due = [structs.replace(delivery, due=now, created_at=now) for delivery in deliveries]
        yield from self._table.insert_many(due)

    def first_due(self, webhook_id: int, now: int) -> Program[int | None]:
        """Return when a delivery can be claimed next; ``None`` when none is waiting."""
        *conditions, head = _heads(webhook_id)
        return (yield from self._table.first_due(*conditions, head=head, now=now))

    def claim(
        self, webhook_id: int, *, now: int, until: int, limit: int
    ) -> Program[list[Delivery]]:
        """Claim due deliveries; each claim counts as an attempt."""
        heads, order = _heads(webhook_id), ("due",)
        return (
            yield from self._table.claim(*heads, now=now, until=until, limit=limit, order=order)
        )

    def settle(self, delivery_id: int, outcome: DeliveryOutcome) -> Program[None]:
        """Record the result of an attempt."""
        yield from self._table.update(structs.asdict(outcome), eq("id", delivery_id))

    def waiting_counts(self) -> Program[dict[int, int]]:
        """Count the waiting deliveries, by webhook."""
        return (yield from self._counts(_IS_WAITING))

    def backlog(self, webhook_ids: Collection[int]) -> Program[tuple[int, int | None]]:
        """Count the waiting deliveries of webhooks; return that and when the oldest was written."""
        conditions = (_IS_WAITING, in_list("webhook_id", webhook_ids))
        return (yield from self._table.count_and_lowest("created_at", *conditions))

    def failing(self) -> Program[dict[int, int]]:
        """Count the deliveries that were given up or have failed so far, by webhook."""
        tried = all_of(_IS_WAITING, not_null("message"))
        return (yield from self._counts(any_of(eq("state", FAILED), tried)))

    def find(
        self, webhook_id: int | None, *, state: str | None, before: int | None, limit: int
    ) -> Program[list[Delivery]]:
        """Return deliveries of a webhook, or of all that exist, the latest first.

        ``before`` is the id of the last known one.
        """
        is_known = is_id_of("webhook_id", WEBHOOKS)
        conditions = [is_known if webhook_id is None else eq("webhook_id", webhook_id)]
        if state is not None:
            conditions.append(eq("state", state))
        if before is not None:
            conditions.append(lt("id", before))
        return (yield from self._table.select(*conditions, order=("-id",), limit=limit))

    def get(self, webhook_id: int, delivery_id: int) -> Program[Delivery | None]:
        """Return a delivery of a webhook."""
        conditions = (eq("webhook_id", webhook_id), eq("id", delivery_id))
        return (yield from self._table.first(*conditions))

    def prune(self, *, before: int, limit: int) -> Program[None]:
        """Delete old results, surplus results, and deliveries of deleted webhooks."""
        yield from self._table.prune(before=before, limit=limit)
        yield from self.delete_of_deleted_webhooks()

    def delete_of_deleted_webhooks(self) -> Program[None]:
        """Delete the deliveries of webhooks that do not exist any more."""
        # 0 is not a webhook: those rows are for shared caches.
        yield from self._table.delete(gt("webhook_id", 0), is_no_id_of("webhook_id", WEBHOOKS))

    def _counts(self, where: Condition) -> Program[dict[int, int]]:
        counts = yield from self._table.count_by(("webhook_id",), where)
        return {int(webhook or 0): count for (webhook,), count in counts.items()}


def _heads(webhook_id: int) -> tuple[Condition, ...]:
    """Return the condition of the first waiting row of each document of a webhook."""
    is_first = none_earlier(_IS_WAITING, equal_columns=("webhook_id", "document_id"))
    return eq("webhook_id", webhook_id), _IS_WAITING, is_first
