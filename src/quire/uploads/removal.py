"""Deletes the rows of files."""

from collections.abc import Collection

from quire.database.program import Program
from quire.database.stores.files import FileRow, delete_files
from quire.document_service.unit_of_work import UnitOfWork
from quire.uploads.events import emit_file_event
from quire.webhooks.event_bus import EventName


def delete_records(unit: UnitOfWork, rows: Collection[FileRow]) -> Program[None]:
    """Delete files with everything that leads to them."""
    unit.tick()
    for row in rows:
        yield from emit_file_event(
            unit, EventName.MEDIA_DELETE, document_id=row.document_id, file_id=row.id
        )
    yield from delete_files(unit.store, [row.id for row in rows])
