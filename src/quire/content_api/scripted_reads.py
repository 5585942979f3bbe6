"""Responses of routes whose action in the project's JavaScript reads entries itself.

The query is derived from the action; the response has the action's form.
"""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from quire.access.ability import Ability, Unsanitized, rules_of
from quire.access.principal import ApiToken
from quire.content_api.around_reads import AroundReads
from quire.content_api.envelope import (
    envelope,
    paged,
    respond_bare,
    respond_encoded,
    respond_unless_known,
    tag_of,
)
from quire.content_api.format_v4 import HEADER, VALUE, to_v4
from quire.content_api.http_messages import Request, Response
from quire.content_api.response_cache import ResponseCache, ResponseKey
from quire.customisations.reads import DocumentRead
from quire.database.execute.json_encoding import EntrySerializer
from quire.database.execute.prepared_read import PreparedRead
from quire.document_service.read_planner import Mode, Query
from quire.document_service.read_service import ReadService
from quire.errors import ForbiddenError, NotFoundError
from quire.hooks.policies import ReadAction
from quire.schema.model import ContentType, Schema


class ScriptedReads:
    """Responds with the reads of actions of a project."""

    def __init__(self, reader: ReadService, responses: ResponseCache, around: AroundReads) -> None:
        self._reader = reader
        self._responses = responses
        self._around_reads = around

    async def respond(self, request: Request, read: DocumentRead) -> Response:
        """Read entries and respond like an action; the query is that of the read."""

        def handle(request: Request) -> Awaitable[Response]:
            return self._respond(request, read)

        action: ReadAction = "find" if read.is_list else "find_one"
        return await self._around_reads.respond(request, read.uid, action, handle)

    async def _respond(self, request: Request, read: DocumentRead) -> Response:
        reader = self._reader
        content_type = reader.schema.content_types[read.uid]
        self._require_token_for_drafts(request, read, content_type)
        ability = _ability(request, read)
        mode = _mode(read)
        key = ResponseKey(
            read.uid,
            mode,
            request.raw_query,
            ability,
            reader.default_locale,
            None,
            _uses_v4_format(request, read),
        )
        responses, version = self._responses, request.version
        response = responses.get(key, version)
        if response is None:
            prepared = await reader.prepare(content_type, mode, request.raw_query, ability)
            response = await self._read(request, read, prepared)
            response.tag = tag_of(response.body)
            if prepared.is_cacheable:
                responses.keep(key, version, response, prepared.tables)
        return respond_unless_known(response, request.headers)

    @property
    def schema(self) -> Schema:
        """The schema of the entries."""
        return self._reader.schema

    async def validate(self, uid: str, query: Query, ability: Ability) -> None:
        """Check a query as the core does. Raises its first error as an AppError."""
        content_type = self._reader.schema.content_types[uid]
        await self._reader.prepare(content_type, "list", query, ability)

    async def _read(self, request: Request, read: DocumentRead, prepared: PreparedRead) -> Response:
        serializer = self._serializer(request, read, prepared)
        wrap = _wrap(read)
        if read.is_list:
            version = request.version
            pages = paged(prepared.pagination)

            def wrap_list(data: object, total: int | None) -> object:
                return pages(data, total) if read.shows_pages else wrap(data)

            body = await self._reader.encoded_rows(
                prepared, version, serializer=serializer, wrap=wrap_list
            )
            return respond_encoded(body)
        encoded = await self._reader.encoded_row(prepared, serializer=serializer, wrap=wrap)
        if encoded is not None:
            return respond_encoded(encoded.text)
        if read.wrapped is None or read.not_found_message is not None:
            raise NotFoundError(read.not_found_message)
        return respond_bare(wrap(None))

    def _require_token_for_drafts(
        self, request: Request, read: DocumentRead, content_type: ContentType
    ) -> None:
        """Restrict drafts to API tokens, if the settings say so. Raises ForbiddenError."""
        if not self._reader.limits.drafts_need_token or not content_type.draft_and_publish:
            return
        published = "published"
        default_status = published if read.is_core else None
        shows_drafts = (
            read.of_any_version or request.query.get("status", default_status) != published
        )
        if shows_drafts and not isinstance(request.principal, ApiToken):
            raise ForbiddenError

    def _serializer(
        self, request: Request, read: DocumentRead, prepared: PreparedRead
    ) -> EntrySerializer | None:
        if not _uses_v4_format(request, read):
            return None
        root, schema = prepared.plan.root, self._reader.schema
        return lambda item: to_v4(item, root, schema)


def _ability(request: Request, read: DocumentRead) -> Ability:
    """Return the ability for a response. Row rules apply to code of a project, too."""
    ability = request.principal.ability
    return ability if read.sanitized or rules_of(ability) else Unsanitized()


def _mode(read: DocumentRead) -> Mode:
    if read.is_core and read.is_list:
        return "list"
    if read.of_any_version:
        return "rows" if read.is_list else "first row"
    return "window" if read.is_list else "first"


def _uses_v4_format(request: Request, read: DocumentRead) -> bool:
    """Tell whether a request asks for the v4 format, and the action supports it."""
    return read.enveloped and request.headers.get(HEADER) == VALUE


def _wrap(read: DocumentRead) -> Callable[[object], object]:
    """Return a function that wraps entries for the response.

    Raises NotFoundError for an empty list.
    """
    response_object, not_found_message = read.wrapped, read.not_found_message

    def wrap(data: object) -> object:
        if read.is_list and not_found_message is not None and data == []:
            raise NotFoundError(not_found_message)
        if read.enveloped:
            return envelope(data)
        if response_object is None:
            return data
        return response_object.around(data, _length(data))

    return wrap


def _length(data: object) -> int:
    """Return the length of a list, which may be encoded already."""
    items = msgspec.json.decode(data) if isinstance(data, msgspec.Raw) else data
    return len(items) if isinstance(items, list) else 0
