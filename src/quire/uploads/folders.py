"""Folders of the media library: create, rename, move, delete.

Every rule is checked within the transaction that writes: concurrent requests cannot violate it
together.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program
from quire.database.stores.core_store import read_setting, write_setting
from quire.database.stores.files import (
    FileRow,
    files_within,
    find_files,
    put_into,
    update_file,
)
from quire.database.stores.folders import (
    ROOT,
    FolderRow,
    all_folders,
    delete_folders,
    insert_folder,
    move_folder,
    update_folder,
)
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.validate.problems import Problem, validation_error
from quire.errors import NotFoundError
from quire.schema.attributes.validation import ABSENT, AbsentType
from quire.uploads.removal import delete_records

API_FOLDER = "API Uploads"
_API_FOLDER_KEY = "plugin_upload_api-folder"

NAME_TAKEN = "A folder with this name already exists"
NO_PARENT = "parent folder does not exist"
NO_FOLDER = "the folder does not exist"
NO_DESTINATION = "destination folder does not exist"
INSIDE_ITSELF = "folder cannot be moved inside itself"
INSIDE_THEMSELVES = "folders cannot be moved inside themselves or one of its children: {}"
UNKNOWN = "folder not found"


class FolderTree(Struct, frozen=True):
    """A folder with its subfolders, in the order of their names."""

    id: int
    name: str
    children: "tuple[FolderTree, ...]"


class DeletedFiles(Struct, frozen=True, kw_only=True):
    """A deletion: the chosen folders and files, and every file whose row was deleted."""

    folders: tuple[int, ...]
    files: tuple[int, ...]
    rows: tuple[FileRow, ...]


class FolderContents(Struct, frozen=True, kw_only=True):
    """The chosen files and folders that exist, and all files including those in the folders."""

    files: tuple[int, ...]
    folders: tuple[int, ...]
    all_files: tuple[int, ...]


def contained_files(
    store: EntryStore, *, files: Collection[int], folders: Collection[int]
) -> Program[FolderContents]:
    """Return the files that are selected by these files and folders."""
    every_folder = yield from all_folders(store)
    selection = [folder for folder in every_folder if folder.id in folders]
    rows = yield from find_files(store, files)
    files_inside = yield from files_within(store, [folder.path for folder in selection])
    file_ids = tuple(row.id for row in rows)
    return FolderContents(
        files=file_ids,
        folders=tuple(folder.id for folder in selection),
        all_files=tuple(dict.fromkeys((*file_ids, *(row.id for row in files_inside)))),
    )


def folder_structure(store: EntryStore) -> Program[tuple[FolderTree, ...]]:
    """Return all folders as trees."""
    folders = yield from all_folders(store)
    return _branches(folders, None)


def create_folder(
    unit: UnitOfWork, *, name: str, parent: int | None, by: int | None = None
) -> Program[FolderRow]:
    """Create a folder. Raises ValidationError for a name that is in use, and a missing parent."""
    folders = yield from _by_id(unit)
    above = _parent(folders, parent)
    _require_free(folders.values(), name, parent)
    return (yield from _insert(unit, name, above, by))


def change_folder(
    unit: UnitOfWork,
    folder_id: int,
    *,
    name: str | None = None,
    parent: int | AbsentType | None = ABSENT,
    by: int | None = None,
) -> Program[FolderRow]:
    """Rename a folder, or move it.

    Raises NotFoundError, and ValidationError as `create_folder` does or for a target inside itself.
    """
    folders = yield from _by_id(unit)
    folder = folders.get(folder_id)
    parent_id = (
        parent if not isinstance(parent, AbsentType) else (folder.parent if folder else None)
    )
    new_name = name if name is not None else (folder.name if folder else "")
    above = _parent(folders, parent_id)
    _require_free(folders.values(), new_name, parent_id, except_id=folder_id)
    if folder is None:
        raise NotFoundError(UNKNOWN)
    if above is not None and _is_within(above, folder):
        raise _refusal(INSIDE_ITSELF, ("parent",), parent_id)
    values: dict[str, object] = {"name": new_name, "updatedAt": unit.tick()}
    if by is not None:
        values["updatedBy"] = by
    yield from update_folder(unit.store, folder_id, values)
    path = folder.path
    if parent_id != folder.parent:
        path = yield from move_folder(unit.store, folder, above)
    return FolderRow(
        id=folder.id, name=new_name, path_id=folder.path_id, path=path, parent=parent_id
    )


def move(
    unit: UnitOfWork,
    *,
    files: Collection[int],
    folders: Collection[int],
    destination: int | None,
) -> Program[tuple[list[int], list[int]]]:
    """Move files and folders into a folder, or to the root; returns the existing ones.

    Raises ValidationError for a target that is missing, that is within a moved folder, or that
    contains another folder of the same name.
    """
    folders_by_id = yield from _by_id(unit)
    if destination is not None and destination not in folders_by_id:
        raise _refusal(NO_DESTINATION, ("destinationFolderId",), destination)
    above = None if destination is None else folders_by_id[destination]
    moved = [
        folders_by_id[folder_id] for folder_id in sorted(set(folders)) if folder_id in folders_by_id
    ]
    payload: dict[str, object] = {"folderIds": list(folders), "destinationFolderId": destination}
    _require_movable(moved, above, payload)
    _require_names_free(folders_by_id.values(), moved, destination, payload)
    for folder in moved:
        if folder.parent != destination:
            yield from move_folder(unit.store, folder, above)
    rows = yield from find_files(unit.store, files)
    path = ROOT if above is None else above.path
    for row in rows:
        yield from put_into(unit.store, row.id, destination)
        yield from update_file(unit.store, row.id, {"folderPath": path})
    return [row.id for row in rows], [folder.id for folder in moved]


def delete(
    unit: UnitOfWork, *, files: Collection[int], folders: Collection[int]
) -> Program[DeletedFiles]:
    """Delete files, and folders with everything in them; missing ones are ignored."""
    folders_by_id = yield from _by_id(unit)
    selection = [
        folders_by_id[folder_id] for folder_id in sorted(set(folders)) if folder_id in folders_by_id
    ]
    rows = {row.id: row for row in (yield from find_files(unit.store, files))}
    file_ids = tuple(rows)
    files_inside = yield from files_within(unit.store, [folder.path for folder in selection])
    rows |= {row.id: row for row in files_inside}
    yield from delete_records(unit, list(rows.values()))
    deleted_ids = [
        folder.id
        for folder in folders_by_id.values()
        if any(_is_within(folder, ancestor) for ancestor in selection)
    ]
    yield from delete_folders(unit.store, deleted_ids)
    return DeletedFiles(
        folders=tuple(folder.id for folder in selection),
        files=file_ids,
        rows=tuple(rows.values()),
    )


def require_folder(
    unit: UnitOfWork, folder_id: int | AbsentType | None
) -> Program[FolderRow | None]:
    """Return the folder for a file, ``None`` for the root. Raises ValidationError."""
    if folder_id is None or isinstance(folder_id, AbsentType):
        return None
    folders = yield from _by_id(unit)
    if folder_id not in folders:
        raise _refusal(NO_FOLDER, ("fileInfo", "folder"), folder_id)
    return folders[folder_id]


def folder_for_api(unit: UnitOfWork) -> Program[FolderRow]:
    """Return the folder for uploads through the content API; it is created if it is missing."""
    writes = unit.store.writes
    setting = yield from read_setting(writes, _API_FOLDER_KEY)
    folders = yield from _by_id(unit)
    folder_id = setting.get("id") if isinstance(setting, dict) else None
    if isinstance(folder_id, int) and folder_id in folders:
        return folders[folder_id]
    taken_names = {folder.name for folder in folders.values() if folder.parent is None}
    name, number = API_FOLDER, 0
    while name in taken_names:
        number += 1
        name = f"{API_FOLDER} ({number})"
    created = yield from _insert(unit, name, None, None)
    yield from write_setting(writes, _API_FOLDER_KEY, {"id": created.id})
    return created


def _insert(
    unit: UnitOfWork, name: str, above: FolderRow | None, by: int | None
) -> Program[FolderRow]:
    now = unit.tick()
    values: dict[str, object] = {
        "documentId": unit.engine.new_id(),
        "name": name,
        "createdAt": now,
        "updatedAt": now,
        "publishedAt": now,
        "createdBy": by,
        "updatedBy": by,
    }
    return (yield from insert_folder(unit.store, values, above))


def _by_id(unit: UnitOfWork) -> Program[dict[int, FolderRow]]:
    folders = yield from all_folders(unit.store)
    return {folder.id: folder for folder in folders}


def _parent(folders: Mapping[int, FolderRow], parent: int | None) -> FolderRow | None:
    if parent is None:
        return None
    if parent not in folders:
        raise _refusal(NO_PARENT, ("parent",), parent)
    return folders[parent]


def _require_free(
    folders: Iterable[FolderRow], name: str, parent: int | None, *, except_id: int | None = None
) -> None:
    if any(
        folder.name == name and folder.parent == parent and folder.id != except_id
        for folder in folders
    ):
        raise _refusal(NAME_TAKEN, ("name",), name)


def _require_movable(
    folders: Sequence[FolderRow], above: FolderRow | None, payload: Mapping[str, object]
) -> None:
    names_inside = [
        folder.name for folder in folders if above is not None and _is_within(above, folder)
    ]
    if names_inside:
        raise _refusal(INSIDE_THEMSELVES.format(", ".join(names_inside)), (), payload)


def _require_names_free(
    folders: Iterable[FolderRow],
    moved_folders: Sequence[FolderRow],
    destination: int | None,
    payload: Mapping[str, object],
) -> None:
    ids = {folder.id for folder in moved_folders}
    taken_names = {
        child.name for child in folders if child.parent == destination and child.id not in ids
    }
    for folder in moved_folders:
        if folder.name in taken_names:
            message = f"some folders already exists: {folder.name}"
            raise _refusal(message, (), payload)
        taken_names.add(folder.name)


def _is_within(folder: FolderRow, ancestor: FolderRow) -> bool:
    return folder.path == ancestor.path or folder.path.startswith(f"{ancestor.path}/")


def _branches(folders: Sequence[FolderRow], parent: int | None) -> tuple[FolderTree, ...]:
    children: dict[int | None, list[FolderRow]] = {}
    for folder in folders:
        children.setdefault(folder.parent, []).append(folder)

    def grown(above: int | None) -> tuple[FolderTree, ...]:
        children_by_name = sorted(children.get(above, ()), key=lambda folder: folder.name)
        return tuple(
            FolderTree(child.id, child.name, grown(child.id)) for child in children_by_name
        )

    return grown(parent)


def _refusal(message: str, path: tuple[str, ...], value: Any) -> Exception:  # noqa: ANN401 - JSON
    return validation_error([Problem(path, message, value)])
