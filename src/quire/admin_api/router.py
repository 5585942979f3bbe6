"""The routes of the admin API, and the way of a request to one of them.

Who may do what is asked here, before a handler runs: a route is open to everybody, open to whoever
is signed in, or asks for an action. What may be done to content depends on more than the route, so
handlers of content ask again.
"""

from collections.abc import Iterable

from quire.api.messages import Answer, Request
from quire.api.routes import Route, RouteTable
from quire.auth.admin.authenticate import AdminAuthenticator
from quire.database.connection import Database
from quire.errors import PolicyError

SIGNED_IN = "signed in"
"""The action of routes that everybody who is signed in may call."""


class AdminApi:
    """Answers the routes of administrators."""

    def __init__(
        self, routes: Iterable[Route], database: Database, authenticator: AdminAuthenticator
    ) -> None:
        self.routes = RouteTable(routes)
        self._database = database
        self._authenticator = authenticator

    async def __call__(self, request: Request) -> Answer | None:
        """Answer a request whose body has been read; ``None`` when it has no route here.

        Raises UnauthorizedError, PolicyError, and what handlers raise.
        """
        verb = "GET" if request.method == "HEAD" else request.method
        found = self.routes.find(verb, request.path)
        if found is None:
            return None
        route, request.parameters = found
        request.version = version = self._database.version()
        if route.action is not None:
            header = request.headers.get(b"authorization")
            administrator = await self._authenticator.administrator(
                header, request.credential, version
            )
            request.administrator = administrator
            if route.action != SIGNED_IN and not administrator.ability.allows(route.action):
                raise PolicyError
        return await route.handler(request)
