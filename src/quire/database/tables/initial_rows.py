"""The first rows of a new database, written in the transaction that creates its tables.

They are what the reference server would have written at its own first start, so that either server
finds a database that it takes for its own. No credentials are made here, neither an administrator
nor API tokens. Two rows are left out on purpose: the stored database schema, because the reference
then compares the tables and records them itself, and the stored content types, because without
them it looks for no changes of the model.
"""

from collections.abc import Callable, Mapping

import orjson
from msgspec import Struct
from sqlalchemy import MetaData

from quire.clock import Clock
from quire.database.compile.row_inserts import insert_row
from quire.database.dialect import Dialect
from quire.database.program import Program
from quire.database.tables.initial_values import (
    ADMIN_ROLES,
    END_USER_ROLES,
    admin_permissions,
    core_settings,
)
from quire.database.tables.system import CORE_STORE, CURRENT_MIGRATIONS, INTERNAL_MIGRATIONS
from quire.database.tables.table_map import LinkEdge, TableMap
from quire.schema.model import LOCALE_UID, ROLE_UID, Schema

PERMISSION_UID = "plugin::users-permissions.permission"
ADMIN_ROLE_UID = "admin::role"
ADMIN_PERMISSION_UID = "admin::permission"

_JSON_TYPES: Mapping[type, str] = {bool: "boolean", str: "string", int: "number", float: "number"}


class FirstLocale(Struct, frozen=True, kw_only=True):
    """The default locale of a new database."""

    code: str = "en"
    name: str = "English (en)"


def bootstrap_program(
    schema: Schema,
    table_map: TableMap,
    metadata: MetaData,
    dialect: Dialect,
    *,
    clock: Clock,
    new_id: Callable[[], str],
    locale: FirstLocale | None = None,
    api_prefix: str = "/api",
) -> Program[None]:
    """Write the first rows of a database whose tables were just made.

    ``clock`` is read once: all rows are of one instant. ``new_id`` makes document ids.
    """
    locale = locale or FirstLocale()
    rows = _InitialRows(
        schema=schema,
        table_map=table_map,
        metadata=metadata,
        dialect=dialect,
        now=clock(),
        new_id=new_id,
    )
    yield from rows.bookkeeping(locale, api_prefix.strip("/"))
    yield from rows.document(LOCALE_UID, {"name": locale.name, "code": locale.code})
    yield from rows.end_user_roles()
    yield from rows.admin_roles(locale)


class _InitialRows(Struct, frozen=True, kw_only=True):
    schema: Schema
    table_map: TableMap
    metadata: MetaData
    dialect: Dialect
    now: int
    new_id: Callable[[], str]

    def bookkeeping(self, locale: FirstLocale, api_prefix: str) -> Program[None]:
        for name in CURRENT_MIGRATIONS:
            yield from self._row(INTERNAL_MIGRATIONS, {"name": name, "time": self.now})
        settings = core_settings(locale=locale.code, api_prefix=api_prefix)
        for key, value in settings.items():
            row = {
                "key": key,
                "value": orjson.dumps(value).decode(),
                "type": _JSON_TYPES.get(type(value), "object"),
            }
            yield from self._row(CORE_STORE, row)

    def end_user_roles(self) -> Program[None]:
        for role in END_USER_ROLES:
            role_id = yield from self.document(
                ROLE_UID,
                {"name": role.name, "description": role.description, "type": role.type},
            )
            for position, action in enumerate(role.actions, start=1):
                permission = yield from self.document(PERMISSION_UID, {"action": action})
                yield from self._link(PERMISSION_UID, "role", permission, role_id, position)

    def admin_roles(self, locale: FirstLocale) -> Program[None]:
        ids: dict[str, int] = {}
        for role in ADMIN_ROLES:
            values = {"name": role.name, "code": role.code, "description": role.description}
            ids[role.code] = yield from self.document(ADMIN_ROLE_UID, values)
        positions = dict.fromkeys(ids, 0)
        for permission in admin_permissions(self.schema, [locale.code]):
            row = {
                "action": permission.action,
                "actionParameters": {},
                "subject": permission.subject,
                "properties": permission.properties,
                "conditions": permission.conditions,
            }
            permission_id = yield from self.document(ADMIN_PERMISSION_UID, row)
            positions[permission.role] += 1
            yield from self._link(
                ADMIN_PERMISSION_UID,
                "role",
                permission_id,
                ids[permission.role],
                positions[permission.role],
            )

    def document(self, uid: str, values: Mapping[str, object]) -> Program[int]:
        """Write the one row of a document without draft and locale; ``values`` are by attribute."""
        table = self.table_map[uid]
        given = {
            "documentId": self.new_id(),
            **values,
            "createdAt": self.now,
            "updatedAt": self.now,
            "publishedAt": self.now,
        }
        row = {table.columns[name]: value for name, value in given.items()}
        return (yield from self._row(table.name, row))

    def _link(self, uid: str, attribute: str, near: int, far: int, position: int) -> Program[None]:
        edge = self.table_map[uid].edges[attribute]
        if not isinstance(edge, LinkEdge) or edge.inverse_order is None:
            raise TypeError(f"{uid}.{attribute} is not a sorted link")
        row = {edge.near: near, edge.far: far, edge.inverse_order: position}
        yield from self._row(edge.table, row)

    def _row(self, table: str, row: Mapping[str, object]) -> Program[int]:
        rows = yield insert_row(self.dialect, self.metadata.tables[table], row)
        return int(rows[0][0] or 0)
