"""Administrators, listed and managed."""

from collections.abc import Iterator, Mapping
from typing import Any

from quire.admin_api.bodies import (
    PASSWORD_RULES,
    Fields,
    Flag,
    Items,
    RowId,
    Text,
    Validator,
    at_least,
    email,
    id_of,
    ids_of,
    read_body,
    required,
    single_line,
)
from quire.admin_api.lists import AdminLists
from quire.admin_api.responses import respond_data, serialize_admin_user
from quire.admin_api.router import SIGNED_IN
from quire.auth.admin.user_management import (
    EMAIL_TAKEN,
    NOT_FOUND,
    NOTHING_TO_DELETE,
    AdminUserChange,
    AdminUserManagement,
)
from quire.auth.admin.user_rows import AdminUser, AdminUserRows
from quire.auth.passwords import verify_password
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.database.connection import Database
from quire.database.program import Program
from quire.errors import ApplicationError, BadInputError, NotFoundError, UnauthorizedError
from quire.schema.model import ADMIN_USER_UID

OWN = "You cannot delete your own user"
WRONG_PASSWORD = "Invalid credentials"  # noqa: S105 - a message

_NAMES: Mapping[str, Validator] = {
    "firstname": Text(rules=(at_least(1),)),
    "lastname": Text(nullable=True),
    "username": Text(rules=(at_least(1), single_line), nullable=True),
}
_ROLES = Items(item=RowId(), least=1)
_INVITATION = Fields(
    fields={
        "email": Text(rules=(email, required)),
        "firstname": Text(rules=(at_least(1), required)),
        "lastname": Text(),
        "roles": _ROLES,
        "preferedLanguage": Text(nullable=True),
    }
)
_CHANGE = Fields(
    fields={
        "email": Text(rules=(email,)),
        **_NAMES,
        "password": Text(rules=PASSWORD_RULES),
        "isActive": Flag(),
        "roles": _ROLES,
    }
)
_IDS = Fields(fields={"ids": Items(item=RowId(), least=1, rules=(required,))})


class StaffApi:
    """``/admin/users`` and ``PUT /admin/users/me``."""

    def __init__(
        self,
        database: Database,
        admin_users: AdminUserRows,
        staff: AdminUserManagement,
        lists: AdminLists,
    ) -> None:
        self._database = database
        self._admin_users = admin_users
        self._staff = staff
        self._lists = lists

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for method, path, action, handler in (
            ("PUT", "admin/users/me", SIGNED_IN, self.change_self),
            ("GET", "admin/users", "admin::users.read", self.find),
            ("POST", "admin/users", "admin::users.create", self.invite),
            ("POST", "admin/users/batch-delete", "admin::users.delete", self.delete_many),
            ("GET", "admin/users/:id", "admin::users.read", self.find_one),
            ("PUT", "admin/users/:id", "admin::users.update", self.change),
            ("DELETE", "admin/users/:id", "admin::users.delete", self.delete),
        ):
            yield Route(method=method, path=path, action=action, handler=handler)

    async def find(self, request: Request) -> Response:
        """List administrators."""
        listed = await self._lists.page(ADMIN_USER_UID, request.query, request.version)

        def program() -> Program[list[AdminUser]]:
            return self._admin_users.admin_users(listed.ids)

        by_id = {admin_user.id: admin_user for admin_user in await self._database.read(program)}
        results = [_narrowed(by_id[i], listed.fields) for i in listed.ids if i in by_id]
        return respond_data({"results": results, "pagination": listed.pagination})

    async def find_one(self, request: Request) -> Response:
        """Show an administrator."""
        admin_user_id = id_of(request.parameters["id"])
        admin_user = None
        if admin_user_id is not None:
            admin_user = await self._database.read(
                lambda: self._admin_users.admin_user(admin_user_id)
            )
        if admin_user is None:
            raise NotFoundError(NOT_FOUND)
        return respond_data(serialize_admin_user(admin_user))

    async def invite(self, request: Request) -> Response:
        """Invite somebody; the answer has the token of the invitation, once."""
        body = _with_lower_email(request.body)
        values = read_body(body or {"email": ""}, _INVITATION)
        roles = ids_of(values.pop("roles", []))
        ability = request.administrator.ability
        admin_user, token = await self._staff.invite(values, roles, ability)
        return respond_data({**serialize_admin_user(admin_user), "registrationToken": token}, 201)

    async def change(self, request: Request) -> Response:
        """Change an administrator."""
        values = read_body(_with_lower_email(request.body), _CHANGE)
        admin_user_id = id_of(request.parameters["id"])
        if admin_user_id is None:
            raise NotFoundError(NOT_FOUND)
        password = values.pop("password", None)
        roles = ids_of(values.pop("roles")) if "roles" in values else None
        change = AdminUserChange(
            values=values, roles=roles, password=None if password is None else str(password)
        )
        admin_user = await self._staff.change(admin_user_id, change, request.administrator.ability)
        return respond_data(serialize_admin_user(admin_user))

    async def delete(self, request: Request) -> Response:
        """Delete an administrator."""
        admin_user_id = id_of(request.parameters["id"])
        if admin_user_id is None:
            raise NotFoundError(NOTHING_TO_DELETE)
        deleted = await self._staff.delete([admin_user_id], request.administrator.ability)
        return respond_data(serialize_admin_user(deleted[0]))

    async def delete_many(self, request: Request) -> Response:
        """Delete several administrators, all of them or none."""
        ids = ids_of(read_body(request.body, _IDS)["ids"])
        if request.administrator.id in ids:
            raise ApplicationError(OWN)
        deleted = await self._staff.delete(ids, request.administrator.ability)
        return respond_data([serialize_admin_user(admin_user) for admin_user in deleted])

    async def change_self(self, request: Request) -> Response:
        """Change one's own profile; another password only with the present one."""
        body = _with_lower_email(request.body)
        values = read_body(body, _profile(body))
        password, current = values.pop("password", None), values.pop("currentPassword", None)
        admin_user_id = request.administrator.id
        if password is not None:
            await self._require_password(admin_user_id, str(current))
        try:
            admin_user = await self._staff.change_self(
                admin_user_id, values, None if password is None else str(password)
            )
        except ApplicationError as error:
            if error.message != EMAIL_TAKEN:
                raise
            raise BadInputError(details={"email": [EMAIL_TAKEN]}) from error
        return respond_data(serialize_admin_user(admin_user))

    async def _require_password(self, admin_user_id: int, password: str) -> None:
        admin_user = await self._database.read(lambda: self._admin_users.admin_user(admin_user_id))
        if admin_user is None:
            raise UnauthorizedError
        if not await verify_password(password, admin_user.password):
            raise BadInputError(details={"currentPassword": [WRONG_PASSWORD]})


def _profile(body: object) -> Fields:
    sets_password = isinstance(body, Mapping) and "password" in body
    return Fields(
        fields={
            "email": Text(rules=(email,)),
            **_NAMES,
            "password": Text(rules=PASSWORD_RULES),
            "currentPassword": Text(rules=(required,) if sets_password else ()),
            "preferedLanguage": Text(nullable=True),
        }
    )


def _with_lower_email(body: object) -> object:
    if isinstance(body, Mapping) and isinstance(body.get("email"), str):
        return {**body, "email": body["email"].lower()}
    return body


def _narrowed(admin_user: AdminUser, fields: frozenset[str] | None) -> dict[str, Any]:
    found = serialize_admin_user(admin_user)
    if fields is None:
        return found
    wanted = fields | {"id", "documentId", "roles"}
    return {name: value for name, value in found.items() if name in wanted}
