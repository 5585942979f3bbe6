"""The locales of the project, in the order in which they were added."""

from collections.abc import Iterator
from typing import Any

from quire.content_api.envelope import respond_encoded
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
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
            is_immediate=True,
            uid=LOCALE_UID,
        )

    async def list_locales(self, request: Request) -> Response:
        """List all locales and which one is the default."""
        model, ability = self._reader.schema.content_types[LOCALE_UID], request.principal.ability
        prepared = self._reader.prepare_small(model, "window", b"sort=id", ability)
        found = await self._reader.encoded_rows(
            prepared, request.version, present=self._shown, may_wait=request.may_wait
        )
        return respond_encoded(found)

    def _shown(self, item: Item) -> dict[str, Any]:
        shown = members(item)
        return {**shown, "isDefault": shown["code"] == self._reader.default_locale}
