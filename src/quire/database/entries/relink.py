"""Moves the links of other entries from a row to the row that replaces it.

Links to a document must survive publishing, which replaces its row: they keep their ids and
positions. Links of bidirectional relations are not handled here, because they are copied as links
of the row itself, through its attribute of the relation.

When a document is published for the first time, entries that were linked to its draft get a link to
the published row too: those without draft & publish at once, published ones if their drafts have
not changed since (the present links are those that they were published with). Changed ones get it
when they are published themselves.
"""

from collections.abc import Iterator, Sequence

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.sql.elements import ColumnElement

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.entries.entry_layout import (
    EntryLayout,
    IncomingLink,
    IncomingLinks,
    is_component,
)
from quire.database.entries.entry_tables import EntryStore
from quire.database.entries.id_mapping import IdMapping, id_mapping_of
from quire.database.program import Program
from quire.database.tables.table_map import (
    COMPONENT_ENTITY,
    COMPONENT_ID,
    COMPONENT_TYPE,
    FIELD,
    ORDER,
    LinkEdge,
)

_MAX_DEPTH = 6
"""How many levels of components above a component are searched."""

Condition = ColumnElement[bool]


class RowReplacement(Struct, frozen=True, kw_only=True):
    """A row that replaces another one.

    ``source`` is the row it was copied from, ``replaced_id`` the one it replaces, if there is one.
    """

    new: int
    source: int
    replaced_id: int | None
    published: bool


def relink(
    store: EntryStore, layout: EntryLayout, replacements: Sequence[RowReplacement]
) -> Program[None]:
    """Move the links of replaced rows to the new ones, and add links to new versions."""
    incoming = store.layouts.incoming(layout.model.uid)
    replaced = [
        (replacement.replaced_id, replacement.new)
        for replacement in replacements
        if replacement.replaced_id is not None
    ]
    if replaced:
        yield from _move_links(store, layout, incoming, id_mapping_of(store.dialect, replaced))
    for link in incoming.links:
        if link.one_way:
            yield from _add_links(store, layout, link, replacements)


def _move_links(
    store: EntryStore, layout: EntryLayout, incoming: IncomingLinks, mapping: IdMapping
) -> Program[None]:
    for link in incoming.links:
        if link.one_way:
            yield from _repoint(store, link.edge.table, link.edge.target_column, mapping)
    for column in incoming.columns:
        yield from _repoint(store, column.table, column.column, mapping)
    uid = layout.model.uid
    for edge in store.layouts.morph_lists_to(layout):
        if edge.table in store.layouts.media_tables:
            continue  # Media belong to one version, and were copied with it.
        own_attributes = tuple(
            name for name, back in layout.morph_targets if back.table == edge.table
        )
        yield from _repoint_morph(
            store,
            edge.table,
            edge.target_type_column,
            edge.target_id_column,
            uid,
            own_attributes,
            mapping,
        )
    for table, morph in store.layouts.morph_columns_to(layout):
        yield from _repoint_morph(
            store, table, morph.type_column, morph.id_column, uid, (), mapping
        )


def _repoint(store: EntryStore, table: str, column: str, mapping: IdMapping) -> Program[None]:
    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table_clause = sa.table(table, sa.column(column))
        target_id = table_clause.c[column]
        change = sa.update(table_clause).values({column: mapping.new_id_of(builder, target_id)})
        return change.where(mapping.has(builder, target_id))

    yield from store.writes.run(("repoint", table, column, mapping.shape), build, mapping.values)


def _repoint_morph(
    store: EntryStore,
    table: str,
    type_column: str,
    id_column: str,
    uid: str,
    own_attributes: tuple[str, ...],
    mapping: IdMapping,
) -> Program[None]:
    """Move polymorphic links; those of the rows' ``own_attributes`` attributes were copied."""

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        names = (type_column, id_column, *((FIELD,) if own_attributes else ()))
        table_clause = sa.table(table, *(sa.column(name) for name in names))
        target_id = table_clause.c[id_column]
        values = {id_column: mapping.new_id_of(builder, target_id)}
        conditions = [
            mapping.has(builder, target_id),
            table_clause.c[type_column] == builder.plain_slot(2),
        ]
        if own_attributes:
            field = table_clause.c[FIELD]
            foreign = [field != builder.constant(name) for name in own_attributes]
            conditions.append(sa.or_(field.is_(None), sa.and_(*foreign)))
        return sa.update(table_clause).values(values).where(*conditions)

    key = ("repoint morph", table, own_attributes, mapping.shape)
    yield from store.writes.run(key, build, (*mapping.values, uid))


