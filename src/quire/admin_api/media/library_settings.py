"""Settings of the media library."""

from collections.abc import Iterator

from quire.admin_api.media.request_bodies import LibraryOptions, LibraryView
from quire.admin_api.response_types import MEDIA, DataEnvelope, FreeObject
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.body_decoding import read_body, sent_values
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.database.entries.entry_tables import EntryStore
from quire.database.interface import Database
from quire.database.program import Program
from quire.errors import BadRequestError
from quire.uploads.permissions import CONFIGURE, READ, SETTINGS, UPDATE
from quire.uploads.stored_settings import change_settings, change_view, stored_settings, stored_view

NO_DESCRIBER = "AI Metadata service is not enabled"
_AT_ONCE = {"concurrentUploadRequests": 1}
"""How many uploads Strapi's UI sends at a time."""


class MediaSettingsApi:
    """``/upload/settings``, ``/upload/configuration``, and the routes of AI metadata."""

    def __init__(self, database: Database, store: EntryStore) -> None:
        self._database = database
        self._store = store

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, response = RouteGroup(MEDIA, "upload/"), DataEnvelope[FreeObject]
        path, body = "settings", LibraryOptions
        yield route("GET", path, SETTINGS, self.settings, response=response)
        yield route("PUT", path, SETTINGS, self.change_settings, body=body, response=response)
        path = "configuration"
        yield route("GET", path, SIGNED_IN, self.view, response=response)
        yield route("PUT", path, CONFIGURE, self.change_view, body=LibraryView, response=response)
        for method, path, action in (
            ("POST", "actions/generate-ai-metadata", UPDATE),
            ("POST", "ai-metadata-jobs", UPDATE),
            ("GET", "ai-metadata-jobs/pending-count", READ),
        ):
            yield route(method, path, action, self.describe, response=FreeObject)

    async def settings(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show the settings of uploads."""
        options = await self._database.read(lambda: stored_settings(self._store))
        return respond_data({**options, **_AT_ONCE})

    async def change_settings(self, request: Request) -> Response:
        """Change the settings of uploads."""
        options = sent_values(read_body(request.body, LibraryOptions))
        return respond_data(await self._database.write(change_settings(self._store, options)))

    async def view(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show the view of the list of files."""
        return respond_data(await self._database.read(lambda: stored_view(self._store)))

    async def change_view(self, request: Request) -> Response:
        """Change the view of the list of files."""
        read_body(request.body, LibraryView)
        view = request.body if isinstance(request.body, dict) else {}

        def act() -> Program[dict[str, object]]:
            yield from change_view(self._store, view)
            return view

        return respond_data(await self._database.write(act()))

    async def describe(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Reject the request: there is no AI metadata service. Raises BadRequestError."""
        raise BadRequestError(NO_DESCRIBER)
