"""Adds computed fields of a project's Python code to documents that were read.

Functions are called once for each document, or once for all documents at one place of the response.
Fields that only they need are removed afterwards.
"""

import asyncio
import inspect
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from operator import attrgetter
from typing import Any, Protocol

import msgspec
import structlog

from quire.access.ability import project_rules_of
from quire.access.principal import Principal
from quire.database.execute.json_encoding import encode
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.row_mappers import Item, encoded_members, member_names
from quire.document_service.extension_context import ExtensionContext
from quire.document_service.hook_principal import not_as_system
from quire.document_service.read_service import ReadService
from quire.document_service.service import DocumentService
from quire.document_service.transaction_context import CallContext
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import AppError, ProjectCodeError, ProjectCodeTimeoutError
from quire.hooks.computed import ComputedField
from quire.hooks.document import Document, convert_value
from quire.hooks.errors import CODE_ERRORS
from quire.hooks.function_times import FunctionTimer, call_plain
from quire.hooks.registry import CallCause, require_depth
from quire.hooks.time import clock_reads, observe_time
from quire.query.plan import EdgeKind, PlanEdge, PlanNode
from quire.query.resolve.fields import computed_fields

_TIMEOUT_SECONDS = 10
"""Time limit of a function for the documents of a page."""
_MAX_COMPILED = 1000
"""How many generated functions are cached: one for each field of a plan."""
_KINDS = ("__component", "__type")
"""Keys with the model of a list item."""

_log = structlog.get_logger("quire.extensions")
EntryJson = dict[str, Any]


class ComputedReads:
    """Computes fields for the content API."""

    def __init__(self, reader: ReadService, documents: DocumentService) -> None:
        self._schema = reader.schema
        self._documents = documents

    async def complete(
        self,
        prepared: PreparedRead,
        items: Sequence[Item],
        principal_of: Callable[[], Principal],
        *,
        is_written: bool = False,
    ) -> bool:
        """Set the computed fields of the items of a read; tells whether a response may be cached.

        ``principal_of`` returns the principal as whom functions act that may read documents. With
        ``is_written`` the items were written and committed before: a field whose function fails is
        null, since an error would make a client write them again. Otherwise raises the AppErrors
        of functions, ProjectCodeError for their other exceptions, and ProjectCodeTimeoutError when
        one takes too long.
        """
        service = self._documents

        def context_of(field: ComputedField) -> ExtensionContext:
            return CallContext(field.name, service, principal_of())

        run = _ComputedCalls(service.engine, context_of, null_on_error=is_written)
        await run.fill(prepared.plan.root, items)
        # A cached response could be shown to another principal with the same permissions, or after
        # the result of time-dependent rules has changed.
        volatile = run.has_queried and project_rules_of(principal_of().ability).volatile
        return prepared.is_cacheable and run.is_cacheable and not volatile


