"""Responses of routes whose action in the project's JavaScript reads entries itself.

The query is derived from the action; the response has the action's form.
"""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import msgspec
from msgspec import Struct

from quire.access.ability import Ability, Unsanitized, rules_of
from quire.access.principal import ApiToken
from quire.content_api.around_reads import AroundReads
from quire.content_api.envelope import (
    envelope,
    is_known,
    paged,
    respond_bare,
    respond_encoded,
    respond_known,
    tag_of,
    tags_known,
)
from quire.content_api.format_v4 import HEADER, VALUE, to_v4
from quire.content_api.http_messages import Request, Response
from quire.content_api.response_cache import ResponseCache, ResponseKey
from quire.customisations.reads import AttachedEntries, ComputedEntry, DocumentRead
from quire.customisations.value_expressions import ENTRY
from quire.database.execute.json_encoding import EntrySerializer, encode
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.row_mappers import Item
from quire.document_service.read_planner import Mode, Query
from quire.document_service.read_service import ReadService
from quire.errors import ForbiddenError, NotFoundError, ValidationError
from quire.hooks.policies import ReadAction
from quire.query.python_parameters import rewrite_query, sent_query
from quire.schema.model import ContentType


class ReceivedRequest(Struct, frozen=True):
    """The request of a route, which changes of entries may use."""

    route: str
    query: Mapping[str, object]
    path: Mapping[str, str]


class ScriptedReads:
    """Responds with the reads of actions of a project."""

    def __init__(self, reader: ReadService, responses: ResponseCache, around: AroundReads) -> None:
        self._reader = reader
        self._responses = responses
        self._around_reads = around

    async def respond(
        self, request: Request, read: DocumentRead, received_request: ReceivedRequest | None = None
    ) -> Response:
        """Read entries and respond like an action; the query is that of the read.

        ``received_request`` is needed if entries are changed before they are shown.
        """

        def handle(request: Request) -> Awaitable[Response]:
            return self._respond(request, read, received_request)

        action: ReadAction = "find" if read.is_list else "find_one"
        return await self._around_reads.respond(request, read.uid, action, handle)

    async def _respond(
        self, request: Request, read: DocumentRead, received_request: ReceivedRequest | None
    ) -> Response:
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
            response = await self._read(request, read, prepared, received_request)
            response.tag = tag_of(response.body)
            if prepared.is_cacheable:
                # Attached entries were read from other tables.
                tables = None if read.changes else prepared.tables
                responses.keep(key, version, response, tables)
        client_tags = tags_known(request.headers)
        if (
            client_tags is not None
            and response.tag is not None
            and is_known(response.tag, client_tags)
        ):
            return respond_known(response.tag)
        return response

    async def validate(self, uid: str, query: Query, ability: Ability) -> None:
        """Check a query as the core does. Raises its first error as an AppError."""
        content_type = self._reader.schema.content_types[uid]
        await self._reader.prepare(content_type, "list", query, ability)

    async def _read(
        self,
        request: Request,
        read: DocumentRead,
        prepared: PreparedRead,
        received_request: ReceivedRequest | None,
    ) -> Response:
        serializer = self._serializer(request, read, prepared, received_request)
        wrap = _wrap(read)
        if received_request is not None and any(
            isinstance(change, AttachedEntries) for change in read.changes
        ):
            item = await self._reader.row(prepared)
            entry = (
                None
                if item is None
                else await self._apply_changes(request, read, item, received_request)
            )
            return _respond_one(read, entry)
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
        return _respond_one(read, None)

    async def _apply_changes(
        self, request: Request, read: DocumentRead, item: Item, received_request: ReceivedRequest
    ) -> object:
        """Return an entry with its attachments."""
        entry = _decode_entry(item)
        for change in read.changes:
            if isinstance(change, AttachedEntries):
                attachment = await self._read_attachment(request, change, entry, received_request)
                entry = {**_require_entry(entry), change.name: attachment}
            else:
                entry = change.convert(entry, received_request.query, received_request.path)
        return entry

    async def _read_attachment(
        self,
        request: Request,
        change: AttachedEntries,
        entry: object,
        received_request: ReceivedRequest,
    ) -> object:
        """Return the attached member of an entry."""
        read, reader = change.read, self._reader
        content_type = reader.schema.content_types[read.uid]
        self._require_token_for_drafts(request, read, content_type)
        query = read.query_of(received_request.query, received_request.path, {ENTRY.number: entry})
        name = f"{received_request.route} {change.name} {query}"
        raw = rewrite_query(sent_query(request.raw_query), name, lambda _: query)
        prepared = await reader.prepare(content_type, _mode(read), raw, _ability(request, read))
        if read.is_list:
            items, _ = await reader.rows(prepared, request.version)
        else:
            item = await reader.row(prepared)
            items = [] if item is None else [item]
        entries = [_compute_entry(read, _decode_entry(item), received_request) for item in items]
        if read.is_list:
            return entries
        attached_entry = entries[0] if entries else None
        return (
            attached_entry
            if change.member is None
            else _require_entry(attached_entry).get(change.member)
        )

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
        self,
        request: Request,
        read: DocumentRead,
        prepared: PreparedRead,
        received_request: ReceivedRequest | None,
    ) -> EntrySerializer | None:
        if received_request is not None:
            return lambda item: _compute_entry(read, _decode_entry(item), received_request)
        if not _uses_v4_format(request, read):
            return None
        root, schema = prepared.plan.root, self._reader.schema
        return lambda item: to_v4(item, root, schema)


