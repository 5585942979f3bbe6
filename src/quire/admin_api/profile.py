"""The signed-in administrator: profile, permissions, sessions."""

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar

from msgspec import UNSET, Struct, UnsetType

from quire.access.admin_actions import (
    ACTIONS,
    ADMIN_ACTIONS,
    FIELDS,
    LOCALES,
    PermissionSection,
    subjects_of,
)
from quire.access.admin_grants import Grant
from quire.admin_api.response_types import ADMINISTRATORS, DataEnvelope, FreeObject
from quire.admin_api.responses import (
    AdministratorResponse,
    AdminPermission,
    administrator_response,
    grant_response,
    permission_response,
    respond_data,
)
from quire.admin_api.router import SIGNED_IN
from quire.auth.admin.user_rows import AdminUser, AdminUserRows, StoredPermission
from quire.auth.sessions import Sessions
from quire.clock import Clock
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.session_routes import (
    UNKNOWN_SESSION,
    SessionSummary,
    summarize_sessions,
)
from quire.content_api.validators import Range
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.tables.initial_values import permission_fields
from quire.errors import NotFoundError
from quire.schema.model import Schema


def super_grants(schema: Schema, locales: Sequence[str]) -> Iterator[Grant]:
    """Yield all permissions, on every field and in every locale."""
    for action in ACTIONS:
        if action.section is not PermissionSection.CONTENT:
            yield Grant(action=action.uid, subject=None, properties={})
            continue
        for subject in subjects_of(schema, action):
            properties: dict[str, object] = {}
            if FIELDS in action.properties:
                properties[FIELDS] = permission_fields(schema, subject)
            if subject.localized and LOCALES in action.properties:
                properties[LOCALES] = list(locales)
            yield Grant(action=action.uid, subject=subject.uid, properties=properties)


_MAX_SESSIONS = 1000


class CheckedPermission(RequestBody):
    """An action, on a content type or on a field of one."""

    keys_last: ClassVar[bool] = True
    action: str
    subject: str | None = None
    field: str | UnsetType = UNSET


class PermissionCheck(RequestBody, forbid_unknown_fields=False):
    """The permissions to check."""

    permissions: Annotated[list[CheckedPermission], Range(0, _MAX_SESSIONS)]


class AdminSession(SessionSummary):
    """A session of the caller."""


class EndSessionsOptions(Struct, rename="camel"):
    """Which sessions stay: the present one for ``true`` or ``1``."""

    keep_current: str | UnsetType = UNSET


class ProfileApi:
    """``/admin/users/me`` for reading, with permissions and sessions."""

    def __init__(
        self,
        database: Database,
        schema: Schema,
        admin_users: AdminUserRows,
        sessions: Sessions,
        clock: Clock,
    ) -> None:
        self._database = database
        self._schema = schema
        self._admin_users = admin_users
        self._sessions = sessions
        self._clock = clock

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, me = RouteGroup(ADMINISTRATORS), "admin/users/me"
        yield route("GET", me, SIGNED_IN, self.show, response=DataEnvelope[AdministratorResponse])
        path, permissions_response = f"{me}/permissions", DataEnvelope[list[AdminPermission]]
        yield route("GET", path, SIGNED_IN, self.permissions, response=permissions_response)
        path = f"{me}/sessions"
        yield route(
            "GET", path, SIGNED_IN, self.sessions, response=DataEnvelope[list[AdminSession]]
        )
        empty_response = DataEnvelope[FreeObject]
        yield route(
            "DELETE",
            path,
            SIGNED_IN,
            self.end_sessions,
            query=EndSessionsOptions,
            response=empty_response,
        )
        path = f"{me}/sessions/:id"
        yield route("DELETE", path, SIGNED_IN, self.end_session, response=empty_response)
        path, check_response = "admin/permissions/check", DataEnvelope[list[bool]]
        yield route(
            "POST", path, SIGNED_IN, self.check, body=PermissionCheck, response=check_response
        )

    async def show(self, request: Request) -> Response:
        """Show the caller."""
        admin_user = await self._admin_user(request)
        return respond_data(administrator_response(admin_user))

    async def permissions(self, request: Request) -> Response:
        """List the caller's permissions, as stored."""
        admin_user = await self._admin_user(request)
        return respond_data(
            await self._database.read(
                lambda: list_permissions(self._admin_users, self._schema, admin_user)
            )
        )

    async def sessions(self, request: Request) -> Response:
        """List the caller's sessions, the present one first."""
        administrator, now = request.administrator, self._clock()
        sessions = await self._database.read(lambda: self._sessions.active(administrator.id, now))
        return respond_data(summarize_sessions(AdminSession, sessions, administrator.session_id))

    async def end_session(self, request: Request) -> Response:
        """End one of the caller's sessions."""
        administrator, session_id = request.administrator, request.parameters["id"]
        if not await self._database.write(self._sessions.end(administrator.id, session_id)):
            raise NotFoundError(UNKNOWN_SESSION)
        return respond_data({})

    async def end_sessions(self, request: Request) -> Response:
        """End all sessions of the caller, or all others."""
        administrator = request.administrator
        keeps_current = request.query.get("keepCurrent") in ("true", "1")  # it may be a list
        except_session_id = administrator.session_id if keeps_current else None
        await self._database.write(
            self._sessions.end_all(administrator.id, except_session_id=except_session_id)
        )
        return respond_data({})

    async def check(self, request: Request) -> Response:
        """Tell for each of some permissions whether the caller has it."""
        permissions = read_body(request.body, PermissionCheck).permissions
        return respond_data([self._has(request, item) for item in permissions])

    def _has(self, request: Request, permission: CheckedPermission) -> bool:
        ability, subject, path = request.administrator.ability, permission.subject, permission.field
        action = ADMIN_ACTIONS.get(permission.action)
        if action is None:
            return False
        if path is UNSET or subject is None:
            return ability.allows(action.uid, subject)
        content_type = self._schema.content_types.get(subject)
        prefix = f"{path}."
        return content_type is not None and any(
            (field == path or field.startswith(prefix))
            and ability.allows_field(action.uid, subject, field)
            for field in permission_fields(self._schema, content_type)
        )

    async def _admin_user(self, request: Request) -> AdminUser:
        user_id = request.administrator.id
        return await self._database.read(lambda: self._admin_users.require(user_id))


def list_permissions(
    admin_users: AdminUserRows, schema: Schema, admin_user: AdminUser
) -> Program[list[AdminPermission]]:
    """List what somebody's roles grant.

    Super admins have all permissions: the stored ones, and those that are not stored (yet).
    """
    permissions = yield from admin_users.permissions(admin_user.role_ids)
    if not admin_user.is_super_admin:
        return [permission_response(permission) for permission in permissions]
    return list_all_permissions(schema, permissions, (yield from admin_users.locales()))


def list_all_permissions(
    schema: Schema, stored_permissions: list[StoredPermission], locales: list[str]
) -> list[AdminPermission]:
    """List everything that there is to grant; what is stored keeps its id and its place."""
    grants_by_key = {
        (grant.action, grant.subject): grant for grant in super_grants(schema, locales)
    }
    permissions: list[AdminPermission] = []
    for permission in stored_permissions:
        grant: Grant | None = grants_by_key.pop(
            (permission.grant.action, permission.grant.subject), None
        )
        if grant is not None:
            permissions.append(grant_response(grant, permission.id, permission.action_parameters))
    return [*permissions, *(grant_response(grant, None) for grant in grants_by_key.values())]
