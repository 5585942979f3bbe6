"""The handler of batches.

The operations of a batch run one after the other in one transaction, those of one kind on documents
of one type with the same statements where possible. Each is checked like its single request:
permissions first, then the query, then keys, then values. An operation may refer to the document of
an earlier one instead of a document id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import groupby
from typing import NamedTuple

from msgspec import Raw, Struct

from quire.access.actions import WRITE_ACTIONS
from quire.content_api.batch.operations import BatchOperation, BatchOperations, OperationReferences
from quire.content_api.batch.types import BatchResult, BatchResults, batch_body
from quire.content_api.draft_access import refuse_populated_drafts
from quire.content_api.envelope import respond
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Authorizer, Route, RouteGroup
from quire.content_api.write_requests import (
    data_of,
    is_published,
    one_locale,
    refuse_draft_deletion,
)
from quire.database.execute.json_encoding import ResponseBudget
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.row_mappers import Item
from quire.database.program import Program
from quire.document_service.commands import (
    AllLocales,
    Command,
    CreateDocument,
    Data,
    DeleteDocument,
    PublishDocument,
    UnpublishDocument,
    UpdateDocument,
    WrittenEntry,
)
from quire.document_service.computed_reads import ComputedReads
from quire.document_service.read_service import ReadService
from quire.document_service.service import (
    DocumentService,
    run_and_read,
    run_in_bulk,
    run_together,
)
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import AppError, ValidationError
from quire.query.plan import PlanNode, ReadPlan
from quire.schema.model import FILE_UID, ContentType

PATH = "_batch"


class OperationErrors:
    """Adds the index of the operation to errors that are raised inside."""

    def __init__(self, index: int) -> None:
        self._index = index

    def __enter__(self) -> None:
        """Does nothing until an error is raised."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Prefix the path of the error with the operation, and raise it."""
        if isinstance(error, AppError):
            error.details = _add_index(error.details or {}, self._index)


def _add_index(details: Mapping[str, object], index: int) -> dict[str, object]:
    base_path = ["operations", str(index)]
    indexed_details: dict[str, object] = {**details, "operation": index}
    errors = details.get("errors")
    if isinstance(errors, list):
        indexed_details["errors"] = [
            {**error, "path": [*base_path, "data", *error.get("path", ())]} for error in errors
        ]
    if "key" in details:
        path = details.get("path")
        prefix = "data" if details.get("source") == "body" else None
        parts = [*base_path, prefix, path if isinstance(path, str) else None]
        indexed_details["path"] = ".".join(part for part in parts if part)
    return indexed_details


class _PreparedOperation(NamedTuple):
    operation: BatchOperation
    command: Command
    read: PreparedRead


