"""The data of the home page, in one response."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from quire.admin_api.response_types import (
    EXTRAS,
    DataEnvelope,
    DocumentCounts,
    FailedReadRule,
    RecentEntry,
)
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN, describe_failed_rules
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_manager.entry_titles import title_fields
from quire.content_manager.recent_changes import RecentEntries, managed_types
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.webhook_deliveries import DELIVERIES
from quire.document_service.unit_of_work import WriteEngine
from quire.schema.model import ContentType
from quire.webhooks.setup import WebhookParts

_SEES_WEBHOOKS = "admin::webhooks.read"


class CountedType(Struct, rename="camel"):
    """A content type, and its number of documents."""

    uid: str
    display_name: str
    kind: str
    count: int


class FailingWebhook(Struct):
    """A webhook, and its number of failed calls."""

    id: str
    name: str
    count: int


class Overview(Struct, rename="camel"):
    """The latest changes, the numbers of documents, and failing webhooks.

    ``failed_rules`` are those that entries are missing for.
    """

    edited: list[RecentEntry]
    published: list[RecentEntry]
    documents: DocumentCounts
    types: list[CountedType]
    failing_webhooks: list[FailingWebhook] | None
    failed_rules: list[FailedReadRule] | UnsetType = UNSET


class OverviewApi:
    """``GET /admin/x/home``."""

    def __init__(self, database: Database, engine: WriteEngine, webhooks: WebhookParts) -> None:
        self._database = database
        self._engine = engine
        self._parts = webhooks

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(EXTRAS)
        yield route("GET", "admin/x/home", SIGNED_IN, self.home, response=DataEnvelope[Overview])

    async def home(self, request: Request) -> Response:
        """Show the latest changes, the numbers of documents, and failing webhooks."""
        ability = request.administrator.ability

        def program() -> Program[dict[str, Any]]:
            types = list(managed_types(self._engine.schema, ability))
            titles = yield from title_fields(self._engine.store, types)
            recent_entries = RecentEntries(self._engine, ability, titles)
            overview: dict[str, Any] = {
                "edited": (yield from recent_entries.documents("update")),
                "published": (yield from recent_entries.documents("publish")),
                "documents": (yield from recent_entries.counts()),
                "types": (yield from _count_by_type(recent_entries, types)),
                "failingWebhooks": None,
            }
            if ability.allows(_SEES_WEBHOOKS):
                overview["failingWebhooks"] = yield from self._failing_webhooks()
            if failed_rules := describe_failed_rules(request.administrator, types):
                overview["failedRules"] = failed_rules
            return overview

        return respond_data(await self._database.read(program, snapshot=True))

    def _failing_webhooks(self) -> Program[list[dict[str, Any]]]:
        if not (yield from self._parts.tables.exists(DELIVERIES)):
            return []
        counts = yield from self._parts.deliveries.failing()
        webhooks = yield from self._parts.webhooks.all()
        return [
            {"id": str(webhook.id), "name": webhook.name, "count": counts[webhook.id]}
            for webhook in webhooks
            if webhook.id in counts
        ]


def _count_by_type(
    recent_entries: RecentEntries, types: list[ContentType]
) -> Program[list[dict[str, Any]]]:
    """Count the documents of each type that the caller may read."""
    counts = []
    for content_type in types:
        count = yield from recent_entries.count_of(content_type)
        counts.append(
            {
                "uid": content_type.uid,
                "displayName": content_type.display_name,
                "kind": content_type.kind.value,
                "count": count,
            }
        )
    return counts
