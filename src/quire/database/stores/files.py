"""Files of the media library, as rows."""

from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.entries.deletion import delete_entries
from quire.database.entries.links.link_change import LinkChange, LinkTarget
from quire.database.entries.store import EntryStore
from quire.database.program import Program, Row
from quire.database.stores.encoded_values import encode_columns
from quire.database.tables.table_map import ColumnEdge
from quire.schema.attributes.base import ScalarAttribute
from quire.schema.model import FILE_UID

_FOLDER = "folder"
_KNOWN = (
    "id",
    "documentId",
    "name",
    "hash",
    "ext",
    "mime",
    "url",
    "provider",
    "formats",
    "folderPath",
    "focalPoint",
    "size",
    "width",
    "height",
)


class FileRow(Struct, frozen=True, kw_only=True):
    """What is known of a file. ``formats`` are its other sizes by name, as they are stored.

    ``focus`` is its point of interest, in percent of width and height.
    """

    id: int
    document_id: str
    name: str
    hash: str
    ext: str
    mime: str
    url: str
    provider: str
    formats: Mapping[str, Any]
    folder_path: str
    focus: tuple[float, float] | None
    size: float | None
    width: int | None
    height: int | None

    @property
    def keys(self) -> tuple[str, ...]:
        """The names that the file and its other sizes have in the storage, its own first."""
        others = (
            f"{made['hash']}{made.get('ext') or ''}"
            for made in self.formats.values()
            if isinstance(made, dict) and isinstance(made.get("hash"), str)
        )
        return (f"{self.hash}{self.ext}", *others)


def find_files(store: EntryStore, ids: Collection[int]) -> Program[list[FileRow]]:
    """Return files by row id, in the order of their ids; those that are not there are left out."""
    if not ids:
        return []

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(_table(store))
        member = store.dialect.member_of(table.c("id"), builder.parents())
        return _select(store, table).where(member).order_by(table.c("id"))

    rows = yield from store.writes.run_listed(("files",), build, ids)
    return [_file(store, row) for row in rows]


def file_by_key(store: EntryStore, key: str) -> Program[FileRow | None]:
    """Return the file that is kept under a name, ``None`` where no row tells of it."""
    stem = key.rpartition(".")[0] if "." in key else key

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(_table(store))
        here = table.c(_column(store, "hash")) == builder.plain_slot(0)
        return _select(store, table).where(here).order_by(table.c("id"))

    rows = yield from store.writes.run(("file by hash",), build, (stem,))
    found = [_file(store, row) for row in rows]
    return next((row for row in found if row.keys[0] == key), None)


def files_within(store: EntryStore, paths: Collection[str]) -> Program[list[FileRow]]:
    """Return the files of folders, given by their paths, and of all folders inside them."""
    found: dict[int, FileRow] = {}
    for path in paths:

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(_table(store))
            here = table.c(_column(store, "folderPath"))
            inside = sa.or_(
                here == builder.plain_slot(0),
                here.like(builder.plain_slot(1)),
            )
            return _select(store, table).where(inside).order_by(table.c("id"))

        rows = yield from store.writes.run(("files within",), build, (path, f"{path}/%"))
        for row in rows:
            file = _file(store, row)
            found[file.id] = file
    return list(found.values())


def insert_file(
    store: EntryStore, values: Mapping[str, object], *, folder: int | None
) -> Program[int]:
    """Add a file with values by attribute, at the end of a folder; returns its row id."""
    row_id = yield from store.writes.insert(_table(store), encode_columns(store, FILE_UID, values))
    if folder is not None:
        yield from put_into(store, row_id, folder, new=True)
    return row_id


def creators_of(store: EntryStore, ids: Collection[int]) -> Program[dict[int, int | None]]:
    """Return which administrator made each of these files; those that are not there are left out.

    A file that nobody of them made has ``None``.
    """
    if not ids:
        return {}
    edge = store.layout(FILE_UID).table.edges["createdBy"]
    if not isinstance(edge, ColumnEdge):
        raise TypeError("files know who made them by a column")
    column = edge.column

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(_table(store))
        member = store.dialect.member_of(table.c("id"), builder.parents())
        return sa.select(table.c("id"), table.c(column)).where(member)

    rows = yield from store.writes.run_listed(("creators of files",), build, ids)
    return {int(row_id or 0): None if by is None else int(by) for row_id, by in rows}


def update_file(store: EntryStore, row_id: int, values: Mapping[str, object]) -> Program[None]:
    """Change values of a file, by attribute."""
    yield from store.writes.update(_table(store), row_id, encode_columns(store, FILE_UID, values))


def put_into(
    store: EntryStore, row_id: int, folder: int | None, *, new: bool = False
) -> Program[None]:
    """Put a file into a folder, or into none; its path is a value of its own."""
    targets = () if folder is None else (LinkTarget(rows=(folder,)),)
    change = LinkChange(connect=targets) if new else LinkChange(set=targets)
    yield from store.links.apply(FILE_UID, _FOLDER, row_id, change, creating=new)


def delete_files(store: EntryStore, ids: Collection[int]) -> Program[None]:
    """Delete files with everything that leads to them."""
    yield from delete_entries(store, store.layout(FILE_UID), list(ids))


def all_files(store: EntryStore, *, after: int, most: int) -> Program[list[FileRow]]:
    """Return some files in the order of their ids, those after an id."""

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(_table(store))
        later = _select(store, table).where(table.c("id") > builder.plain_slot(0))
        return later.order_by(table.c("id")).limit(builder.plain_slot(1))

    rows = yield from store.writes.run(("files after",), build, (after, most))
    return [_file(store, row) for row in rows]


def _table(store: EntryStore) -> str:
    return store.layout(FILE_UID).table.name


def _column(store: EntryStore, name: str) -> str:
    return store.layout(FILE_UID).table.columns[name]


def _select(store: EntryStore, table: AliasedTable) -> sa.Select[Any]:
    return sa.select(*(table.c(_column(store, name)) for name in _KNOWN))


def _file(store: EntryStore, row: Row) -> FileRow:
    attributes = store.layout(FILE_UID).model.attributes
    values: dict[str, Any] = {}
    for name, stored in zip(_KNOWN, row, strict=True):
        attribute = attributes[name]
        if not isinstance(attribute, ScalarAttribute):
            raise TypeError(f"{name} is no column")
        values[name] = store.dialect.decode_value(attribute.storage, stored)
    formats = values["formats"]
    return FileRow(
        id=int(values["id"]),
        document_id=values["documentId"] or "",
        name=values["name"] or "",
        hash=values["hash"] or "",
        ext=values["ext"] or "",
        mime=values["mime"] or "",
        url=values["url"] or "",
        provider=values["provider"] or "",
        formats=formats if isinstance(formats, dict) else {},
        folder_path=values["folderPath"] or "/",
        focus=_focus(values["focalPoint"]),
        size=values["size"],
        width=values["width"],
        height=values["height"],
    )


def _focus(stored: object) -> tuple[float, float] | None:
    point = stored if isinstance(stored, dict) else {}
    x, y = point.get("x"), point.get("y")
    if not isinstance(x, int | float) or not isinstance(y, int | float):
        return None
    return float(x), float(y)