def _respond_one(read: DocumentRead, entry: object) -> Response:
    """Respond with one entry, or with the response for a missing one. Raises NotFoundError."""
    if entry is None and (read.wrapped is None or read.not_found_message is not None):
        raise NotFoundError(read.not_found_message)
    return respond_bare(_wrap(read)(entry))


def _decode_entry(item: Item) -> object:
    """Return the JSON form of an entry."""
    return msgspec.json.decode(encode(item))


def _compute_entry(read: DocumentRead, entry: object, received_request: ReceivedRequest) -> object:
    """Return a computed entry without attachments."""
    for change in read.changes:
        if isinstance(change, ComputedEntry):
            entry = change.convert(entry, received_request.query, received_request.path)
    return entry


def _require_entry(entry: object) -> dict[str, object]:
    """Return the members of what code takes for an entry. Raises ValidationError for others."""
    if not isinstance(entry, dict):
        raise ValidationError("Something has to be an entry")
    return entry


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
    return read.enveloped and not read.changes and request.headers.get(HEADER) == VALUE


def _wrap(read: DocumentRead) -> Callable[[object], object]:
    """Return a function that wraps entries for the response.

    Raises NotFoundError for an empty list.
    """
    response_object, not_found_message = read.wrapped, read.not_found_message

    def wrap(data: object) -> object:
        if read.is_list and not_found_message is not None and data == []:
            raise NotFoundError(not_found_message)
        if read.keyed:
            data = _key_entries(data)
        if read.enveloped:
            return envelope(data)
        if response_object is None:
            return data
        return response_object.around(data, _length(data))

    return wrap


def _key_entries(data: object) -> dict[str, object]:
    """Return an object from a list of names and values, which may be encoded already."""
    entries = msgspec.json.decode(data) if isinstance(data, msgspec.Raw) else data
    pairs = map(_require_entry, entries) if isinstance(entries, list) else ()
    return {
        _property_name(pair.get("name", "undefined")): pair["value"]
        for pair in pairs
        if "value" in pair
    }


def _property_name(value: object) -> str:
    """Return a value as the key of a member. Raises ValidationError."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int):
        raise ValidationError("Something that names a member has to be a text")
    return str(value)


def _length(data: object) -> int:
    """Return the length of a list, which may be encoded already."""
    items = msgspec.json.decode(data) if isinstance(data, msgspec.Raw) else data
    return len(items) if isinstance(items, list) else 0