def _add_links(
    store: EntryStore,
    layout: EntryLayout,
    link: IncomingLink,
    replacements: Sequence[RowReplacement],
) -> Program[None]:
    """Add links to the new rows from entries that are linked to their sources.

    Entries without draft & publish link to both versions. Published entries could not link to a
    document without a published version: their links are added when it gets one.
    """
    yield from _LinkAddition(store, link, replacements).for_unversioned()
    first_published = [
        replacement
        for replacement in replacements
        if replacement.replaced_id is None and replacement.published
    ]
    if first_published:
        addition = _LinkAddition(store, link, first_published)
        if link.owner.model.uid == layout.model.uid:
            yield from addition.for_versioned(link.owner, unmodified=False)
        elif link.owner.is_versioned():
            yield from addition.for_versioned(link.owner, unmodified=True)
        elif is_component(link.owner):
            for path in _paths_to_types(store, link.owner):
                if path[0][0].is_versioned():
                    yield from addition.for_components(path)


ComponentPath = tuple[tuple[EntryLayout, str], ...]
"""The path from a content type to a component: the models, each with the attribute."""


def _paths_to_types(
    store: EntryStore, component: EntryLayout, inner_path: ComponentPath = ()
) -> Iterator[ComponentPath]:
    if len(inner_path) >= _MAX_DEPTH:
        return
    for container, name in store.layouts.uses_of(component.model.uid):
        path = ((container, name), *inner_path)
        if is_component(container):
            yield from _paths_to_types(store, container, path)
        else:
            yield path


