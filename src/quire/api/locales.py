"""The locales of the project, in the order in which they were added."""

from collections.abc import Iterator

from quire.api.envelope import respond_bare
from quire.api.messages import Answer, Request
from quire.api.reader import Reader
from quire.api.routes import Route
from quire.database.mappers import members
from quire.schema.model import LOCALE_UID

ACTION = "plugin::i18n.locales.listLocales"


class LocaleApi:
    """``GET /i18n/locales``."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        yield Route(
            method="GET",
            path="i18n/locales",
            action=ACTION,
            handler=self.list_locales,
            uid=LOCALE_UID,
        )

    async def list_locales(self, request: Request) -> Answer:
        """List all locales and say which is the default one."""
        model = self._reader.schema.content_types[LOCALE_UID]
        prepared = self._reader.prepare_now(model, "window", b"sort=id", request.principal.ability)
        items, _ = await self._reader.rows(prepared, request.version)
        default = self._reader.default_locale
        shown = [members(item) for item in items]
        return respond_bare([{**item, "isDefault": item["code"] == default} for item in shown])
