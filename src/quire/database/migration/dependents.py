"""Archives rows together with their components, links and media."""

from collections.abc import Collection, Iterator, Sequence

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.components import ComponentLink, component_links, ids_by_component
from quire.database.entries.deletion import detach_components
from quire.database.entries.entry_tables import EntryStore
from quire.database.migration.archive import ArchiveWriter
from quire.database.program import Program, Value
from quire.database.tables.table_map import (
    COMPONENT_ENTITY,
    COMPONENT_ID,
    COMPONENT_TYPE,
    FIELD,
    ComponentEdge,
    MorphTargetEdge,
)

_DependentIds = dict[str, set[int]]
"""Ids of rows by table."""

_ROWS_AT_ONCE = 5_000


def archive_entries(
    store: EntryStore, archive: ArchiveWriter, uid: str, ids: Sequence[int]
) -> Program[None]:
    """Archive rows of a model, with their components, links and media."""
    archived_ids: _DependentIds = {}
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        yield from _gather(store, uid, ids[start : start + _ROWS_AT_ONCE], archived_ids)
    yield from _keep(archive, archived_ids)


def archive_attribute(
    store: EntryStore, archive: ArchiveWriter, uid: str, name: str, component: str | None
) -> Program[None]:
    """Remove components or media of an attribute from all entries, and archive them.

    With ``component``, only this one is removed.
    """
    layout = store.layout(uid)
    match layout.table.edges[name]:
        case ComponentEdge() as edge:
            links = yield from _links_in(store, edge)
            if component is not None:
                links = [link for link in links if link.uid == component]
            archived_ids: _DependentIds = {edge.table: {link.link_id for link in links}}
            for part, ids in ids_by_component(links).items():
                yield from _gather(store, part, ids, archived_ids)
            yield from _keep(archive, archived_ids)
            yield from detach_components(store, layout, links)
        case MorphTargetEdge() as edge:
            values = {edge.source_type_column: edge.type_value, FIELD: edge.field}
            ids = yield from _ids_with(store, edge.table, values)
            yield from _keep(archive, {edge.table: set(ids)})
            yield from store.writes.delete(edge.table, ids)
        case _:
            raise TypeError(f"{uid}.{name} keeps its rows in tables of its own")


def with_dependents(store: EntryStore, uid: str, ids: Collection[int]) -> Program[set[int]]:
    """Return the rows of a model that have components, or links of any kind."""
    layout = store.layout(uid)
    parts = yield from component_links(store, layout, ids)
    bound_ids = {part.entity for part in parts}
    for table, column, morph in _link_tables(store, uid):
        bound_ids.update((yield from _selected_ids(store, table, (column, column), ids, morph)))
    return bound_ids


def _keep(archive: ArchiveWriter, dependents: _DependentIds) -> Program[None]:
    for table, ids in dependents.items():
        if ids and archive.knows(table):
            yield from archive.keep(table, ids=sorted(ids))


def _gather(
    store: EntryStore, uid: str, ids: Collection[int], dependents: _DependentIds
) -> Program[None]:
    layout = store.layout(uid)
    dependents.setdefault(layout.table.name, set()).update(ids)
    parts = yield from component_links(store, layout, ids)
    if parts:
        links = dependents.setdefault(layout.table.components_table, set())
        links.update(link.link_id for link in parts)
    for part, part_ids in ids_by_component(parts).items():
        yield from _gather(store, part, part_ids, dependents)
    for table, column, morph in _link_tables(store, uid):
        rows = yield from _selected_ids(store, table, ("id", column), ids, morph)
        dependents.setdefault(table, set()).update(rows)


def _link_tables(store: EntryStore, uid: str) -> Iterator[tuple[str, str, MorphTargetEdge | None]]:
    """Iterate over the link tables from and to rows of a model, and their columns."""
    layout = store.layout(uid)
    yield from ((edge.table, edge.source_column, None) for _, edge in layout.links)
    yield from ((edge.table, edge.source_column, None) for _, edge in layout.morph_lists)
    if "::" in uid:
        incoming = store.layouts.incoming(uid).links
        yield from ((link.edge.table, link.edge.target_column, None) for link in incoming)
    yield from ((edge.table, edge.source_id_column, edge) for _, edge in layout.morph_targets)


def _selected_ids(
    store: EntryStore,
    table: str,
    columns: tuple[str, str],
    ids: Collection[int],
    morph: MorphTargetEdge | None,
) -> Program[list[int]]:
    """Return the first column of rows whose second column has one of ``ids``.

    In a morph table, only rows of one type count.
    """
    selected_column, column = columns

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        source = builder.table(table)
        member = store.dialect.member_of(source.c(column), builder.parents())
        query = sa.select(source.c(selected_column)).select_from(source.source).where(member)
        if morph is not None:
            query = query.where(source.c(morph.source_type_column) == builder.plain_slot(0))
        return query

    values: tuple[Value, ...] = () if morph is None else (morph.type_value,)
    key = ("leading", table, columns, morph is None)
    rows = yield from store.writes.run_listed(key, build, ids, values)
    return [int(id_ or 0) for (id_,) in rows]


def _ids_with(store: EntryStore, table: str, values: dict[str, str]) -> Program[list[int]]:
    columns = tuple(values)

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        source = builder.table(table)
        conditions = [source.c(name) == builder.plain_slot(i) for i, name in enumerate(columns)]
        return sa.select(source.c("id")).select_from(source.source).where(*conditions)

    rows = yield from store.writes.run(("ids with", table, columns), build, tuple(values.values()))
    return [int(id_ or 0) for (id_,) in rows]


def _links_in(store: EntryStore, edge: ComponentEdge) -> Program[list[ComponentLink]]:
    """Return all components in an attribute, without those of unknown models."""

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        source = builder.table(edge.table)
        names = ("id", COMPONENT_ENTITY, COMPONENT_ID, COMPONENT_TYPE)
        condition = source.c(FIELD) == builder.plain_slot(0)
        return (
            sa.select(*(source.c(name) for name in names)).where(condition).order_by(source.c("id"))
        )

    rows = yield from store.writes.run(("links in", edge.table), build, (edge.field,))
    return [
        ComponentLink(int(link or 0), int(entity or 0), int(id_), str(uid), edge.field, None)
        for link, entity, id_, uid in rows
        if id_ is not None and store.layouts.get(str(uid)) is not None
    ]
