"""The numbers on the home page of the admin UI, and its layout."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from quire.access.admin_actions import is_shown
from quire.admin_api.response_types import PROJECT, DataEnvelope
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.clock import Clock, iso_from_ms
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import MinLength, Range
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.builtin_type_table import BaseRow, ContentTables
from quire.database.stores.core_store import read_setting, write_setting
from quire.database.stores.webhooks import Webhooks
from quire.schema.model import ADMIN_USER_UID, FILE_UID, LOCALE_UID, USER_UID

_COUNT_QUERIES = {
    "assets": FILE_UID,
    "locales": LOCALE_UID,
    "admins": ADMIN_USER_UID,
    "apiTokens": "admin::api-token",
}


_LAYOUT_KEY = "core_admin_homepage-layout:{}"
_MAX_WIDGETS = 100
_MAX_VERSION = 2**31 - 1
_NARROWEST, _WIDEST = 4, 12


class KeyStatistics(Struct, rename="camel"):
    """The numbers of types, locales, administrators and so on of a project."""

    assets: int
    content_types: int
    components: int
    locales: int
    admins: int
    webhooks: int
    api_tokens: int


class HomepageWidget(RequestBody):
    """A widget of the home page: its id, and its columns."""

    uid: Annotated[str, MinLength(1)]
    width: Annotated[int, Range(_NARROWEST, _WIDEST)]


class HomepageLayoutInput(RequestBody, kw_only=True):
    """The widgets of an administrator, in their order."""

    version: Annotated[int, Range(1, _MAX_VERSION)] | UnsetType = UNSET
    widgets: Annotated[list[HomepageWidget], Range(0, _MAX_WIDGETS)]
    updated_at: str | UnsetType = UNSET


class HomepageLayout(Struct, rename="camel"):
    """A stored layout of the home page."""

    version: int
    widgets: list[HomepageWidget]
    updated_at: str


class HomepageApi:
    """``/admin/homepage/*``."""

    def __init__(self, database: Database, tables: ContentTables, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._tables = tables
        self._webhooks = Webhooks(tables.store.writes)

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(PROJECT, "admin/homepage/")
        path = "key-statistics"
        yield route("GET", path, SIGNED_IN, self.statistics, response=DataEnvelope[KeyStatistics])
        path, layout_response = "layout", DataEnvelope[HomepageLayout | None]
        yield route("GET", path, SIGNED_IN, self.layout, response=layout_response)
        yield route(
            "PUT",
            path,
            SIGNED_IN,
            self.change_layout,
            body=HomepageLayoutInput,
            response=DataEnvelope[HomepageLayout],
        )

    async def statistics(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Return these numbers."""
        return respond_data(await self._database.read(self._counts))

    async def layout(self, request: Request) -> Response:
        """Return the stored home page of the caller; the admin UI of Quire has its own."""
        key = _LAYOUT_KEY.format(request.administrator.id)
        writes = self._tables.store.writes
        return respond_data(await self._database.read(lambda: read_setting(writes, key)))

    async def change_layout(self, request: Request) -> Response:
        """Store the home page of the caller."""
        body = read_body(request.body, HomepageLayoutInput)
        layout = {
            "version": 1 if body.version is UNSET else body.version,
            "widgets": [{"uid": widget.uid, "width": widget.width} for widget in body.widgets],
            "updatedAt": (
                iso_from_ms(self._clock()) if body.updated_at is UNSET else body.updated_at
            ),
        }
        key = _LAYOUT_KEY.format(request.administrator.id)
        await self._database.write(write_setting(self._tables.store.writes, key, layout))
        return respond_data(layout)

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
