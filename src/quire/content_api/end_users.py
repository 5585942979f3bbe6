"""End users. Bodies and responses have no envelope."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from quire.access.declared_routes import ProjectFields
from quire.access.principal import EndUser
from quire.auth.end_users import NOT_FOUND, SERVER_SET_ATTRIBUTES, EndUsers
from quire.content_api.account_context import AccountResponses
from quire.content_api.account_types import (
    PASSWORD,
    USERNAME,
    AccountBody,
    EndUserDocument,
    RequiredEmail,
    few_bytes,
    settable_attributes,
)
from quire.content_api.body_decoding import check_body
from quire.content_api.envelope import respond_bare, respond_encoded
from quire.content_api.http_messages import NO_CONTENT, Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.upload_routes import row_id
from quire.content_api.validators import (
    REQUIRED,
    UNLIMITED,
    AnyValue,
    Email,
    Fields,
    FullMessage,
    Items,
    MinLength,
    ValuePath,
    problem_at,
    required,
)
from quire.database.execute.prepared_read import EncodedEntry
from quire.database.stores.auth_rows import Accounts
from quire.document_service.read_service import ReadService
from quire.document_service.validate.problems import Problem
from quire.errors import InvalidKeyError, NotFoundError, UnauthorizedError
from quire.schema.attributes.validation import ABSENT, not_of_type
from quire.schema.model import USER_UID

UNAUTHORIZED = "Unauthorized"
CREATED = 201
_WITH_ROLE = b"populate=role"
_DECLARED_ATTRIBUTES = {*SERVER_SET_ATTRIBUTES, "username", "email", "password", "role", "provider"}
NO_ROLE = FullMessage("Users must have a role")
NO_ROLE_LEFT = FullMessage("Cannot remove role")
NO_ID = FullMessage("Relation entry must include an id or documentId")


def _names_role(entry: object) -> str | None:
    is_named = isinstance(entry, Mapping) and any(
        entry.get(name) is not None for name in ("id", "documentId")
    )
    return None if is_named else NO_ID


_ROLES = Items(item=Fields(closed=False, rules=(_names_role,)), maximum=UNLIMITED)


class RoleChoice(Struct, frozen=True):
    """Checks the role of an end user: an id, or an object with roles to connect.

    A new user must have one, and none may lose theirs.
    """

    creating: bool

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        if isinstance(value, Mapping):
            yield from self._changes(path, value)
        elif value is ABSENT:
            if self.creating:
                yield problem_at(path, REQUIRED)
        elif value is None or isinstance(value, list):
            yield problem_at(path, not_of_type("object", value), value)
        elif not isinstance(value, str | int) or isinstance(value, bool):
            yield problem_at(path, not_of_type("strapiID", value), value)

    def _changes(self, path: ValuePath, role: Mapping[str, object]) -> Iterator[Problem]:
        connect, disconnect = role.get("connect", ABSENT), role.get("disconnect", ABSENT)
        member_place = (*path, "connect")
        if self.creating:
            yield from replace(_ROLES, rules=(required,)).problems(member_place, connect)
            if connect == []:
                yield problem_at(member_place, NO_ROLE, connect)
            return
        yield from _ROLES.problems(member_place, connect)
        member_place = (*path, "disconnect")
        yield from _ROLES.problems(member_place, disconnect)
        if disconnect is not ABSENT and disconnect and not (isinstance(connect, list) and connect):
            yield problem_at(member_place, NO_ROLE_LEFT, disconnect)


class RoleEntry(Struct, rename="camel"):
    """A role."""

    id: int | str | UnsetType = UNSET
    document_id: str | UnsetType = UNSET


class RoleConnect(Struct):
    """The role that an end user gets."""

    connect: list[RoleEntry]


class NewEndUser(AccountBody):
    """A new end user; unknown fields are ignored."""

    email: RequiredEmail
    username: Annotated[str, MinLength(1), required, USERNAME]
    password: Annotated[str, MinLength(1), required, few_bytes, PASSWORD]
    role: Annotated[int | str | RoleConnect, RoleChoice(creating=True)]


class EndUserChanges(AccountBody):
    """New values of an end user; unknown fields are ignored."""

    email: Annotated[str | UnsetType, MinLength(1), Email()] = UNSET
    username: Annotated[str | UnsetType, MinLength(1), USERNAME] = UNSET
    password: Annotated[str | UnsetType, few_bytes, PASSWORD] = UNSET
    role: Annotated[int | str | RoleConnect | UnsetType, RoleChoice(creating=False)] = UNSET


def _additional_fields(models: Any) -> Mapping[str, Any]:  # noqa: ANN401 - see `ProjectFields`
    """Return the schemas of the attributes that a project has added to end users."""
    attributes = models.writable(models.schema.content_types[USER_UID])
    return {
        name: attribute_schema
        for name, attribute_schema in attributes.items()
        if name not in _DECLARED_ATTRIBUTES
    }


class UserApi:
    """``/users``."""

    def __init__(
        self,
        reader: ReadService,
        responses: AccountResponses,
        users: EndUsers,
        accounts: Accounts,
    ) -> None:
        self._reader = reader
        self._responses = responses
        self._users = users
        self._accounts = accounts
        self._type = reader.schema.content_types[USER_UID]

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup("Users", "users", f"{USER_UID}.", USER_UID)
        user, no_content = EndUserDocument, {204: None}
        new_user = Annotated[NewEndUser, ProjectFields(_additional_fields)]
        changes = Annotated[EndUserChanges, ProjectFields(_additional_fields)]
        yield route("GET", "/count", "count", self.count_users, query="count", response=int)
        for path, action, handler in (
            ("/me", "me", self.show_me),
            ("/:id", "findOne", self.find_user),
        ):
            yield route(
                "GET",
                path,
                action,
                handler,
                query="entry",
                response=user,
                other_responses=no_content,
                is_immediate=True,
            )
        users = list[EndUserDocument]
        yield route(
            "GET", "", "find", self.list_users, query="window", response=users, is_immediate=True
        )
        yield route(
            "POST", "", "create", self.create_user, body=new_user, response=user, status=CREATED
        )
        yield route("PUT", "/:id", "update", self.update_user, body=changes, response=user)
        yield route(
            "DELETE", "/:id", "destroy", self.delete_user, response=user, other_responses=no_content
        )

    async def list_users(self, request: Request) -> Response:
        """List end users.

        Root ``start`` and ``limit`` cut the list, pages do not exist.
        """
        ability = request.principal.ability
        may_wait = request.may_wait
        prepared = await self._reader.prepare(
            self._type, "window", request.raw_query, ability, may_wait=may_wait
        )
        body = await self._reader.encoded_rows(prepared, request.version, may_wait=may_wait)
        return respond_encoded(body)

    async def count_users(self, request: Request) -> Response:
        """Count end users."""
        ability = request.principal.ability
        prepared = await self._reader.prepare(self._type, "count", request.raw_query, ability)
        return respond_bare(await self._reader.total(prepared, request.version))

    async def show_me(self, request: Request) -> Response:
        """Show the calling end user."""
        return await self._read_user(request, _own_id(request))

    async def find_user(self, request: Request) -> Response:
        """Show an end user."""
        return await self._read_user(request, row_id(request.parameters["id"]))

    async def _read_user(self, request: Request, user_id: int | None) -> Response:
        ability = request.principal.ability
        may_wait = request.may_wait
        prepared = await self._reader.prepare(
            self._type, "entry", request.raw_query, ability, may_wait=may_wait
        )
        if user_id is None:
            return NO_CONTENT
        return _respond_found(await self._reader.encoded_row(prepared, user_id, may_wait=may_wait))

    async def create_user(self, request: Request) -> Response:
        """Make an end user."""
        check_body(request.body, NewEndUser)
        body = request.body_fields
        data = settable_attributes(self._reader.schema, body, request.principal.ability)
        item = await self._users.create(
            data, self._responses.shower(request, _WITH_ROLE), principal=request.principal
        )
        return respond_bare(item, CREATED)

    async def update_user(self, request: Request) -> Response:
        """Change an end user."""
        user_id = row_id(request.parameters["id"])
        if user_id is None or await self._is_missing(user_id):
            raise NotFoundError(NOT_FOUND)
        body = request.body_fields
        checks = {} if body.get("password") else {"password": AnyValue()}
        check_body(request.body, EndUserChanges, **checks)
        if "id" in body:
            raise InvalidKeyError("id", None, source="body", show_path=False)
        data = settable_attributes(self._reader.schema, body, request.principal.ability)
        show = self._responses.shower(request, _WITH_ROLE)
        item = await self._users.update(user_id, data, show, principal=request.principal)
        return respond_bare(item)

    async def delete_user(self, request: Request) -> Response:
        """Delete an end user, and show who it was.

        It is no error if there is none.
        """
        user_id = row_id(request.parameters["id"])
        if user_id is None:
            return NO_CONTENT
        show = self._responses.shower(request)
        item = await self._users.delete(user_id, show, principal=request.principal)
        return NO_CONTENT if item is None else respond_bare(item)

    async def _is_missing(self, user_id: int) -> bool:
        database = self._reader.database
        return await database.read(lambda: self._accounts.user(user_id)) is None


def _own_id(request: Request) -> int:
    """Return the id of the calling end user. Raises UnauthorizedError for other principals."""
    principal = request.principal
    if not isinstance(principal, EndUser):
        raise UnauthorizedError(UNAUTHORIZED)
    return principal.id


def _respond_found(entry: EncodedEntry | None) -> Response:
    return NO_CONTENT if entry is None else respond_encoded(entry.text)
