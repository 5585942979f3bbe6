"""Folders of the media library, as rows.

A folder's ``path`` is the numbers of the folders that lead to it and its own, ``/1/3``; that
number, ``pathId``, never changes. Folders are moved by changing the beginning of paths.
"""

from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.deletion import delete_entries
from quire.database.entries.links.link_change import LinkChange, LinkTarget
from quire.database.entries.store import EntryStore
from quire.database.program import Program
from quire.database.stores.encoded_values import encode_columns
from quire.database.tables.table_map import LinkEdge
from quire.schema.model import FILE_UID

FOLDER_UID = "plugin::upload.folder"
ROOT = "/"
_PARENT = "parent"


class FolderRow(Struct, frozen=True, kw_only=True):
    """A folder; ``parent`` is the row id of the folder that it is in."""

    id: int
    name: str
    path_id: int
    path: str
    parent: int | None


def all_folders(store: EntryStore) -> Program[list[FolderRow]]:
    """Return every folder, in the order of their ids."""
    layout = store.layout(FOLDER_UID)
    columns, edge = layout.table.columns, _parent_edge(store)

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table, links = builder.table(layout.table.name), builder.table(edge.table)
        joined = table.source.outerjoin(links.source, links.c(edge.near) == table.c("id"))
        chosen = sa.select(
            table.c("id"),
            table.c(columns["name"]),
            table.c(columns["pathId"]),
            table.c(columns["path"]),
            links.c(edge.far),
        )
        return chosen.select_from(joined).order_by(table.c("id"))

    rows = yield from store.writes.run(("folders",), build)
    return [
        FolderRow(
            id=int(id_ or 0),
            name=str(name or ""),
            path_id=int(path_id or 0),
            path=str(path or ROOT),
            parent=None if parent is None else int(parent),
        )
        for id_, name, path_id, path, parent in rows
    ]


def files_in_folders(store: EntryStore) -> Program[dict[int, int]]:
    """Return how many files each folder has itself; empty ones are left out."""
    edge = store.layout(FILE_UID).table.edges["folder"]
    if not isinstance(edge, LinkEdge):
        raise TypeError("files know their folder by a link table")

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        links = builder.table(edge.table)
        folder = links.c(edge.far)
        return sa.select(folder, sa.func.count()).select_from(links.source).group_by(folder)

    rows = yield from store.writes.run(("files in folders",), build)
    return {int(folder): int(count or 0) for folder, count in rows if folder is not None}


def insert_folder(
    store: EntryStore,
    values: Mapping[str, object],
    parent: FolderRow | None,
) -> Program[FolderRow]:
    """Add a folder with its own number, within another one or at the root."""
    path_id = (yield from _last_path_id(store)) + 1
    path = f"{'' if parent is None else parent.path}/{path_id}"
    row = encode_columns(store, FOLDER_UID, {**values, "pathId": path_id, "path": path})
    row_id = yield from store.writes.insert(store.layout(FOLDER_UID).table.name, row)
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
    table = store.layout(FOLDER_UID).table.name
    yield from store.writes.update(table, row_id, encode_columns(store, FOLDER_UID, values))


def move_folder(store: EntryStore, folder: FolderRow, parent: FolderRow | None) -> Program[str]:
    """Put a folder into another one, or at the root, with all that is in it; returns its path.

    Nobody may move a folder into itself; that is asked before.
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
    """Delete folders; what is in them has to be deleted before."""
    yield from delete_entries(store, store.layout(FOLDER_UID), list(ids))


def _last_path_id(store: EntryStore) -> Program[int]:
    layout = store.layout(FOLDER_UID)

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(layout.table.name)
        return sa.select(sa.func.max(table.c(layout.table.columns["pathId"])))

    rows = yield from store.writes.run(("last path id",), build)
    return int(rows[0][0] or 0)


def _change_paths(store: EntryStore, uid: str, attribute: str, old: str, new: str) -> Program[None]:
    """Write another beginning for a path and for all paths below it."""
    layout = store.layout(uid)
    column = layout.table.columns[attribute]

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        described = sa.table(layout.table.name, sa.column(column, sa.String))
        path: Any = described.c[column]
        rest = sa.func.substr(path, builder.plain_slot(1))
        changed = sa.type_coerce(builder.plain_slot(0), sa.String).concat(rest)
        here = sa.or_(path == builder.plain_slot(2), path.like(builder.plain_slot(3)))
        return sa.update(described).values({column: changed}).where(here)

    values = (new, len(old) + 1, old, f"{old}/%")
    yield from store.writes.run(("paths", uid), build, values)


def _parent_edge(store: EntryStore) -> LinkEdge:
    edge = store.layout(FOLDER_UID).table.edges[_PARENT]
    if not isinstance(edge, LinkEdge):
        raise TypeError("folders know their parent by a link table")
    return edge
