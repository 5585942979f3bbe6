"""Create: a new document in one locale, as a draft or published."""

from quire.database.entries.versions_query import EntryRow
from quire.database.program import Program
from quire.document_service.actions.publish import entries_after_hooks, publish_draft
from quire.document_service.commands import CreateDocument, WrittenEntry, written_entry
from quire.document_service.content_type_lookup import content_type_of
from quire.document_service.locale_selection import entry_locale
from quire.document_service.parse_input import parse_data
from quire.document_service.relation_targets import WrittenVersion
from quire.document_service.system_columns import signature, stamp
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.write_entry import insert_entry
from quire.document_service.write_hook_calls import hooked_write
from quire.webhooks.events import EventName


def create(unit: UnitOfWork, command: CreateDocument) -> Program[WrittenEntry]:
    """Create a document; returns its published entry, or its draft.

    Raises ValidationError for invalid data and for an unknown locale; then nothing is written.
    """
    layout = unit.layout(command.uid)
    content_type = content_type_of(layout)
    locale = yield from entry_locale(unit, layout, command.locale)
    versioned = content_type.draft_and_publish
    version = WrittenVersion(content_type=content_type, published=False, locale=locale)
    document_id, data = command.document_id or unit.engine.new_id(), command.data
    hooked = hooked_write(unit, layout, "create", document_id=document_id, locale=locale, data=data)
    if hooked is not None:
        data = yield from hooked.call_before()
    values, resolution = yield from parse_data(
        unit, layout, data, version, draft=versioned, creating=True, document_id=None
    )
    now = unit.tick()
    columns = stamp(
        unit,
        layout,
        documentId=document_id,
        createdAt=now,
        updatedAt=now,
        publishedAt=None if versioned else now,
        locale=locale,
    )
    columns |= signature(unit, layout, creating=True)
    row_id = yield from insert_entry(unit, layout, values, columns, resolution)
    row = EntryRow(row_id, document_id, locale, now, not versioned)
    written = written_entry(command.uid, row)
    yield from unit.record_event(EventName.CREATE, written)
    is_published_next = versioned and command.publish
    entries = [row]
    if hooked is not None:
        yield from hooked.call_after(published=not versioned)
        if is_published_next:
            row, entries = yield from entries_after_hooks(unit, layout, row, entries)
    if is_published_next:
        return (yield from publish_draft(unit, layout, row, entries))
    return written
