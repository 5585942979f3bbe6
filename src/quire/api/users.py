"""End users, for reading. Bodies and answers are bare: no envelope."""

from collections.abc import Iterator

from quire.access.principal import EndUser
from quire.api.envelope import respond_bare
from quire.api.files import row_id
from quire.api.messages import NO_CONTENT, Answer, Request
from quire.api.reader import Reader
from quire.api.routes import Route
from quire.errors import UnauthorizedError, UnimplementedError, ValidationError
from quire.schema.model import USER_UID

UNAUTHORIZED = "Unauthorized"
NOT_WRITABLE = "Writing end users is not available yet"
_REQUIRED = ("email", "username", "password", "role")


class UserApi:
    """``/users``."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._type = reader.schema.content_types[USER_UID]

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for method, path, action, handler in (
            ("GET", "users/count", "count", self.count),
            ("GET", "users/me", "me", self.me),
            ("GET", "users", "find", self.find),
            ("GET", "users/:id", "findOne", self.find_one),
            ("POST", "users", "create", self.create),
            ("PUT", "users/:id", "update", self.update),
            ("DELETE", "users/:id", "destroy", self.destroy),
        ):
            yield Route(
                method=method,
                path=path,
                action=f"{USER_UID}.{action}",
                handler=handler,
                uid=USER_UID,
            )

    async def find(self, request: Request) -> Answer:
        """List end users; root ``start`` and ``limit`` cut the list, pages do not exist."""
        ability = request.principal.ability
        prepared = self._reader.prepare(self._type, "window", request.raw_query, ability)
        items, _ = await self._reader.rows(prepared, request.version)
        return respond_bare(items)

    async def count(self, request: Request) -> Answer:
        """Count end users."""
        ability = request.principal.ability
        prepared = self._reader.prepare(self._type, "count", request.raw_query, ability)
        return respond_bare(await self._reader.total(prepared, request.version))

    async def me(self, request: Request) -> Answer:
        """Show the end user who asks."""
        principal = request.principal
        if not isinstance(principal, EndUser):
            raise UnauthorizedError(UNAUTHORIZED)
        return await self._one(request, principal.id)

    async def find_one(self, request: Request) -> Answer:
        """Show an end user."""
        return await self._one(request, row_id(request.parameters["id"]))

    async def _one(self, request: Request, user_id: int | None) -> Answer:
        ability = request.principal.ability
        prepared = self._reader.prepare(self._type, "entry", request.raw_query, ability)
        item = None if user_id is None else await self._reader.row(prepared, user_id)
        return NO_CONTENT if item is None else respond_bare(item)

    async def create(self, request: Request) -> Answer:
        """Check what can be checked of a new user; none can be made yet."""
        body = request.body if isinstance(request.body, dict) else {}
        missing = [name for name in _REQUIRED if not body.get(name)]
        if missing:
            errors = [
                {
                    "path": [name],
                    "message": f"{name} is a required field",
                    "name": "ValidationError",
                }
                for name in missing
            ]
            many = f"{len(errors)} errors occurred"
            text = str(errors[0]["message"]) if len(errors) == 1 else many
            raise ValidationError(text, {"errors": errors})
        raise UnimplementedError(NOT_WRITABLE)

    async def update(self, request: Request) -> Answer:  # noqa: ARG002 - a handler
        """Nothing can be changed yet."""
        raise UnimplementedError(NOT_WRITABLE)

    async def destroy(self, request: Request) -> Answer:
        """Answer for users who are not there; nobody can be deleted yet."""
        prepared = self._reader.prepare(self._type, "entry", b"", request.principal.ability)
        user_id = row_id(request.parameters["id"])
        if user_id is None or await self._reader.row(prepared, user_id) is None:
            return NO_CONTENT
        raise UnimplementedError(NOT_WRITABLE)
