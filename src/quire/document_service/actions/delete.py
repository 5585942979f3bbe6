"""Delete: the versions of a document in one, several or all locales."""

from collections.abc import Sequence

from quire.database.entries.deletion import delete_entries
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.versions_query import EntryRow, entries_of, first_document_id
from quire.database.program import Program
from quire.document_service.commands import (
    DeleteDocument,
    WrittenEntry,
    written_entry,
)
from quire.document_service.locale_selection import in_locales
from quire.document_service.preconditions import require_unchanged
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.write_batches import run_interleaved
from quire.document_service.write_hook_calls import hooked_write
from quire.hooks.write import WriteAction
from quire.webhooks.events import EventName


def delete(unit: UnitOfWork, command: DeleteDocument) -> Program[list[WrittenEntry]]:
    """Delete a document; returns the deleted entries, none if there was nothing.

    Raises PreconditionFailedError for a document that is not as the caller expects.
    """
    layout = unit.layout(command.uid)
    document_id = command.document_id
    if document_id is None:
        document_id = yield from first_document_id(unit.store, layout)
    if document_id is None:
        return []
    entries = yield from entries_of(unit.store, layout, document_id)
    selected_entries = in_locales(unit, layout, entries, command)
    if command.expected is not None:
        drafts = [entry for entry in selected_entries if not entry.published]
        require_unchanged(next(iter(drafts or selected_entries), None), command.expected)
    if command.narrowed is not None and selected_entries:
        rows = yield command.narrowed(document_id)
        ids = {row[0] for row in rows}
        selected_entries = [entry for entry in selected_entries if entry.id in ids]
    # One hooked write for each locale; it starts from the draft, if there is one.
    sources = {entry.locale: entry for entry in sorted(selected_entries, key=_drafts_last)}
    yield from remove_entries(
        unit, layout, selected_entries, [*sources.values()], "delete", EventName.DELETE
    )
    return [written_entry(command.uid, entry) for entry in selected_entries]


def _drafts_last(entry: EntryRow) -> bool:
    return not entry.published


def remove_entries(
    unit: UnitOfWork,
    layout: EntryLayout,
    entries: Sequence[EntryRow],
    sources: Sequence[EntryRow],
    action: WriteAction,
    event: EventName,
) -> Program[None]:
    """Delete rows of a document; hooks are called for each of ``sources``.

    All ``before`` hooks are called before anything is deleted: they can still read all rows.
    """
    uid = layout.model.uid
    writes = []
    for source in sources:
        hooked = hooked_write(
            unit,
            layout,
            action,
            document_id=source.document_id,
            locale=source.locale,
            source=source,
        )
        if hooked is not None:
            writes.append(hooked)
    batched = unit.engine.extensions.has_batches(uid, action) if writes else False
    yield from run_interleaved(unit, [hooked.call_before() for hooked in writes], batched=batched)
    unit.tick()
    yield from unit.record_events(event, [written_entry(uid, entry) for entry in entries])
    yield from delete_entries(unit.store, layout, [entry.id for entry in entries])
    yield from run_interleaved(
        unit, [hooked.call_after(published=None) for hooked in writes], batched=batched
    )
