"""Adds computed fields of a project's Python code to documents that were read.

Functions are called once for each document, or once for all documents at one place of the response.
Fields that only they need are removed afterwards.
"""

import asyncio
import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import msgspec
import structlog
from msgspec import Struct

from quire.access.ability import project_rules_of
from quire.access.principal import Principal
from quire.database.execute.json_encoding import encode
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.row_mappers import Item
from quire.document_service.extension_context import ExtensionContext
from quire.document_service.hook_principal import not_as_system
from quire.document_service.read_service import ReadService
from quire.document_service.service import DocumentService
from quire.document_service.transaction_context import CallContext
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import AppError, InternalServerError, ServiceUnavailableError
from quire.hooks.computed import ComputedField
from quire.hooks.document import make_document
from quire.hooks.function_times import FunctionTimer, call_plain
from quire.hooks.registry import CallCause, require_depth
from quire.hooks.time import ObservedTime
from quire.query.plan import EdgeKind, PlanEdge, PlanNode

_TIMEOUT_SECONDS = 10
"""Time limit of a function for the documents of a page."""
_KINDS = ("__component", "__type")
"""Keys with the model of a list item."""

_log = structlog.get_logger("quire.extensions")
EntryJson = dict[str, Any]


class ComputedDocuments(Struct, frozen=True):
    """Documents with their computed fields, and whether a response with them may be cached."""

    documents: list[EntryJson]
    is_cacheable: bool


class ComputedReads:
    """Computes fields for the content API."""

    def __init__(self, reader: ReadService, documents: DocumentService) -> None:
        self._schema = reader.schema
        self._documents = documents

    async def complete(
        self,
        prepared: PreparedRead,
        items: Sequence[Item],
        principal: Principal,
        *,
        is_written: bool = False,
    ) -> ComputedDocuments:
        """Return the documents of a read with their computed fields, for ``principal``.

        With ``is_written`` they were written and committed before: a field whose function fails is
        null, since an error would make a client write them again. Otherwise raises the AppErrors
        of functions, InternalServerError for their other exceptions, and ServiceUnavailableError
        when one takes too long.
        """
        documents: list[EntryJson] = msgspec.json.decode(encode(items))
        service = self._documents

        def context_of(field: ComputedField) -> ExtensionContext:
            return CallContext(field.name, service, principal)

        run = _ComputedCalls(service.engine, context_of, null_on_error=is_written)
        await run.fill(prepared.plan.root, documents)
        # A cached response could be shown to another principal with the same permissions, or after
        # the result of time-dependent rules has changed.
        volatile = run.has_queried and project_rules_of(principal.ability).volatile
        is_cacheable = prepared.is_cacheable and run.is_cacheable and not volatile
        return ComputedDocuments(documents, is_cacheable=is_cacheable)


async def compute_for_administrator(
    documents: DocumentService,
    editor: int,
    uid: str,
    names: Collection[str],
    entries: Sequence[EntryJson],
) -> list[EntryJson]:
    """Return computed fields for each entry that an administrator sees.

    An entry has those whose needs it shows. A function that fails, because it has no permissions of
    the content API for example, is left out: the log has its name. ``editor`` is the row of the
    administrator.
    """

    def context_of(field: ComputedField) -> ExtensionContext:
        return CallContext(field.name, documents, None, editor=editor)

    calls = _ComputedCalls(documents.engine, context_of)
    results: list[EntryJson] = [{} for _ in entries]
    for name, field in documents.engine.schema.computed.get(uid, {}).items():
        places = [
            place
            for place, entry in enumerate(entries)
            if name in names and all(need in entry for need in field.needs)
        ]
        if not places:
            continue
        try:
            values = await calls.values(uid, name, [entries[place] for place in places])
        except AppError as error:
            _log.warning("a computed field is not shown", field=name, error=type(error).__name__)
            continue
        for place, value in zip(places, values, strict=True):
            results[place][name] = value
    return results


