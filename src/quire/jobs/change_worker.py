"""The worker that calls `@after_commit` functions with changes.

Changes are stored in the transaction of the write, so that none is lost and none is reported of a
transaction that was rolled back. They are delivered at least once: a process that is lost after a
call, and before its result is stored, leaves the changes to another one.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import structlog

from quire.access.ability import Unsanitized
from quire.clock import Clock
from quire.database.interface import Database
from quire.database.program import Program, Value
from quire.database.stores.change_outbox import CHANGES, AttemptRange, ChangeQueue, StoredChange
from quire.database.versioned_cache import VersionedValue
from quire.document_service.read_planner import DocumentQuery
from quire.document_service.record_changes import cause_of, decode_linked
from quire.document_service.shape_queries import as_shape, query_of_shape
from quire.document_service.transaction_context import CallContext
from quire.hooks.after_commit import Change, ChangeListener
from quire.hooks.errors import CODE_ERRORS
from quire.hooks.registry import CallCause
from quire.hooks.shape import Shape
from quire.ids import new_document_id
from quire.jobs.job_worker import JobRuntime
from quire.queue_worker import (
    QueueWorker,
    StartSpan,
    backoff_ms,
    limit_time,
    message_of,
    no_span,
)

_log = structlog.get_logger("quire.jobs")

_CHECK_MS = 40_000
"""How often an idle worker looks for changes."""
_LEASE_MARGIN_MS = 10_000
"""How much longer claimed changes belong to this process than a call may take.

