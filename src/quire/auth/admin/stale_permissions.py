"""Removes permissions for fields that the schema no longer has.

Otherwise a new field with the name of a former one would be shown to everybody who could see that.
"""

from collections.abc import Mapping, Sequence

import structlog
from msgspec import Struct

from quire.access.admin_actions import FIELDS
from quire.auth.admin.user_rows import ADMIN_PERMISSION_UID
from quire.clock import Clock
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.builtin_type_table import ContentTables
from quire.schema.attributes.base import ComponentAttribute
from quire.schema.model import Model, Schema

_log = structlog.get_logger("quire.permissions")


class _Permission(Struct, frozen=True):
    id: int
    subject: str | None = None
    properties: Mapping[str, object] = {}


class _NarrowedPermission(Struct, frozen=True):
    """A permission that names removed fields: its remaining properties."""

    id: int
    subject: str
    removed_fields: tuple[str, ...]
    properties: dict[str, object]


class StalePermissions(Struct, frozen=True, kw_only=True):
    """Finds such permissions in one database, and narrows them."""

    database: Database
    tables: ContentTables
    clock: Clock

    async def forget(self) -> None:
        """Remove fields that the schema does not have from all permissions.

        Raises ServiceUnavailableError.
        """
        if not await self.database.read(self._find_stale):
            return
        for permission in await self.database.write(self._narrow()):
            fields = ", ".join(permission.removed_fields)
            _log.warning(
                "permissions for fields that are gone", uid=permission.subject, fields=fields
            )

    def _find_stale(self) -> Program[list[_NarrowedPermission]]:
        permissions = yield from self.tables.table_for(ADMIN_PERMISSION_UID, _Permission).select()
        schema = self.tables.store.schema
        return [
            narrowed_permission
            for row in permissions
            if (narrowed_permission := _narrower(schema, row)) is not None
        ]

    def _narrow(self) -> Program[list[_NarrowedPermission]]:
        narrowed_permissions = yield from self._find_stale()
        permissions = self.tables.table_for(ADMIN_PERMISSION_UID, _Permission)
        for narrowed_permission in narrowed_permissions:
            yield from permissions.change(
                narrowed_permission.id,
                {"properties": narrowed_permission.properties},
                now=self.clock(),
            )
        return narrowed_permissions


def _narrower(schema: Schema, row: _Permission) -> _NarrowedPermission | None:
    content_type = schema.content_types.get(str(row.subject))
    field_names = row.properties.get(FIELDS)
    if content_type is None or not isinstance(field_names, list):
        return None
    remaining_names = [
        name for name in field_names if _has_path(schema, content_type, str(name).split("."))
    ]
    if len(remaining_names) == len(field_names):
        return None
    return _NarrowedPermission(
        id=row.id,
        subject=content_type.uid,
        removed_fields=tuple(str(name) for name in field_names if name not in remaining_names),
        properties={**row.properties, FIELDS: remaining_names},
    )


def _has_path(schema: Schema, model: Model, path: Sequence[str]) -> bool:
    """Tell whether a path of a permission is that of an attribute."""
    attribute = model.attributes.get(path[0])
    if attribute is None or len(path) == 1:
        return attribute is not None
    if not isinstance(attribute, ComponentAttribute):
        return False
    return _has_path(schema, schema.components[attribute.component], path[1:])
