"""What the admin API answers with: ``{data}``, and people and roles as they are shown."""

from typing import Any

from quire.access.admin_grants import Grant
from quire.auth.admin.user_rows import PUBLIC_FIELDS, ROLE_FIELDS, AdminUser, StoredPermission
from quire.clock import iso_or_none
from quire.content_api.envelope import respond_bare
from quire.content_api.messages import Response
from quire.database.stores.system_rows import Record

_MOMENTS = frozenset({"createdAt", "updatedAt", "publishedAt", "expiresAt", "lastUsedAt"})
_ROLE_IN_SHORT = ("name", "description", "code")


def respond_data(data: object, status: int = 200) -> Response:
    """Answer with data and nothing beside it."""
    return respond_bare({"data": data}, status)


def serialize_row(record: Record, fields: tuple[str, ...]) -> dict[str, Any]:
    """Return the id and these fields of a row, moments as text."""
    return {"id": record["id"], **{name: _shown(name, record[name]) for name in fields}}


def serialize_admin_user(admin_user: AdminUser, *, roles: bool = True) -> dict[str, Any]:
    """Show an administrator, with their roles in short."""
    found = serialize_row(admin_user.fields, PUBLIC_FIELDS)
    if roles:
        found["roles"] = [serialize_row(role, _ROLE_IN_SHORT) for role in admin_user.roles]
    return found


def serialize_role(role: Record) -> dict[str, Any]:
    """Show a role of administrators."""
    return serialize_row(role, ROLE_FIELDS)


def serialize_permission(permission: StoredPermission) -> dict[str, Any]:
    """Show a permission as it is stored."""
    return serialize_grant(permission.grant, permission.id, permission.action_parameters)


def serialize_grant(grant: Grant, row_id: int | None, parameters: object = None) -> dict[str, Any]:
    """Show what a permission grants."""
    return {
        "id": row_id,
        "action": grant.action,
        "actionParameters": {} if parameters is None else parameters,
        "subject": grant.subject,
        "properties": grant.properties,
        "conditions": list(grant.conditions),
    }


def _shown(name: str, value: object) -> object:
    return iso_or_none(value) if name in _MOMENTS and isinstance(value, int) else value
