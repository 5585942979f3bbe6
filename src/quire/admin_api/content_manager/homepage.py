"""The home page: recent changes, and numbers of entries."""

from collections.abc import Callable, Iterator
from typing import Literal, TypeVar

from msgspec import UNSET, Struct, UnsetType

from quire.admin_api.response_types import VIEWS, DataEnvelope, DocumentCounts, RecentEntry
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_manager.entry_titles import title_fields
from quire.content_manager.recent_changes import MOMENTS, RecentEntries, managed_types
from quire.database.interface import Database
from quire.database.program import Program
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import ValidationError

T = TypeVar("T")

BAD_ACTION = 'Invalid option: expected one of "update"|"publish"'


class RecentQuery(Struct):
    """The action on the listed entries."""

    action: Literal["update", "publish"] | UnsetType = UNSET


class RecentEntriesApi:
    """``/content-manager/homepage``."""

    def __init__(self, database: Database, engine: WriteEngine) -> None:
        self._database = database
        self._engine = engine

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, action = RouteGroup(VIEWS, "content-manager/homepage/"), SIGNED_IN
        path, response = "recent-documents", DataEnvelope[list[RecentEntry]]
        yield route("GET", path, action, self.recent, query=RecentQuery, response=response)
        yield route(
            "GET", "count-documents", action, self.count, response=DataEnvelope[DocumentCounts]
        )

    async def recent(self, request: Request) -> Response:
        """List the entries that were changed or published last."""
        action = request.query.get("action")
        if not isinstance(action, str) or action not in MOMENTS:
            raise ValidationError(BAD_ACTION)
        return respond_data(
            await self._read_recent(request, lambda entries: entries.documents(action))
        )

    async def count(self, request: Request) -> Response:
        """Count documents by status."""
        return respond_data(await self._read_recent(request, lambda entries: entries.counts()))

    async def _read_recent(
        self, request: Request, read: Callable[[RecentEntries], Program[T]]
    ) -> T:
        ability, schema = request.administrator.ability, self._engine.schema

        def program() -> Program[T]:
            types = list(managed_types(schema, ability))
            titles = yield from title_fields(self._engine.store, types)
            return (yield from read(RecentEntries(self._engine, ability, titles)))

        return await self._database.read(program, snapshot=True)
