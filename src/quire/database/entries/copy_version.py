"""Replaces one version of a document by a copy of the other: publish, discard draft.

A version is replaced as a whole: its source is copied to a new row, with copies of its components;
links of other rows to the replaced row are moved to the new one; then the replaced row is deleted.
Rows are copied by the database itself, so every value stays exact, including password hashes.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.components import attach_components, component_links
from quire.database.entries.deletion import delete_entries
from quire.database.entries.entry_layout import EntryLayout, has_single_source, is_two_sided
from quire.database.entries.entry_tables import EntryStore
from quire.database.entries.relink import RowReplacement, relink
from quire.database.entries.versions_query import counterparts
from quire.database.program import Program, Value
from quire.database.tables.table_map import FIELD, ORDER, LinkEdge, MorphListEdge, MorphTargetEdge
from quire.schema.attributes.base import RelationAttribute


class VersionReplacement(Struct, frozen=True, kw_only=True):
    """One version of one locale that is replaced.

    ``source`` is the row to copy, ``replaced_id`` the row to replace (``None`` if there is none),
    ``siblings`` are all rows of the document. ``published`` is the status of linked entries in the
    new version; ``None`` keeps those of the source.
    """

    source: int
    replaced_id: int | None
    published: bool | None
    siblings: frozenset[int]


class SelfLink(NamedTuple):
    """A link of a row to itself, through a relation that both sides have an attribute for."""

    edge: LinkEdge
    order: Value
    inverse: Value


class NewVersion(NamedTuple):
    """A new row, and the links to itself that are still missing."""

    id: int
    self_links: tuple[SelfLink, ...]


def replace_version(
    store: EntryStore,
    layout: EntryLayout,
    replacement: VersionReplacement,
    columns: Mapping[str, Value],
) -> Program[NewVersion]:
    """Replace a version by a copy of another; ``columns`` are values that differ in the copy.

    The replaced row is deleted last: links of other entries are moved away from it before, because
    deleting it deletes its links.
    """
    new_id = yield from store.writes.copy(
        layout.table.name, layout.columns, replacement.source, columns
    )
    copier = _Copier(store, layout, replacement)
    yield from copier.copy_parts(layout, replacement.source, new_id)
    yield from copier.copy_links(layout, replacement.source, new_id)
    row_replacement = RowReplacement(
        new=new_id,
        source=replacement.source,
        replaced_id=replacement.replaced_id,
        published=bool(replacement.published),
    )
    yield from relink(store, layout, row_replacement)
    if replacement.replaced_id is not None:
        yield from delete_entries(store, layout, [replacement.replaced_id])
    return NewVersion(new_id, tuple(copier.missing_self_links))


def copy_entry(
    store: EntryStore, layout: EntryLayout, source: int, columns: Mapping[str, Value]
) -> Program[int]:
    """Copy a draft, or an entry without versions, to a new document; returns the new row's id.

    Relations whose targets can belong to one document only are not copied.
    """
    new_id = yield from store.writes.copy(layout.table.name, layout.columns, source, columns)
    replacement = VersionReplacement(
        source=source,
        replaced_id=None,
        published=False if layout.is_versioned() else None,
        siblings=frozenset({source, new_id}),
    )
    copier = _Copier(store, layout, replacement)
    yield from copier.copy_parts(layout, source, new_id)
    for attribute, edge in layout.links:
        is_bidirectional = is_two_sided(store.layouts, attribute, edge)
        if not (is_bidirectional and has_single_source(attribute)):
            yield from copier.copy_link(layout, attribute, edge, source, new_id)
    return new_id


def copy_attributes(
    store: EntryStore,
    layout: EntryLayout,
    source: int,
    target: int,
    names: Collection[str],
    *,
    published: bool,
) -> Program[None]:
    """Copy media and components of some attributes to another row, which has none of them yet."""
    replacement = VersionReplacement(
        source=source, replaced_id=None, published=published, siblings=frozenset({source, target})
    )
    yield from _Copier(store, layout, replacement).copy_parts(layout, source, target, names)


def link_to_itself(store: EntryStore, version: NewVersion) -> Program[None]:
    """Add the links of a new version to itself that its source has to itself.

    The response to a publish request does not show these links yet, as in Strapi; later reads do.
    """
    for edge, order, inverse in version.self_links:
        order_values = {edge.order: order, edge.inverse_order: inverse}
        stored_orders = {
            name: order_value for name, order_value in order_values.items() if name is not None
        }
        columns = {edge.source_column: version.id, edge.target_column: version.id, **stored_orders}
        yield from store.writes.insert(edge.table, columns)


class _RowLink(NamedTuple):
    """One link of a row: the target row, its position in the row's list, the row's in its list."""

    target_id: int
    order: Value
    inverse: Value


class _Copier:
    def __init__(
        self, store: EntryStore, layout: EntryLayout, replacement: VersionReplacement
    ) -> None:
        self._store = store
        self._uid = layout.model.uid
        self._replacement = replacement
        self.missing_self_links: list[SelfLink] = []
        """Links of the source to itself, which the copy still lacks."""

    def copy_parts(
        self, layout: EntryLayout, source: int, new_id: int, names: Collection[str] | None = None
    ) -> Program[None]:
        """Copy the dependent rows of a row: media, polymorphic links and components.

        Components that an attribute does not allow are not copied: they exist in drafts only.
        """
        tables: dict[str, list[MorphTargetEdge]] = {}
        for name, morph_edge in layout.morph_targets:
            if names is None or name in names:
                tables.setdefault(morph_edge.table, []).append(morph_edge)
        for edges in tables.values():
            yield from self._copy_morph_targets(edges, source, new_id)
        for name, edge in layout.morph_lists:
            if names is None or name in names:
                yield from self._copy_join_rows(edge, edge.source_column, {}, source, new_id)
        links = yield from component_links(self._store, layout, [source])
        rows: list[tuple[int, int, str, str, float | None]] = []
        for link in links:
            if names is not None and link.field not in names:
                continue
            if not layout.holds(link.field, link.uid):
                continue
            inner = self._store.layout(link.uid)
            writes = self._store.writes
            copy_id = yield from writes.copy(inner.table.name, inner.columns, link.id, {})
            yield from self.copy_parts(inner, link.id, copy_id)
            yield from self.copy_links(inner, link.id, copy_id)
            rows.append((new_id, copy_id, link.uid, link.field, link.order))
        yield from attach_components(self._store, layout, rows)

    def _copy_morph_targets(
        self, edges: Sequence[MorphTargetEdge], source: int, new_id: int
    ) -> Program[None]:
        """Copy the rows of one morph table that refer to a row through some of its attributes."""
        edge, fields = edges[0], [edge.field for edge in edges]
        column_values = {edge.source_type_column: [edge.type_value], FIELD: fields}
        yield from self._copy_join_rows(edge, edge.source_id_column, column_values, source, new_id)

    def _copy_join_rows(
        self,
        edge: MorphTargetEdge | MorphListEdge,
        source_column: str,
        column_values: Mapping[str, Sequence[str]],
        source: int,
        new_id: int,
    ) -> Program[None]:
        """Copy rows of a morph table, those with the given values, from one row to another."""
        copied = [name for name in edge.columns if name != source_column]

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = sa.table(edge.table, *(sa.column(name) for name in edge.columns))
            rows = builder.table(edge.table)
            selection = [*(rows.c(name) for name in copied), builder.plain_slot(0)]
            select = sa.select(*selection).select_from(rows.source)
            select = select.where(rows.c(source_column) == builder.plain_slot(1))
            for name, values in column_values.items():
                select = select.where(
                    rows.c(name).in_([builder.constant(value) for value in values])
                )
            select = select.order_by(rows.c(ORDER), rows.c("id"))
            return sa.insert(table_clause).from_select([*copied, source_column], select)

        shape = tuple((name, *values) for name, values in column_values.items())
        yield from self._store.writes.run(
            ("copy join rows", edge.table, source_column, shape), build, (new_id, source)
        )

    def copy_links(self, layout: EntryLayout, source: int, new_id: int) -> Program[None]:
        """Link the new row to the targets of the source, in the matching version."""
        for attribute, edge in layout.links:
            yield from self.copy_link(layout, attribute, edge, source, new_id)

    def copy_link(
        self,
        layout: EntryLayout,
        attribute: RelationAttribute,
        edge: LinkEdge,
        source: int,
        new_id: int,
    ) -> Program[None]:
        """Copy the links of one attribute."""
        links = yield from self._links_of(edge, source)
        if not links:
            return
        target_ids = yield from self._map_targets(edge.target, [link.target_id for link in links])
        replaced_id = self._replacement.replaced_id if layout.model.uid == self._uid else None
        replaced_links: list[_RowLink] = []
        if replaced_id is not None:
            replaced_links = yield from self._links_of(edge, replaced_id)
        inverse_orders = {link.target_id: link.inverse for link in replaced_links}
        is_bidirectional = is_two_sided(self._store.layouts, attribute, edge)
        links_own_type = edge.target == layout.model.uid
        rows: list[_RowLink] = []
        for link in links:
            target_id = target_ids.get(link.target_id)
            if target_id is None or any(row.target_id == target_id for row in rows):
                continue
            is_self_link = links_own_type and target_id == new_id
            if is_bidirectional and is_self_link:
                if edge.owning:
                    self.missing_self_links.append(SelfLink(edge, link.order, link.inverse))
                continue
            inverse = link.inverse
            if replaced_id is not None or (links_own_type and not edge.owning):
                # A document keeps its position on the other side; among documents of its own type,
                # one that is published for the first time comes last.
                inverse = inverse_orders.get(
                    replaced_id if replaced_id and is_self_link else target_id
                )
            rows.append(_RowLink(target_id, link.order, inverse))
        if is_bidirectional and has_single_source(attribute):
            yield from self._release_targets(edge, [row.target_id for row in rows], new_id)
        yield from self._insert_links(edge, new_id, rows)

    def _links_of(self, edge: LinkEdge, source_id: int) -> Program[list[_RowLink]]:
        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(edge.table)
            null = sa.null()
            order = null if edge.order is None else table.c(edge.order)
            inverse = null if edge.inverse_order is None else table.c(edge.inverse_order)
            query = sa.select(table.c(edge.target_column), order, inverse)
            query = query.where(table.c(edge.source_column) == builder.plain_slot(0))
            if edge.order is not None:
                query = query.order_by(order)
            return query.order_by(table.c("id"))

        key = ("links of", edge.table, edge.source_column)
        rows = yield from self._store.writes.run(key, build, (source_id,))
        return [_RowLink(int(target_id or 0), order, inverse) for target_id, order, inverse in rows]

    def _map_targets(self, uid: str, ids: list[int]) -> Program[Mapping[int, int]]:
        """Map linked rows to the rows of the same documents in the status of the copy.

        Documents without a row in that status are left out.
        """
        layout, replacement = self._store.layout(uid), self._replacement
        if replacement.published is None or not layout.is_versioned():
            return {id_: id_ for id_ in ids}
        replaced_id = replacement.replaced_id if uid == self._uid else None
        excluded_ids = () if replaced_id is None else (replaced_id,)
        return (
            yield from counterparts(
                self._store, layout, ids, published=replacement.published, excluded_ids=excluded_ids
            )
        )

    def _release_targets(
        self, edge: LinkEdge, target_ids: Collection[int], new_id: int
    ) -> Program[None]:
        """Delete links of other documents to targets that can belong to one document only."""
        if not target_ids:
            return

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = sa.table(
                edge.table, sa.column(edge.source_column), sa.column(edge.target_column)
            )
            dialect = self._store.dialect
            is_target = dialect.member_of(table_clause.c[edge.target_column], builder.parents())
            has_kept_source = dialect.member_of(
                table_clause.c[edge.source_column],
                builder.list_slot(0, lambda value: value),
            )
            return sa.delete(table_clause).where(is_target, sa.not_(has_kept_source))

        kept_sources = [*self._replacement.siblings, new_id]
        key = ("release", edge.table, edge.source_column)
        yield from self._store.writes.run_listed(key, build, target_ids, (kept_sources,))

    def _insert_links(
        self, edge: LinkEdge, source_id: int, links: Sequence[_RowLink]
    ) -> Program[None]:
        """Insert links; one without a position in the target's list is appended there."""
        link_rows: list[list[Value]] = []
        for link in links:
            row: list[Value] = [source_id, link.target_id]
            if edge.order is not None:
                row.append(link.order)
            if edge.inverse_order is not None:
                inverse_order = link.inverse
                if inverse_order is None:
                    inverse_order = yield from self._next_inverse_order(edge, link.target_id)
                row.append(inverse_order)
            link_rows.append(row)
        yield from self._store.writes.insert_many(edge.table, edge.columns, link_rows)

    def _next_inverse_order(self, edge: LinkEdge, target_id: int) -> Program[Value]:
        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(edge.table)
            last_order = sa.func.coalesce(sa.func.max(table.c(edge.inverse_order or "")), 0)
            condition = table.c(edge.target_column) == builder.plain_slot(0)
            return sa.select(last_order + sa.literal_column("1")).where(condition)

        rows = yield from self._store.writes.run(
            ("next", edge.table, edge.target_column), build, (target_id,)
        )
        return rows[0][0]
