"""Roles of end users and their permissions, as rows.

A permission is a row of its own for each action that a role grants. What may be granted, and by
whom, is decided elsewhere.
"""

from collections.abc import Callable, Collection, Mapping

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.deletion import delete_entries
from quire.database.entries.links.link_change import LinkedRow
from quire.database.entries.store import EntryStore
from quire.database.program import Program, Value
from quire.database.tables.table_map import LinkEdge
from quire.schema.attributes.base import StorageKind
from quire.schema.model import PERMISSION_UID, ROLE_UID, USER_UID


class RoleRow(Struct, frozen=True, kw_only=True):
    """A role as stored; ``permissions`` maps what it grants to the ids of the rows that say so."""

    id: int
    document_id: str
    type: str | None
    permissions: Mapping[str, tuple[int, ...]]


class RoleRows(Struct, frozen=True, kw_only=True):
    """Programs that read and write roles; ``now`` is epoch milliseconds, ``new_id`` makes ids."""

    store: EntryStore
    now: int
    new_id: Callable[[], str]

    def find(self, role_id: int) -> Program[RoleRow | None]:
        """Return a role with everything that it grants."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(self.store.tables[ROLE_UID].name)
            here = table.c("id") == builder.plain_slot(0)
            return sa.select(table.c("document_id"), table.c("type")).where(here)

        rows = yield from self.store.writes.run(("role",), build, (role_id,))
        if not rows:
            return None
        document_id, type_ = rows[0]
        permissions = yield from self._permissions(role_id)
        return RoleRow(
            id=role_id,
            document_id=str(document_id),
            type=None if type_ is None else str(type_),
            permissions=permissions,
        )

    def insert(self, name: str | None, description: str | None, type_: str) -> Program[int]:
        """Write a role that grants nothing yet; returns its id."""
        texts = {"name": name, "description": description, "type": type_}
        return (yield from self._insert(ROLE_UID, texts))

    def update(self, role_id: int, texts: Mapping[str, str | None]) -> Program[None]:
        """Change the name or the description of a role."""
        table = self.store.tables[ROLE_UID]
        columns = {table.columns[name]: text for name, text in texts.items()}
        changed: dict[str, Value] = {**columns, table.columns["updatedAt"]: self._moment()}
        yield from self.store.writes.update(table.name, role_id, changed)

    def grant(self, role_id: int, actions: Collection[str]) -> Program[None]:
        """Let a role do more."""
        for action in actions:
            row_id = yield from self._insert(PERMISSION_UID, {"action": action})
            yield from self.store.links.attach(
                PERMISSION_UID, "role", row_id, [LinkedRow(row=role_id)]
            )

    def revoke(self, permission_ids: Collection[int]) -> Program[None]:
        """Delete permissions by the ids of their rows."""
        layout = self.store.layout(PERMISSION_UID)
        yield from delete_entries(self.store, layout, sorted(permission_ids))

    def delete(self, role: RoleRow, successor: int) -> Program[None]:
        """Delete a role with its permissions; its users get the role ``successor``."""
        yield from self._hand_over(role.id, successor)
        yield from self.revoke([row_id for ids in role.permissions.values() for row_id in ids])
        yield from delete_entries(self.store, self.store.layout(ROLE_UID), [role.id])

    def _permissions(self, role_id: int) -> Program[dict[str, tuple[int, ...]]]:
        edge = self._edge(PERMISSION_UID)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            links = builder.table(edge.table)
            permission = builder.table(self.store.tables[PERMISSION_UID].name)
            joined = permission.source.join(links.source, links.c(edge.near) == permission.c("id"))
            chosen = sa.select(permission.c("id"), permission.c("action")).select_from(joined)
            return chosen.where(links.c(edge.far) == builder.plain_slot(0)).order_by(
                permission.c("id")
            )

        rows = yield from self.store.writes.run(("permissions of role",), build, (role_id,))
        found: dict[str, tuple[int, ...]] = {}
        for row_id, action in rows:
            found[str(action)] = (*found.get(str(action), ()), int(row_id or 0))
        return found

    def _hand_over(self, role_id: int, successor: int) -> Program[None]:
        """Give the users of one role another one, after those who have it already."""
        edge = self._edge(USER_UID)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            order = str(edge.inverse_order)
            links = sa.table(edge.table, sa.column(edge.far), sa.column(order))
            others = builder.table(edge.table)
            last = sa.select(sa.func.coalesce(sa.func.max(others.c(order)), builder.constant(0)))
            last = last.where(others.c(edge.far) == builder.plain_slot(1))
            moved = {
                edge.far: builder.plain_slot(1),
                order: links.c[order] + last.scalar_subquery(),
            }
            return sa.update(links).values(moved).where(links.c[edge.far] == builder.plain_slot(0))

        yield from self.store.writes.run(("hand over users",), build, (role_id, successor))

    def _insert(self, uid: str, texts: Mapping[str, str | None]) -> Program[int]:
        columns = self.store.tables[uid].columns
        moment = self._moment()
        row: dict[str, Value] = {columns["documentId"]: self.new_id()}
        row |= {columns[name]: text for name, text in texts.items()}
        row |= {columns[name]: moment for name in ("createdAt", "updatedAt", "publishedAt")}
        return (yield from self.store.writes.insert(self.store.tables[uid].name, row))

    def _moment(self) -> Value:
        return self.store.dialect.encoder(StorageKind.DATETIME)(self.now)

    def _edge(self, uid: str) -> LinkEdge:
        edge = self.store.tables[uid].edges["role"]
        if not isinstance(edge, LinkEdge) or edge.inverse_order is None:
            raise TypeError(f"{uid}.role is not kept in a link table with an order")
        return edge
