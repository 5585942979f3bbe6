"""Settings of the media library."""

from collections.abc import Iterator

from quire.admin_api.media.bodies import SETTINGS_FORM, VIEW
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.content_api.validators import read_body
from quire.database.connection import Database
from quire.database.entries.store import EntryStore
from quire.database.program import Program
from quire.errors import BadRequestError
from quire.uploads.permissions import CONFIGURE, READ, SETTINGS, UPDATE
from quire.uploads.stored_settings import change_settings, change_view, stored_settings, stored_view

NO_DESCRIBER = "AI Metadata service is not enabled"
_AT_ONCE = {"concurrentUploadRequests": 1}
"""How many uploads the reference server's own UI sends at a time."""


class MediaOptionApi:
    """``/upload/settings``, ``/upload/configuration``, and the routes of what describes files."""

    def __init__(self, database: Database, store: EntryStore) -> None:
        self._database = database
        self._store = store

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for method, path, action, handler in (
            ("GET", "settings", SETTINGS, self.settings),
            ("PUT", "settings", SETTINGS, self.change_settings),
            ("GET", "configuration", SIGNED_IN, self.view),
            ("PUT", "configuration", CONFIGURE, self.change_view),
            ("POST", "actions/generate-ai-metadata", UPDATE, self.describe),
            ("POST", "ai-metadata-jobs", UPDATE, self.describe),
            ("GET", "ai-metadata-jobs/pending-count", READ, self.describe),
        ):
            yield Route(method=method, path=f"upload/{path}", action=action, handler=handler)

    async def settings(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show the switches."""
        stored = await self._database.read(lambda: stored_settings(self._store))
        return respond_data({**stored, **_AT_ONCE})

    async def change_settings(self, request: Request) -> Response:
        """Set the switches."""
        body = read_body(request.body, SETTINGS_FORM)
        return respond_data(await self._database.write(change_settings(self._store, body)))

    async def view(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show how files are listed."""
        return respond_data(await self._database.read(lambda: stored_view(self._store)))

    async def change_view(self, request: Request) -> Response:
        """Set how files are listed."""
        body = read_body(request.body, VIEW)

        def act() -> Program[dict[str, object]]:
            yield from change_view(self._store, body)
            return body

        return respond_data(await self._database.write(act()))

    async def describe(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Say that nothing here describes files by itself. Raises BadRequestError."""
        raise BadRequestError(NO_DESCRIBER)
