"""Writes the rows of files, within a unit of work."""

from collections.abc import Callable, Collection, Mapping

from msgspec import Struct

from quire.database.entries.links.link_change import LinkChange, LinkTarget
from quire.database.entries.lookup import existing_ids
from quire.database.program import Program
from quire.database.stores.files import (
    FileRow,
    find_files,
    insert_file,
    put_into,
    update_file,
)
from quire.database.stores.folders import ROOT, FolderRow
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import NotFoundError, ValidationError
from quire.schema.attributes.base import MediaAttribute
from quire.schema.attributes.validation import AbsentType
from quire.uploads.file_info import FileInfo
from quire.uploads.folders import folder_for_api, require_folder
from quire.uploads.processing import PreparedFile
from quire.uploads.removal import emit_file_event
from quire.webhooks.events import EventName

NO_SUCH_FILE = "Entity not found"

NO_ENTRY = "There is no such entry with a media attribute of this name"

_DESCRIPTION_COLUMNS = ("alternativeText", "caption", "focalPoint")


class Attachment(Struct, frozen=True, kw_only=True):
    """An attribute of an entry for files, by the uid and the row of the entry.

    ``require`` checks permissions within the transaction, if they depend on the entry.
    """

    uid: str
    entry_id: int
    field: str
    require: Callable[[], Program[None]] | None = None


def insert_record(
    unit: UnitOfWork, prepared: PreparedFile, file_info: FileInfo, *, api: bool, by: int | None
) -> Program[int]:
    """Add the row of a stored file; returns its id.

    The default folder is that of the API, or the root. Raises ValidationError for a missing folder.
    """
    folder = yield from _folder_of_new(unit, file_info, api=api)
    now = unit.tick()
    values = {
        "documentId": unit.engine.new_id(),
        **{name: file_info.values.get(name) for name in _DESCRIPTION_COLUMNS},
        **prepared.values,
        "previewUrl": None,
        "provider_metadata": None,
        "folderPath": ROOT if folder is None else folder.path,
        "createdAt": now,
        "updatedAt": now,
        "publishedAt": now,
        "createdBy": by,
        "updatedBy": by,
    }
    folder_id = None if folder is None else folder.id
    row_id = yield from insert_file(unit.store, values, folder=folder_id)
    document_id = str(values["documentId"])
    yield from emit_file_event(
        unit, EventName.MEDIA_CREATE, document_id=document_id, file_id=row_id
    )
    return row_id


def _folder_of_new(
    unit: UnitOfWork, file_info: FileInfo, *, api: bool
) -> Program[FolderRow | None]:
    if isinstance(file_info.folder, AbsentType) and api:
        return (yield from folder_for_api(unit))
    return (yield from require_folder(unit, file_info.folder))


def change_record(
    unit: UnitOfWork,
    file_id: int,
    values: Mapping[str, object],
    file_info: FileInfo,
    *,
    by: int | None,
) -> Program[None]:
    """Change values of a file, and its folder if one is given. Raises ValidationError."""
    new_values = {**values, "updatedAt": unit.tick()}
    if by is not None:
        new_values["updatedBy"] = by
    if not isinstance(file_info.folder, AbsentType):
        folder = yield from require_folder(unit, file_info.folder)
        new_values["folderPath"] = ROOT if folder is None else folder.path
        yield from put_into(unit.store, file_id, None if folder is None else folder.id)
    yield from update_file(unit.store, file_id, new_values)
    (row,) = yield from find_files(unit.store, [file_id])
    yield from emit_file_event(
        unit, EventName.MEDIA_UPDATE, document_id=row.document_id, file_id=file_id
    )


def replaced_values(prepared: PreparedFile, file_info: FileInfo) -> dict[str, object]:
    """Return the values of a file whose bytes are replaced.

    Texts stay unless new ones are given, and the focal point, which was one of the former image,
    does not. If the new file is not an image, width and height stay too, as in Strapi.
    """
    values = {
        **prepared.values,
        "focalPoint": None,
        **{key: value for key, value in file_info.values.items() if key != "name"},
    }
    if values["width"] is None:
        del values["width"], values["height"]
    return {**values, "formats": values["formats"] or {}}


def require_records(unit: UnitOfWork, ids: Collection[int]) -> Program[list[FileRow]]:
    """Return files, all of which have to exist. Raises NotFoundError."""
    rows = yield from find_files(unit.store, ids)
    if len(rows) != len(set(ids)):
        raise NotFoundError(NO_SUCH_FILE)
    return rows


def attach_record(unit: UnitOfWork, attachment: Attachment, file_id: int) -> Program[None]:
    """Add a file to an attribute of an entry: at the end of a list, or replacing another one.

    Raises what ``require`` raises, and ValidationError if there is no such entry or attribute.
    """
    if attachment.require is not None:
        yield from attachment.require()
    layout = unit.store.layouts.get(attachment.uid)
    attribute = None if layout is None else layout.model.attributes.get(attachment.field)
    if not isinstance(attribute, MediaAttribute):
        raise ValidationError(NO_ENTRY)
    entry_ids = yield from existing_ids(unit.store, attachment.uid, [attachment.entry_id])
    if not entry_ids:
        raise ValidationError(NO_ENTRY)
    change = LinkChange(connect=(LinkTarget(rows=(file_id,)),))
    yield from unit.store.links.apply(
        attachment.uid, attachment.field, attachment.entry_id, change, creating=False
    )
