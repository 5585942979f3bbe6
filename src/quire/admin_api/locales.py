"""Locales, listed and managed. Responses have no envelope."""

from collections.abc import Iterator
from typing import Any

from quire.admin_api.bodies import (
    Fields,
    Flag,
    Text,
    at_least,
    at_most,
    id_of,
    one_of,
    read_body,
    required,
)
from quire.admin_api.responses import serialize_row
from quire.admin_api.router import SIGNED_IN
from quire.content_api.envelope import respond_bare
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.content_manager.locales import NOT_FOUND, LocaleStore, ManagedLocale, iso_locales
from quire.database.connection import Database
from quire.errors import NotFoundError

_LONGEST_NAME = 50
_SHOWN = ("documentId", "name", "code", "createdAt", "updatedAt", "publishedAt")
_CHANGE = Fields(
    fields={
        "name": Text(rules=(at_least(1), at_most(_LONGEST_NAME)), nullable=True),
        "isDefault": Flag(),
    }
)


class LocalesApi:
    """``/i18n/locales`` and ``/i18n/iso-locales``."""

    def __init__(self, database: Database, locales: LocaleStore) -> None:
        self._database = database
        self._locales = locales

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for method, path, action, handler in (
            ("GET", "i18n/iso-locales", "plugin::i18n.locale.read", self.known),
            ("GET", "i18n/locales", SIGNED_IN, self.find),
            ("POST", "i18n/locales", "plugin::i18n.locale.create", self.create),
            ("PUT", "i18n/locales/:id", "plugin::i18n.locale.update", self.change),
            ("DELETE", "i18n/locales/:id", "plugin::i18n.locale.delete", self.delete),
        ):
            yield Route(method=method, path=path, action=action, handler=handler)

    async def known(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """List all locales that can be added."""
        return respond_bare([{"code": code, "name": name} for code, name in iso_locales().items()])

    async def find(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """List the locales of the project."""
        return respond_bare(
            [_shown(locale) for locale in await self._database.read(self._locales.all)]
        )

    async def create(self, request: Request) -> Response:
        """Add a locale."""
        form = Fields(
            fields={
                "name": Text(rules=(at_most(_LONGEST_NAME),), nullable=True),
                "code": Text(rules=(one_of(*iso_locales()), required)),
                "isDefault": Flag(rules=(required,)),
            }
        )
        body = read_body(request.body, form)
        name, default = body.get("name"), body["isDefault"] is True
        program = self._locales.create(
            str(body["code"]), None if name is None else str(name), default=default
        )
        return respond_bare(_shown(await self._database.write(program)))

    async def change(self, request: Request) -> Response:
        """Name a locale, or make it the default one."""
        body = read_body(request.body, _CHANGE)
        default = body.pop("isDefault", False) is True
        program = self._locales.change(_row_id(request), body, default=default)
        return respond_bare(_shown(await self._database.write(program)))

    async def delete(self, request: Request) -> Response:
        """Delete a locale with all its entries."""
        program = self._locales.delete(_row_id(request))
        return respond_bare(_shown(await self._database.write(program)))


def _row_id(request: Request) -> int:
    row_id = id_of(request.parameters["id"])
    if row_id is None:
        raise NotFoundError(NOT_FOUND)
    return row_id


def _shown(locale: ManagedLocale) -> dict[str, Any]:
    return {**serialize_row(locale.row, _SHOWN), "isDefault": locale.is_default}
