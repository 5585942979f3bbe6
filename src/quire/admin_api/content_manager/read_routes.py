"""Lists and single entries of collection types and single types, as administrators read them."""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import orjson
from msgspec import UNSET, Struct, UnsetType

from quire.admin_api.content_manager.requested_type import permissions_of
from quire.admin_api.content_manager.review_filter import ReviewFilter, ReviewQuery
from quire.admin_api.response_types import (
    CONTENT,
    ComputedError,
    EntryResponse,
    FailedReadRule,
    ListQuery,
    LocaleQuery,
    ManagedEntry,
    PageEnvelope,
    StatusQuery,
)
from quire.admin_api.router import SIGNED_IN, describe_error, describe_failed_rules
from quire.content_api.around_reads import AroundReads
from quire.content_api.envelope import respond_encoded
from quire.content_api.http_messages import Handler, Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_manager.entry_lists import EntryLists
from quire.content_manager.entry_reads import EntryReader
from quire.content_manager.permissions import ALWAYS, TypePermissions
from quire.content_manager.read_plans import populated_relations, requested_columns
from quire.content_manager.revisions import RevisionHistory
from quire.content_manager.status_and_locale import Query, requested_version
from quire.database.execute.json_encoding import encode_result
from quire.database.interface import Database
from quire.database.program import Program
from quire.document_service.computed_reads import compute_for_administrator
from quire.document_service.service import DocumentService
from quire.errors import AppError, NotFoundError
from quire.hooks.policies import ReadAction
from quire.schema.model import ContentType


class PopulateQuery(Struct):
    """Which relations of an entry are populated."""

    populate: str | UnsetType = UNSET


class EntryListQuery(ListQuery, kw_only=True):
    """Which entries are listed, and which fields of each."""

    fields: str | UnsetType = UNSET
    columns: str | UnsetType = UNSET
    missing_locale: str | UnsetType = UNSET


class EntryPage(PageEnvelope[ManagedEntry], rename="camel", kw_only=True):
    """A page of a list; ``computed_errors`` says why columns of computed fields are empty.

    ``failed_rules`` are those on content types whose entries are missing in columns of relations.
    """

    computed_errors: dict[str, ComputedError] | UnsetType = UNSET
    failed_rules: list[FailedReadRule] | UnsetType = UNSET