class _LinkAddition:
    """Adds links from source rows that are linked to a copied row to the new row."""

    def __init__(
        self, store: EntryStore, link: IncomingLink, replacements: Sequence[RowReplacement]
    ) -> None:
        self._store = store
        self._edge: LinkEdge = link.edge
        self._owner = link.owner
        pairs = [(replacement.source, replacement.new) for replacement in replacements]
        self._mapping = id_mapping_of(store.dialect, pairs)

    def for_unversioned(self) -> Program[None]:
        """Link entries without draft & publish to both versions."""
        if is_component(self._owner):
            if not self._has_unversioned_users(self._owner):
                return
        elif self._owner.is_versioned():
            return

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            links = builder.table(self._edge.table)
            source_id = links.c(self._edge.source_column)
            conditions = [self._mapping.has(builder, links.c(self._edge.target_column))]
            if is_component(self._owner):
                conditions.append(self._is_unversioned(builder, self._owner, source_id))
            return self._insert(builder, links.source, links, source_id, conditions)

        key = ("extend", self._edge.table, self._mapping.shape)
        yield from self._store.writes.run(key, build, self._mapping.values)

    def _has_unversioned_users(self, component: EntryLayout) -> bool:
        return any(
            not path[0][0].is_versioned() for path in _paths_to_types(self._store, component)
        )

    def _is_unversioned(
        self,
        builder: StatementBuilder,
        component: EntryLayout,
        row: ColumnElement[int],
        depth: int = 0,
    ) -> Condition:
        """Return the condition that a component is, at any depth, in an entry without versions."""
        alternatives: list[Condition] = []
        for container, name in self._store.layouts.uses_of(component.model.uid):
            if container.is_versioned() or depth >= _MAX_DEPTH:
                continue
            links = builder.table(container.table.components_table)
            conditions = [
                links.c(COMPONENT_ID) == row,
                links.c(COMPONENT_TYPE) == builder.constant(component.model.uid),
                links.c(FIELD) == builder.constant(name),
            ]
            if is_component(container):
                entity = links.c(COMPONENT_ENTITY)
                conditions.append(self._is_unversioned(builder, container, entity, depth + 1))
            alternatives.append(sa.exists(sa.select(links.c("id")).where(*conditions)))
        return sa.or_(*alternatives) if alternatives else sa.false()

    def for_versioned(self, owner: EntryLayout, *, unmodified: bool) -> Program[None]:
        """Link published rows whose drafts are linked to the source."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            links = builder.table(self._edge.table)
            draft = builder.table(owner.table.name)
            published = builder.table(owner.table.name)
            source = links.source.join(
                draft.source, draft.c("id") == links.c(self._edge.source_column)
            )
            source = source.join(
                published.source, _same_entry(owner, draft, published, unmodified=unmodified)
            )
            conditions = [self._mapping.has(builder, links.c(self._edge.target_column))]
            return self._insert(builder, source, links, published.c("id"), conditions)

        key = ("extend to published", self._edge.table, self._mapping.shape)
        yield from self._store.writes.run(key, build, self._mapping.values)

    def for_components(self, path: ComponentPath) -> Program[None]:
        """Link components of published rows, which are found by their positions in the entry."""
        top = path[0][0]

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            draft = builder.table(top.table.name)
            published = builder.table(top.table.name)
            source: sa.FromClause = draft.source.join(
                published.source, _same_entry(top, draft, published, unmodified=True)
            )
            draft_id, published_id = draft.c("id"), published.c("id")
            for user, name in path:
                draft_links = builder.table(user.table.components_table)
                published_links = builder.table(user.table.components_table)
                field = builder.constant(name)
                source = source.join(
                    draft_links.source,
                    sa.and_(
                        draft_links.c(COMPONENT_ENTITY) == draft_id, draft_links.c(FIELD) == field
                    ),
                )
                same_place = sa.and_(
                    published_links.c(COMPONENT_ENTITY) == published_id,
                    published_links.c(FIELD) == draft_links.c(FIELD),
                    published_links.c(COMPONENT_TYPE) == draft_links.c(COMPONENT_TYPE),
                    published_links.c(ORDER).is_not_distinct_from(draft_links.c(ORDER)),
                )
                source = source.join(published_links.source, same_place)
                draft_id = draft_links.c(COMPONENT_ID)
                published_id = published_links.c(COMPONENT_ID)
                last = draft_links
            links = builder.table(self._edge.table)
            source = source.join(links.source, links.c(self._edge.source_column) == draft_id)
            conditions = [
                self._mapping.has(builder, links.c(self._edge.target_column)),
                last.c(COMPONENT_TYPE) == builder.constant(self._owner.model.uid),
            ]
            return self._insert(builder, source, links, published_id, conditions)

        positions = tuple((user.model.uid, name) for user, name in path)
        key = ("extend to components", self._edge.table, positions, self._mapping.shape)
        yield from self._store.writes.run(key, build, self._mapping.values)

    def _insert(
        self,
        builder: StatementBuilder,
        source: sa.FromClause,
        links: AliasedTable,
        source_id: ColumnElement[int],
        conditions: list[Condition],
    ) -> sa.ClauseElement:
        """Link ``source_id`` to the new row, at the positions of ``links``, if not yet linked."""
        edge = self._edge
        table_clause = sa.table(edge.table, *(sa.column(name) for name in edge.columns))
        existing_links = builder.table(edge.table)
        target_id = links.c(edge.target_column)
        is_linked = sa.exists(
            sa.select(existing_links.c("id")).where(
                existing_links.c(edge.source_column) == source_id,
                existing_links.c(edge.target_column) == self._mapping.new_id_of(builder, target_id),
            )
        )
        image = self._mapping.new_id_of(builder, target_id)
        selection = [source_id, image, *(links.c(name) for name in edge.orders)]
        select = sa.select(*selection).select_from(source).where(*conditions, sa.not_(is_linked))
        if not self._mapping.is_single:
            select = select.order_by(links.c("id"))
        return sa.insert(table_clause).from_select(edge.columns, select)


def _same_entry(
    layout: EntryLayout, draft: AliasedTable, published: AliasedTable, *, unmodified: bool
) -> Condition:
    """Whether two rows are the draft and the published version of one document and locale."""
    columns = layout.table.columns
    conditions = [
        published.c(columns["documentId"]) == draft.c(columns["documentId"]),
        published.c(columns["locale"]).is_not_distinct_from(draft.c(columns["locale"])),
        draft.c(columns["publishedAt"]).is_(None),
        published.c(columns["publishedAt"]).is_not(None),
    ]
    if unmodified:
        conditions.append(draft.c(columns["updatedAt"]) <= published.c(columns["updatedAt"]))
    return sa.and_(*conditions)
