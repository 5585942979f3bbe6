"""What the routes with which end users manage their accounts have in common."""

from collections.abc import Callable
from typing import TypeVar

from quire.api.envelope import respond_bare
from quire.api.messages import Answer, Handler, Request
from quire.api.reader import Reader
from quire.api.routes import Route
from quire.auth.end_users import Show
from quire.auth.issuer import Issuer
from quire.database.mappers import Item
from quire.database.program import Program
from quire.schema.model import USER_UID

T = TypeVar("T")
_ACTION = "plugin::users-permissions.auth"


class AccountAnswers:
    """Shows end users to themselves, with their tokens."""

    def __init__(self, reader: Reader, issuer: Issuer) -> None:
        self._reader = reader
        self._issuer = issuer
        self._type = reader.schema.content_types[USER_UID]

    def route(self, method: str, path: str, action: str, handler: Handler) -> Route:
        """Return a route with one of the actions of accounts."""
        return Route(
            method=method, path=path, action=f"{_ACTION}.{action}", handler=handler, uid=USER_UID
        )

    async def read(self, make: Callable[[], Program[T]]) -> T:
        """Run a program that reads."""
        return await self._reader.database.read(make)

    def shower(self, request: Request, query: bytes = b"") -> Show[Item]:
        """Return what reads a user as the caller may see one, for a transaction to run."""
        prepared = self._reader.prepare(self._type, "entry", query, request.principal.ability)

        def show(user_id: int) -> Program[Item]:
            items = yield from self._reader.row_program(prepared, user_id)
            return items[0]

        return show

    async def signed_in(self, request: Request, user_id: int) -> Answer:
        """Answer fresh tokens for a user who has shown who they are."""
        show = self.shower(request)
        return await self.tokens(user_id, await self.read(lambda: show(user_id)))

    async def tokens(self, user_id: int, item: Item) -> Answer:
        """Answer fresh tokens together with a user that has been read."""
        issued = self._issuer.issue(user_id)
        return respond_bare({"jwt": issued.jwt, "user": item})
