"""Administrators, listed and managed."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from msgspec import UNSET, Struct, UnsetType

from quire.admin_api.admin_user_lists import AdminLists
from quire.admin_api.response_types import (
    ADMINISTRATORS,
    CREATED,
    DataEnvelope,
    IdText,
    ListQuery,
    PageEnvelope,
    RowIds,
)
from quire.admin_api.responses import (
    AdministratorResponse,
    administrator_response,
    build_response,
    keep_fields,
    respond_data,
)
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
from quire.content_api.body_decoding import RequestBody, read_body, sent_values
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import (
    AdminPassword,
    Email,
    MinLength,
    Range,
    Text,
    ids_of,
    path_id,
    required,
    single_line,
)
from quire.database.interface import Database
from quire.database.program import Program
from quire.errors import ApplicationError, BadInputError, ConflictError, NotFoundError
from quire.schema.model import ADMIN_USER_UID

CANNOT_DELETE_SELF = "You cannot delete your own user"
WRONG_PASSWORD = "Invalid credentials"  # noqa: S105 - a message

_Roles = Annotated[list[IdText], Range(1)]


class Invitation(RequestBody):
    """An invitation of an administrator."""

    email: Annotated[str, Email()]
    firstname: Annotated[str, MinLength(1)]
    lastname: str | UnsetType = UNSET
    roles: _Roles | UnsetType = UNSET
    prefered_language: str | UnsetType | None = UNSET


class _AdminUserFields(RequestBody):
    email: Annotated[str, Email()] | UnsetType = UNSET
    firstname: Annotated[str, MinLength(1)] | UnsetType = UNSET
    lastname: str | UnsetType | None = UNSET
    username: Annotated[str, MinLength(1), single_line] | UnsetType | None = UNSET
    password: AdminPassword | UnsetType = UNSET


class AdministratorChange(_AdminUserFields):
    """The changes of an administrator."""

    is_active: bool | UnsetType = UNSET
    roles: _Roles | UnsetType = UNSET


class ProfileChange(_AdminUserFields):
    """The changes of the own profile; a password only with the current one."""

    current_password: str | UnsetType = UNSET
    prefered_language: str | UnsetType | None = UNSET


class InvitedAdministrator(AdministratorResponse, kw_only=True):
    """An administrator with the token of the invitation."""

    schema_name: ClassVar[str] = "InvitedAdministrator"
    registration_token: str


class InvitationState(Struct):
    """Whether an administrator was invited, and has not registered."""

    pending: bool


class AdminUserApi:
    """``/admin/users``, ``PUT /admin/users/me`` and ``/admin/x/users/:id/invitation``."""

    def __init__(
        self,
        database: Database,
        admin_users: AdminUserRows,
        management: AdminUserManagement,
        lists: AdminLists,
    ) -> None:
        self._database = database
        self._admin_users = admin_users
        self._management = management
        self._lists = lists

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(ADMINISTRATORS, "admin/users")
        read, create, update, delete = (
            f"admin::users.{verb}" for verb in ("read", "create", "update", "delete")
        )
        user_response = DataEnvelope[AdministratorResponse]
        users_response = DataEnvelope[list[AdministratorResponse]]
        page_response = DataEnvelope[PageEnvelope[AdministratorResponse]]
        yield route(
            "PUT", "/me", SIGNED_IN, self.change_self, body=ProfileChange, response=user_response
        )
        yield route("GET", "", read, self.find, query=ListQuery, response=page_response)
        yield route(
            "POST",
            "",
            create,
            self.invite,
            body=Invitation,
            response=DataEnvelope[InvitedAdministrator],
            status=CREATED,
        )
        path = "/batch-delete"
        yield route("POST", path, delete, self.delete_many, body=RowIds, response=users_response)
        yield route("GET", "/:id", read, self.find_one, response=user_response)
        yield route(
            "PUT", "/:id", update, self.change, body=AdministratorChange, response=user_response
        )
        yield route("DELETE", "/:id", delete, self.delete, response=user_response)
        route, path = RouteGroup(ADMINISTRATORS), "admin/x/users/:id/invitation"
        state_response = DataEnvelope[InvitationState]
        yield route("GET", path, read, self.show_invitation, response=state_response)
        yield route(
            "POST",
            path,
            update,
            self.renew_invitation,
            response=DataEnvelope[InvitedAdministrator],
            status=CREATED,
        )

    async def find(self, request: Request) -> Response:
        """List administrators."""
        page = await self._lists.page(ADMIN_USER_UID, request.query, request.version)

        def program() -> Program[list[AdminUser]]:
            return self._admin_users.admin_users(page.ids)

        users_by_id = {
            admin_user.id: admin_user for admin_user in await self._database.read(program)
        }
        users = [
            _serialize_user(users_by_id[user_id], page.fields)
            for user_id in page.ids
            if user_id in users_by_id
        ]
        return respond_data({"results": users, "pagination": page.pagination})

    async def find_one(self, request: Request) -> Response:
        """Show an administrator."""
        return respond_data(administrator_response(await self._admin_user(request)))

    async def invite(self, request: Request) -> Response:
        """Invite an administrator; the response has the token of the invitation, once."""
        body = _lowercase_email(request.body)
        values = sent_values(read_body(body or {"email": ""}, Invitation))
        roles = ids_of(values.pop("roles", []))
        ability = request.administrator.ability
        return _respond_invited(*await self._management.invite(values, roles, ability))

    async def show_invitation(self, request: Request) -> Response:
        """Tell whether an administrator has still to register."""
        admin_user = await self._admin_user(request)
        return respond_data(InvitationState(pending=admin_user.row.password is None))

    async def renew_invitation(self, request: Request) -> Response:
        """Make a new invitation for an administrator who has not registered.

        The response has its token, once; that of the former invitation becomes invalid.
        """
        admin_user_id = path_id(request, NOT_FOUND)
        ability = request.administrator.ability
        return _respond_invited(*await self._management.renew_invitation(admin_user_id, ability))

    async def change(self, request: Request) -> Response:
        """Change an administrator."""
        values = sent_values(read_body(_lowercase_email(request.body), AdministratorChange))
        admin_user_id = path_id(request, NOT_FOUND)
        password = values.pop("password", None)
        roles = ids_of(values.pop("roles")) if "roles" in values else None
        change = AdminUserChange(
            values=values, roles=roles, password=None if password is None else str(password)
        )
        admin_user = await self._management.change(
            admin_user_id, change, request.administrator.ability
        )
        return respond_data(administrator_response(admin_user))

    async def delete(self, request: Request) -> Response:
        """Delete an administrator."""
        admin_user_id = path_id(request, NOTHING_TO_DELETE)
        deleted_users = await self._management.delete(
            [admin_user_id], request.administrator.ability
        )
        return respond_data(administrator_response(deleted_users[0]))

    async def delete_many(self, request: Request) -> Response:
        """Delete several administrators, all of them or none."""
        ids = ids_of(read_body(request.body, RowIds).ids)
        if request.administrator.id in ids:
            raise ApplicationError(CANNOT_DELETE_SELF)
        deleted_users = await self._management.delete(ids, request.administrator.ability)
        return respond_data([administrator_response(admin_user) for admin_user in deleted_users])

    async def change_self(self, request: Request) -> Response:
        """Change the own profile; a new password only with the current one."""
        body = _lowercase_email(request.body)
        sets_password = isinstance(body, Mapping) and "password" in body
        extra_fields = {"currentPassword": Text(rules=(required,))} if sets_password else {}
        values = sent_values(read_body(body, ProfileChange, **extra_fields))
        password = values.pop("password", None)
        current_password = values.pop("currentPassword", None)
        admin_user_id = request.administrator.id
        current_hash = None
        if password is not None:
            current_hash = await self._verify_password(admin_user_id, str(current_password))
        try:
            admin_user = await self._management.change_self(
                admin_user_id, values, None if password is None else str(password), current_hash
            )
        except ConflictError as error:
            raise BadInputError(details={"currentPassword": [WRONG_PASSWORD]}) from error
        except ApplicationError as error:
            if error.message != EMAIL_TAKEN:
                raise
            raise BadInputError(details={"email": [EMAIL_TAKEN]}) from error
        return respond_data(administrator_response(admin_user))

    async def _admin_user(self, request: Request) -> AdminUser:
        admin_user_id = path_id(request, NOT_FOUND)
        admin_user = await self._database.read(lambda: self._admin_users.admin_user(admin_user_id))
        if admin_user is None:
            raise NotFoundError(NOT_FOUND)
        return admin_user

    async def _verify_password(self, admin_user_id: int, password: str) -> str | None:
        """Check a password; returns its stored hash. Raises BadInputError for another one."""
        admin_user = await self._database.read(lambda: self._admin_users.require(admin_user_id))
        if not await verify_password(password, admin_user.row.password):
            raise BadInputError(details={"currentPassword": [WRONG_PASSWORD]})
        return admin_user.row.password


def _respond_invited(admin_user: AdminUser, token: str) -> Response:
    response = administrator_response(admin_user)
    invitation = build_response(InvitedAdministrator, response, registration_token=token)
    return respond_data(invitation, CREATED)


def _lowercase_email(body: object) -> object:
    if isinstance(body, Mapping) and isinstance(body.get("email"), str):
        return {**body, "email": body["email"].lower()}
    return body


def _serialize_user(admin_user: AdminUser, fields: frozenset[str] | None) -> AdministratorResponse:
    response = administrator_response(admin_user)
    if fields is None:
        return response
    return keep_fields(response, fields | {"id", "documentId", "roles"})
