"""Rows of built-in types, read and written by attribute.

Administrators, their roles and permissions, sessions and tokens have neither drafts nor locales: a
document is one row. What the rows mean, and what may become of them, is decided elsewhere.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.deletion import delete_entries
from quire.database.entries.links.link_change import LinkChange, LinkTarget
from quire.database.entries.store import EntryStore
from quire.database.program import Program, Row, Value
from quire.schema.attributes.base import ScalarAttribute, StorageKind

Record = Mapping[str, object]
"""The values of a row by attribute, and its ``id``; moments are epoch milliseconds."""


class SystemRows(Struct, frozen=True, kw_only=True):
    """Programs that read and write such rows."""

    store: EntryStore
    new_id: Callable[[], str]

    def all(self, uid: str, attributes: Sequence[str]) -> Program[list[Record]]:
        """Return all rows of a type, by their ids."""
        return (yield from self._select(uid, attributes, None, None))

    def by(
        self, uid: str, attributes: Sequence[str], attribute: str, value: object
    ) -> Program[list[Record]]:
        """Return the rows in which an attribute has a value, by their ids."""
        return (yield from self._select(uid, attributes, attribute, value))

    def listed(
        self, uid: str, attributes: Sequence[str], ids: Collection[int]
    ) -> Program[list[Record]]:
        """Return the rows with these ids, by their ids."""
        if not ids:
            return []
        columns = self._columns(uid, attributes)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(self.store.tables[uid].name)
            here = self.store.dialect.member_of(table.c("id"), builder.parents())
            chosen = sa.select(*(table.c(column) for column in columns)).where(here)
            return chosen.order_by(table.c("id"))

        key = ("system", uid, columns, "listed")
        rows = yield from self.store.writes.run_listed(key, build, sorted(ids))
        return [self._record(uid, attributes, row) for row in rows]

    def count(self, uid: str) -> Program[int]:
        """Count the rows of a type."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(self.store.tables[uid].name)
            return sa.select(sa.func.count()).select_from(table.source)

        rows = yield from self.store.writes.run(("system", uid, "count"), build)
        return int(rows[0][0] or 0)

    def insert(self, uid: str, values: Mapping[str, object], *, now: int) -> Program[int]:
        """Write a row; returns its id."""
        stamps = dict.fromkeys(("createdAt", "updatedAt", "publishedAt"), now)
        given = {"documentId": self.new_id(), **values, **stamps}
        row = self._encoded(uid, given)
        return (yield from self.store.writes.insert(self.store.tables[uid].name, row))

    def update(
        self, uid: str, row_id: int, values: Mapping[str, object], *, now: int | None
    ) -> Program[None]:
        """Change a row; ``now`` becomes the moment of its last change, unless it is ``None``."""
        given = dict(values) if now is None else {**values, "updatedAt": now}
        row = self._encoded(uid, given)
        yield from self.store.writes.update(self.store.tables[uid].name, row_id, row)

    def delete(self, uid: str, ids: Collection[int]) -> Program[None]:
        """Delete rows with all links."""
        yield from delete_entries(self.store, self.store.layout(uid), sorted(ids))

    def delete_by(self, uid: str, values: Mapping[str, str]) -> Program[None]:
        """Delete the rows in which all these attributes have these values."""
        names = tuple(values)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            model = self.store.tables[uid]
            columns = [model.columns[name] for name in names]
            table = sa.table(model.name, *(sa.column(column) for column in columns))
            same = (table.c[c] == builder.plain_slot(slot) for slot, c in enumerate(columns))
            return sa.delete(table).where(*same)

        key = ("system", uid, names, "delete")
        yield from self.store.writes.run(key, build, tuple(values.values()))

    def linked(
        self, uid: str, attribute: str, ids: Collection[int]
    ) -> Program[dict[int, list[int]]]:
        """Return which rows a relation of each of these rows leads to, in its order."""
        found = yield from self.store.links.read(uid, attribute, ids)
        return {row_id: [link.row for link in found.get(row_id, ())] for row_id in ids}

    def link(
        self, uid: str, attribute: str, row_id: int, targets: Collection[int], *, creating: bool
    ) -> Program[None]:
        """Let a relation of a row lead to these rows and to no others."""
        change = LinkChange(set=tuple(LinkTarget(rows=(target,)) for target in targets))
        yield from self.store.links.apply(uid, attribute, row_id, change, creating=creating)

    def _select(
        self, uid: str, attributes: Sequence[str], attribute: str | None, value: object
    ) -> Program[list[Record]]:
        columns = self._columns(uid, attributes)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(self.store.tables[uid].name)
            chosen = sa.select(*(table.c(column) for column in columns))
            if attribute is not None:
                column = self._column(uid, attribute)
                chosen = chosen.where(table.c(column) == builder.plain_slot(0))
            return chosen.order_by(table.c("id"))

        values = () if attribute is None else (self._encode(uid, attribute, value),)
        key = ("system", uid, columns, attribute)
        rows = yield from self.store.writes.run(key, build, values)
        return [self._record(uid, attributes, row) for row in rows]

    def _columns(self, uid: str, attributes: Sequence[str]) -> tuple[str, ...]:
        return ("id", *(self._column(uid, attribute) for attribute in attributes))

    def _column(self, uid: str, attribute: str) -> str:
        return "id" if attribute == "id" else self.store.tables[uid].columns[attribute]

    def _record(self, uid: str, attributes: Sequence[str], row: Row) -> Record:
        record: dict[str, object] = {"id": int(row[0] or 0)}
        for name, stored in zip(attributes, row[1:], strict=True):
            kind = self._kind(uid, name)
            record[name] = None if stored is None else self.store.dialect.decode_value(kind, stored)
        return record

    def _encoded(self, uid: str, values: Mapping[str, object]) -> dict[str, Value]:
        return {self._column(uid, name): self._encode(uid, name, v) for name, v in values.items()}

    def _encode(self, uid: str, attribute: str, value: object) -> Value:
        if value is None:
            return None
        kind = self._kind(uid, attribute)
        if kind is StorageKind.JSON:
            return self.store.dialect.encode_json(value)
        if isinstance(value, str | int | float):
            return self.store.dialect.encoder(kind)(value)
        raise TypeError(f"{uid}.{attribute} cannot hold {type(value).__name__}")

    def _kind(self, uid: str, attribute: str) -> StorageKind:
        if attribute == "id":
            return StorageKind.INTEGER
        found = self.store.schema.content_types[uid].attributes[attribute]
        if not isinstance(found, ScalarAttribute):
            raise TypeError(f"{uid}.{attribute} has no column")
        return found.storage
