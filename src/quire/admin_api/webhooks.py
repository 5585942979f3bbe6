"""Webhooks: list, create, change, test."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, TypeVar
from urllib.parse import urlsplit

import orjson
from msgspec import UNSET, Struct, UnsetType

from quire.admin_api.response_types import CREATED, WEBHOOKS, DataEnvelope, FreeObject, IdText
from quire.admin_api.responses import build_response, respond_data
from quire.clock import Clock, iso_from_ms
from quire.content_api.body_decoding import RequestBody, read_body, sent_values
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import (
    REQUIRED,
    Fields,
    ValuePath,
    id_of,
    path_id,
    problem_at,
    required,
)
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.webhook_deliveries import DELIVERIES
from quire.database.stores.webhooks import Webhook
from quire.document_service.validate.problems import Problem, path_of, path_text
from quire.errors import ApplicationError, BadInputError, NotFoundError, ValidationError
from quire.network import may_be_public
from quire.schema.attributes.validation import ABSENT, not_of_type
from quire.webhooks.events import EventName
from quire.webhooks.http_client import is_reserved, post
from quire.webhooks.setup import WebhookParts

T = TypeVar("T")

NOT_FOUND = "webhook.notFound"
NO_IDS = "ids must be an array of id"
BAD_URL = "must be a valid URL"
NOT_PUBLIC = "Url is not supported because it isn't reachable over the public internet"
UNKNOWN_EVENT = "Webhook event {} is not supported"
BAD_HEADER = "{} cannot be a header"
MASK = "•••"
"""Replaces values of headers, which are mostly secrets, if the caller may not change them."""

EVENTS = frozenset(
    {*(name.value for name in EventName), "media.create", "media.update", "media.delete"}
)
_TEST = "trigger-test"
# The dot of the host is looked for before the rest is read, so that each character is read once.
_URL = re.compile(
    r"https?://(?=[^\s/?#\[\]]+\.[^\s\[\]])[^\s\[\]]+|https?://localhost(:\d+)?([/?#]\S*)?"
)
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_MAX_HEADERS, _MAX_VALUE_LENGTH = 100, 8192


class _Url(Struct, frozen=True):
    """The URL of a webhook; ``private`` allows those off the public internet."""

    private: bool

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        if value is not ABSENT and not isinstance(value, str):
            yield problem_at(path, not_of_type("string", value), value)
            return
        is_text = isinstance(value, str)
        is_valid = is_text and _URL.fullmatch(str(value)) is not None
        if is_text and not is_valid:
            yield problem_at(path, BAD_URL, value)
        if not value or value is ABSENT:
            yield problem_at(path, REQUIRED, value)
        if not self.private and not _is_public_url(value):
            yield Problem(path_of(path), NOT_PUBLIC, value)


class _Headers(Struct, frozen=True):
    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        validator = Fields(closed=False, rules=(required,))
        yield from validator.problems(path, value)
        if not isinstance(value, Mapping):
            return
        for name, content in value.items():
            header_place = (*path, str(name))
            if len(value) > _MAX_HEADERS or not _is_header(str(name), content):
                yield Problem(
                    path_of(header_place), BAD_HEADER.format(path_text(header_place)), content
                )


class NewWebhook(RequestBody):
    """A new webhook."""

    name: str
    url: str
    headers: Annotated[FreeObject, _Headers()]
    events: list[str]


class WebhookChange(NewWebhook):
    """The changes of a webhook."""

    is_enabled: bool | UnsetType = UNSET


class DeletedWebhooks(RequestBody, forbid_unknown_fields=False):
    """The ids of webhooks to delete."""

    ids: list[IdText]


class WebhookDetail(Struct, rename="camel"):
    """A webhook; values of headers are masked if the caller may not change it."""

    schema_name: ClassVar[str] = "Webhook"
    id: str
    name: str
    url: str
    headers: FreeObject
    events: list[str]
    is_enabled: bool


class ReceivedHeader(Struct):
    """A header of a response."""

    name: str
    value: str


class WebhookTest(Struct, rename="camel"):
    """The response of a webhook to a test."""

    status_code: int
    message: str
    headers: list[ReceivedHeader] | UnsetType = UNSET
    body: str | UnsetType = UNSET


class WebhookApi:
    """``/admin/webhooks``; ``private`` allows addresses that are not on the public internet."""

    def __init__(
        self, database: Database, parts: WebhookParts, clock: Clock, *, private: bool
    ) -> None:
        self._database = database
        self._parts = parts
        self._webhooks = parts.webhooks
        self._clock = clock
        self._private = private

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(WEBHOOKS, "admin/webhooks")
        webhook_response = DataEnvelope[WebhookDetail]
        read, create, update, delete = (
            f"admin::webhooks.{verb}" for verb in ("read", "create", "update", "delete")
        )
        yield route("GET", "", read, self.find, response=DataEnvelope[list[WebhookDetail]])
        yield route(
            "POST",
            "",
            create,
            self.create,
            body=NewWebhook,
            response=webhook_response,
            status=CREATED,
        )
        path, ids = "/batch-delete", DataEnvelope[list[int | str]]
        yield route("POST", path, delete, self.delete_many, body=DeletedWebhooks, response=ids)
        yield route("GET", "/:id", read, self.find_one, response=webhook_response)
        yield route(
            "PUT", "/:id", update, self.change, body=WebhookChange, response=webhook_response
        )
        yield route("DELETE", "/:id", delete, self.delete, response=webhook_response)
        yield route(
            "POST", "/:id/trigger", update, self.trigger, response=DataEnvelope[WebhookTest]
        )

    async def find(self, request: Request) -> Response:
        """List webhooks."""
        webhooks = await self._database.read(self._webhooks.all)
        return respond_data([_serialize_webhook(webhook, request) for webhook in webhooks])

    async def find_one(self, request: Request) -> Response:
        """Show a webhook."""
        webhook_id = path_id(request, NOT_FOUND)
        webhook = await self._database.read(lambda: self._get_webhook(webhook_id))
        return respond_data(_serialize_webhook(webhook, request))

    async def create(self, request: Request) -> Response:
        """Make a webhook."""
        values = self._read(request, NewWebhook)

        def program() -> Program[Webhook]:
            webhook_id = yield from self._webhooks.insert({**values, "enabled": True})
            return (yield from self._get_webhook(webhook_id))

        return respond_data(_serialize_webhook(await self._write(program()), request), CREATED)

    async def change(self, request: Request) -> Response:
        """Change a webhook."""
        values, webhook_id = self._read(request, WebhookChange), path_id(request, NOT_FOUND)

        def program() -> Program[Webhook]:
            yield from self._get_webhook(webhook_id)
            yield from self._webhooks.update(webhook_id, values)
            return (yield from self._get_webhook(webhook_id))

        return respond_data(_serialize_webhook(await self._write(program()), request))

    async def delete(self, request: Request) -> Response:
        """Delete a webhook."""
        webhook_id = path_id(request, NOT_FOUND)

        def program() -> Program[Webhook]:
            webhook = yield from self._get_webhook(webhook_id)
            yield from self._delete([webhook_id])
            return webhook

        return respond_data(_serialize_webhook(await self._write(program()), request))

    async def delete_many(self, request: Request) -> Response:
        """Delete webhooks; missing ones count as deleted."""
        body = request.body
        requested_ids = body.get("ids") if isinstance(body, Mapping) else None
        if not isinstance(requested_ids, list) or not requested_ids:
            raise BadInputError(NO_IDS)
        ids = [webhook_id for webhook_id in map(id_of, requested_ids) if webhook_id is not None]
        await self._write(self._delete(ids))
        return respond_data(requested_ids)

    def _delete(self, ids: list[int]) -> Program[None]:
        """Delete webhooks with their deliveries: waiting ones would count as a backlog."""
        yield from self._webhooks.delete(ids)
        if (yield from self._parts.tables.exists(DELIVERIES)):
            yield from self._parts.deliveries.delete_of_deleted_webhooks()

    async def trigger(self, request: Request) -> Response:
        """Send a test event, and return the response."""
        webhook_id = path_id(request, NOT_FOUND)
        webhook = await self._database.read(lambda: self._get_webhook(webhook_id))
        payload = {"event": _TEST, "createdAt": iso_from_ms(self._clock())}
        headers = {
            **{name: str(value) for name, value in webhook.headers.items()},
            "Content-Type": "application/json",
            "X-Strapi-Event": _TEST,
        }
        try:
            response = await post(
                webhook.url, headers, orjson.dumps(payload), private=self._private, read_body=True
            )
        except ApplicationError as error:
            return respond_data({"statusCode": 500, "message": error.message})
        return respond_data(
            {
                "statusCode": response.status,
                "message": response.reason,
                "headers": [{"name": name, "value": value} for name, value in response.headers],
                "body": response.body,
            }
        )

    async def _write(self, program: Program[T]) -> T:
        result = await self._database.write(program)
        await self._parts.outbox.refresh()
        return result

    def _read(self, request: Request, kind: type[NewWebhook]) -> dict[str, object]:
        webhook = read_body(request.body, kind, url=_Url(self._private))
        for event in webhook.events:
            if event not in EVENTS:
                raise ValidationError(UNKNOWN_EVENT.format(event))
        values = sent_values(webhook)
        if "isEnabled" in values:
            values["enabled"] = values.pop("isEnabled")
        return values

    def _get_webhook(self, webhook_id: int) -> Program[Webhook]:
        webhook = yield from self._webhooks.get(webhook_id)
        if webhook is None:
            raise NotFoundError(NOT_FOUND)
        return webhook


def _serialize_webhook(webhook: Webhook, request: Request) -> WebhookDetail:
    ability = request.administrator.ability
    readable = any(ability.allows(f"admin::webhooks.{verb}") for verb in ("create", "update"))
    headers = webhook.headers if readable else dict.fromkeys(webhook.headers, MASK)
    return build_response(
        WebhookDetail,
        webhook,
        id=str(webhook.id),
        headers=headers,
        is_enabled=webhook.enabled,
    )


def _is_public_url(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    # An invalid address in brackets was reported already.
    return bool(parts.scheme and parts.hostname) and (
        may_be_public(str(parts.hostname)) or "[" in parts.netloc
    )


def _is_header(name: str, value: object) -> bool:
    if (
        not _NAME.fullmatch(name)
        or is_reserved(name)
        or not isinstance(value, str | int | float | bool)
    ):
        return False
    text = str(value)
    return len(text) <= _MAX_VALUE_LENGTH and not any(
        ord(char) < 0x20 or ord(char) == 0x7F for char in text
    )
