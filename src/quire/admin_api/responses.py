"""Responses of the admin API: ``{data}``, and the forms of administrators and roles."""

from collections.abc import Collection
from functools import cache
from typing import ClassVar, TypeVar, get_args

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import fields, replace

from quire.access.admin_grants import Grant
from quire.admin_api.response_types import Moment
from quire.auth.admin.user_rows import (
    AdminUser,
    StoredPermission,
)
from quire.clock import iso_or_none
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Response

T = TypeVar("T", bound=Struct)


class AdminRoleSummary(Struct):
    """A role of administrators, with its number of users."""

    id: int
    name: str
    description: str | None
    code: str


class AdminRole(Struct, rename="camel", kw_only=True):
    """A role of administrators."""

    id: int
    document_id: str | UnsetType = UNSET
    name: str
    code: str
    description: str | None
    created_at: Moment | UnsetType | None = UNSET
    updated_at: Moment | UnsetType | None = UNSET
    published_at: Moment | UnsetType | None = UNSET
    locale: str | UnsetType | None = UNSET
    users_count: int | UnsetType = UNSET


class AdministratorResponse(Struct, rename="camel", kw_only=True):
    """An administrator."""

    schema_name: ClassVar[str] = "Administrator"
    id: int
    document_id: str | UnsetType = UNSET
    firstname: str | UnsetType | None = UNSET
    lastname: str | UnsetType | None = UNSET
    username: str | UnsetType | None = UNSET
    email: str | None
    is_active: bool | UnsetType | None = UNSET
    blocked: bool | UnsetType | None = UNSET
    prefered_language: str | UnsetType | None = UNSET
    created_at: Moment | UnsetType | None = UNSET
    updated_at: Moment | UnsetType | None = UNSET
    published_at: Moment | UnsetType | None = UNSET
    locale: str | UnsetType | None = UNSET
    roles: list[AdminRoleSummary] | UnsetType = UNSET


class AdminPermission(Struct, rename="camel", kw_only=True):
    """A permission of a role of administrators."""

    id: int | UnsetType | None = UNSET
    action: str
    action_parameters: object = UNSET
    subject: str | None
    properties: dict[str, object]
    conditions: list[str]


def respond_data(data: object, status: int = 200) -> Response:
    """Return a response with data only."""
    return respond_bare({"data": data}, status)


def build_response(kind: type[T], source: Struct, **argument: object) -> T:
    """Return a response with the fields that ``source`` has by the same names.

    ``argument`` are fields that ``source`` does not have, or not as they are shown. Moments that
    are milliseconds become text.
    """
    source_fields, moments = _response_fields(kind, type(source), tuple(argument))
    for name in source_fields:
        argument[name] = getattr(source, name)
    for name in moments:
        value = argument[name]
        if isinstance(value, int):
            argument[name] = iso_or_none(value)
    return kind(**argument)


def keep_fields(response: T, names: Collection[str]) -> T:
    """Return a response with these of its fields, by their names on the wire."""
    unset_fields = {
        field.name: UNSET for field in fields(response) if field.encode_name not in names
    }
    return replace(response, **unset_fields)


@cache
def _response_fields(
    kind: type[Struct], source: type[Struct], names: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of fields that are read from a source, and of those that are moments."""
    response_fields = fields(kind)
    source_fields = [
        field.name
        for field in response_fields
        if field.name not in names and (field.required or hasattr(source, field.name))
    ]
    moments = [
        field.name for field in response_fields if Moment in (field.type, *get_args(field.type))
    ]
    return tuple(source_fields), tuple(
        name for name in moments if name in source_fields or name in names
    )


def administrator_response(admin_user: AdminUser, *, roles: bool = True) -> AdministratorResponse:
    """Return an administrator, with summaries of their roles."""
    role_summaries = [build_response(AdminRoleSummary, role) for role in admin_user.roles]
    return build_response(
        AdministratorResponse, admin_user.row, roles=role_summaries if roles else UNSET
    )


def permission_response(permission: StoredPermission) -> AdminPermission:
    """Return a stored permission."""
    return grant_response(permission.grant, permission.id, permission.action_parameters)


def grant_response(grant: Grant, row_id: int | None, parameters: object = None) -> AdminPermission:
    """Return the grant of a permission."""
    parameters = {} if parameters is None else parameters
    return build_response(AdminPermission, grant, id=row_id, action_parameters=parameters)
