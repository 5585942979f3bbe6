"""The handlers of every content type: collections and single types, reads and writes."""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from functools import partial

from quire.access.ability import Ability
from quire.content_api.draft_access import refuse_populated_drafts
from quire.content_api.envelope import (
    envelope,
    paged,
    respond_encoded,
    respond_unless_known,
    tag_of,
)
from quire.content_api.format_v4 import HEADER, VALUE, to_v4
from quire.content_api.http_messages import NO_CONTENT, Handler, Request, Response
from quire.content_api.response_cache import ResponseCache, ResponseKey
from quire.content_api.routes import Route
from quire.content_api.write_requests import (
    data_of,
    deleted_locales,
    expected_tags,
    is_narrowed,
    is_published,
    one_locale,
    refuse_draft_deletion,
)
from quire.database.bounded_cache import BoundedCache
from quire.database.execute.json_encoding import (
    EntrySerializer,
    ResponseBudget,
    encode,
    encode_items,
)
from quire.database.execute.prepared_read import EncodedEntry, PreparedRead
from quire.database.execute.reader import ListFacts
from quire.database.execute.row_mappers import Item
from quire.database.interface import WouldBlockError
from quire.database.program import Program
from quire.document_service.commands import (
    AllLocales,
    CreateDocument,
    Data,
    DeleteDocument,
    UpdateDocument,
    WrittenEntry,
)
from quire.document_service.computed_reads import ComputedReads
from quire.document_service.project_rules import AbilityRules
from quire.document_service.read_planner import Mode
from quire.document_service.read_service import ReadService
from quire.document_service.service import DocumentService, run_and_read
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import NotFoundError
from quire.schema.model import ContentType, TypeKind

CREATED = 201
OK = 200
_LARGE_BODY = 1_000_000
"""Hashing a longer body takes about a millisecond, and would delay the event loop."""
_MAX_QUERIES = 1000
"""For how many queries of a content type it is cached which rules narrow them."""