class EntryApi:
    """Reads below ``/content-manager/collection-types`` and ``…/single-types``."""

    def __init__(
        self,
        database: Database,
        documents: DocumentService,
        lists: EntryLists,
        history: RevisionHistory,
        around: AroundReads,
    ) -> None:
        engine = documents.engine
        self._database = database
        self._documents = documents
        self._engine = engine
        self._review = ReviewFilter(database, engine, history)
        self._reading = EntryReader(engine)
        self._lists = lists
        self._around_reads = around

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, version = RouteGroup(CONTENT, "content-manager/"), (LocaleQuery, StatusQuery)
        yield route(
            "GET",
            "collection-types/:uid",
            SIGNED_IN,
            self._around_reads.admin_handler(self.find, "find"),
            query=(EntryListQuery, ReviewQuery, *version, PopulateQuery),
            response=EntryPage,
        )
        entry_routes: tuple[tuple[str, Handler, ReadAction], ...] = (
            ("collection-types/:uid/:id", self.find_one, "find_one"),
            ("single-types/:uid", self.find_single, "find"),
        )
        query = (*version, PopulateQuery)
        for path, read, action in entry_routes:
            handler = self._around_reads.admin_handler(read, action)
            yield route("GET", path, SIGNED_IN, handler, query=query, response=EntryResponse)

    async def find(self, request: Request) -> Response:
        """List entries with their status.

        ``reviewStage`` and ``reviewAssignee`` filter the list, and ``missingLocale`` restricts it
        to documents without a version in a locale.
        """
        permissions = permissions_of(self._engine.schema, request)
        raw_query, query = request.raw_query, request.query
        filters = await self._review.of(request, permissions)
        if filters is not query.get("filters"):
            # The filter changes with the entries: it is part of what the list is cached by.
            raw_query, query = raw_query + orjson.dumps(filters), {**query, "filters": filters}
        computed = self._engine.schema.computed.get(permissions.content_type.uid)
        columns = requested_columns(query)
        if computed and columns and not columns.isdisjoint(computed):
            return await self._list_computed(request, permissions, query, columns)
        body = await self._lists.page(permissions, raw_query, query, request.version)
        failed_rules = self._failed_rules(request, permissions.content_type, columns)
        if failed_rules:
            page = msgspec.json.decode(body, type=dict[str, Any])
            body = msgspec.json.encode({**page, "failedRules": failed_rules})
        return respond_encoded(body)

    def _failed_rules(
        self, request: Request, content_type: ContentType, columns: frozenset[str] | None
    ) -> list[FailedReadRule]:
        """Return the failed rules on the targets of listed relations."""
        administrator = request.administrator
        if not administrator.ability.project_rules.failed:
            return []
        targets = {
            relation.target: None
            for relation in content_type.relations
            if relation.target is not None and (columns is None or relation.name in columns)
        }
        content_types = self._engine.schema.content_types
        return describe_failed_rules(administrator, (content_types[uid] for uid in targets))

    async def _list_computed(
        self, request: Request, permissions: TypePermissions, query: Query, columns: frozenset[str]
    ) -> Response:
        """List entries with computed fields, from the fields that the administrator may read."""
        uid = permissions.content_type.uid
        computed = self._engine.schema.computed[uid]
        names = columns & computed.keys()
        needs = {need for name in names for need in computed[name].needs}
        columns_read = ",".join(sorted(columns - names | needs))
        body = await self._lists.page(
            permissions,
            orjson.dumps([columns_read, query], default=str),
            {**query, "columns": columns_read},
            request.version,
        )
        page = msgspec.json.decode(body, type=dict[str, Any])
        entries = page["results"]
        values, errors = await compute_for_administrator(
            self._documents, request.administrator.id, uid, names, entries
        )
        for entry, computed_values in zip(entries, values, strict=True):
            for need in needs - columns - ALWAYS:
                entry.pop(need, None)
            entry.update(computed_values)
        page.update(_describe_errors(errors, request))
        failed_rules = self._failed_rules(request, permissions.content_type, columns)
        if failed_rules:
            page["failedRules"] = failed_rules
        return respond_encoded(msgspec.json.encode(page))

    async def find_one(self, request: Request) -> Response:
        """Show one document."""
        permissions = permissions_of(self._engine.schema, request)
        version = requested_version(
            request.query, permissions.content_type, self._engine.default_locale
        )
        rows = populated_relations(request.query, permissions.content_type)
        document_id = request.parameters["id"]
        return await self._read(
            request, lambda: self._reading.get(permissions, document_id, version, rows=rows)
        )

    async def find_single(self, request: Request) -> Response:
        """Show the document of a single type, with its relations as rows."""
        permissions = permissions_of(self._engine.schema, request)
        content_type = permissions.content_type
        version = requested_version(request.query, content_type, self._engine.default_locale)
        reading = self._reading

        def read() -> Program[dict[str, object]]:
            document_id = yield from reading.single(content_type)
            if document_id is None:
                raise NotFoundError
            return (yield from reading.get(permissions, document_id, version, rows=None, full=True))

        return await self._read(request, read)

    async def _read(
        self, request: Request, make: Callable[[], Program[dict[str, object]]]
    ) -> Response:
        body = await self._database.read(lambda: encode_result(make()), snapshot=True)
        uid = request.parameters["uid"]
        computed = self._engine.schema.computed.get(uid)
        if not computed:
            return respond_encoded(body)
        response = msgspec.json.decode(body, type=dict[str, Any])
        if response["data"]:
            (response["meta"]["computed"],), errors = await compute_for_administrator(
                self._documents, request.administrator.id, uid, computed, [response["data"]]
            )
            response["meta"].update(_describe_errors(errors, request))
        return respond_encoded(msgspec.json.encode(response))


def _describe_errors(errors: Mapping[str, AppError], request: Request) -> dict[str, object]:
    """Return why computed fields are missing, as a member of a response; none without errors."""
    if not errors:
        return {}
    administrator = request.administrator
    reasons = {name: describe_error(error, administrator) for name, error in errors.items()}
    return {"computedErrors": reasons}
