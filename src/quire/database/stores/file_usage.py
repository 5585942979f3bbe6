"""Finds where files are used: media attributes, and URLs in texts."""

from collections.abc import Collection, Iterator

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.entry_layout import EntryLayout, is_component
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program
from quire.database.stores.files import FileRow
from quire.database.tables.table_map import (
    COMPONENT_ENTITY,
    COMPONENT_ID,
    COMPONENT_TYPE,
    FIELD,
    MorphListEdge,
)
from quire.schema.attributes.base import ScalarAttribute
from quire.schema.model import FILE_UID

MAX_USES = 1000
"""A kind of use to search for."""

_MORPH_TARGET = "related"
_TEXT_TYPES = frozenset({"richtext", "blocks", "text", "json"})


class FileUse(Struct, frozen=True, kw_only=True):
    """A use of a file in an entry.

    ``path`` is its attribute path, as in ``sections.images``; ``in_text`` says that a text there
    contains the URL of the file.
    """

    uid: str
    document_id: str
    entry_id: int
    locale: str | None
    published: bool
    path: str
    in_text: bool


class _UsingRow(Struct, frozen=True):
    """A row of a content type or component that uses a file at a path."""

    uid: str
    row_id: int
    path: str
    in_text: bool


def uses_of_file(store: EntryStore, file: FileRow) -> Program[list[FileUse]]:
    """Return where a file is used, entry by entry."""
    waiting = yield from _rows_linked_to(store, file.id)
    waiting += yield from _rows_with_name(store, file.hash)
    entries: list[_UsingRow] = []
    while waiting:
        layouts = {holder.uid: store.layouts.get(holder.uid) for holder in waiting}
        known_holders = [holder for holder in waiting if layouts[holder.uid] is not None]
        entries += [
            holder for holder in known_holders if not is_component(store.layout(holder.uid))
        ]
        parts = [holder for holder in known_holders if is_component(store.layout(holder.uid))]
        waiting = yield from _parents_of(store, parts)
    return (yield from _file_uses(store, entries))


def unlinked_files(store: EntryStore, *, after: int, limit: int) -> Program[list[int]]:
    """Return the ids after an id of files that no media attribute uses, in order."""
    layout, edge = store.layout(FILE_UID), _files_edge(store)

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table, links = builder.table(layout.table.name), builder.table(edge.table)
        linked = sa.select(links.c(edge.source_column)).where(
            links.c(edge.source_column).is_not(None)
        )
        free = sa.select(table.c("id")).where(
            table.c("id") > builder.plain_slot(0), table.c("id").not_in(linked)
        )
        return free.order_by(table.c("id")).limit(builder.plain_slot(1))

    rows = yield from store.writes.run(("unlinked files",), build, (after, limit))
    return [int(row[0] or 0) for row in rows]


def _files_edge(store: EntryStore) -> MorphListEdge:
    edge = store.layout(FILE_UID).table.edges[_MORPH_TARGET]
    if not isinstance(edge, MorphListEdge):
        raise TypeError("the table of files has no relation to entries")
    return edge


def _rows_linked_to(store: EntryStore, file_id: int) -> Program[list[_UsingRow]]:
    edge = _files_edge(store)

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        links = builder.table(edge.table)
        query = sa.select(
            links.c(edge.target_type_column), links.c(edge.target_id_column), links.c(FIELD)
        )
        condition = query.where(links.c(edge.source_column) == builder.plain_slot(0))
        return condition.order_by(links.c("id")).limit(sa.literal_column(str(MAX_USES)))

    rows = yield from store.writes.run(("file links",), build, (file_id,))
    return [
        _UsingRow(str(uid), int(row_id or 0), str(field or ""), in_text=False)
        for uid, row_id, field in rows
    ]


def _rows_with_name(store: EntryStore, name: str) -> Program[list[_UsingRow]]:
    """Return rows whose texts contain the name of a file, which is too long to occur by chance."""
    using_rows: list[_UsingRow] = []
    if not name:
        return using_rows
    pattern = f"%{_escape_pattern(name)}%"
    for model in store.schema.models():
        if model.uid == FILE_UID:
            continue
        for attribute in _texts(store.layout(model.uid)):
            ids = yield from _rows_with(store, store.layout(model.uid), attribute, pattern)
            using_rows += [
                _UsingRow(model.uid, row_id, attribute.name, in_text=True) for row_id in ids
            ]
    return using_rows