class DocumentApi:
    """The handlers of one content type."""

    def __init__(
        self,
        reader: ReadService,
        documents: DocumentService,
        content_type: ContentType,
        responses: ResponseCache,
    ) -> None:
        self._reader = reader
        self._planner = reader.planner
        self._documents = documents
        self._type = content_type
        self._responses = responses
        self._rules = documents.engine.rules
        self._rules_by_query: BoundedCache[tuple[Mode, bytes, Ability], AbilityRules]
        self._rules_by_query = BoundedCache(_MAX_QUERIES)
        self._computed = ComputedReads(reader, documents) if reader.schema.computed else None

    def routes(self) -> Iterator[Route]:
        """Yield the routes of the content type."""
        name, is_single = self._type.route_name, self._type.kind is TypeKind.SINGLE
        path = name if is_single else f"{name}/:documentId"
        yield self._route("GET", name, "find", self.find_single if is_single else self.find)
        if not is_single:
            yield self._route("POST", name, "create", self.create)
            yield self._route("GET", path, "findOne", self.find_one)
        yield self._route("PUT", path, "update", self.update)
        yield self._route("DELETE", path, "delete", self.delete)

    def _route(self, method: str, path: str, action: str, handler: Handler) -> Route:
        uid = self._type.uid
        return Route(
            method=method,
            path=path,
            action=f"{uid}.{action}",
            handler=handler,
            uid=uid,
            is_immediate=method == "GET",
            is_shared=method == "GET",
        )

    def _prepare(self, request: Request, mode: Mode, ability: Ability) -> Awaitable[PreparedRead]:
        return self._reader.prepare(
            self._type,
            mode,
            request.raw_query,
            ability,
            computes=self._computed is not None,
            may_wait=request.may_wait,
        )

    def _ability(self, request: Request, mode: Mode) -> Ability:
        """Return the ability of the caller, narrowed by the rules that the query depends on."""
        caller = request.caller
        ability = caller.ability
        if self._rules.is_empty:
            return ability
        key = (mode, request.raw_query, ability)
        ability_rules = self._rules_by_query.get(key)
        if ability_rules is None:
            actions = self._planner.rule_actions(self._type, mode, request.raw_query, ability)
            ability_rules = self._rules.rules_for(ability, actions)
            if actions is not None:
                self._rules_by_query[key] = ability_rules
        return ability_rules.narrowed_ability(caller)

    async def find(self, request: Request) -> Response:
        """List documents of a collection type."""
        return respond_unless_known(await self._read(request, "list"), request.headers)

    def find_one(self, request: Request) -> Awaitable[Response]:
        """Show one document."""
        return self._read(request, "document", request.parameters["documentId"])

    def find_single(self, request: Request) -> Awaitable[Response]:
        """Show the document of a single type."""
        return self._read(request, "single")

    async def _read(self, request: Request, mode: Mode, document_id: str | None = None) -> Response:
        """Respond to a read from the cache, or read and cache the response."""
        responses, version = self._responses, request.version
        ability = self._ability(request, mode)
        key = self._cache_key(request, mode, ability, document_id)
        response = responses.get(key, version)
        if response is not None:
            return response
        prepared = await self._prepare(request, mode, ability)
        if self._computed is not None and prepared.compiled.computed:
            if prepared.compiled.may_wait and not request.may_wait:
                raise WouldBlockError
            completion = self._read_computed(self._computed, request, mode, document_id, prepared)
            response, is_cacheable = await completion
            if is_cacheable and responses.can_keep(version):
                if mode == "list":
                    response.tag = await _entity_tag(response.body, may_wait=request.may_wait)
                # Functions of the project may read any table, so any commit invalidates it.
                responses.keep(key, version, response, None)
            return response
        serializer = self._serializer(request, prepared)
        if mode == "list":
            wrap = paged(prepared.pagination)
            body = await self._reader.encoded_rows(
                prepared, version, serializer=serializer, wrap=wrap, may_wait=request.may_wait
            )
            response = respond_encoded(body)
        else:
            response = _respond_document(
                await self._reader.encoded_row(
                    prepared,
                    document_id,
                    serializer=serializer,
                    wrap=envelope,
                    may_wait=request.may_wait,
                )
            )
        response.is_shared = is_cacheable = prepared.is_cacheable
        if is_cacheable and responses.can_keep(version):
            if mode == "list":
                response.tag = await _entity_tag(response.body, may_wait=request.may_wait)
            responses.keep(key, version, response, prepared.tables)
        return response

    async def _read_computed(
        self,
        computed: ComputedReads,
        request: Request,
        mode: Mode,
        document_id: str | None,
        prepared: PreparedRead,
    ) -> tuple[Response, bool]:
        """Respond to a read with computed fields; tells whether the response may be cached."""
        reader, may_wait = self._reader, request.may_wait
        if mode == "list":
            items, total, budget = await reader.run_list(
                prepared, request.version, partial(_list_program, prepared), may_wait=may_wait
            )
            if budget.is_long and not may_wait:
                raise WouldBlockError
            is_cacheable = await computed.complete(prepared, items, lambda: request.principal)
            body = await self._encode_list(request, prepared, items, total, budget)
            return respond_encoded(body), is_cacheable
        item = await reader.row(prepared, document_id, may_wait=may_wait)
        if item is None:
            raise NotFoundError
        is_cacheable = await computed.complete(prepared, [item], lambda: request.principal)
        response = self._respond_computed(request, prepared, item)
        prepared.budget().check_encoded(len(response.body), lambda: "")
        return response, is_cacheable

    async def _encode_list(
        self,
        request: Request,
        prepared: PreparedRead,
        items: list[Item],
        total: int | None,
        budget: ResponseBudget,
    ) -> bytes:
        """Encode a list with computed fields; a long one is encoded on another thread."""
        wrap, serializer = paged(prepared.pagination), self._serializer(request, prepared)
        encode_here = partial(
            encode_items,
            prepared.compiled.node,
            items,
            budget,
            serializer,
            lambda data: wrap(data, total),
        )
        return await asyncio.to_thread(encode_here) if budget.is_long else encode_here()

    def _cache_key(
        self, request: Request, mode: Mode, ability: Ability, document_id: str | None
    ) -> ResponseKey:
        return ResponseKey(
            self._type.uid,
            mode,
            request.raw_query,
            ability,
            self._planner.default_locale,
            document_id,
            _requests_v4(request),
        )

    def _respond_computed(
        self, request: Request, prepared: PreparedRead, item: Item, status: int = OK
    ) -> Response:
        serializer = self._serializer(request, prepared)
        body = encode(envelope(item if serializer is None else serializer(item)))
        return respond_encoded(body, status, changed=prepared.changed_at(item))

    def _serializer(self, request: Request, prepared: PreparedRead) -> EntrySerializer | None:
        """Return the conversion of entries to the v4 format, if a request asks for it."""
        if not _requests_v4(request):
            return None
        root, schema = prepared.plan.root, self._reader.schema
        return lambda item: to_v4(item, root, schema)

    async def create(self, request: Request) -> Response:
        """Create a document."""
        prepared, data = await self._prepare_write(request)
        command = CreateDocument(
            uid=self._type.uid,
            data=data,
            locale=one_locale(request.query),
            publish=is_published(request.query),
        )
        return await self._write(request, prepared, command, status=CREATED)

    async def update(self, request: Request) -> Response:
        """Change a document; that of a single type is created if it is missing."""
        prepared, data = await self._prepare_write(request)
        command = UpdateDocument(
            uid=self._type.uid,
            document_id=self._document_id(request),
            data=data,
            locale=one_locale(request.query),
            publish=is_published(request.query),
            expected=expected_tags(request),
        )
        return await self._write(request, prepared, command)

    async def delete(self, request: Request) -> Response:
        """Delete a document in one locale or in several; a missing one is no error."""
        command = await self._delete_command(request)
        await self._documents.perform([command], principal=request.caller)
        return NO_CONTENT

    def _document_id(self, request: Request) -> str | None:
        """Return the document of the path; ``None`` stands for that of a single type."""
        return None if self._type.kind is TypeKind.SINGLE else request.parameters["documentId"]

    async def _prepare_write(self, request: Request) -> tuple[PreparedRead, Data]:
        if self._reader.limits.drafts_need_token:
            refuse_populated_drafts(request.principal, request.query)
        ability = self._ability(request, "written")
        prepared = await self._prepare(request, "written", ability)
        return prepared, data_of(self._reader.schema, self._type, request.body, ability)

    async def _delete_command(self, request: Request) -> DeleteDocument:
        prepared = await self._prepare(request, "removed", self._ability(request, "removed"))
        query = request.query
        refuse_draft_deletion(self._type, query)
        locale, locales = deleted_locales(query)
        is_restricted = is_narrowed(query)
        return DeleteDocument(
            uid=self._type.uid,
            document_id=self._document_id(request),
            locale=AllLocales.LOCALE if is_restricted else locale,
            locales=None if is_restricted else locales,
            narrowed=prepared.page_of if is_restricted else None,
            expected=expected_tags(request),
        )

    async def _write(
        self,
        request: Request,
        prepared: PreparedRead,
        command: CreateDocument | UpdateDocument,
        *,
        status: int = OK,
    ) -> Response:
        """Write a document, and read the response within the same transaction."""
        if self._computed is not None and prepared.compiled.computed:
            return await self._write_computed(self._computed, request, prepared, command, status)
        serializer = self._serializer(request, prepared)

        def read(written_entries: Sequence[WrittenEntry]) -> Program[EncodedEntry | None]:
            return prepared.encoded_row(
                written_entries[0].entry_id, serializer=serializer, wrap=envelope
            )

        def act(unit: UnitOfWork) -> Program[EncodedEntry | None]:
            return run_and_read(unit, command, read)

        entry = await self._documents.run(act, commands=[command], principal=request.caller)
        if entry is None:
            message = "an entry that was just written is not there"
            raise TypeError(message)
        return respond_encoded(entry.text, status, changed=entry.changed)

    async def _write_computed(
        self,
        computed: ComputedReads,
        request: Request,
        prepared: PreparedRead,
        command: CreateDocument | UpdateDocument,
        status: int,
    ) -> Response:
        """Write a document, and compute the fields of the response after that."""

        def act(unit: UnitOfWork) -> Program[list[Item]]:
            return run_and_read(unit, command, lambda written: prepared.row(written[0].entry_id))

        items = await self._documents.run(act, commands=[command], principal=request.caller)
        await computed.complete(prepared, items, lambda: request.principal, is_written=True)
        return self._respond_computed(request, prepared, items[0], status)


def _list_program(
    prepared: PreparedRead, facts: ListFacts
) -> Program[tuple[list[Item], int | None, ResponseBudget]]:
    """Return the items of a list, their total if that was asked for, and what has been counted."""
    budget = prepared.budget()
    items, total = yield from prepared.rows(facts, budget)
    return items, total, budget


async def _entity_tag(body: bytes, *, may_wait: bool = True) -> bytes:
    """Return the tag of a body; that of a large one is computed on another thread.

    Raises WouldBlockError for a large one where ``may_wait`` is false.
    """
    if len(body) < _LARGE_BODY:
        return tag_of(body)
    if not may_wait:
        raise WouldBlockError
    return await asyncio.to_thread(tag_of, body)


def _respond_document(entry: EncodedEntry | None) -> Response:
    """Respond with a document. Raises NotFoundError if there is none."""
    if entry is None:
        raise NotFoundError
    return respond_encoded(entry.text, changed=entry.changed)


def _requests_v4(request: Request) -> bool:
    """Tell whether a request asks for the v4 format."""
    return request.headers.get(HEADER) == VALUE
