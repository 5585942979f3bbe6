"""``GET /openapi.json``: the API as the caller may use it, as an OpenAPI document.

The generator is imported, and the document generated, on the first request.
"""

import asyncio
from collections.abc import Iterator, Sequence

from quire.access.ability import Ability, without_project_rules
from quire.content_api.authorization import Authorizer
from quire.content_api.envelope import respond_bare
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.database.lru import BoundedCache
from quire.schema.model import Schema
from quire.settings import Settings

PATH = "openapi.json"
_KEPT = 16
"""The size of the cache. Roles and kinds of tokens are few, and a document may be large."""


class DescriptionApi:
    """Describes the routes of the content API, and its own, for their callers."""

    def __init__(
        self, schema: Schema, authorizer: Authorizer, routes: Sequence[Route], settings: Settings
    ) -> None:
        self._schema = schema
        self._authorizer = authorizer
        self._routes = (*routes, *self.routes())
        self._settings = settings
        self._made: BoundedCache[tuple[str, Ability], Response] = BoundedCache(_KEPT)

    def routes(self) -> Iterator[Route]:
        """Yield the route, which needs no permission."""
        yield Route(method="GET", path=PATH, action=None, handler=self.describe)

    async def describe(self, request: Request) -> Response:
        """Respond with the document for the caller's permissions."""
        ability = without_project_rules(request.principal.ability)
        key = (self._schema.version, ability)
        known = self._made.get(key)
        if known is None:
            # That takes some milliseconds for each content type; other requests are handled
            # meanwhile.
            known = self._made[key] = await asyncio.to_thread(self._describe, ability)
        return Response(known.status, known.body, known.content_type)

    def _describe(self, ability: Ability) -> Response:
        from quire.openapi.content.api import describe_content_api  # noqa: PLC0415
        from quire.openapi.content.endpoint import ApiOptions, Endpoint  # noqa: PLC0415
        from quire.openapi.queries import PageLimits  # noqa: PLC0415

        settings = self._settings
        facts = ApiOptions(
            server=settings.api.prefix,
            pages=PageLimits(default=settings.api.default_limit, most=settings.api.max_limit),
            refreshes=settings.users.jwt_management == "refresh",
            batch_operations=settings.limits.batch_operations,
            register_fields=settings.users.register_fields,
        )
        endpoints = [
            Endpoint(
                method=route.method,
                path=route.path,
                action=route.action,
                uid=route.uid,
                custom=route.custom,
            )
            for route in self._routes
            if self._authorizer.allows(ability, route.action, route.uid)
        ]
        return respond_bare(describe_content_api(self._schema, ability, endpoints, facts))
