"""Deletes the rows of files, and emits events about files."""

from collections.abc import Collection

from quire.database.program import Program
from quire.database.stores.files import FileRow, delete_files
from quire.document_service.commands import WrittenEntry
from quire.document_service.unit_of_work import UnitOfWork
from quire.schema.model import FILE_UID
from quire.webhooks.events import EventName


def emit_file_event(
    unit: UnitOfWork, name: EventName, *, document_id: str, file_id: int
) -> Program[None]:
    """Record an event of a file; for a deletion before it is deleted."""
    file = WrittenEntry(
        uid=FILE_UID, document_id=document_id, entry_id=file_id, locale=None, published=True
    )
    yield from unit.record_event(name, file)


def delete_records(unit: UnitOfWork, rows: Collection[FileRow]) -> Program[None]:
    """Delete files with all references to them."""
    unit.tick()
    for row in rows:
        yield from emit_file_event(
            unit, EventName.MEDIA_DELETE, document_id=row.document_id, file_id=row.id
        )
    yield from delete_files(unit.store, [row.id for row in rows])
