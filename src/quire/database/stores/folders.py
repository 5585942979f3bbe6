"""Folders of the media library, as rows.

The ``path`` of a folder consists of the numbers of its ancestors and its own, ``/1/3``; that
number, ``pathId``, never changes. A folder is moved by changing the prefix of paths.
"""

from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.entry_tables import EntryStore
from quire.database.entries.links.link_change import LinkChange, LinkTarget
from quire.database.program import Program
from quire.database.stores.builtin_type_table import ContentTable, content_table
from quire.database.stores.row_conditions import eq
from quire.schema.model import FILE_UID

FOLDER_UID = "plugin::upload.folder"
ROOT = "/"
_PARENT = "parent"


class FolderRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """A folder; ``parent`` is the row id of its parent folder."""

    id: int
    name: str = ""
    path_id: int = 0
    path: str = ROOT
    parent: int | None = None


def all_folders(store: EntryStore) -> Program[list[FolderRow]]:
    """Return every folder, in the order of their ids."""
    return (yield from _folders(store).select())


def insert_folder(
    store: EntryStore,
    values: Mapping[str, object],
    parent: FolderRow | None,
) -> Program[FolderRow]:
    """Add a folder with its own number, in a parent folder or at the root."""
    folders = _folders(store)
    path_id = ((yield from folders.highest("pathId")) or 0) + 1
    path = f"{'' if parent is None else parent.path}/{path_id}"
    row_id = yield from folders.insert_values({**values, "pathId": path_id, "path": path})
    if parent is not None:
        change = LinkChange(connect=(LinkTarget(rows=(parent.id,)),))
        yield from store.links.apply(FOLDER_UID, _PARENT, row_id, change, creating=True)
    return FolderRow(
        id=row_id,
        name=str(values["name"]),
        path_id=path_id,
        path=path,
        parent=None if parent is None else parent.id,
    )


def update_folder(store: EntryStore, row_id: int, values: Mapping[str, object]) -> Program[None]:
    """Change values of a folder, by attribute."""
    yield from _folders(store).update(values, eq("id", row_id))


def move_folder(store: EntryStore, folder: FolderRow, parent: FolderRow | None) -> Program[str]:
    """Move a folder with its content to another one, or to the root; returns its path.

    Callers must not move a folder into itself.
    """
    path = f"{'' if parent is None else parent.path}/{folder.path_id}"
    targets = () if parent is None else (LinkTarget(rows=(parent.id,)),)
    change = LinkChange(set=targets)
    yield from store.links.apply(FOLDER_UID, _PARENT, folder.id, change, creating=False)
    if path != folder.path:
        yield from _change_paths(store, FOLDER_UID, "path", folder.path, path)
        yield from _change_paths(store, FILE_UID, "folderPath", folder.path, path)
    return path


def delete_folders(store: EntryStore, ids: Collection[int]) -> Program[None]:
    """Delete folders, which must be empty."""
    yield from _folders(store).delete_ids(ids)


def _change_paths(
    store: EntryStore, uid: str, attribute: str, old_path: str, new_path: str
) -> Program[None]:
    """Replace the prefix of a path and of all paths below it."""
    layout = store.layout(uid)
    column = layout.table.columns[attribute]

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table_clause = sa.table(layout.table.name, sa.column(column, sa.String))
        path: Any = table_clause.c[column]
        suffix = sa.func.substr(path, builder.plain_slot(1))
        changed_path = sa.type_coerce(builder.plain_slot(0), sa.String).concat(suffix)
        condition = sa.or_(path == builder.plain_slot(2), path.like(builder.plain_slot(3)))
        return sa.update(table_clause).values({column: changed_path}).where(condition)

    values = (new_path, len(old_path) + 1, old_path, f"{old_path}/%")
    yield from store.writes.run(("paths", uid), build, values)


def _folders(store: EntryStore) -> ContentTable[FolderRow]:
    return content_table(store, FOLDER_UID, FolderRow)
