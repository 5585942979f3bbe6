"""The outbox of changes: which functions of a project still have to be called.

A row is written in the transaction of the change, and deleted when it was delivered. A function
receives the changes of one document in order.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct, structs

from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.stores.queue_table import QueueTable
from quire.database.stores.quire_tables import QuireTable, QuireTables
from quire.database.stores.row_conditions import (
    Condition,
    any_of,
    eq,
    ge,
    is_null,
    le,
    lt,
    none_earlier,
    not_null,
)
from quire.database.stores.row_types import BigInt, LongText


class StoredChange(Struct, frozen=True, kw_only=True):
    """A change for one function; ``fields``, ``kept``, ``causes`` and ``linked`` are JSON.

    ``also_locales`` are separated by spaces.

    It has ``ended_at`` when it will not be retried. ``due`` and ``created_at`` are set when it is
    stored. ``trace`` is the ``traceparent`` of the request that wrote it, if it was traced.
    """

    id: int = 0
    listener: str
    action: str
    uid: str
    document_id: str
    locale: str | None
    fields: LongText
    kept: LongText
    causes: LongText
    attempts: int = 0
    due: BigInt = 0
    holder: str | None = None
    created_at: BigInt = 0
    ended_at: BigInt | None = None
    message: LongText | None = None
    trace: str | None = None
    also_locales: LongText | None = None
    linked: LongText | None = None


CHANGES = QuireTable(
    name="quire_outbox",
    row=StoredChange,
    indexes={
        "quire_outbox_due": ("listener", "ended_at", "due"),
        "quire_outbox_waiting": ("listener", "document_id", "ended_at"),
    },
)


class AttemptRange(Struct, frozen=True):
    """Selects changes by number of attempts, ``minimum`` to ``maximum``, and the batch size."""

    minimum: int
    maximum: int
    batch_size: int


class ChangeRows:
    """Programs that write and read the outbox of changes."""

    def __init__(self, writes: Writes) -> None:
        self._table = QueueTable(writes, CHANGES.name, CHANGES.row)

    def add(self, changes: Sequence[StoredChange], now: int) -> Program[None]:
        """Store changes, in this order."""
        due = [structs.replace(change, due=now, created_at=now) for change in changes]
        yield from self._table.insert_many(due)

    def supersede(self, change: StoredChange, now: int) -> Program[None]:
        """Delete older changes of the same document and locale that are not being delivered."""
        yield from self._table.delete(
            eq("listener", change.listener),
            eq("document_id", change.document_id),
            eq("locale", change.locale),
            is_null("ended_at"),
            _is_free(now),
        )

    def first_due(self, listener: str, now: int) -> Program[int | None]:
        """Return when a change can be delivered next; ``None`` when none is waiting."""
        *conditions, head = _heads(listener)
        return (yield from self._table.first_due(*conditions, head=head, now=now))

    def claim(
        self, listener: str, holder: str, tried: AttemptRange, *, now: int, until: int
    ) -> Program[list[StoredChange]]:
        """Claim the oldest due changes of different documents."""
        return (
            yield from self._table.claim(
                *_heads(listener),
                ge("attempts", tried.minimum),
                le("attempts", tried.maximum),
                now=now,
                until=until,
                limit=tried.batch_size,
                changes={"holder": holder},
                order=("due",),
            )
        )

    def delivered(self, ids: Collection[int]) -> Program[None]:
        """Delete changes that were delivered."""
        yield from self._table.delete_ids(ids)

    def settle(self, change: StoredChange, values: Mapping[str, object]) -> Program[bool]:
        """Record the result of a delivery; tells whether the row still belonged to its holder."""
        new_values = {**values, "holder": None}
        return (yield from self._table.settle(change.id, new_values, eq("holder", change.holder)))

    def find(
        self, *, dead: bool | None, before: int | None, limit: int
    ) -> Program[list[StoredChange]]:
        """Return changes, the latest first: only those that were given up, or only the others."""
        conditions = [] if before is None else [lt("id", before)]
        if dead is not None:
            conditions.append(not_null("ended_at") if dead else is_null("ended_at"))
        return (yield from self._table.select(*conditions, order=("-id",), limit=limit))

    def replay(self, change_id: int, now: int) -> Program[bool]:
        """Make a change due now; tells whether there is an undelivered change with this id."""
        changes = {"attempts": 0, "due": now, "ended_at": None}
        return (yield from self._table.settle(change_id, changes, _is_free(now)))

    def discard(self, change_id: int, now: int) -> Program[bool]:
        """Delete a change that is not being delivered; tells whether there was one."""
        return bool((yield from self._table.deleted(eq("id", change_id), _is_free(now))))

    def get(self, change_id: int) -> Program[StoredChange | None]:
        """Return a change that is not delivered."""
        return (yield from self._table.get(change_id))


def _is_free(now: int) -> Condition:
    """Return the condition that a change is not being delivered."""
    return any_of(is_null("holder"), le("due", now))


def _heads(listener: str) -> tuple[Condition, ...]:
    """Return the condition of the oldest change of each document for a function."""
    waits = is_null("ended_at")
    return (
        eq("listener", listener),
        waits,
        none_earlier(waits, equal_columns=("listener", "document_id")),
    )


class ChangeQueue:
    """Stores changes within existing transactions."""

    def __init__(self, rows: ChangeRows, tables: QuireTables) -> None:
        self.rows = rows
        self.tables = tables
        self.added: Callable[[], None] = lambda: None
        """Called after a change was committed."""

    async def prepare(self) -> None:
        """Create the table if it does not exist. Raises ServiceUnavailableError.

        Two transactions that create the table at the same time would fail.
        """
        await self.tables.ensure(CHANGES)

    def add(
        self, changes: Sequence[StoredChange], superseding: frozenset[str], now: int
    ) -> Program[None]:
        """Store changes; those of the listeners in ``superseding`` replace older ones."""
        yield from self.tables.ensure_in_transaction(CHANGES)
        newest: dict[object, StoredChange] = {}
        for position, change in enumerate(changes):
            is_only = change.listener in superseding
            key = (change.listener, change.document_id, change.locale) if is_only else position
            newest.pop(key, None)
            newest[key] = change
        # In a fixed order, so that two transactions cannot deadlock here.
        for change in sorted(
            newest.values(), key=lambda change: (change.listener, change.document_id)
        ):
            if change.listener in superseding:
                yield from self.rows.supersede(change, now)
        yield from self.rows.add(list(newest.values()), now)
