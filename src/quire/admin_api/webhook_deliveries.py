"""The log of webhook deliveries, and redelivery."""

from collections.abc import Iterator
from typing import ClassVar, Literal

import orjson
from msgspec import UNSET, Struct, UnsetType

from quire.admin_api.response_types import ACCEPTED, WEBHOOKS, DataEnvelope, FreeObject, Moment
from quire.admin_api.responses import build_response, respond_data
from quire.admin_api.webhooks import NOT_FOUND
from quire.clock import Clock
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import log_page, path_id
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.webhook_deliveries import (
    DELIVERIES,
    STATES,
    WAITING,
    Delivery,
)
from quire.errors import NotFoundError, ValidationError
from quire.webhooks.setup import WebhookParts
from quire.webhooks.worker import webhook_secret


class DeliveryQuery(Struct):
    """Which deliveries are listed; ``before`` is the last id that is known."""

    state: Literal["waiting", "delivered", "failed"] | UnsetType = UNSET
    before: int | UnsetType = UNSET
    limit: int | UnsetType = UNSET


class WebhookDeliveryResponse(Struct, rename="camel", kw_only=True):
    """A delivery to a webhook, and its result."""

    schema_name: ClassVar[str] = "Delivery"
    id: int
    webhook_id: int
    event: str
    uid: str | UnsetType = UNSET
    document_id: str | UnsetType = UNSET
    state: Literal["waiting", "delivered", "failed"]
    attempts: int
    created_at: Moment
    next_at: Moment | UnsetType | None = UNSET
    ended_at: Moment | UnsetType | None = UNSET
    status_code: int | UnsetType | None = UNSET
    message: str | UnsetType | None = UNSET
    payload: FreeObject | UnsetType = UNSET


class WebhookSecret(Struct):
    """The signing secret of a webhook, ``null`` without signatures."""

    secret: str | None


class DeliveryApi:
    """``/admin/x/webhooks/:id``, and ``/admin/x/deliveries`` for all webhooks together."""

    def __init__(self, database: Database, parts: WebhookParts, clock: Clock) -> None:
        self._database = database
        self._webhooks = parts.webhooks
        self._outbox = parts.outbox
        self._deliveries = parts.deliveries
        self._tables = parts.tables
        self._key = parts.key
        self._clock = clock

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, webhook_path = RouteGroup(WEBHOOKS, "admin/x/"), "webhooks/:id"
        read, update = "admin::webhooks.read", "admin::webhooks.update"
        deliveries_response = DataEnvelope[list[WebhookDeliveryResponse]]
        for path, find in (
            ("deliveries", self.find_all),
            (f"{webhook_path}/deliveries", self.find),
        ):
            yield route("GET", path, read, find, query=DeliveryQuery, response=deliveries_response)
        path = f"{webhook_path}/deliveries/:delivery"
        yield route(
            "GET", path, read, self.find_one, response=DataEnvelope[WebhookDeliveryResponse]
        )
        path, empty_response = f"{path}/redeliver", DataEnvelope[FreeObject]
        yield route("POST", path, update, self.redeliver, response=empty_response, status=ACCEPTED)
        path = f"{webhook_path}/secret"
        yield route("GET", path, update, self.secret, response=DataEnvelope[WebhookSecret])

    async def find_all(self, request: Request) -> Response:
        """List the deliveries of all webhooks, the latest first, as `find` does for one."""
        return await self._list_deliveries(request, None)

    async def find(self, request: Request) -> Response:
        """List the deliveries of a webhook, the latest first; ``before`` is the last known id."""
        return await self._list_deliveries(request, path_id(request, NOT_FOUND))

    async def _list_deliveries(self, request: Request, webhook_id: int | None) -> Response:
        query = request.query
        state = query.get("state")
        if state is not None and state not in STATES:
            raise ValidationError(f"state must be one of {', '.join(STATES)}")
        before, limit = log_page(query)

        def program() -> Program[list[Delivery]]:
            if webhook_id is not None:
                yield from self._require_webhook(webhook_id)
            return (
                yield from self._deliveries.find(
                    webhook_id,
                    state=None if state is None else str(state),
                    before=before,
                    limit=limit,
                )
            )

        await self._tables.ensure(DELIVERIES)
        deliveries = await self._database.read(program, snapshot=True)
        return respond_data([_serialize_delivery(delivery) for delivery in deliveries])

    async def find_one(self, request: Request) -> Response:
        """Show a delivery, with its body."""
        await self._tables.ensure(DELIVERIES)
        delivery = await self._database.read(lambda: self._delivery(request))
        return respond_data(_serialize_delivery(delivery, orjson.loads(delivery.body)))

    async def redeliver(self, request: Request) -> Response:
        """Deliver an event again."""

        def program() -> Program[None]:
            delivery = yield from self._delivery(request)
            redelivery = Delivery(
                webhook_id=delivery.webhook_id,
                event=delivery.event,
                uid=delivery.uid,
                document_id=delivery.document_id,
                body=delivery.body,
            )
            yield from self._deliveries.add([redelivery], self._clock())

        await self._tables.ensure(DELIVERIES)
        await self._database.write(program())
        self._outbox.added()
        return respond_data({}, ACCEPTED)

    async def secret(self, request: Request) -> Response:
        """Show the signing secret of a webhook."""
        webhook_id = path_id(request, NOT_FOUND)
        await self._database.read(lambda: self._require_webhook(webhook_id))
        secret = None if self._key is None else webhook_secret(self._key, webhook_id)
        return respond_data({"secret": secret})

    def _require_webhook(self, webhook_id: int) -> Program[None]:
        if (yield from self._webhooks.get(webhook_id)) is None:
            raise NotFoundError(NOT_FOUND)

    def _delivery(self, request: Request) -> Program[Delivery]:
        delivery_id = path_id(request, name="delivery")
        delivery = yield from self._deliveries.get(path_id(request, NOT_FOUND), delivery_id)
        if delivery is None:
            raise NotFoundError
        return delivery


def _serialize_delivery(
    delivery: Delivery, payload: FreeObject | UnsetType = UNSET
) -> WebhookDeliveryResponse:
    return build_response(
        WebhookDeliveryResponse,
        delivery,
        next_at=delivery.due if delivery.state == WAITING else None,
        status_code=delivery.status,
        payload=payload,
    )
