"""Adds computed fields of a project's Python code to documents that were read.

Functions are called once for each document, or once for all documents at one place of the response.
Fields that only they need are removed afterwards.
"""

import asyncio
import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import structlog
from msgspec import Struct

from quire.access.ability import project_rules_of
from quire.access.principal import Principal
from quire.database.execute.encoding import encode
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.row_mappers import Item
from quire.document_service.call_context import CallContext
from quire.document_service.read_service import ReadService
from quire.document_service.service import DocumentService
from quire.errors import AppError, InternalServerError, ServiceUnavailableError
from quire.hooks.computed import ComputedField
from quire.hooks.document import make_document
from quire.hooks.time import observe_time
from quire.query.plan import EdgeKind, PlanEdge, PlanNode

_SECONDS = 10
"""Time limit of a function for the documents of a page."""
_KINDS = ("__component", "__type")
"""Keys with the model of a list item."""

_log = structlog.get_logger("quire.extensions")
Shown = dict[str, Any]


class ComputedDocuments(Struct, frozen=True):
    """Documents with their computed fields, and whether a response with them may be cached."""

    documents: list[Shown]
    is_cacheable: bool


class ComputedReads:
    """Computes fields for the content API."""

    def __init__(self, reader: ReadService, documents: DocumentService) -> None:
        self._schema = reader.schema
        self._documents = documents

    async def complete(
        self, prepared: PreparedRead, items: Sequence[Item], principal: Principal
    ) -> ComputedDocuments:
        """Return the documents of a read with their computed fields, for ``principal``.

        Raises the AppErrors of functions, InternalServerError for their other exceptions, and
        ServiceUnavailableError when one takes too long.
        """
        documents: list[Shown] = msgspec.json.decode(encode(items))
        run = _ComputedCalls(self._documents, principal)
        await run.fill(prepared.plan.root, documents)
        return ComputedDocuments(documents, is_cacheable=prepared.is_cacheable and run.is_cacheable)


class _ComputedCalls:
    """The calls for one response."""

    def __init__(self, documents: DocumentService, principal: Principal) -> None:
        self._documents = documents
        self._principal = principal
        self._fields = documents.schema.computed
        self.is_cacheable = True

    async def fill(self, node: PlanNode, documents: Sequence[Shown]) -> None:
        """Compute the fields of documents at one place, and of their populated documents."""
        if not documents:
            return
        for edge in node.edges:
            if edge.kind is EdgeKind.ROWS:
                for inner, related in _related(edge, documents):
                    await self.fill(inner, related)
        found = {name: await self._values(node.uid, name, documents) for name in node.computed}
        for place, document in enumerate(documents):
            for name in node.hidden:
                del document[name]
            for name, values in found.items():
                document[name] = values[place]

    async def _values(self, uid: str, name: str, documents: Sequence[Shown]) -> list[object]:
        field = self._fields[uid][name]
        self.is_cacheable &= not field.volatile
        try:
            with observe_time(self._documents.engine.clock) as observed:
                values = await self._called(field, documents)
        except AppError:
            raise
        except Exception as error:
            _log.error("a computed field failed", field=field.name, place=field.place)
            raise InternalServerError from error
        self.is_cacheable &= not observed.was_read
        return values

    async def _called(self, field: ComputedField, documents: Sequence[Shown]) -> list[object]:
        given = [
            make_document(field.document, {need: one[need] for need in field.needs})
            for one in documents
        ]
        if not field.batch:
            return [field.function(one) for one in given]
        context = CallContext(field.name, self._documents, self._principal)
        limit = asyncio.timeout(_SECONDS)
        try:
            with context.activate():
                result = field.function(given)
                if inspect.isawaitable(result):
                    async with limit:
                        result = await result
        except TimeoutError as error:
            if not limit.expired():
                raise
            _log.error("a computed field took too long", field=field.name, place=field.place)
            raise ServiceUnavailableError from error
        finally:
            context.is_ended = True
        # A cached response could be shown to another principal with the same permissions, or after
        # the result of time-dependent rules has changed.
        volatile = project_rules_of(self._principal.ability).volatile
        self.is_cacheable &= not (context.has_read_principal or volatile)
        values = list(result)
        if len(values) != len(documents):
            message = f"{field.name} returned {len(values)} values for {len(documents)} documents"
            raise ValueError(message)
        return values


def _related(edge: PlanEdge, documents: Sequence[Shown]) -> Iterator[tuple[PlanNode, list[Shown]]]:
    """Yield the populated documents of an edge, by the node that they were read for."""
    found = [one for document in documents for one in _listed(document.get(edge.attribute))]
    nodes = (*edge.nodes, *edge.others)
    if len(nodes) == 1:
        yield nodes[0], found
        return
    for node in nodes:
        own = [one for one in found if node.uid in (one.get(kind) for kind in _KINDS)]
        if own:
            yield node, own


def _listed(value: object) -> list[Shown]:
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, dict) else []
