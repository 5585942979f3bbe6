"""The outbox of changes: what functions of a project are still to be told of.

A row is written in the transaction of the change, and deleted when it was delivered. Of the changes
of one document that a function is to be told of, the oldest goes first.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program, Row, Value
from quire.database.stores.queue_rows import FIRST_SLOT, QueueRows
from quire.database.stores.table import OwnTable
from quire.schema.attributes.base import StorageKind

_NAME = "quire_outbox"
CHANGES = OwnTable(
    name=_NAME,
    columns={
        "listener": StorageKind.STRING,
        "action": StorageKind.STRING,
        "uid": StorageKind.STRING,
        "document_id": StorageKind.STRING,
        "locale": StorageKind.STRING,
        "fields": StorageKind.TEXT,
        "kept": StorageKind.TEXT,
        "causes": StorageKind.TEXT,
        "attempts": StorageKind.INTEGER,
        "due": StorageKind.BIGINTEGER,
        "holder": StorageKind.STRING,
        "created_at": StorageKind.BIGINTEGER,
        "ended_at": StorageKind.BIGINTEGER,
        "message": StorageKind.TEXT,
    },
    indexes={
        "quire_outbox_due": ("listener", "ended_at", "due"),
        "quire_outbox_document": ("listener", "document_id"),
    },
)
_ADDED = ("listener", "action", "uid", "document_id", "locale", "fields", "kept", "causes",
          "attempts", "due", "created_at")  # fmt: skip


class NewChange(Struct, frozen=True, kw_only=True):
    """A change that a function is to be told of; ``fields``, ``kept`` and ``causes`` are JSON."""

    listener: str
    action: str
    uid: str
    document_id: str
    locale: str | None
    fields: str
    kept: str
    causes: str


class StoredChange(Struct, frozen=True, kw_only=True):
    """A row; it has ``ended_at`` when it is not delivered again by itself."""

    id: int
    listener: str
    action: str
    uid: str
    document_id: str
    locale: str | None
    fields: str
    kept: str
    causes: str
    attempts: int
    due: int
    holder: str | None
    created_at: int
    ended_at: int | None
    message: str | None


class Attempts(Struct, frozen=True):
    """Changes that were tried from ``least`` to ``most`` times, and how many go together."""

    least: int
    most: int
    together: int


class ChangeRows:
    """Programs that write and read the outbox of changes."""

    def __init__(self, writes: Writes) -> None:
        self._writes = writes
        self._rows = QueueRows(writes, CHANGES)

    def add(self, changes: Sequence[NewChange], now: int) -> Program[None]:
        """Store changes, in this order."""
        rows: list[tuple[Value, ...]] = [
            (one.listener, one.action, one.uid, one.document_id, one.locale, one.fields, one.kept,
             one.causes, 0, now, now)
            for one in changes
        ]  # fmt: skip
        yield from self._writes.insert_many(_NAME, _ADDED, rows)

    def supersede(self, change: NewChange, now: int) -> Program[None]:
        """Delete older changes of the same document and locale that are not being delivered."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            over = self._rows.described()
            is_same = (
                over.c.listener == builder.plain_slot(0),
                over.c.document_id == builder.plain_slot(1),
                over.c.locale.is_(None)
                if change.locale is None
                else over.c.locale == builder.plain_slot(2),
                over.c.ended_at.is_(None),
            )
            is_free = sa.or_(over.c.holder.is_(None), over.c.due <= builder.plain_slot(3))
            return sa.delete(over).where(*is_same, is_free)

        key = ("supersede", change.locale is None)
        values = (change.listener, change.document_id, change.locale, now)
        yield from self._rows.run(key, build, *values)

    def first_due(self, listener: str) -> Program[int | None]:
        """Return when a change can be delivered next; ``None`` when nothing waits."""
        return (yield from self._rows.first_due(_heads, listener))

    def claim(
        self, listener: str, holder: str, tried: Attempts, *, now: int, until: int
    ) -> Program[list[StoredChange]]:
        """Claim changes of different documents that are due, the oldest ones."""
        rows = yield from self._rows.claim(
            _tried_heads,
            listener,
            tried.least,
            tried.most,
            now=now,
            until=until,
            most=tried.together,
            changes={"holder": holder},
        )
        return [_change(row) for row in rows]

    def delivered(self, ids: Collection[int]) -> Program[None]:
        """Delete changes that were delivered."""
        yield from self._writes.delete(_NAME, ids)

    def settle(self, change: StoredChange, values: Mapping[str, Value]) -> Program[bool]:
        """Write down what became of a delivery; tells whether the row was still its holder's."""
        changed = {**values, "holder": None}
        return (yield from self._rows.settle(change.id, changed, holder=change.holder))

    def find(
        self, *, dead: bool | None, before: int | None, limit: int
    ) -> Program[list[StoredChange]]:
        """Return changes, the latest first; only those that were given up, or only the others."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            chosen = self._rows.selected(table)
            if dead is not None:
                ended = table.c("ended_at")
                chosen = chosen.where(ended.is_not(None) if dead else ended.is_(None))
            if before is not None:
                chosen = chosen.where(table.c("id") < builder.plain_slot(1))
            return chosen.order_by(table.c("id").desc()).limit(builder.plain_slot(0))

        rows = yield from self._rows.run(("find", dead, before is None), build, limit, before)
        return [_change(row) for row in rows]

    def replay(self, change_id: int, now: int) -> Program[bool]:
        """Let a change be delivered now; tells whether there is such that is not delivered yet."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            taken = self._rows.described()
            values: dict[str, Any] = {
                "attempts": builder.constant(0),
                "due": builder.plain_slot(0),
                "ended_at": sa.null(),
            }
            change = sa.update(taken).values(values).where(*_is_free(builder, taken))
            return change.returning(taken.c.id)

        return bool((yield from self._rows.run(("replay",), build, now, change_id)))

    def discard(self, change_id: int, now: int) -> Program[bool]:
        """Delete a change that is not being delivered; tells whether there was such."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            taken = self._rows.described()
            return sa.delete(taken).where(*_is_free(builder, taken)).returning(taken.c.id)

        return bool((yield from self._rows.run(("discard",), build, now, change_id)))

    def one(self, change_id: int) -> Program[StoredChange | None]:
        """Return a change that is not delivered."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            return self._rows.selected(table).where(table.c("id") == builder.plain_slot(0))

        rows = yield from self._rows.run(("one",), build, change_id)
        return _change(rows[0]) if rows else None


