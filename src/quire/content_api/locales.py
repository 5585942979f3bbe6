"""The locales of the project, in the order in which they were added."""

from collections.abc import Iterator
from typing import Any

from quire.content_api.envelope import respond_encoded
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.row_mappers import Item, members
from quire.document_service.read_service import ReadService
from quire.schema.model import LOCALE_UID

ACTION = "plugin::i18n.locales.listLocales"


class LocaleApi:
    """``GET /i18n/locales``."""

    def __init__(self, reader: ReadService) -> None:
        self._reader = reader

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        yield Route(
            method="GET",
            path="i18n/locales",
            action=ACTION,
            handler=self.list_locales,
            respond_now=self.list_locales_now,
            uid=LOCALE_UID,
        )

    async def list_locales(self, request: Request) -> Response:
        """List all locales and say which is the default one."""
        prepared = self._prepare(request)
        found = await self._reader.encoded_rows(prepared, request.version, present=self._shown)
        return respond_encoded(found)

    def list_locales_now(self, request: Request) -> Response:
        """Do as `list_locales` does without waiting. Raises WouldBlockError."""
        prepared = self._prepare(request)
        return respond_encoded(
            self._reader.encoded_rows_now(prepared, request.version, present=self._shown)
        )

    def _prepare(self, request: Request) -> PreparedRead:
        model, ability = self._reader.schema.content_types[LOCALE_UID], request.principal.ability
        return self._reader.prepare_small(model, "window", b"sort=id", ability)

    def _shown(self, item: Item) -> dict[str, Any]:
        shown = members(item)
        return {**shown, "isDefault": shown["code"] == self._reader.default_locale}
