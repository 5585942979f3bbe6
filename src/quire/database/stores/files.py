"""Files of the media library, as rows."""

from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct

from quire.database.entries.entry_tables import EntryStore
from quire.database.entries.links.link_change import LinkChange, LinkTarget
from quire.database.program import Program
from quire.database.stores.builtin_type_table import ContentTable, content_table
from quire.database.stores.row_conditions import any_of, eq, gt, starts_with
from quire.schema.model import FILE_UID

_FOLDER = "folder"


class FileRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """A file as stored. ``formats`` are its other sizes by name, in their stored form."""

    id: int
    document_id: str = ""
    name: str = ""
    hash: str = ""
    ext: str = ""
    mime: str = ""
    url: str = ""
    provider: str = ""
    formats: Mapping[str, Any] = {}
    folder_path: str = "/"
    focal_point: Mapping[str, Any] = {}
    size: float | None = None
    width: int | None = None
    height: int | None = None

    @property
    def focus(self) -> tuple[float, float] | None:
        """Its focal point, in percent of width and height."""
        x, y = self.focal_point.get("x"), self.focal_point.get("y")
        if not isinstance(x, int | float) or not isinstance(y, int | float):
            return None
        return float(x), float(y)

    @property
    def keys(self) -> tuple[str, ...]:
        """The storage keys of the file and its other sizes, its own first."""
        variant_keys = (
            f"{variant['hash']}{variant.get('ext') or ''}"
            for variant in self.formats.values()
            if isinstance(variant, dict) and isinstance(variant.get("hash"), str)
        )
        return (f"{self.hash}{self.ext}", *variant_keys)


class _Creator(Struct, frozen=True, kw_only=True, rename="camel"):
    id: int
    created_by: int | None = None


def find_files(store: EntryStore, ids: Collection[int]) -> Program[list[FileRow]]:
    """Return files by row id, in the order of their ids, without missing ones."""
    return (yield from _files(store).by_ids(ids))


def file_by_key(store: EntryStore, key: str) -> Program[FileRow | None]:
    """Return the file with a storage key, ``None`` if no row has it."""
    stem = key.rpartition(".")[0] if "." in key else key
    candidates = yield from _files(store).select(eq("hash", stem))
    return next((row for row in candidates if row.keys[0] == key), None)


def files_within(store: EntryStore, paths: Collection[str]) -> Program[list[FileRow]]:
    """Return the files of folders, given by their paths, and of all their subfolders."""
    files_by_id: dict[int, FileRow] = {}
    for path in paths:
        is_within = any_of(eq("folderPath", path), starts_with("folderPath", f"{path}/"))
        files_by_id |= {row.id: row for row in (yield from _files(store).select(is_within))}
    return list(files_by_id.values())


def insert_file(
    store: EntryStore, values: Mapping[str, object], *, folder: int | None
) -> Program[int]:
    """Add a file with values by attribute, at the end of a folder; returns its row id."""
    row_id = yield from _files(store).insert_values(values)
    if folder is not None:
        yield from put_into(store, row_id, folder, new=True)
    return row_id


def creators_of(store: EntryStore, ids: Collection[int]) -> Program[dict[int, int | None]]:
    """Return the administrators who created these files, by file, without missing files.

    A file that no administrator created has ``None``.
    """
    rows = yield from content_table(store, FILE_UID, _Creator).by_ids(ids)
    return {row.id: row.created_by for row in rows}


def update_file(store: EntryStore, row_id: int, values: Mapping[str, object]) -> Program[None]:
    """Change values of a file, by attribute."""
    yield from _files(store).update(values, eq("id", row_id))


def put_into(
    store: EntryStore, row_id: int, folder: int | None, *, new: bool = False
) -> Program[None]:
    """Move a file to a folder, or to the root; its path is a separate value."""
    targets = () if folder is None else (LinkTarget(rows=(folder,)),)
    change = LinkChange(connect=targets) if new else LinkChange(set=targets)
    yield from store.links.apply(FILE_UID, _FOLDER, row_id, change, creating=new)


def delete_files(store: EntryStore, ids: Collection[int]) -> Program[None]:
    """Delete files with all references to them."""
    yield from _files(store).delete_ids(ids)


def all_files(store: EntryStore, *, after: int, limit: int) -> Program[list[FileRow]]:
    """Return some of the files after an id, in the order of their ids."""
    return (yield from _files(store).select(gt("id", after), limit=limit))


def files_in_folders(store: EntryStore) -> Program[dict[int, int]]:
    """Return the number of files directly in each folder, without empty ones."""
    return (yield from _files(store).count_linked(_FOLDER))


def _files(store: EntryStore) -> ContentTable[FileRow]:
    return content_table(store, FILE_UID, FileRow)
