"""Clone: a new document from the drafts of another one."""

from quire.database.entries.copy_version import copy_entry
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.versions_query import EntryRow, entries_of
from quire.database.program import Program
from quire.document_service.commands import CloneDocument, Data, WrittenEntry
from quire.document_service.content_type_lookup import content_type_of
from quire.document_service.locale_selection import in_locale
from quire.document_service.parse_input import check_publishable, parse_data
from quire.document_service.relation_targets import WrittenVersion
from quire.document_service.system_columns import signature, stamp
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.write_batches import run_interleaved
from quire.document_service.write_entry import EntryUpdate, update_entry
from quire.document_service.write_hook_calls import hooked_write
from quire.errors import NotFoundError
from quire.webhooks.events import EventName


def clone(unit: UnitOfWork, command: CloneDocument) -> Program[list[WrittenEntry]]:
    """Clone a document; returns the new entries, one per locale.

    Relations whose targets can belong to one document only are not copied: the copy would take them
    from the original. Raises NotFoundError where there is nothing to copy, and ValidationError for
    invalid data or duplicate unique values.
    """
    layout = unit.layout(command.uid)
    entries = yield from entries_of(unit.store, layout, command.document_id)
    selected_entries = in_locale(unit, layout, entries, command.locale)
    if layout.is_versioned():
        selected_entries = [entry for entry in selected_entries if not entry.published]
    if not selected_entries:
        raise NotFoundError
    document_id = unit.engine.new_id()
    programs = [
        _clone_version(unit, layout, command, entry, document_id) for entry in selected_entries
    ]
    batched = unit.engine.extensions.has_batches(command.uid, "clone")
    return (yield from run_interleaved(unit, programs, batched=batched))


def _clone_version(
    unit: UnitOfWork, layout: EntryLayout, command: CloneDocument, entry: EntryRow, document_id: str
) -> Program[WrittenEntry]:
    content_type = content_type_of(layout)
    versioned = content_type.draft_and_publish
    data: Data = command.data
    hooked = hooked_write(
        unit,
        layout,
        "clone",
        document_id=document_id,
        locale=entry.locale,
        data=data,
        source=entry,
    )
    if hooked is not None:
        data = yield from hooked.call_before()
    now = unit.tick()
    columns = stamp(unit, layout, documentId=document_id, createdAt=now, updatedAt=now)
    if versioned:
        columns |= stamp(unit, layout, publishedAt=None)
    columns |= signature(unit, layout, creating=True)
    row_id = yield from copy_entry(unit.store, layout, entry.id, columns)
    version = WrittenVersion(
        content_type=content_type, published=not versioned, locale=entry.locale
    )
    if data:
        values, resolution = yield from parse_data(
            unit,
            layout,
            data,
            version,
            draft=versioned,
            creating=False,
            document_id=document_id,
        )
        entry_update = EntryUpdate(row_id=row_id, values=values)
        yield from update_entry(unit, layout, entry_update, resolution)
    if not versioned:
        yield from check_publishable(unit, layout, row_id, version, document_id, is_copy=True)
    written = WrittenEntry(
        uid=command.uid,
        document_id=document_id,
        entry_id=row_id,
        locale=entry.locale,
        published=not versioned,
    )
    yield from unit.record_event(EventName.CREATE, written)
    if hooked is not None:
        yield from hooked.call_after(published=not versioned)
    return written
