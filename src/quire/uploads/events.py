"""Emits events about files."""

from quire.database.program import Program
from quire.document_service.unit_of_work import UnitOfWork
from quire.schema.model import FILE_UID
from quire.webhooks.event_bus import EventName


def emit_file_event(
    unit: UnitOfWork, name: EventName, *, document_id: str, file_id: int
) -> Program[None]:
    """Note what happened to a file; of one that is about to go, before it does."""
    yield from unit.happened(
        name,
        uid=FILE_UID,
        document_id=document_id,
        locale=None,
        entry_id=file_id,
        published=True,
    )