def _is_free(
    builder: StatementBuilder, taken: sa.TableClause
) -> tuple[sa.ColumnElement[bool], ...]:
    """Return what is true of one change, unless it is being delivered at the moment."""
    is_free = sa.or_(taken.c.holder.is_(None), taken.c.due <= builder.plain_slot(0))
    return taken.c.id == builder.plain_slot(1), is_free


def _heads(builder: StatementBuilder, table: AliasedTable) -> tuple[sa.ColumnElement[bool], ...]:
    """Return what is true of the oldest change of each document that a function waits for."""
    earlier = builder.table(_NAME)
    before = (
        sa.select(earlier.c("id"))
        .select_from(earlier.source)
        .where(
            earlier.c("listener") == table.c("listener"),
            earlier.c("document_id") == table.c("document_id"),
            earlier.c("ended_at").is_(None),
            earlier.c("id") < table.c("id"),
        )
    )
    return (
        table.c("listener") == builder.plain_slot(FIRST_SLOT),
        table.c("ended_at").is_(None),
        sa.not_(before.correlate(table.source).exists()),
    )


def _tried_heads(
    builder: StatementBuilder, table: AliasedTable
) -> tuple[sa.ColumnElement[bool], ...]:
    attempts = table.c("attempts")
    return (
        *_heads(builder, table),
        attempts >= builder.plain_slot(FIRST_SLOT + 1),
        attempts <= builder.plain_slot(FIRST_SLOT + 2),
    )


def _change(row: Row) -> StoredChange:
    values: dict[str, Any] = dict(zip(("id", *CHANGES.columns), row, strict=True))
    return StoredChange(**values)