def _texts(layout: EntryLayout) -> Iterator[ScalarAttribute]:
    for attribute in layout.own_scalars:
        if attribute.type.name in _TEXT_TYPES and not attribute.secret:
            yield attribute


def _rows_with(
    store: EntryStore, layout: EntryLayout, attribute: ScalarAttribute, pattern: str
) -> Program[list[int]]:
    column = layout.table.columns[attribute.name]

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(layout.table.name)
        text = sa.cast(table.c(column), sa.Text())  # JSON as well
        condition = text.like(builder.plain_slot(0), escape="\\")
        query = sa.select(table.c("id")).where(condition).order_by(table.c("id"))
        return query.limit(sa.literal_column(str(MAX_USES)))

    key = ("texts with", layout.model.uid, attribute.name)
    rows = yield from store.writes.run(key, build, (pattern,))
    return [int(row[0] or 0) for row in rows]


def _parents_of(store: EntryStore, parts: Collection[_UsingRow]) -> Program[list[_UsingRow]]:
    """Return the rows that contain components, with the paths from there."""
    by_component: dict[str, dict[int, list[_UsingRow]]] = {}
    for part in parts:
        by_component.setdefault(part.uid, {}).setdefault(part.row_id, []).append(part)
    parents: list[_UsingRow] = []
    for uid, rows in by_component.items():
        tables = {layout.model.uid: layout for layout, _ in store.layouts.uses_of(uid)}
        for layout in tables.values():
            links = yield from _rows_with_component(store, layout, uid, list(rows))
            parents += [
                _UsingRow(layout.model.uid, entity, f"{field}.{part.path}", part.in_text)
                for entity, component, field in links
                for part in rows[component]
            ]
    return parents


def _rows_with_component(
    store: EntryStore, layout: EntryLayout, component: str, ids: Collection[int]
) -> Program[list[tuple[int, int, str]]]:
    def build(builder: StatementBuilder) -> sa.ClauseElement:
        links = builder.table(layout.table.components_table)
        condition = sa.and_(
            links.c(COMPONENT_TYPE) == builder.plain_slot(0),
            store.dialect.member_of(links.c(COMPONENT_ID), builder.parents()),
        )
        columns = (links.c(COMPONENT_ENTITY), links.c(COMPONENT_ID), links.c(FIELD))
        return sa.select(*columns).where(condition).order_by(links.c("id"))

    key = ("holding", layout.model.uid)
    rows = yield from store.writes.run_listed(key, build, ids, (component,))
    return [(int(entity or 0), int(id_ or 0), str(field)) for entity, id_, field in rows]


def _file_uses(store: EntryStore, holders: Collection[_UsingRow]) -> Program[list[FileUse]]:
    by_type: dict[str, dict[int, list[_UsingRow]]] = {}
    for holder in dict.fromkeys(holders):
        by_type.setdefault(holder.uid, {}).setdefault(holder.row_id, []).append(holder)
    uses: list[FileUse] = []
    for uid, rows in sorted(by_type.items()):
        layout = store.layout(uid)
        columns = layout.table.columns

        def build(builder: StatementBuilder, layout: EntryLayout = layout) -> sa.ClauseElement:
            table = builder.table(layout.table.name)
            is_published = table.c(layout.table.columns["publishedAt"]).is_not(None)
            selected_columns = (
                table.c("id"),
                table.c(layout.table.columns["documentId"]),
                table.c(layout.table.columns["locale"]),
                sa.case((is_published, 1), else_=0),
            )
            member = store.dialect.member_of(table.c("id"), builder.parents())
            return sa.select(*selected_columns).where(member).order_by(table.c("id"))

        if "publishedAt" not in columns or "documentId" not in columns:
            continue
        using_rows = yield from store.writes.run_listed(("used by", uid), build, list(rows))
        uses += [
            FileUse(
                uid=uid,
                document_id=str(document_id),
                entry_id=int(row_id or 0),
                locale=None if locale is None else str(locale),
                published=bool(published),
                path=holder.path,
                in_text=holder.in_text,
            )
            for row_id, document_id, locale, published in using_rows
            for holder in rows[int(row_id or 0)]
        ]
    return uses


def _escape_pattern(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