async def compute_for_administrator(
    documents: DocumentService,
    editor: int,
    uid: str,
    names: Collection[str],
    entries: Sequence[EntryJson],
) -> tuple[list[EntryJson], dict[str, AppError]]:
    """Return computed fields for each entry that an administrator sees, and errors by field.

    An entry has those whose needs it shows. A field whose function fails, because it has no
    permissions of the content API for example, is left out. ``editor`` is the row of the
    administrator.
    """

    def context_of(field: ComputedField) -> ExtensionContext:
        return CallContext(field.name, documents, None, editor=editor)

    calls = _ComputedCalls(documents.engine, context_of)
    results: list[EntryJson] = [{} for _ in entries]
    errors: dict[str, AppError] = {}
    for name, field in documents.engine.schema.computed.get(uid, {}).items():
        places = [
            place
            for place, entry in enumerate(entries)
            if name in names and all(need in entry for need in field.needs)
        ]
        if not places:
            continue
        try:
            shown_entries = _JsonEntries(
                [entries[place] for place in places], [results[place] for place in places]
            )
            await calls.compute(uid, name, shown_entries)
        except AppError as error:
            _log.warning("a computed field is not shown", field=name, error=type(error).__name__)
            errors[name] = error
    return results, errors


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
        self._null_on_error = null_on_error
        self._context_of = context_of
        self._fields = engine.schema.computed
        self.is_cacheable = True
        self.has_queried = False
        """Whether a function was called that may have read documents."""

    async def fill(self, node: PlanNode, rows: Sequence[Item] | Sequence[EntryJson]) -> None:
        """Compute the fields of the entries of a node, and of their populated entries."""
        if not rows:
            return
        entries: _Entries = (
            _JsonEntries(rows)  # type: ignore[arg-type]  # all are of one kind
            if isinstance(rows[0], dict)
            else _ItemEntries(rows)  # type: ignore[arg-type]  # likewise
        )
        for edge in node.edges:
            if edge.kind is EdgeKind.ROWS and _has_computed(edge):
                for inner, related in _populated_entries(edge, entries):
                    await self.fill(inner, related)
        for name in node.computed:
            await self.compute(node.uid, name, entries)
        for name in node.hidden:
            entries.remove(name)

    async def compute(self, uid: str, name: str, entries: "_Entries") -> None:
        """Set one field of entries. Raises as `ComputedReads.complete`."""
        field = self._fields[uid][name]
        self.is_cacheable &= not field.volatile
        try:
            if field.batch:
                with observe_time() as observer:
                    entries.set(name, await self._call_batch(field, entries))
                has_read_clock = observer.was_read
            else:
                last_read = clock_reads.last
                call_plain(field, entries.compute, field)
                has_read_clock = clock_reads.last is not last_read
        except CODE_ERRORS as error:
            if self._null_on_error or not isinstance(error, AppError):
                _log.error("a computed field failed", field=field.name, place=field.place)
            if self._null_on_error:
                entries.set(name, [None] * len(entries))
            elif isinstance(error, AppError):
                raise
            else:
                raise ProjectCodeError(field.name, field.place) from error
        else:
            self.is_cacheable &= not has_read_clock

    async def _call_batch(self, field: ComputedField, entries: "_Entries") -> list[object]:
        documents = _documents_for(field, entries)
        context = self._context_of(field)
        self.has_queried = True
        limit = asyncio.timeout(_TIMEOUT_SECONDS)
        try:
            with context.activate():
                result = call_plain(field, field.function, documents)
                if inspect.isawaitable(result):
                    with FunctionTimer(field):
                        async with limit:
                            result = await result
        except TimeoutError as error:
            if not limit.expired():
                raise
            _log.error("a computed field took too long", field=field.name, place=field.place)
            raise ProjectCodeTimeoutError(field.name, field.place) from error
        finally:
            context.is_ended = True
        self.is_cacheable &= not context.has_read_principal
        values = list(result)
        if len(values) != len(documents):
            message = f"{field.name} returned {len(values)} values for {len(documents)} documents"
            raise ValueError(message)
        return values


class _Entries(Protocol):
    """The entries of one node; their values are those of responses."""

    def __len__(self) -> int:
        """Return how many there are."""

    def column(self, name: str) -> list[Any]:
        """Return the values of a field, with documents for objects in them."""

    def compute(self, field: ComputedField) -> None:
        """Set a field of each entry to what its function returns for it."""

    def set(self, name: str, values: Sequence[object]) -> None:
        """Set the values of a field."""

    def remove(self, name: str) -> None:
        """Remove a field."""

    def populated(self, name: str) -> Iterator[object]:
        """Yield what an attribute is populated with: an entry, a list of them or nothing."""


class _JsonEntries:
    """Entries as JSON objects; fields are set in ``results``, by default in the entries."""

    def __init__(
        self, entries: Sequence[EntryJson], results: Sequence[EntryJson] | None = None
    ) -> None:
        self._entries = entries
        self._results = entries if results is None else results

    def __len__(self) -> int:
        return len(self._entries)

    def column(self, name: str) -> list[Any]:
        return [convert_value(entry[name]) for entry in self._entries]

    def compute(self, field: ComputedField) -> None:
        self.set(field.name, [*map(field.function, _documents_for(field, self))])

    def set(self, name: str, values: Sequence[object]) -> None:
        for result, value in zip(self._results, values, strict=True):
            result[name] = value

    def remove(self, name: str) -> None:
        for entry in self._entries:
            del entry[name]

    def populated(self, name: str) -> Iterator[object]:
        return (entry.get(name) for entry in self._entries)


