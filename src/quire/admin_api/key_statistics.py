"""The numbers on the home page of the admin UI."""

from collections.abc import Iterator

from msgspec import Struct

from quire.access.admin_actions import is_shown
from quire.admin_api.response_types import PROJECT, DataEnvelope
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.builtin_type_table import BaseRow, ContentTables
from quire.database.stores.webhooks import Webhooks
from quire.schema.model import ADMIN_USER_UID, FILE_UID, LOCALE_UID, USER_UID

_COUNT_QUERIES = {
    "assets": FILE_UID,
    "locales": LOCALE_UID,
    "admins": ADMIN_USER_UID,
    "apiTokens": "admin::api-token",
}


class KeyStatistics(Struct, rename="camel"):
    """The numbers of types, locales, administrators and so on of a project."""

    assets: int
    content_types: int
    components: int
    locales: int
    admins: int
    webhooks: int
    api_tokens: int


class HomepageApi:
    """``/admin/homepage/*``."""

    def __init__(self, database: Database, tables: ContentTables) -> None:
        self._database = database
        self._tables = tables
        self._webhooks = Webhooks(tables.store.writes)

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(PROJECT, "admin/homepage/")
        path = "key-statistics"
        yield route("GET", path, SIGNED_IN, self.statistics, response=DataEnvelope[KeyStatistics])
        yield route("GET", "layout", SIGNED_IN, self.layout, response=DataEnvelope[object])

    async def statistics(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Return these numbers."""
        return respond_data(await self._database.read(self._counts))

    async def layout(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Return the default layout of the home page."""
        return respond_data(None)

    def _counts(self) -> Program[dict[str, int]]:
        schema = self._tables.store.schema
        counts: dict[str, int] = {}
        for name, uid in _COUNT_QUERIES.items():
            counts[name] = yield from self._tables.table_for(uid, BaseRow).count()
        types = [content_type for content_type in schema.api_types if is_shown(content_type)]
        return {
            "assets": counts["assets"],
            "contentTypes": len(types) + (USER_UID in schema.content_types),
            "components": len({model.category for model in schema.components.values()}),
            "locales": counts["locales"],
            "admins": counts["admins"],
            "webhooks": len((yield from self._webhooks.all())),
            "apiTokens": counts["apiTokens"],
        }
