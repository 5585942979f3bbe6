"""The content type of a request, and the caller's permissions on it."""

from quire.access.admin_actions import READ
from quire.content_api.http_messages import Request
from quire.content_manager.permissions import TypePermissions
from quire.errors import PolicyError
from quire.schema.model import ContentType, Schema


def type_of(schema: Schema, request: Request) -> ContentType:
    """Return the content type in the path. Raises PolicyError for an unknown one."""
    content_type = schema.content_types.get(request.parameters["uid"])
    if content_type is None:
        raise PolicyError
    return content_type


def permissions_of(schema: Schema, request: Request, action: str = READ) -> TypePermissions:
    """Return the caller's permissions on entries of the content type in the path.

    Raises PolicyError when there are none, and ProjectCodeError if a rule of the project on reading
    the type has failed: its entries could not be shown, nor what a write results in.
    """
    permissions = TypePermissions(request.administrator.ability, action, type_of(schema, request))
    permissions.require()
    permissions.ability.project_rules.require_reads(permissions.content_type.uid)
    return permissions
