"""Stores what a write has recorded, in its transaction.

That is changes for functions that run after the commit, and rows of the audit log for what code has
written as the system.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from quire.database.program import Program
from quire.database.stores.audit_log import AuditRow
from quire.database.stores.change_outbox import ChangeQueue, StoredChange
from quire.document_service.commands import Command
from quire.document_service.hook_principal import SystemReason
from quire.document_service.unit_of_work import SystemWrite, UnitOfWork
from quire.hooks.after_commit import ChangeListener, LinkedDocument
from quire.hooks.principal import Principal
from quire.hooks.registry import CallCause, require_depth
from quire.hooks.write import Write

_OK = 200
_MAX_ROWS = 20
"""How many calls of one kind in a transaction have rows of their own in the audit log."""


def note_change(
    unit: UnitOfWork,
    listener: ChangeListener,
    write: Write[Any],
    entry: Mapping[str, Any] | None,
    linked: Collection[LinkedDocument],
) -> None:
    """Record a change for a function, which is called if the transaction commits.

    ``entry`` has the fields that the function keeps, ``linked`` are the documents that were linked
    or unlinked. Raises HookLoopError when too many functions
    have caused the change.
    """
    if any(_has_caused(listener, cause, write) for cause in unit.causes):
        return
    require_depth((*unit.causes, cause_of(listener, [])), unit.engine.code_limits)
    kept_values = {} if entry is None else {name: entry.get(name) for name in listener.keep}
    change = StoredChange(
        listener=listener.key,
        action=write.action,
        uid=write.uid,
        document_id=write.document_id,
        locale=write.locale,
        fields=msgspec.json.encode(sorted(write.data)).decode(),
        kept=msgspec.json.encode(kept_values).decode(),
        causes=msgspec.json.encode(unit.causes).decode(),
        trace=unit.trace,
        also_locales=" ".join(write.also_locales) or None,
        linked=encode_linked(linked) if listener.linked else None,
    )
    unit.changes.append((listener, change))


def encode_linked(linked: Collection[LinkedDocument]) -> str:
    """Return linked documents as JSON; see `decode_linked`."""
    pairs = [(document.uid, document.document_id) for document in sorted(linked)]
    return msgspec.json.encode(pairs).decode()


def decode_linked(text: str | None) -> tuple[LinkedDocument, ...]:
    """Return what `encode_linked` has encoded."""
    pairs = msgspec.json.decode(text or "[]", type=list[tuple[str, str]])
    return tuple(LinkedDocument(uid, document_id) for uid, document_id in pairs)


def note_system_write(
    unit: UnitOfWork,
    action: str,
    commands: Sequence[Command],
    reason: SystemReason,
    caller: Principal,
) -> None:
    """Record for the audit log that code writes documents of one type, on behalf of a caller."""
    uid = commands[0].uid
    document_ids = [command.document_id for command in commands if command.document_id is not None]
    unit.system_writes.append(
        SystemWrite(
            action=action,
            uid=uid,
            target=f"{uid}/{document_ids[0]}" if len(document_ids) == 1 else uid,
            reason=reason.text,
            place=reason.place,
            caller=caller.kind if caller.id is None else f"{caller.kind} {caller.id}",
            documents=len(commands),
            at=unit.clock(),
        )
    )


def store_records(unit: UnitOfWork) -> Program[None]:
    """Store the recorded changes, and the rows for the audit log."""
    engine = unit.engine
    if unit.changes and engine.changes is not None:
        yield from _store_changes(unit, engine.changes)
    if unit.system_writes and engine.audit is not None:
        rows = [_audit_row(write) for write in _summarized(unit.system_writes)]
        yield from engine.audit.add_in_transaction(rows)


def _summarized(writes: Sequence[SystemWrite]) -> Iterator[SystemWrite]:
    """Yield the calls of a transaction, many of one kind as one with the number of documents."""
    calls = Counter(map(_kind_of_call, writes))
    documents: Counter[tuple[str, ...]] = Counter()
    for write in writes:
        documents[_kind_of_call(write)] += write.documents
    for write in writes:
        kind = _kind_of_call(write)
        if calls[kind] <= _MAX_ROWS:
            yield write
        elif documents[kind]:
            yield write._replace(target=write.uid, documents=documents.pop(kind))


def _kind_of_call(write: SystemWrite) -> tuple[str, ...]:
    return write.action, write.uid, write.reason, write.place, write.caller


def _audit_row(write: SystemWrite) -> AuditRow:
    details = {"place": write.place, "onBehalfOf": write.caller, "documents": write.documents}
    return AuditRow(
        at=write.at,
        actor_id=None,
        actor=f"system: {write.reason}",
        action=f"documents.{write.action}",
        target=write.target,
        details=msgspec.json.encode(details).decode(),
        status=_OK,
        place="",
    )


def _store_changes(unit: UnitOfWork, queue: ChangeQueue) -> Program[None]:
    coalescing = frozenset(listener.key for listener, _ in unit.changes if listener.coalesce)
    yield from queue.add([change for _, change in unit.changes], coalescing, unit.clock())
    unit.committed.append(queue.added)


def cause_of(listener: ChangeListener, batch: Iterable[tuple[str, str | None]]) -> CallCause:
    """Return the cause of what a function does for changes of documents in locales."""
    return CallCause(
        phase="after_commit",
        name=listener.name,
        file=listener.file,
        line=listener.line,
        batch=tuple(batch),
    )


def _has_caused(listener: ChangeListener, cause: CallCause, write: Write[Any]) -> bool:
    """Tell whether a function itself has caused a write to the document that it is called for."""
    is_own = (cause.phase, cause.name, cause.file) == ("after_commit", listener.name, listener.file)
    return is_own and (write.document_id, write.locale) in cause.batch
