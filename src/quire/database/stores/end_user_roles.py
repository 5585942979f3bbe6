"""Roles of end users and their permissions, as rows.

Each action that a role grants is a permission row. Callers decide who may grant what.
"""

from collections.abc import Callable, Collection, Mapping

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program
from quire.database.stores.auth_rows import PermissionRow, StoredRole
from quire.database.stores.builtin_type_table import content_table
from quire.database.stores.row_conditions import linked_to
from quire.database.tables.table_map import LinkEdge
from quire.schema.model import PERMISSION_UID, ROLE_UID, USER_UID


class RoleRow(Struct, frozen=True, kw_only=True):
    """A role as stored; ``permissions`` maps its actions to the ids of their rows."""

    id: int
    document_id: str
    type: str | None
    permissions: Mapping[str, tuple[int, ...]]


class RoleRows:
    """Programs that read and write roles."""

    def __init__(self, store: EntryStore, now: int, new_id: Callable[[], str]) -> None:
        """``now`` is epoch milliseconds, ``new_id`` makes ids of documents."""
        self._store = store
        self._now = now
        self._roles = content_table(store, ROLE_UID, StoredRole, new_id)
        self._permissions = content_table(store, PERMISSION_UID, PermissionRow, new_id)

    def find(self, role_id: int) -> Program[RoleRow | None]:
        """Return a role with its permissions."""
        role = yield from self._roles.get(role_id)
        if role is None:
            return None
        permissions: dict[str, tuple[int, ...]] = {}
        for row in (yield from self._permissions.select(linked_to("role", role_id))):
            permissions[row.action] = (*permissions.get(row.action, ()), row.id)
        return RoleRow(
            id=role_id, document_id=role.document_id, type=role.type, permissions=permissions
        )

    def insert(self, name: str | None, description: str | None, type_: str) -> Program[int]:
        """Insert a role without permissions; returns its id."""
        texts = {"name": name, "description": description, "type": type_}
        return (yield from self._roles.create(texts, now=self._now))

    def update(self, role_id: int, texts: Mapping[str, str | None]) -> Program[None]:
        """Change the name or the description of a role."""
        yield from self._roles.change(role_id, texts, now=self._now)

    def grant(self, role_id: int, actions: Collection[str]) -> Program[None]:
        """Add permissions to a role."""
        for action in actions:
            row_id = yield from self._permissions.create({"action": action}, now=self._now)
            yield from self._permissions.link("role", row_id, [role_id], creating=True)

    def revoke(self, permission_ids: Collection[int]) -> Program[None]:
        """Delete permissions by the ids of their rows."""
        yield from self._permissions.delete_ids(permission_ids)

    def delete(self, role: RoleRow, successor: int) -> Program[None]:
        """Delete a role with its permissions; its users get the role ``successor``."""
        yield from self._hand_over(role.id, successor)
        yield from self.revoke([row_id for ids in role.permissions.values() for row_id in ids])
        yield from self._roles.delete_ids([role.id])

    def _hand_over(self, role_id: int, successor: int) -> Program[None]:
        """Move the users of one role to another one, after its present users."""
        edge = self._users_edge()

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            order = str(edge.inverse_order)
            links = sa.table(edge.table, sa.column(edge.target_column), sa.column(order))
            successor_links = builder.table(edge.table)
            last = sa.select(
                sa.func.coalesce(sa.func.max(successor_links.c(order)), builder.constant(0))
            )
            last = last.where(successor_links.c(edge.target_column) == builder.plain_slot(1))
            new_values = {
                edge.target_column: builder.plain_slot(1),
                order: links.c[order] + last.scalar_subquery(),
            }
            return (
                sa.update(links)
                .values(new_values)
                .where(links.c[edge.target_column] == builder.plain_slot(0))
            )

        yield from self._store.writes.run(("hand over users",), build, (role_id, successor))

    def _users_edge(self) -> LinkEdge:
        edge = self._store.tables[USER_UID].edges["role"]
        if not isinstance(edge, LinkEdge) or edge.inverse_order is None:
            raise TypeError("the roles of users are not stored in a link table with an order")
        return edge
