"""Saved views of lists, private or shared."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program, Row, Value
from quire.database.stores.table import OwnTable
from quire.schema.attributes.base import StorageKind

_NAME = "quire_views"
_COLUMNS: Mapping[str, StorageKind] = {
    "uid": StorageKind.STRING,
    "owner_id": StorageKind.INTEGER,
    "name": StorageKind.STRING,
    "shared": StorageKind.BOOLEAN,
    "state": StorageKind.TEXT,
    "updated_at": StorageKind.BIGINTEGER,
}
SAVED_VIEWS = OwnTable(
    name=_NAME, columns=_COLUMNS, indexes={"quire_views_owner": ("uid", "owner_id")}
)


class SavedView(Struct, frozen=True, kw_only=True):
    """A view: of the list of a type, whose it is, and its state as JSON."""

    id: int
    uid: str
    owner_id: int
    name: str
    shared: bool
    state: str
    updated_at: int


class SavedViews:
    """Programs that read and write views."""

    def __init__(self, writes: Writes) -> None:
        self._writes = writes

    def of(self, owner_id: int, uid: str | None) -> Program[list[SavedView]]:
        """Return somebody's views and those that are shared, of one type or of all, by name."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            mine = table.c("owner_id") == builder.plain_slot(0)
            shared = table.c("shared") == builder.constant(self._flag(value=True))
            chosen = sa.select(*(table.c(name) for name in ("id", *_COLUMNS)))
            chosen = chosen.where(sa.or_(mine, shared))
            if uid is not None:
                chosen = chosen.where(table.c("uid") == builder.plain_slot(1))
            return chosen.order_by(table.c("name"), table.c("id"))

        rows = yield from self._writes.run((_NAME, "of", uid is None), build, (owner_id, uid))
        return [self._view(row) for row in rows]

    def one(self, view_id: int) -> Program[SavedView | None]:
        """Return a view."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            chosen = sa.select(*(table.c(name) for name in ("id", *_COLUMNS)))
            return chosen.where(table.c("id") == builder.plain_slot(0))

        rows = yield from self._writes.run((_NAME, "one"), build, (view_id,))
        return self._view(rows[0]) if rows else None

    def count(self, owner_id: int) -> Program[int]:
        """Count somebody's views."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_NAME)
            counted = sa.select(sa.func.count()).select_from(table.source)
            return counted.where(table.c("owner_id") == builder.plain_slot(0))

        rows = yield from self._writes.run((_NAME, "count"), build, (owner_id,))
        return int(rows[0][0] or 0)

    def insert(self, values: Mapping[str, object]) -> Program[int]:
        """Write a view; returns its id."""
        return (yield from self._writes.insert(_NAME, self._encoded(values)))

    def update(self, view_id: int, values: Mapping[str, object]) -> Program[None]:
        """Change a view."""
        yield from self._writes.update(_NAME, view_id, self._encoded(values))

    def delete(self, view_id: int) -> Program[None]:
        """Delete a view."""
        yield from self._writes.delete(_NAME, [view_id])

    def _flag(self, *, value: bool) -> Value:
        encoded: Value = self._writes.dialect.encoder(StorageKind.BOOLEAN)(value)
        return encoded

    def _encoded(self, values: Mapping[str, object]) -> dict[str, Value]:
        return {name: self._encode(name, value) for name, value in values.items()}

    def _encode(self, name: str, value: object) -> Value:
        if value is None or isinstance(value, str | int):
            return self._writes.dialect.encoder(_COLUMNS[name])(value)
        raise TypeError(f"{_NAME}.{name} cannot hold {type(value).__name__}")

    def _view(self, row: Row) -> SavedView:
        id_, *stored = row
        decode = self._writes.dialect.decode_value
        found: dict[str, Any] = {
            name: decode(kind, value)
            for (name, kind), value in zip(_COLUMNS.items(), stored, strict=True)
        }
        return SavedView(
            id=int(id_ or 0),
            uid=str(found["uid"]),
            owner_id=int(found["owner_id"]),
            name=str(found["name"]),
            shared=bool(found["shared"]),
            state=str(found["state"]),
            updated_at=int(stored[-1] or 0),
        )
