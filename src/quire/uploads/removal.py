"""Files as rows: taken out of the library, and of all content that has them."""

from collections.abc import Collection

from quire.database.library.files import FileRow, delete_files
from quire.database.program import Program
from quire.documents.unit import UnitOfWork
from quire.events.bus import EventName
from quire.uploads.happening import file_happened


def delete_records(unit: UnitOfWork, rows: Collection[FileRow]) -> Program[None]:
    """Delete files with everything that leads to them."""
    unit.tick()
    for row in rows:
        yield from file_happened(
            unit, EventName.MEDIA_DELETE, document_id=row.document_id, file_id=row.id
        )
    yield from delete_files(unit.store, [row.id for row in rows])
