"""The log of webhook deliveries, and sending one again."""

from collections.abc import Iterator
from typing import Any

import orjson

from quire.admin_api.bodies import id_of, log_page
from quire.admin_api.responses import respond_data
from quire.admin_api.webhooks import NOT_FOUND, webhook_id_of
from quire.clock import Clock, iso_from_ms
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.database.connection import Database
from quire.database.program import Program
from quire.database.stores.webhook_deliveries import (
    DELIVERIES,
    STATES,
    WAITING,
    Delivery,
)
from quire.errors import NotFoundError, ValidationError
from quire.webhooks.setup import WebhookParts
from quire.webhooks.signatures import webhook_secret


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
        below = "admin/x/webhooks/:id"
        for method, path, verb, handler in (
            ("GET", "admin/x/deliveries", "read", self.find_all),
            ("GET", f"{below}/deliveries", "read", self.find),
            ("GET", f"{below}/deliveries/:delivery", "read", self.find_one),
            ("POST", f"{below}/deliveries/:delivery/redeliver", "update", self.redeliver),
            ("GET", f"{below}/secret", "update", self.secret),
        ):
            yield Route(method=method, path=path, action=f"admin::webhooks.{verb}", handler=handler)

    async def find_all(self, request: Request) -> Response:
        """List the deliveries of all webhooks, the latest first, as `find` does for one."""
        return await self._listed(request, None)

    async def find(self, request: Request) -> Response:
        """List what a webhook was told, the latest first; ``before`` is the last id known."""
        return await self._listed(request, webhook_id_of(request))

    async def _listed(self, request: Request, webhook_id: int | None) -> Response:
        asked = request.query
        state = asked.get("state")
        if state is not None and state not in STATES:
            raise ValidationError(f"state must be one of {', '.join(STATES)}")
        before, limit = log_page(asked)

        def program() -> Program[list[Delivery]]:
            if webhook_id is not None:
                yield from self._existing(webhook_id)
            return (
                yield from self._deliveries.find(
                    webhook_id,
                    state=None if state is None else str(state),
                    before=before,
                    limit=limit,
                )
            )

        await self._tables.ensure(DELIVERIES)
        found = await self._database.read(program, snapshot=True)
        return respond_data([_shown(one) for one in found])

    async def find_one(self, request: Request) -> Response:
        """Show what a webhook was told once, with the body."""
        await self._tables.ensure(DELIVERIES)
        found = await self._database.read(lambda: self._delivery(request))
        return respond_data({**_shown(found), "payload": orjson.loads(found.body)})

    async def redeliver(self, request: Request) -> Response:
        """Tell a webhook the same again."""

        def program() -> Program[None]:
            found = yield from self._delivery(request)
            told = Delivery(
                webhook_id=found.webhook_id,
                event=found.event,
                uid=found.uid,
                document_id=found.document_id,
                body=found.body,
            )
            yield from self._deliveries.add([told], self._clock())

        await self._tables.ensure(DELIVERIES)
        await self._database.write(program())
        self._outbox.added()
        return respond_data({}, 202)

    async def secret(self, request: Request) -> Response:
        """Show what the calls of a webhook are signed with."""
        webhook_id = webhook_id_of(request)
        await self._database.read(lambda: self._existing(webhook_id))
        secret = None if self._key is None else webhook_secret(self._key, webhook_id)
        return respond_data({"secret": secret})

    def _existing(self, webhook_id: int) -> Program[None]:
        if (yield from self._webhooks.one(webhook_id)) is None:
            raise NotFoundError(NOT_FOUND)

    def _delivery(self, request: Request) -> Program[Delivery]:
        delivery_id = id_of(request.parameters["delivery"])
        found = None
        if delivery_id is not None:
            found = yield from self._deliveries.one(webhook_id_of(request), delivery_id)
        if found is None:
            raise NotFoundError
        return found


def _shown(delivery: Delivery) -> dict[str, Any]:
    ended = delivery.ended_at
    waits = delivery.state == WAITING
    return {
        "id": delivery.id,
        "webhookId": delivery.webhook_id,
        "event": delivery.event,
        "uid": delivery.uid,
        "documentId": delivery.document_id,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "createdAt": iso_from_ms(delivery.created_at),
        "nextAt": iso_from_ms(delivery.due) if waits else None,
        "endedAt": None if ended is None else iso_from_ms(ended),
        "statusCode": delivery.status,
        "message": delivery.message,
    }
