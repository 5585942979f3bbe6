"""``GET /openapi.json``: the API as the caller may use it, as an OpenAPI document.

The generator is imported, and the document generated, on the first request.
"""

import asyncio
from collections.abc import Iterator, Sequence

from msgspec import Struct

from quire.access.ability import Ability, without_project_rules
from quire.content_api.batch.handler import PATH as BATCH
from quire.content_api.batch.types import reachable_types
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.response_types import FreeObject
from quire.content_api.routes import Authorizer, Route, RouteGroup
from quire.database.bounded_cache import BoundedCache
from quire.schema.model import Schema
from quire.settings import Settings

PATH = "openapi.json"
_CACHE_SIZE = 16
"""The size of the cache. Roles and kinds of tokens are few, and a document may be large."""


class OpenApiDocument(Struct):
    """An OpenAPI document."""

    openapi: str
    info: FreeObject
    paths: FreeObject


class DescriptionApi:
    """Describes the routes of the content API, and its own, for their callers."""

    def __init__(
        self, schema: Schema, authorizer: Authorizer, routes: Sequence[Route], settings: Settings
    ) -> None:
        self._schema = schema
        self._authorizer = authorizer
        self._routes = (*routes, *self.routes())
        self._settings = settings
        self._documents: BoundedCache[tuple[str, Ability], Response] = BoundedCache(_CACHE_SIZE)

    def routes(self) -> Iterator[Route]:
        """Yield the route, which needs no permission."""
        route = RouteGroup("Model")
        yield route("GET", PATH, None, self.describe_api, response=OpenApiDocument)

    async def describe_api(self, request: Request) -> Response:
        """Describe what the caller may do, as this document does."""
        ability = without_project_rules(request.principal.ability)
        key = (self._schema.version, ability)
        response = self._documents.get(key)
        if response is None:
            # That takes some milliseconds for each content type; other requests are handled
            # meanwhile.
            response = self._documents[key] = await asyncio.to_thread(self._describe, ability)
        return Response(response.status, response.body, response.content_type)

    def _describe(self, ability: Ability) -> Response:
        from quire.openapi.content.api import ApiOptions, describe_content_api  # noqa: PLC0415
        from quire.openapi.query_parameters import PageLimits  # noqa: PLC0415

        api = self._settings.api
        pages = PageLimits(default=api.default_limit, maximum=api.max_limit)
        routes = [route for route in self._routes if self._is_of_use(route, ability)]
        options = ApiOptions(server=api.prefix, pages=pages)
        return respond_bare(describe_content_api(self._schema, ability, routes, options))

    def _is_of_use(self, route: Route, ability: Ability) -> bool:
        """Tell whether somebody may call a route that is described, to any effect."""
        if route.path == BATCH and not reachable_types(self._schema, ability):
            return False
        return route.is_described and self._authorizer.allows(ability, route.action, route.uid)
