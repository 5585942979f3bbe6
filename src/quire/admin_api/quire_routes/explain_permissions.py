"""Explains which permissions allow or deny an action."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from quire.access.admin_ability import AdminAbility, Creator, GrantRule
from quire.access.admin_actions import ADMIN_ACTIONS
from quire.access.admin_grants import granted_by, super_ability
from quire.admin_api.response_types import ADMINISTRATORS, DataEnvelope, FreeObject
from quire.admin_api.responses import respond_data
from quire.auth.admin.authenticate import AdminAuthenticator
from quire.auth.admin.user_rows import AdminUser, AdminUserRows
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import id_of
from quire.content_manager.entry_reads import EntryReader
from quire.content_manager.permissions import EntryOrigin, read_permissions
from quire.content_manager.sanitize import entry_origin
from quire.database.interface import Database
from quire.database.program import Program
from quire.errors import NotFoundError, PolicyError, ValidationError

_SEES_ROLES = "admin::roles.read"


class PermissionQuery(Struct, frozen=True, kw_only=True):
    """The action to check. Each part narrows it; ``None`` leaves it open."""

    action: str
    subject: str | None
    field: str | None
    locale: str | None
    document_id: str | None


class ExplainQuery(Struct, rename="camel"):
    """The administrator and the action to check."""

    user: Annotated[int, Meta(description="The id of an administrator.")] | UnsetType = UNSET
    action: str | UnsetType = UNSET
    subject: Annotated[str, Meta(description="A content type.")] | UnsetType = UNSET
    field: str | UnsetType = UNSET
    locale: str | UnsetType = UNSET
    document_id: str | UnsetType = UNSET


class ExplainedPermission(Struct):
    """A permission, and what it lacks to allow the action."""

    id: int
    role: FreeObject
    misses: list[str]


class Explanation(Struct):
    """Whether something is allowed, and why."""

    allowed: bool
    because: Literal["granted", "narrower", "no-permission", "inactive", "super-admin"]
    permissions: list[ExplainedPermission]


class ExplainApi:
    """``GET /admin/x/explain``: for those who may see administrators and roles."""

    def __init__(
        self,
        database: Database,
        content: EntryReader,
        admin_users: AdminUserRows,
        authenticator: AdminAuthenticator,
    ) -> None:
        self._database = database
        self._content = content
        self._admin_users = admin_users
        self._authenticator = authenticator

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, path = RouteGroup(ADMINISTRATORS), "admin/x/explain"
        yield route(
            "GET",
            path,
            "admin::users.read",
            self.explain,
            query=ExplainQuery,
            response=DataEnvelope[Explanation],
        )

    async def explain(self, request: Request) -> Response:
        """Tell whether an administrator may do something, and what each permission contributes."""
        permission_query, admin_user_id = _parse_query(request), id_of(request.query.get("user"))
        if not request.administrator.ability.allows(_SEES_ROLES):
            raise PolicyError

        def program() -> Program[dict[str, Any]]:
            admin_user = (
                None
                if admin_user_id is None
                else (yield from self._admin_users.admin_user(admin_user_id))
            )
            if admin_user is None:
                raise NotFoundError
            return (yield from self._response(admin_user, permission_query))

        return respond_data(await self._database.read(program, snapshot=True))

    def _response(
        self, admin_user: AdminUser, permission_query: PermissionQuery
    ) -> Program[dict[str, Any]]:
        ability = yield from self._authenticator.ability_of(admin_user)
        if not admin_user.may_sign_in:
            return _serialize_reasons("inactive")
        if admin_user.is_super_admin:
            return _serialize_reasons(
                "super-admin",
                allowed=ability.allows(permission_query.action, permission_query.subject),
            )
        entry = yield from self._entry(permission_query)
        grants: list[dict[str, Any]] = []
        for role in admin_user.roles:
            permissions = yield from self._admin_users.permissions([role.id])
            for permission in permissions:
                grant = permission.grant
                if (grant.action, grant.subject) != (
                    permission_query.action,
                    permission_query.subject,
                ):
                    continue
                grant_rules = granted_by(self._content.engine.schema, [grant])
                missing_parts = (
                    _missing_parts(ability, grant_rules[0][2], permission_query, entry)
                    if grant_rules
                    else ["nothing"]
                )
                role_summary = {"id": role.id, "name": role.name}
                grants.append({"id": permission.id, "role": role_summary, "misses": missing_parts})
        allowed = any(not row["misses"] for row in grants)
        reason = "granted" if allowed else "narrower" if grants else "no-permission"
        return {**_serialize_reasons(reason, allowed=allowed), "permissions": grants}

    def _entry(self, permission_query: PermissionQuery) -> Program[EntryOrigin | None]:
        """Return the entry's properties for rules."""
        schema = self._content.engine.schema
        content_type = schema.content_types.get(permission_query.subject or "")
        if permission_query.document_id is None or content_type is None:
            return None
        ability = super_ability(schema, user_id=0, role_ids=frozenset())
        permissions = read_permissions(ability, content_type)
        versions = yield from self._content.owned_versions(
            permissions, [permission_query.document_id]
        )
        if not versions:
            raise NotFoundError
        return entry_origin(versions[0])


def _missing_parts(
    ability: AdminAbility,
    rule: GrantRule,
    permission_query: PermissionQuery,
    entry: EntryOrigin | None,
) -> list[str]:
    """Return what a rule lacks to allow the action."""
    missing_parts = []
    if permission_query.field is not None and not rule.covers_field(permission_query.field):
        missing_parts.append("field")
    if permission_query.locale is not None and not rule.covers_locale(permission_query.locale):
        missing_parts.append("locale")
    row_filter = ability.row_filter(rule)
    creator: Creator | None = None if entry is None else entry.creator
    if (
        row_filter is not None
        and permission_query.document_id is not None
        and not row_filter.passes(creator)
    ):
        missing_parts.append("condition")
    return missing_parts


def _serialize_reasons(reason: str, *, allowed: bool = False) -> dict[str, Any]:
    return {"allowed": allowed, "because": reason, "permissions": []}


def _parse_query(request: Request) -> PermissionQuery:
    query = request.query
    texts: dict[str, str | None] = {}
    for name in ("action", "subject", "field", "locale", "documentId"):
        value = query.get(name)
        if value is not None and not isinstance(value, str):
            raise ValidationError(f"{name} must be a text")
        texts[name] = value
    action = texts["action"]
    if action not in ADMIN_ACTIONS:
        raise ValidationError("action is not an existing permission action")
    return PermissionQuery(
        action=str(action),
        subject=texts["subject"],
        field=texts["field"],
        locale=texts["locale"],
        document_id=texts["documentId"],
    )
