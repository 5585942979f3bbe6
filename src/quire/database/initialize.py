"""Creates the tables and first rows of a new database.

The rows are what the reference server would have written at its own first start, so that either
server finds a database that it takes for its own. No credentials are made here, neither an
administrator nor API tokens. Two rows are left out on purpose: the stored database schema, because
the reference then compares the tables and records them itself, and the stored content types,
because without them it looks for no changes of the model.
"""

from collections.abc import Callable, Mapping

from msgspec import Struct

from quire.clock import Clock
from quire.database.entries.entry_tables import EntryStore, open_store
from quire.database.migration.schema_pair import Renames
from quire.database.migration.schema_record import record_schema
from quire.database.program import Program
from quire.database.stores.builtin_type_table import BaseRow, ContentTables
from quire.database.stores.core_store import insert_settings
from quire.database.tables.ddl import create_program
from quire.database.tables.initial_values import (
    ADMIN_ROLES,
    END_USER_ROLES,
    admin_permissions,
    core_settings,
)
from quire.database.tables.metadata import build_metadata
from quire.database.tables.system_tables import CURRENT_MIGRATIONS, INTERNAL_MIGRATIONS
from quire.database.tables.table_map import TableMap
from quire.database.target import DatabaseKind
from quire.schema.attributes.base import StorageKind
from quire.schema.model import LOCALE_UID, PERMISSION_UID, ROLE_UID, Schema

_ADMIN_ROLE_UID = "admin::role"
_ADMIN_PERMISSION_UID = "admin::permission"


class FirstLocale(Struct, frozen=True, kw_only=True):
    """The default locale of a new database."""

    code: str = "en"
    name: str = "English (en)"


def first_program(
    schema: Schema,
    tables: TableMap,
    kind: DatabaseKind,
    *,
    clock: Clock,
    new_id: Callable[[], str],
    locale: FirstLocale,
    api_prefix: str,
) -> Program[None]:
    """Create all tables and indexes of a new database, and write its first rows."""
    yield from create_program(build_metadata(schema, tables, kind.column_types), kind.ddl)
    store = open_store(schema, tables, kind.dialect())
    yield from initial_rows(store, clock=clock, new_id=new_id, locale=locale, api_prefix=api_prefix)
    yield from record_schema(store.writes, schema, Renames())


def initial_rows(
    store: EntryStore,
    *,
    clock: Clock,
    new_id: Callable[[], str],
    locale: FirstLocale,
    api_prefix: str = "/api",
) -> Program[None]:
    """Write the first rows of a database whose tables were just created.

    ``clock`` is read once: all rows have the same time. ``new_id`` makes document ids.
    """
    rows = _InitialRows(ContentTables(store=store, new_id=new_id), clock())
    time = store.dialect.encoder(StorageKind.TIMESTAMP)(rows.now)
    for name in CURRENT_MIGRATIONS:
        yield from store.writes.insert(INTERNAL_MIGRATIONS, {"name": name, "time": time})
    settings = core_settings(locale=locale.code, api_prefix=api_prefix.strip("/"))
    yield from insert_settings(store.writes, settings)
    yield from rows.document(LOCALE_UID, {"name": locale.name, "code": locale.code})
    yield from rows.end_user_roles()
    yield from rows.admin_roles(locale)


class _InitialRows(Struct, frozen=True):
    tables: ContentTables
    now: int

    def document(self, uid: str, values: Mapping[str, object]) -> Program[int]:
        return (yield from self.tables.table_for(uid, BaseRow).create(values, now=self.now))

    def end_user_roles(self) -> Program[None]:
        for role in END_USER_ROLES:
            values = {"name": role.name, "description": role.description, "type": role.type}
            role_id = yield from self.document(ROLE_UID, values)
            for action in role.actions:
                yield from self._permission(PERMISSION_UID, {"action": action}, role_id)

    def admin_roles(self, locale: FirstLocale) -> Program[None]:
        ids: dict[str, int] = {}
        for role in ADMIN_ROLES:
            values = {"name": role.name, "code": role.code, "description": role.description}
            ids[role.code] = yield from self.document(_ADMIN_ROLE_UID, values)
        for permission in admin_permissions(self.tables.store.schema, [locale.code]):
            row = {
                "action": permission.action,
                "actionParameters": {},
                "subject": permission.subject,
                "properties": permission.properties,
                "conditions": permission.conditions,
            }
            yield from self._permission(_ADMIN_PERMISSION_UID, row, ids[permission.role])

    def _permission(self, uid: str, values: Mapping[str, object], role: int) -> Program[None]:
        """Grant a permission to a role, after those that it has already."""
        permission = yield from self.document(uid, values)
        yield from self.tables.table_for(uid, BaseRow).link(
            "role", permission, [role], creating=True
        )
