"""Locales, listed and managed. Responses have no envelope."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from quire.admin_api.response_types import DataEnvelope, FreeObject, Moment
from quire.admin_api.responses import build_response, respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.body_decoding import RequestBody, read_body, sent_values
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import MaxLength, MinLength, OneOf, path_id
from quire.content_manager.locales import NOT_FOUND, LocaleStore, ManagedLocale, iso_locales
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.stores.core_store import read_setting, write_setting
from quire.document_service.service import DocumentService

_LONGEST_NAME = 50
_SETTINGS_KEY = "plugin_i18n_settings"


class _KnownCode(Struct, frozen=True):
    """Requires the code of a locale that can be added."""

    def __call__(self, value: object) -> str | None:
        return OneOf((*iso_locales(),))(value)


class NewLocale(RequestBody, kw_only=True):
    """A new locale."""

    name: Annotated[str, MaxLength(_LONGEST_NAME)] | None = None
    code: Annotated[str, _KnownCode()]
    is_default: bool


class LocaleChange(RequestBody):
    """The changes of a locale."""

    name: Annotated[str, MinLength(1), MaxLength(_LONGEST_NAME)] | UnsetType | None = UNSET
    is_default: bool | UnsetType = UNSET


class KnownLocale(Struct):
    """A locale that can be added."""

    code: str
    name: str


class AdminLocale(Struct, rename="camel", kw_only=True):
    """A locale of the project."""

    id: int
    document_id: str | UnsetType = UNSET
    name: str | UnsetType | None = UNSET
    code: str | None
    is_default: bool
    created_at: Moment | UnsetType | None = UNSET
    updated_at: Moment | UnsetType | None = UNSET
    published_at: Moment | UnsetType | None = UNSET


class LocaleSettings(RequestBody, forbid_unknown_fields=False):
    """Whether Strapi translates entries with its service. Quire has none, and stores the option."""

    ai_localizations: bool | UnsetType = UNSET


class LocalesApi:
    """``/i18n/locales``, ``/i18n/iso-locales`` and ``/i18n/settings``."""

    def __init__(
        self, database: Database, documents: DocumentService, locales: LocaleStore, writes: Writes
    ) -> None:
        self._database = database
        self._documents = documents
        self._locales = locales
        self._writes = writes

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, locale_response, path = RouteGroup("Locales", "i18n/"), AdminLocale, "locales/:id"
        read, create, update, delete = (
            f"plugin::i18n.locale.{verb}" for verb in ("read", "create", "update", "delete")
        )
        yield route("GET", "iso-locales", read, self.all_locales, response=list[KnownLocale])
        yield route("GET", "locales", SIGNED_IN, self.find, response=list[AdminLocale])
        yield route(
            "POST", "locales", create, self.create, body=NewLocale, response=locale_response
        )
        yield route("PUT", path, update, self.change, body=LocaleChange, response=locale_response)
        yield route("DELETE", path, delete, self.delete, response=locale_response)
        path, response = "settings", DataEnvelope[FreeObject | None]
        yield route("GET", path, SIGNED_IN, self.settings, response=response)
        body = LocaleSettings
        yield route("PUT", path, update, self.change_settings, body=body, response=response)

    async def all_locales(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """List all locales that can be added."""
        return respond_bare([{"code": code, "name": name} for code, name in iso_locales().items()])

    async def find(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """List the locales of the project."""
        return respond_bare(
            [_serialize_locale(locale) for locale in await self._database.read(self._locales.all)]
        )

    async def create(self, request: Request) -> Response:
        """Add a locale."""
        body = read_body(request.body, NewLocale)
        program = self._locales.create(body.code, body.name, default=body.is_default)
        return respond_bare(_serialize_locale(await self._database.write(program)))

    async def change(self, request: Request) -> Response:
        """Rename a locale, or make it the default one."""
        body = sent_values(read_body(request.body, LocaleChange))
        default = body.pop("isDefault", False) is True
        program = self._locales.change(path_id(request, NOT_FOUND), body, default=default)
        return respond_bare(_serialize_locale(await self._database.write(program)))

    async def delete(self, request: Request) -> Response:
        """Delete a locale with all its entries."""
        row_id = path_id(request, NOT_FOUND)
        locale = await self._documents.run(
            lambda unit: self._locales.delete(unit, row_id), origin="admin"
        )
        return respond_bare(_serialize_locale(locale))

    async def settings(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show the stored options."""
        return respond_data(
            await self._database.read(lambda: read_setting(self._writes, _SETTINGS_KEY))
        )

    async def change_settings(self, request: Request) -> Response:
        """Store the options."""
        values = sent_values(read_body(request.body, LocaleSettings))
        await self._database.write(write_setting(self._writes, _SETTINGS_KEY, values))
        return respond_data(values)


def _serialize_locale(locale: ManagedLocale) -> AdminLocale:
    return build_response(AdminLocale, locale.row, is_default=locale.is_default)