async def compute_in(
    context: ExtensionContext, node: PlanNode, documents: Sequence[EntryJson], *, as_system: bool
) -> None:
    """Add computed fields to documents that code has read in a unit of work.

    ``node`` is the root of their plan. The functions act as the code does, but never as the system.
    Raises as `ComputedReads.complete`.
    """

    def context_of(field: ComputedField) -> ExtensionContext:
        cause = CallCause(phase="computed", name=field.name, file=field.file, line=field.line)
        require_depth((*context.causes, cause), context.engine.code_limits)
        return context.for_cause(cause, as_system=as_system)

    with not_as_system():
        await _ComputedCalls(context.engine, context_of).fill(node, documents)


class _ComputedCalls:
    """The calls for one read; ``context_of`` makes the context of each.

    With ``null_on_error`` the values of a function that fails are null.
    """

    def __init__(
        self,
        engine: WriteEngine,
        context_of: Callable[[ComputedField], ExtensionContext],
        *,
        null_on_error: bool = False,
    ) -> None:
        self._engine = engine
        self._null_on_error = null_on_error
        self._context_of = context_of
        self._fields = engine.schema.computed
        self.is_cacheable = True
        self.has_queried = False
        """Whether a function was called that may have read documents."""

    async def fill(self, node: PlanNode, documents: Sequence[EntryJson]) -> None:
        """Compute the fields of documents at one place, and of their populated documents."""
        if not documents:
            return
        for edge in node.edges:
            if edge.kind is EdgeKind.ROWS:
                for inner, related in _populated_documents(edge, documents):
                    await self.fill(inner, related)
        values_by_name = {
            name: await self.values(node.uid, name, documents) for name in node.computed
        }
        for position, document in enumerate(documents):
            for name in node.hidden:
                del document[name]
            for name, values in values_by_name.items():
                document[name] = values[position]

    async def values(self, uid: str, name: str, documents: Sequence[EntryJson]) -> list[object]:
        """Return the values of one field for documents. Raises as `ComputedReads.complete`."""
        field = self._fields[uid][name]
        self.is_cacheable &= not field.volatile
        try:
            with ObservedTime(self._engine.clock) as observed:
                values = await self._call_function(field, documents)
        except Exception as error:
            if self._null_on_error or not isinstance(error, AppError):
                _log.error("a computed field failed", field=field.name, place=field.place)
            if self._null_on_error:
                return [None] * len(documents)
            if isinstance(error, AppError):
                raise
            raise InternalServerError from error
        self.is_cacheable &= not observed.was_read
        return values

    async def _call_function(
        self, field: ComputedField, documents: Sequence[EntryJson]
    ) -> list[object]:
        partial_documents = [
            make_document(field.document, {need: document[need] for need in field.needs})
            for document in documents
        ]
        if not field.batch:
            function = field.function
            return call_plain(
                field,
                lambda documents: [function(document) for document in documents],
                partial_documents,
            )
        context = self._context_of(field)
        self.has_queried = True
        limit = asyncio.timeout(_TIMEOUT_SECONDS)
        try:
            with context.activate():
                result = call_plain(field, field.function, partial_documents)
                if inspect.isawaitable(result):
                    with FunctionTimer(field):
                        async with limit:
                            result = await result
        except TimeoutError as error:
            if not limit.expired():
                raise
            _log.error("a computed field took too long", field=field.name, place=field.place)
            raise ServiceUnavailableError from error
        finally:
            context.is_ended = True
        self.is_cacheable &= not context.has_read_principal
        values = list(result)
        if len(values) != len(documents):
            message = f"{field.name} returned {len(values)} values for {len(documents)} documents"
            raise ValueError(message)
        return values


def _populated_documents(
    edge: PlanEdge, documents: Sequence[EntryJson]
) -> Iterator[tuple[PlanNode, list[EntryJson]]]:
    """Yield the populated documents of an edge, by the node that they were read for."""
    related_documents = [
        row for document in documents for row in _as_rows(document.get(edge.attribute))
    ]
    nodes = (*edge.nodes, *edge.unlisted)
    if len(nodes) == 1:
        yield nodes[0], related_documents
        return
    for node in nodes:
        node_documents = [
            related
            for related in related_documents
            if node.uid in (related.get(kind) for kind in _KINDS)
        ]
        if node_documents:
            yield node, node_documents


def _as_rows(value: object) -> list[EntryJson]:
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, dict) else []
