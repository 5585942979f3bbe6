"""Responses of the admin API: ``{data}``, and the forms of administrators and roles."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import astuple

from quire.access.admin_grants import Grant
from quire.admin_api.response_types import Moment
from quire.auth.admin.user_rows import (
    PUBLIC_FIELDS,
    ROLE_FIELDS,
    AdminUser,
    StoredAdminRole,
    StoredPermission,
)
from quire.clock import iso_or_none
from quire.content_api.envelope import respond_bare
from quire.content_api.messages import Response


class AdminRoleSummary(Struct):
    """A role of administrators, with its number of users."""

    id: int
    name: str
    description: str | None
    code: str


class AdminRole(Struct, rename="camel", kw_only=True):
    """A role of administrators."""

    id: int
    name: str
    code: str
    description: str | None
    users_count: int | UnsetType = UNSET
    created_at: Moment | UnsetType | None = UNSET
    updated_at: Moment | UnsetType | None = UNSET
    published_at: Moment | UnsetType | None = UNSET


class Administrator(Struct, rename="camel", kw_only=True):
    """An administrator."""

    id: int
    document_id: str | UnsetType = UNSET
    firstname: str | UnsetType | None = UNSET
    lastname: str | UnsetType | None = UNSET
    username: str | UnsetType | None = UNSET
    email: str | None
    is_active: bool | UnsetType | None = UNSET
    blocked: bool | UnsetType | None = UNSET
    prefered_language: str | UnsetType | None = UNSET
    roles: list[AdminRoleSummary] | UnsetType = UNSET
    created_at: Moment | UnsetType | None = UNSET
    updated_at: Moment | UnsetType | None = UNSET
    published_at: Moment | UnsetType | None = UNSET


class AdminPermission(Struct, rename="camel", kw_only=True):
    """A permission of a role of administrators."""

    id: int | UnsetType | None = UNSET
    action: str
    action_parameters: object = UNSET
    subject: str | None
    properties: dict[str, object]
    conditions: list[str]


_MOMENTS = frozenset({"createdAt", "updatedAt", "publishedAt", "expiresAt", "lastUsedAt"})
_ROLE_IN_SHORT = ("name", "description", "code")


def respond_data(data: object, status: int = 200) -> Response:
    """Return a response with data only."""
    return respond_bare({"data": data}, status)


def serialize_row(row: Struct, attributes: tuple[str, ...]) -> dict[str, Any]:
    """Return the id and these attributes of a row, timestamps as text."""
    values = dict(zip(row.__struct_encode_fields__, astuple(row), strict=True))
    return {"id": values["id"], **{name: _shown(name, values[name]) for name in attributes}}


def serialize_admin_user(admin_user: AdminUser, *, roles: bool = True) -> dict[str, Any]:
    """Return an administrator, with summaries of their roles."""
    found = serialize_row(admin_user.row, PUBLIC_FIELDS)
    if roles:
        found["roles"] = [serialize_row(role, _ROLE_IN_SHORT) for role in admin_user.roles]
    return found


def serialize_role(role: StoredAdminRole) -> dict[str, Any]:
    """Return a role of administrators."""
    return serialize_row(role, ROLE_FIELDS)


def serialize_permission(permission: StoredPermission) -> dict[str, Any]:
    """Return a stored permission."""
    return serialize_grant(permission.grant, permission.id, permission.action_parameters)


def serialize_grant(grant: Grant, row_id: int | None, parameters: object = None) -> dict[str, Any]:
    """Return the grant of a permission."""
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
