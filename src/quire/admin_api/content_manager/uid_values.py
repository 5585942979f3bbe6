"""Values of ``uid`` attributes, generated and checked: ``/content-manager/uid``."""

from collections.abc import Iterator

from msgspec import Struct

from quire.access.admin_actions import CREATE, READ, UPDATE
from quire.admin_api.response_types import CONTENT, DataEnvelope, EntryInput, LocaleQuery
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.body_decoding import RequestBody
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_manager.status_and_locale import locale_of
from quire.content_manager.uid_values import (
    UidField,
    check_body,
    check_value,
    generate_uid,
    make_unique,
    uid_field,
)
from quire.database.interface import Database
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import PolicyError

_ACTIONS = (READ, CREATE, UPDATE)


class UidSource(RequestBody, rename=None, forbid_unknown_fields=False):
    """The field to generate a value for, and the data of the entry."""

    contentTypeUID: str  # noqa: N815 - it is called so
    field: str
    data: EntryInput


class UidValue(RequestBody, rename=None, forbid_unknown_fields=False):
    """A value of a field."""

    contentTypeUID: str  # noqa: N815 - it is called so
    field: str
    value: str


class UidAvailability(Struct, rename="camel"):
    """Whether a value is unused, and otherwise an unused one."""

    is_available: bool
    suggestion: str | None


class UidValueApi:
    """Generates unused values, and checks values."""

    def __init__(self, database: Database, engine: WriteEngine) -> None:
        self._database = database
        self._engine = engine

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, action, query = RouteGroup(CONTENT, "content-manager/uid/"), SIGNED_IN, LocaleQuery
        path, value = "generate", DataEnvelope[str]
        yield route(
            "POST", path, action, self.generate, body=UidSource, query=query, response=value
        )
        path, availability = "check-availability", UidAvailability
        yield route(
            "POST", path, action, self.check, body=UidValue, query=query, response=availability
        )

    async def generate(self, request: Request) -> Response:
        """Generate an unused value from the data in the body."""
        body = check_body(request.body, "data", "object")
        field, locale = self._field(request, body), self._locale(request, body)
        data = body["data"] if isinstance(body["data"], dict) else {}
        value = await self._database.read(lambda: generate_uid(self._engine, field, data, locale))
        return respond_data(value)

    async def check(self, request: Request) -> Response:
        """Tell whether a value is unused, and suggest an unused one."""
        body = check_body(request.body, "value", "string")
        field, locale = self._field(request, body), self._locale(request, body)
        value = str(body["value"])
        check_value(field, value)
        unused_value = await self._database.read(
            lambda: make_unique(self._engine, field, value, locale)
        )
        available = unused_value == value
        return respond_bare(
            {"isAvailable": available, "suggestion": None if available else unused_value}
        )

    def _field(self, request: Request, body: object) -> UidField:
        """Return the attribute; PolicyError for one of a type that the caller may not read."""
        field = uid_field(self._engine.schema, body if isinstance(body, dict) else {})
        ability, uid = request.administrator.ability, field.content_type.uid
        if not any(ability.allows(action, uid) for action in _ACTIONS):
            raise PolicyError
        return field

    def _locale(self, request: Request, body: object) -> str | None:
        field = uid_field(self._engine.schema, body if isinstance(body, dict) else {})
        return locale_of(request.query, field.content_type, self._engine.default_locale)
