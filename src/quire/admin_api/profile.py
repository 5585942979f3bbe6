"""The signed-in administrator: profile, permissions, sessions."""

from collections.abc import Iterator

from quire.access.admin_grants import Grant
from quire.access.administration import ADMIN_ACTIONS
from quire.admin_api.bodies import Fields, Items, Text, read_body, required
from quire.admin_api.responses import (
    respond_data,
    serialize_admin_user,
    serialize_grant,
    serialize_permission,
    serialize_row,
)
from quire.admin_api.router import SIGNED_IN
from quire.auth.admin.permissions import super_grants
from quire.auth.admin.user_rows import AdminUser, AdminUserRows, StoredPermission
from quire.auth.sessions import Sessions
from quire.clock import Clock
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.database.connection import Database
from quire.database.program import Program
from quire.database.tables.initial_values import permission_fields
from quire.errors import NotFoundError, UnauthorizedError
from quire.schema.model import Schema

_MANY = 1000
_CHECK = Fields(
    fields={
        "permissions": Items(
            item=Fields(
                fields={
                    "action": Text(rules=(required,)),
                    "subject": Text(nullable=True),
                    "field": Text(),
                },
                keys_last=True,
            ),
            rules=(required,),
            most=_MANY,
        )
    },
    closed=False,
)


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
        for method, path, handler in (
            ("GET", "admin/users/me", self.show),
            ("GET", "admin/users/me/permissions", self.permissions),
            ("GET", "admin/users/me/sessions", self.sessions),
            ("DELETE", "admin/users/me/sessions/:id", self.end_session),
            ("POST", "admin/permissions/check", self.check),
        ):
            yield Route(method=method, path=path, action=SIGNED_IN, handler=handler)

    async def show(self, request: Request) -> Response:
        """Show whoever asks."""
        admin_user = await self._admin_user(request)
        return respond_data(serialize_admin_user(admin_user))

    async def permissions(self, request: Request) -> Response:
        """List what whoever asks may do, as it is stored."""
        admin_user = await self._admin_user(request)
        return respond_data(
            await self._database.read(
                lambda: list_permissions(self._admin_users, self._schema, admin_user)
            )
        )

    async def sessions(self, request: Request) -> Response:
        """List where whoever asks is signed in, the present session marked."""
        asking, now = request.administrator, self._clock()
        rows = await self._database.read(lambda: self._sessions.active(asking.id, now))
        fields = ("sessionId", "deviceId", "type", "createdAt", "expiresAt")
        return respond_data(
            [
                {**serialize_row(r, fields), "current": r["sessionId"] == asking.session_id}
                for r in rows
            ]
        )

    async def end_session(self, request: Request) -> Response:
        """End one of the sessions of whoever asks."""
        asking, session_id = request.administrator, request.parameters["id"]
        if not await self._database.write(self._sessions.end(asking.id, session_id)):
            raise NotFoundError
        return respond_data({})

    async def check(self, request: Request) -> Response:
        """Tell for each of some permissions whether whoever asks has it."""
        body = read_body(request.body, _CHECK)
        asked = body["permissions"]
        return respond_data([self._has(request, item) for item in _listed(asked)])

    def _has(self, request: Request, asked: dict[str, object]) -> bool:
        ability = request.administrator.ability
        action, subject, path = asked["action"], asked.get("subject"), asked.get("field")
        known = ADMIN_ACTIONS.get(str(action))
        if known is None:
            return False
        of = None if subject is None else str(subject)
        if not isinstance(path, str) or of is None:
            return ability.allows(known.uid, of)
        content_type = self._schema.content_types.get(of)
        inside = f"{path}."
        return content_type is not None and any(
            (field == path or field.startswith(inside))
            and ability.allows_field(known.uid, of, field)
            for field in permission_fields(self._schema, content_type)
        )

    async def _admin_user(self, request: Request) -> AdminUser:
        user_id = request.administrator.id
        admin_user = await self._database.read(lambda: self._admin_users.admin_user(user_id))
        if admin_user is None:
            raise UnauthorizedError
        return admin_user


def list_permissions(
    admin_users: AdminUserRows, schema: Schema, admin_user: AdminUser
) -> Program[list[dict[str, object]]]:
    """List what somebody's roles grant.

    Super admins may do everything: what is stored of it, and what is not (yet) stored.
    """
    stored = yield from admin_users.permissions(admin_user.role_ids)
    if not admin_user.is_super_admin:
        return [serialize_permission(permission) for permission in stored]
    return list_all_permissions(schema, stored, (yield from admin_users.locales()))


def list_all_permissions(
    schema: Schema, stored: list[StoredPermission], locales: list[str]
) -> list[dict[str, object]]:
    """List everything that there is to grant; what is stored keeps its id and its place."""
    missing = {(grant.action, grant.subject): grant for grant in super_grants(schema, locales)}
    listed: list[dict[str, object]] = []
    for permission in stored:
        grant: Grant | None = missing.pop((permission.grant.action, permission.grant.subject), None)
        if grant is not None:
            listed.append(serialize_grant(grant, permission.id, permission.action_parameters))
    return [*listed, *(serialize_grant(grant, None) for grant in missing.values())]


def _listed(value: object) -> list[dict[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
