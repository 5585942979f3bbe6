"""The locales of the project, in the order in which they were added."""

from collections.abc import Iterator
from typing import Annotated, Any

from msgspec import Struct

from quire.access.declared_routes import document_fields
from quire.content_api.envelope import respond_encoded
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.database.execute.row_mappers import Item, members
from quire.document_service.read_service import ReadService
from quire.schema.model import LOCALE_UID

ACTION = "plugin::i18n.locales.listLocales"


class LocaleResponse(Struct, rename="camel"):
    """A locale of the project."""

    is_default: bool


ListedLocale = Annotated[LocaleResponse, document_fields(LOCALE_UID, "code")]


class LocaleApi:
    """``GET /i18n/locales``."""

    def __init__(self, reader: ReadService) -> None:
        self._reader = reader

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        yield RouteGroup("Locales", uid=LOCALE_UID)(
            "GET",
            "i18n/locales",
            ACTION,
            self.list_locales,
            response=list[ListedLocale],
            is_immediate=True,
        )

    async def list_locales(self, request: Request) -> Response:
        """List the locales of the project."""
        model, ability = self._reader.schema.content_types[LOCALE_UID], request.principal.ability
        prepared = self._reader.prepare_small(model, "window", b"sort=id", ability)
        body = await self._reader.encoded_rows(
            prepared, request.version, serializer=self._serialize_locale, may_wait=request.may_wait
        )
        return respond_encoded(body)

    def _serialize_locale(self, item: Item) -> dict[str, Any]:
        attributes = members(item)
        return {**attributes, "isDefault": attributes["code"] == self._reader.default_locale}
