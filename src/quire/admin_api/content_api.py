"""The actions of the content API, for those who grant them to tokens and end users."""

from collections.abc import Iterator, Sequence
from typing import Any

from quire.access.actions import controllers
from quire.admin_api.grantable_routes import Described, described_routes
from quire.admin_api.response_types import END_USERS, PROJECT, Data, FreeObject
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.envelope import respond_bare
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.customisations import Customisations
from quire.hooks.routes import CustomRoute
from quire.schema.model import Schema


class ContentApiApi:
    """``/admin/content-api/*`` and ``/users-permissions/routes``."""

    def __init__(
        self,
        schema: Schema,
        found: Customisations,
        custom: Sequence[CustomRoute],
        *,
        prefix: str,
    ) -> None:
        self._schema = schema
        self._found = found
        self._custom = custom
        self._prefix = prefix.rstrip("/")

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, shown = RouteGroup(PROJECT, "admin/content-api/"), Data[FreeObject]
        yield route("GET", "permissions", SIGNED_IN, self.permissions, response=shown)
        yield route("GET", "routes", SIGNED_IN, self.list_routes, response=shown)
        route, path = RouteGroup(END_USERS, "users-permissions/"), "routes"
        yield route("GET", path, SIGNED_IN, self.list_routes_bare, response=FreeObject)

    async def permissions(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show all actions, by their owners."""
        found: dict[str, Any] = {}
        for controller in controllers(self._schema, self._found.routed_actions(self._schema)):
            owner = found.setdefault(controller.owner, {"controllers": {}})
            owner["controllers"][controller.name] = list(controller.actions)
        return respond_data(found)

    async def list_routes(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show all routes, by their owners."""
        return respond_data(self._described())

    async def list_routes_bare(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show all routes in the form of the page of end users' roles."""
        return respond_bare({"routes": self._described()})

    def _described(self) -> dict[str, list[Described]]:
        return described_routes(self._schema, self._prefix, self._found.routes, self._custom)
