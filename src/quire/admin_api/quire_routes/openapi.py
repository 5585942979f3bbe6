"""``GET /admin/x/openapi.json``: the admin API as an OpenAPI document, from routes and schema.

The generator is imported, and the document generated, on the first request.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator

from quire.admin_api.content_manager.relations import RelatedEntry
from quire.admin_api.media.request_bodies import MediaFile
from quire.admin_api.response_types import (
    PROJECT,
    CreatorSummary,
    EntryInput,
    FreeObject,
    Localization,
    ManagedEntry,
)
from quire.admin_api.router import SIGNED_IN
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_manager.query_scope import is_hidden
from quire.content_manager.type_descriptions import is_displayed
from quire.schema.model import Schema

PATH = "admin/x/openapi.json"


class AdminDescriptionApi:
    """Describes the routes of the admin API, and the content, to administrators."""

    def __init__(self, routes: Callable[[], Iterable[Route]], schema: Schema) -> None:
        """``routes`` returns all of them, its own too, once they are known."""
        self._routes = routes
        self._schema = schema
        self._encoded_document: bytes | None = None

    def routes(self) -> Iterator[Route]:
        """Yield the route."""
        route = RouteGroup(PROJECT)
        yield route("GET", PATH, SIGNED_IN, self.describe, response=FreeObject)

    async def describe(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Describe the admin API as an OpenAPI document."""
        if self._encoded_document is None:
            self._encoded_document = (await asyncio.to_thread(self._describe)).body
        return Response(200, self._encoded_document)

    def _describe(self) -> Response:
        from quire.openapi.admin.api import describe_admin_api  # noqa: PLC0415
        from quire.openapi.admin.entries import ManagedTypes  # noqa: PLC0415

        schema = self._schema
        types = tuple(
            content_type
            for content_type in schema.content_types.values()
            if is_displayed(content_type)
        )
        managed_types = ManagedTypes(
            entry=ManagedEntry,
            entry_input=EntryInput,
            creator=CreatorSummary,
            localization=Localization,
            related=RelatedEntry,
            file=MediaFile,
            schema=schema,
            types=types,
            hides=is_hidden,
        )
        return respond_bare(describe_admin_api(self._routes(), managed_types))