class _ItemEntries:
    """Entries as items of a read, which have members for the computed fields of their plan."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items
        self._record = type(items[0])
        self._members = member_names(self._record)

    def __len__(self) -> int:
        return len(self._items)

    def column(self, name: str) -> list[Any]:
        values = [*map(attrgetter(self._members[name]), self._items)]
        if _PLAIN_TYPES.issuperset(map(type, values)):
            return values
        # Others are encoded already, or encode themselves.
        return [convert_value(value) for value in msgspec.json.decode(encode(values))]

    def compute(self, field: ComputedField) -> None:
        if encoded_members(self._record).isdisjoint(field.needs):
            _compile_calls(self._record, field)(self._items)
        else:
            self.set(field.name, [*map(field.function, _documents_for(field, self))])

    def set(self, name: str, values: Sequence[object]) -> None:
        # A loop would take twice as long.
        deque(map(setattr, self._items, repeat(self._members[name]), values), maxlen=0)

    def remove(self, name: str) -> None:
        # A member that is not set is not encoded.
        self.set(name, [msgspec.UNSET] * len(self._items))

    def populated(self, name: str) -> Iterator[object]:
        return map(attrgetter(self._members[name]), self._items)


_PLAIN_TYPES = frozenset({str, int, float, bool, type(None)})
"""The types of values that are the same in a response and in Python."""


@lru_cache(_MAX_COMPILED)
def _compile_calls(record: type[Item], field: ComputedField) -> Callable[[Sequence[Item]], None]:
    """Generate a function that sets a field of each item to what its function returns for it.

    A document is made, and removed, at each call: making all of them first takes longer. The
    generated source contains names of the schema, and nothing from a request.
    """
    members = member_names(record)
    assignments = "; ".join(f"document[{need!r}] = item.{members[need]}" for need in field.needs)
    source = f"""
def compute(items):
    for item in items:
        document = make()
        {assignments}
        item.{members[field.name]} = function(document)
"""
    names: dict[str, Any] = {"make": field.document, "function": field.function}
    exec(source, names)  # noqa: S102
    compute: Callable[[Sequence[Item]], None] = names["compute"]
    return compute


def _documents_for(field: ComputedField, entries: _Entries) -> list[Document]:
    """Return the documents of entries for a function, with the fields that it needs.

    They are made column by column: a document for each function and entry is most of the work.
    """
    make = field.document
    documents = [make() for _ in range(len(entries))]
    for need in field.needs:
        for document, value in zip(documents, entries.column(need), strict=True):
            document[need] = value
    return documents


def _populated_entries(edge: PlanEdge, entries: _Entries) -> Iterator[tuple[PlanNode, list[Any]]]:
    """Yield the populated entries of an edge, by the node that they were read for.

    An item that several entries are populated with is yielded once.
    """
    related_rows = {
        id(row): row for value in entries.populated(edge.attribute) for row in _as_rows(value)
    }
    nodes = (*edge.nodes, *edge.unlisted)
    if len(nodes) == 1:
        yield nodes[0], [*related_rows.values()]
        return
    rows_by_uid: dict[object, list[Any]] = {}
    for row in related_rows.values():
        rows_by_uid.setdefault(_kind_of(row), []).append(row)
    for node in nodes:
        if node.uid in rows_by_uid:
            yield node, rows_by_uid[node.uid]


def _has_computed(edge: PlanEdge) -> bool:
    """Tell whether there are computed fields in what an edge is populated with, at any level."""
    return any(next(computed_fields(node), None) for node in (*edge.nodes, *edge.unlisted))


def _as_rows(value: object) -> Sequence[Any]:
    if isinstance(value, list | tuple):
        return value
    return [value] if isinstance(value, dict | Item) else ()


def _kind_of(row: Item | EntryJson) -> object:
    """Return the uid of an item of a list of several kinds."""
    if isinstance(row, dict):
        return next((row[kind] for kind in _KINDS if kind in row), None)
    members = member_names(type(row))
    return next((getattr(row, members[kind]) for kind in _KINDS if kind in members), None)