class BatchApi:
    """The handler of batches; ``limit`` is the maximum number of operations."""

    def __init__(
        self,
        reader: ReadService,
        documents: DocumentService,
        authorizer: Authorizer,
        *,
        limit: int,
    ) -> None:
        self._reader = reader
        self._documents = documents
        self._authorizer = authorizer
        self._limit = limit
        self._computed = ComputedReads(reader, documents)
        self._types: dict[str, ContentType] = {}
        for type_ in reader.schema.api_types:
            self._types[type_.uid] = self._types[type_.route_name] = type_

    def routes(self) -> Iterator[Route]:
        """Yield the only route; every operation has its own permission."""
        yield RouteGroup("Batches")(
            "POST",
            PATH,
            None,
            self.run_batch,
            body=batch_body(self._limit),
            response=BatchResults,
            errors=(401, 403, 404),
        )

    async def run_batch(self, request: Request) -> Response:
        """Write several documents, all of them or none."""
        raw_operations = self._operations_in(request.body_fields)
        parser = BatchOperations(self._types, self._documents.new_id)
        operations = []
        for index, raw in enumerate(raw_operations):
            with OperationErrors(index):
                operations.append(parser.parse(raw, index))
        for index, operation in enumerate(operations):
            with OperationErrors(index):
                uid = operation.content_type.uid
                action = f"{uid}.{WRITE_ACTIONS[operation.action]}"
                self._authorizer.require(request.principal, action, uid)
        prepared = []
        for index, operation in enumerate(operations):
            with OperationErrors(index):
                prepared.append(await self._prepare(request, operation, parser.references))
        results = await self._perform(request, prepared)
        return respond(results)

    def _operations_in(self, body: Mapping[str, object]) -> Sequence[object]:
        operations = body.get("operations")
        if not isinstance(operations, list) or not operations:
            message = 'A batch is an object with a list of "operations" that is not empty'
            raise ValidationError(message)
        if len(operations) > self._limit:
            message = (
                f"A batch has at most {self._limit} operations (limits.batch_operations), "
                f"this one has {len(operations)}"
            )
            raise ValidationError(message)
        return operations

    async def _prepare(
        self, request: Request, operation: BatchOperation, references: OperationReferences
    ) -> _PreparedOperation:
        ability = request.principal.ability
        query = dict(operation.query)
        if operation.action in {"delete", "publish", "unpublish"}:
            query.pop("locale", None)
            query["status"] = "draft" if operation.action == "unpublish" else "published"
        if self._reader.limits.drafts_need_token:
            refuse_populated_drafts(request.principal, query)
        computes = bool(self._reader.schema.computed)
        read = await self._reader.prepare(
            operation.content_type, "written", query, ability, computes=computes
        )
        return _PreparedOperation(operation, self._command(request, operation, references), read)

    def _command(
        self, request: Request, operation: BatchOperation, references: OperationReferences
    ) -> Command:
        uid, document_id, query = operation.content_type.uid, operation.document_id, operation.query
        if operation.action in {"create", "update"}:
            data = self._data(request, operation, references)
            locale, publish = one_locale(query), is_published(query)
            if operation.action == "create":
                return CreateDocument(
                    uid=uid, data=data, locale=locale, publish=publish, document_id=document_id
                )
            return UpdateDocument(
                uid=uid, document_id=document_id, data=data, locale=locale, publish=publish
            )
        if "data" in operation.raw:
            message = f"{operation.action} takes no data"
            raise ValidationError(message)
        requested_locale = query.get("locale")
        locales = (
            AllLocales.LOCALE if requested_locale == AllLocales.LOCALE.value else one_locale(query)
        )
        if operation.action == "delete":
            refuse_draft_deletion(operation.content_type, query)
            return DeleteDocument(uid=uid, document_id=document_id, locale=locales)
        if not operation.content_type.draft_and_publish:
            message = f"{uid} has no drafts"
            raise ValidationError(message)
        if operation.action == "publish":
            return PublishDocument(uid=uid, document_id=document_id or "", locale=locales)
        return UnpublishDocument(uid=uid, document_id=document_id or "", locale=locales)

    def _data(
        self, request: Request, operation: BatchOperation, references: OperationReferences
    ) -> Data:
        data = references.replace(operation.raw.get("data"))
        return data_of(
            self._reader.schema,
            operation.content_type,
            {"data": data},
            request.principal.ability,
        )

    async def _perform(
        self, request: Request, prepared: Sequence[_PreparedOperation]
    ) -> list[BatchResult]:

        computed_items: dict[int, Item] = {}

        def act(unit: UnitOfWork) -> Program[list[BatchResult]]:
            # A transaction that is tried again reads its results again.
            computed_items.clear()
            runner = _BatchRunner(unit, prepared, self._reader.budget(), computed_items)
            return (yield from runner.run())

        commands = [command for _, command, _ in prepared]
        principal = request.principal
        results = await self._documents.run(act, commands=commands, principal=principal)
        reads = {index: prepared[index].read for index in computed_items}
        for indexes in _group_by_plan(reads):
            items = [computed_items[index] for index in indexes]
            read = reads[indexes[0]]
            await self._computed.complete(read, items, lambda: principal, is_written=True)
            for index, item in zip(indexes, items, strict=True):
                results[index].data = item
        return results


_ReadResult = Callable[[list[WrittenEntry]], Program[BatchResult]]
"""Reads the result of an operation from the entries that it has written."""


