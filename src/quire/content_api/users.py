"""End users. Bodies and responses have no envelope."""

from collections.abc import Iterator, Mapping

from quire.access.principal import EndUser
from quire.auth.end_users import NOT_FOUND, EndUsers, Show
from quire.content_api.envelope import respond_bare, respond_encoded
from quire.content_api.files import row_id
from quire.content_api.forms import (
    TextField,
    email_rule,
    form_problems,
    not_empty_rule,
    password_rule,
)
from quire.content_api.messages import NO_CONTENT, Request, Response
from quire.content_api.role_body import check_role
from quire.content_api.routes import Route
from quire.content_api.user_body import settable_attributes
from quire.database.execute.prepared_read import EncodedEntry
from quire.database.execute.row_mappers import Item
from quire.database.program import Program
from quire.database.stores.accounts import Accounts
from quire.document_service.read_service import ReadService
from quire.document_service.validate import validation_error
from quire.errors import InvalidKeyError, NotFoundError, UnauthorizedError
from quire.schema.model import USER_UID

UNAUTHORIZED = "Unauthorized"
CREATED = 201
_WITH_ROLE = b"populate=role"
_NEW = (
    TextField(name="email", rules=(email_rule,)),
    TextField(name="username", rules=(not_empty_rule,)),
    TextField(name="password", rules=(not_empty_rule, password_rule)),
)
_CHANGED = (
    TextField(name="email", required=False, rules=(not_empty_rule, email_rule)),
    TextField(name="username", required=False, rules=(not_empty_rule,)),
)
_PASSWORD = TextField(name="password", required=False, rules=(password_rule,))


class UserApi:
    """``/users``."""

    def __init__(self, reader: ReadService, users: EndUsers, accounts: Accounts) -> None:
        self._reader = reader
        self._users = users
        self._accounts = accounts
        self._type = reader.schema.content_types[USER_UID]

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for method, path, action, handler, is_immediate in (
            ("GET", "users/count", "count", self.count, False),
            ("GET", "users/me", "me", self.me, True),
            ("GET", "users", "find", self.find, True),
            ("GET", "users/:id", "findOne", self.find_one, True),
            ("POST", "users", "create", self.create, False),
            ("PUT", "users/:id", "update", self.update, False),
            ("DELETE", "users/:id", "destroy", self.destroy, False),
        ):
            yield Route(
                method=method,
                path=path,
                action=f"{USER_UID}.{action}",
                handler=handler,
                uid=USER_UID,
                is_immediate=is_immediate,
            )

    async def find(self, request: Request) -> Response:
        """List end users; root ``start`` and ``limit`` select the rows, there are no pages."""
        ability = request.principal.ability
        may_wait = request.may_wait
        prepared = await self._reader.prepare(
            self._type, "window", request.raw_query, ability, may_wait=may_wait
        )
        body = await self._reader.encoded_rows(prepared, request.version, may_wait=may_wait)
        return respond_encoded(body)

    async def count(self, request: Request) -> Response:
        """Count end users."""
        ability = request.principal.ability
        prepared = await self._reader.prepare(self._type, "count", request.raw_query, ability)
        return respond_bare(await self._reader.total(prepared, request.version))

    async def me(self, request: Request) -> Response:
        """Show the calling end user."""
        return await self._one(request, _own_id(request))

    async def find_one(self, request: Request) -> Response:
        """Show an end user."""
        return await self._one(request, row_id(request.parameters["id"]))

    async def _one(self, request: Request, user_id: int | None) -> Response:
        ability = request.principal.ability
        may_wait = request.may_wait
        prepared = await self._reader.prepare(
            self._type, "entry", request.raw_query, ability, may_wait=may_wait
        )
        if user_id is None:
            return NO_CONTENT
        return _respond_found(await self._reader.encoded_row(prepared, user_id, may_wait=may_wait))

    async def create(self, request: Request) -> Response:
        """Make an end user."""
        body = request.body if isinstance(request.body, Mapping) else {}
        problems = [*form_problems(body, _NEW), *check_role(body, creating=True)]
        if problems:
            raise validation_error(problems)
        data = settable_attributes(self._reader.schema, body, request.principal.ability)
        item = await self._users.create(data, self._shown(request), principal=request.principal)
        return respond_bare(item, CREATED)

    async def update(self, request: Request) -> Response:
        """Change an end user."""
        user_id = row_id(request.parameters["id"])
        if user_id is None or await self._is_missing(user_id):
            raise NotFoundError(NOT_FOUND)
        body = request.body if isinstance(request.body, Mapping) else {}
        fields = (*_CHANGED, _PASSWORD) if body.get("password") else _CHANGED
        problems = [*form_problems(body, fields), *check_role(body, creating=False)]
        if problems:
            raise validation_error(problems)
        if "id" in body:
            raise InvalidKeyError("id", None, source="body", show_path=False)
        data = settable_attributes(self._reader.schema, body, request.principal.ability)
        show = self._shown(request)
        item = await self._users.update(user_id, data, show, principal=request.principal)
        return respond_bare(item)

    async def destroy(self, request: Request) -> Response:
        """Delete an end user, and return it; a missing one is no error."""
        user_id = row_id(request.parameters["id"])
        if user_id is None:
            return NO_CONTENT
        show = self._shown(request, b"")
        item = await self._users.delete(user_id, show, principal=request.principal)
        return NO_CONTENT if item is None else respond_bare(item)

    async def _is_missing(self, user_id: int) -> bool:
        database = self._reader.database
        return await database.read(lambda: self._accounts.user(user_id)) is None

    def _shown(self, request: Request, query: bytes = _WITH_ROLE) -> Show[Item]:
        """Return a program that reads the user for the response, within the write transaction."""
        prepared = self._reader.prepare_small(
            self._type, "written", query, request.principal.ability
        )

        def show(user_id: int) -> Program[Item]:
            items = yield from prepared.row(user_id)
            return items[0]

        return show


def _own_id(request: Request) -> int:
    """Return the id of the calling end user. Raises UnauthorizedError for other principals."""
    principal = request.principal
    if not isinstance(principal, EndUser):
        raise UnauthorizedError(UNAUTHORIZED)
    return principal.id


def _respond_found(found: EncodedEntry | None) -> Response:
    return NO_CONTENT if found is None else respond_encoded(found.text)
