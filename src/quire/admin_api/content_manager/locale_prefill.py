"""``/i18n/content-manager/get-fill-from-locale``: initial values of a form from another locale."""

from collections.abc import Iterator
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from quire.admin_api.response_types import CONTENT, DataEnvelope, FreeObject
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_manager.entry_reads import EntryReader
from quire.content_manager.locale_prefill import LocalePrefill, filling_of
from quire.content_manager.permissions import read_permissions
from quire.content_manager.view_configuration import stored_main_field
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.core_store import read_setting, view_key
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import PolicyError
from quire.schema.model import ContentType


class LocalePrefillQuery(Struct, rename="camel"):
    """The document that the form edits, the locale to copy from, and the locale of the form."""

    document_id: str | UnsetType = UNSET
    source_locale: str | UnsetType = UNSET
    target_locale: str | UnsetType = UNSET
    collection_type: Literal["collection-types", "single-types"] | UnsetType = UNSET


class LocalePrefillApi:
    """Prefills forms of one locale with the values of another one."""

    def __init__(self, database: Database, engine: WriteEngine) -> None:
        self._database = database
        self._engine = engine

    def routes(self) -> Iterator[Route]:
        """Yield the route ``GET /i18n/content-manager/get-fill-from-locale/:model``."""
        route, path = RouteGroup(CONTENT, "i18n/content-manager/"), "get-fill-from-locale/:model"
        response = DataEnvelope[FreeObject]
        yield route("GET", path, SIGNED_IN, self.fill, query=LocalePrefillQuery, response=response)

    async def fill(self, request: Request) -> Response:
        """Return the initial values of a form of one locale from another one.

        Raises PolicyError for an unknown content type, and if the administrator may not read it.
        """
        content_type = self._engine.schema.content_types.get(request.parameters["model"])
        ability = request.administrator.ability
        if content_type is None:
            raise PolicyError
        read_permissions(ability, content_type).require()
        prefill_query = filling_of(request.query)
        prefill = LocalePrefill(
            content=EntryReader(self._engine), ability=ability, main_field_of=self._main_field_of
        )
        values = await self._database.read(
            lambda: prefill.fill(content_type, prefill_query), snapshot=True
        )
        return respond_data(values)

    def _main_field_of(self, content_type: ContentType) -> Program[str]:
        """Return the title field of related entries, by the view of their type."""
        setting = yield from read_setting(self._engine.store.writes, view_key(content_type.uid))
        return stored_main_field(content_type, setting)
