"""The table of webhooks."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program, Row, Value
from quire.schema.attributes.base import StorageKind

_TABLE = "strapi_webhooks"
_COLUMNS: Mapping[str, StorageKind] = {
    "name": StorageKind.STRING,
    "url": StorageKind.TEXT,
    "headers": StorageKind.JSON,
    "events": StorageKind.JSON,
    "enabled": StorageKind.BOOLEAN,
}


class Webhook(Struct, frozen=True, kw_only=True):
    """A webhook as stored."""

    id: int
    name: str
    url: str
    headers: Mapping[str, object]
    events: tuple[str, ...]
    enabled: bool


def enabled_webhooks(builder: StatementBuilder) -> "sa.Select[tuple[Any]]":
    """Return the select of the ids of all webhooks that are enabled."""
    table = builder.table(_TABLE)
    return sa.select(table.c("id")).where(table.c("enabled").is_(sa.true()))


class Webhooks:
    """Programs that read and write webhooks."""

    def __init__(self, writes: Writes) -> None:
        self._writes = writes

    def all(self) -> Program[list[Webhook]]:
        """Return all webhooks, by their ids."""
        rows = yield from self._writes.run(("webhooks",), self._selected)
        return [self._webhook(row) for row in rows]

    def one(self, webhook_id: int) -> Program[Webhook | None]:
        """Return a webhook."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            chosen = self._selected(builder)
            return chosen.where(sa.column("id") == builder.plain_slot(0))

        rows = yield from self._writes.run(("webhook",), build, (webhook_id,))
        return self._webhook(rows[0]) if rows else None

    def insert(self, values: Mapping[str, object]) -> Program[int]:
        """Write a webhook; returns its id."""
        return (yield from self._writes.insert(_TABLE, self._encoded(values)))

    def update(self, webhook_id: int, values: Mapping[str, object]) -> Program[None]:
        """Change a webhook."""
        yield from self._writes.update(_TABLE, webhook_id, self._encoded(values))

    def delete(self, ids: list[int]) -> Program[None]:
        """Delete webhooks."""
        yield from self._writes.delete(_TABLE, ids)

    def _selected(self, _: StatementBuilder) -> "sa.Select[*tuple[Any, ...]]":
        columns: list[sa.ColumnClause[object]] = [sa.column(name) for name in ("id", *_COLUMNS)]
        return sa.select(*columns).select_from(sa.table(_TABLE)).order_by(columns[0])

    def _encoded(self, values: Mapping[str, object]) -> dict[str, Value]:
        return {name: self._encode(name, value) for name, value in values.items()}

    def _encode(self, name: str, value: object) -> Value:
        kind = _COLUMNS[name]
        if kind is StorageKind.JSON:
            return self._writes.dialect.encode_json(value)
        if value is None or isinstance(value, str | int):
            return self._writes.dialect.encoder(kind)(value)
        raise TypeError(f"{_TABLE}.{name} cannot hold {type(value).__name__}")

    def _webhook(self, row: Row) -> Webhook:
        id_, *stored = row
        decode = self._writes.dialect.decode_value
        found = {
            name: decode(kind, value)
            for (name, kind), value in zip(_COLUMNS.items(), stored, strict=True)
        }
        headers, events = found["headers"], found["events"]
        return Webhook(
            id=int(id_ or 0),
            name=str(found["name"] or ""),
            url=str(found["url"] or ""),
            headers=headers if isinstance(headers, Mapping) else {},
            events=tuple(map(str, events)) if isinstance(events, list) else (),
            enabled=bool(found["enabled"]),
        )