class _BatchRunner(Struct):
    """Runs the operations of a batch in a transaction.

    Results with computed fields are read into ``computed_items``, by the indexes of operations.
    ``budget`` is what is left for further results.
    """

    unit: UnitOfWork
    prepared: Sequence[_PreparedOperation]
    budget: ResponseBudget
    computed_items: dict[int, Item]

    def run(self) -> Program[list[BatchResult]]:
        """Run all operations in order; returns their results."""
        results: list[BatchResult] = []
        for indexes in _group_by_kind([operation.command for operation in self.prepared]):
            results += yield from self._run_group(indexes)
        return results

    def _run_group(self, indexes: Sequence[int]) -> Program[list[BatchResult]]:
        """Run operations of one kind, with the same statements where possible."""

        def read(written: list[list[WrittenEntry]]) -> Program[list[BatchResult]]:
            results: list[BatchResult] = []
            for index, entries in zip(indexes, written, strict=True):
                results.append((yield from self._reader_of(index)(entries)))
            return results

        commands = [self.prepared[index].command for index in indexes]
        # A result shows its document as its operation left it, with the documents linked then.
        if not any(self._shows_others(self.prepared[index].read.plan.root) for index in indexes):
            budget = copy(self.budget)
            results = yield from run_in_bulk(self.unit, commands, read)
            if results is not None:
                return results
            # They are read again.
            self.budget = budget
        writes = [(self.prepared[index].command, self._run_one(index)) for index in indexes]
        return (yield from run_together(self.unit, writes))

    def _shows_others(self, node: PlanNode) -> bool:
        """Tell whether a result can have values of other documents; files do not change here."""
        types = self.unit.engine.schema.content_types
        return any(
            (inner.uid in types and inner.uid != FILE_UID) or self._shows_others(inner)
            for edge in node.edges
            for inner in (*edge.nodes, *edge.unlisted)
        )

    def _run_one(self, index: int) -> Program[BatchResult]:
        with OperationErrors(index):
            command = self.prepared[index].command
            return (yield from run_and_read(self.unit, command, self._reader_of(index)))

    def _reader_of(self, index: int) -> _ReadResult:
        operation, _, read = self.prepared[index]
        if read.compiled.computed:
            return partial(_read_item, operation, read, self.budget, self.computed_items, index)
        return partial(_read_result, operation, read, self.budget)


def _group_by_kind(commands: Sequence[Command]) -> list[list[int]]:
    """Return the indexes of commands that follow each other, of one kind on one type."""
    groups = groupby(
        range(len(commands)), key=lambda index: (type(commands[index]), commands[index].uid)
    )
    return [[*indexes] for _, indexes in groups]


def _group_by_plan(reads: Mapping[int, PreparedRead]) -> list[list[int]]:
    """Return the numbers of reads together whose documents have the same computed fields."""
    indexes_by_plan: dict[ReadPlan, list[int]] = {}
    for index, read in reads.items():
        indexes_by_plan.setdefault(read.plan, []).append(index)
    return [*indexes_by_plan.values()]


def _read_item(
    operation: BatchOperation,
    read: PreparedRead,
    budget: ResponseBudget,
    items: dict[int, Item],
    index: int,
    written_entries: Sequence[WrittenEntry],
) -> Program[BatchResult]:
    """Read the document of a result into ``items``, as some of its fields are computed later."""
    if operation.action != "delete" and written_entries:
        for item in (yield from read.row(written_entries[0].entry_id, budget)):
            items[index] = item
    return _result(operation, written_entries, None)


def _read_result(
    operation: BatchOperation,
    read: PreparedRead,
    budget: ResponseBudget,
    written_entries: Sequence[WrittenEntry],
) -> Program[BatchResult]:
    row = None
    if operation.action != "delete" and written_entries:
        row = yield from read.encoded_row(written_entries[0].entry_id, budget)
    return _result(operation, written_entries, None if row is None else Raw(row.text))


def _result(
    operation: BatchOperation, written_entries: Sequence[WrittenEntry], data: Raw | None
) -> BatchResult:
    document_id = written_entries[0].document_id if written_entries else operation.document_id
    return BatchResult(
        action=operation.action,
        type=operation.content_type.uid,
        document_id=document_id,
        data=data,
    )