The changes of a lost process are delivered again afterwards."""
_MAX_CALLS = 4
"""How many calls of one function run at once; their changes are of different documents."""
_BATCH_SIZES = (AttemptRange(0, 0, 100), AttemptRange(1, 2, 10), AttemptRange(3, 1_000_000, 1))
"""Batch sizes by attempts: smaller after a failure, so that one change blocks no others."""


class ChangeWorker(QueueWorker):
    """Claims changes and calls their functions."""

    def __init__(
        self,
        database: Database,
        queue: ChangeQueue,
        *,
        clock: Clock,
        start_span: StartSpan = no_span,
    ) -> None:
        super().__init__("changes", database)
        self._start_span = start_span
        self._queue = queue
        self._rows = queue.rows
        self._clock = clock
        self._holder = new_document_id()
        self._runtime: JobRuntime | None = None
        self._seconds = 0.0
        """How long a call may take."""
        self._listeners: Mapping[str, tuple[ChangeListener, ...]] = {}
        self._is_current: VersionedValue[bool] = VersionedValue(
            database.versions, frozenset({CHANGES.name})
        )
        queue.added = self.wake

    def adopt(self, runtime: JobRuntime) -> None:
        """Call the functions of a runtime from now on."""
        listeners_by_key: dict[str, tuple[ChangeListener, ...]] = {}
        for listener in runtime.listeners:
            listeners_by_key[listener.key] = (*listeners_by_key.get(listener.key, ()), listener)
        self._runtime, self._listeners = runtime, listeners_by_key
        self._seconds = runtime.documents.engine.code_limits.delivery_seconds
        self.wake()

    @property
    def is_delivering(self) -> bool:
        """Whether a function is being called."""
        return bool(self._running)

    def seconds_to_next(self) -> float:
        """Return how long it is until the next change is due."""
        return max(self._next_due - self._clock(), 0) / 1000

    async def work(self) -> None:
        """Claim due changes and start to deliver them. Raises ServiceUnavailableError."""
        if not self._listeners:
            self._next_due = self._clock() + _CHECK_MS
            return
        now, version = self._clock(), self._database.version()
        if now < self._next_due and self._is_current.get(version):
            return
        await self._queue.tables.ensure(CHANGES)
        dues = [await self._claim_changes(key, now) for key in self._listeners]
        # Not before the reads: a check that fails is repeated.
        self._is_current.set(version, True)  # noqa: FBT003 - the value, not a flag
        self._next_due = min(dues)

    async def _claim_changes(self, key: str, now: int) -> int:
        """Claim the due changes of a function; returns when to check again."""
        next_due = await self._database.read(lambda: self._rows.first_due(key, now))
        if next_due is None:
            return now + _CHECK_MS
        free_calls = _MAX_CALLS - self._count_of(key)
        if next_due > now or free_calls <= 0:
            # A call wakes the worker when it ends.
            return next_due if next_due > now else now + _CHECK_MS
        until = now + round(self._seconds * 1000) + _LEASE_MARGIN_MS
        claim = self._claim(key, free_calls, now, until)
        for rows in await self._database.write(claim):
            self._begin(self._deliver(key, rows), key)
        return now + 1000

    def _claim(
        self, key: str, calls: int, now: int, until: int
    ) -> Program[list[list[StoredChange]]]:
        """Claim the changes of at most so many calls."""
        claimed: list[list[StoredChange]] = []
        for attempts in _BATCH_SIZES:
            while len(claimed) < calls:
                rows = yield from self._rows.claim(
                    key, self._holder, attempts, now=now, until=until
                )
                if rows:
                    claimed.append(rows)
                if len(rows) < attempts.batch_size:
                    break
        return claimed

    async def _deliver(self, key: str, rows: Sequence[StoredChange]) -> None:
        """Call a function with changes, and record the result."""
        runtime, listeners = self._runtime, self._listeners.get(key)
        if runtime is None or listeners is None:
            return
        try:
            await self._call(runtime, listeners, rows)
        except asyncio.CancelledError as error:
            # The server is stopping: other servers continue; this does not count as an attempt.
            changes = {"due": self._clock()} if self._is_stopped else None
            await self._settle(listeners[0], rows, "It was cancelled", error, changes)
        except CODE_ERRORS as error:  # the function may raise anything
            await self._settle(listeners[0], rows, message_of(error), error)
        else:
            await self._record_result(self._rows.delivered([row.id for row in rows]))

    async def _call(
        self,
        runtime: JobRuntime,
        listeners: Sequence[ChangeListener],
        rows: Sequence[StoredChange],
    ) -> None:
        listeners_by_uid = {listener.uid: listener for listener in listeners}
        known_rows = [row for row in rows if row.uid in listeners_by_uid]
        if not known_rows:
            return
        listener = listeners[0]
        context = CallContext(
            listener.name,
            runtime.documents,
            None,
            causes=_causes(listener, known_rows),
            origin=f"after_commit {listener.name}",
            find_user=runtime.find_user,
        )
        seconds = runtime.documents.engine.code_limits.delivery_seconds
        try:
            traces = [row.trace for row in known_rows]
            with self._start_span(listener.name, traces), context.activate():
                async with limit_time(seconds):
                    documents = await _read_documents(context, listeners_by_uid, known_rows)
                    await listener.function([_change(row, documents) for row in known_rows])
        finally:
            context.is_ended = True

    async def _settle(
        self,
        listener: ChangeListener,
        rows: Sequence[StoredChange],
        message: str,
        error: BaseException,
        changes: Mapping[str, Value] | None = None,
    ) -> None:
        if changes is None:
            _log.error(
                "changes were not delivered",
                function=listener.name,
                place=listener.place,
                count=len(rows),
                attempt=max(row.attempts for row in rows),
                exc_info=error,
            )
        now = self._clock()

        def program() -> Program[None]:
            for row in rows:
                yield from self._rows.settle(row, _outcome(listener, row, message, now, changes))

        await self._record_result(program())


def _outcome(
    listener: ChangeListener,
    row: StoredChange,
    message: str,
    now: int,
    changes: Mapping[str, Value] | None,
) -> Mapping[str, Value]:
    """Return the new values of a row whose delivery has failed, or was interrupted."""
    if changes is not None:
        return {**changes, "attempts": row.attempts - 1}
    if row.attempts > listener.retries:
        return {"ended_at": now, "message": message}
    return {"due": now + backoff_ms(row.attempts), "message": message}


def _causes(listener: ChangeListener, rows: Sequence[StoredChange]) -> tuple[CallCause, ...]:
    """Return the causes of the writes of a function for changes: the longest chain."""
    chains = [msgspec.json.decode(row.causes, type=tuple[CallCause, ...]) for row in rows]
    longest: tuple[CallCause, ...] = max(chains, key=len)
    return (*longest, cause_of(listener, ((row.document_id, row.locale) for row in rows)))


async def _read_documents(
    context: CallContext,
    listeners_by_uid: Mapping[str, ChangeListener],
    rows: Sequence[StoredChange],
) -> dict[tuple[str, str, str | None], Shape[Any]]:
    """Read the present documents of changes, with one read for each type and locale."""
    ids_by_type_and_locale: dict[tuple[str, str | None], set[str]] = defaultdict(set)
    for row in rows:
        ids_by_type_and_locale[row.uid, row.locale].add(row.document_id)
    documents: dict[tuple[str, str, str | None], Shape[Any]] = {}
    for (uid, locale), ids in ids_by_type_and_locale.items():
        listener = listeners_by_uid[uid]
        schema = context.engine.schema
        query = query_of_shape(listener.shape, schema.content_types[uid], schema)
        document_query = DocumentQuery(
            uid=uid,
            filters={"documentId": {"$in": sorted(ids)}},
            fields=sorted({*query["fields"], "documentId"}),
            populate=query.get("populate"),
            pagination={"page": 1, "pageSize": len(ids), "withCount": False},
            status=listener.status,
            locale=locale,
            ability=Unsanitized(),
        )
        page = await context.read(context.engine.reads.page(document_query).page)
        for document in page.documents:
            documents[uid, str(document["documentId"]), locale] = as_shape(listener.shape, document)
    return documents


def _change(
    row: StoredChange, shapes: Mapping[tuple[str, str, str | None], Shape[Any]]
) -> Change[Any]:
    return Change(
        id=row.id,
        action=row.action,  # type: ignore[arg-type]  # it was stored as one
        uid=row.uid,
        document_id=row.document_id,
        locale=row.locale,
        at=datetime.fromtimestamp(row.created_at / 1000, tz=UTC),
        fields=tuple(msgspec.json.decode(row.fields)),
        kept=msgspec.json.decode(row.kept),
        document=shapes.get((row.uid, row.document_id, row.locale)),
        also_locales=tuple((row.also_locales or "").split()),
        linked=decode_linked(row.linked),
    )
