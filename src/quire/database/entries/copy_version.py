"""Replaces one version of a document by a copy of the other: publish, discard draft.

A version is replaced as a whole: its source is copied to a new row, with copies of its components;
links of other rows to the replaced row are moved to the new one; then the replaced row is deleted.
Rows are copied by the database itself, so every value stays exact, including password hashes.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.components import (
    ComponentLink,
    attach_components,
    component_links,
)
from quire.database.entries.deletion import delete_entries
from quire.database.entries.entry_layout import EntryLayout, has_single_source, is_two_sided
from quire.database.entries.entry_tables import EntryStore
from quire.database.entries.id_mapping import id_mapping_of
from quire.database.entries.relink import RowReplacement, relink
from quire.database.entries.versions_query import counterparts
from quire.database.program import Program, Value
from quire.database.tables.table_map import FIELD, ORDER, LinkEdge, MorphListEdge, MorphTargetEdge
from quire.schema.attributes.base import RelationAttribute


class VersionReplacement(Struct, frozen=True, kw_only=True):
    """One version of one locale that is replaced.

    ``source`` is the row to copy, ``replaced_id`` the row to replace (``None`` if there is none),
    ``siblings`` are all rows of the document. ``published`` is the status of linked entries in the
    new version; ``None`` keeps those of the source. ``locale`` is the locale of linked entries that
    have one, ``None`` for their own.
    """

    source: int
    replaced_id: int | None
    published: bool | None
    siblings: frozenset[int]
    locale: str | None = None


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
    """Replace a version by a copy of another, see `replace_versions`."""
    (version,) = yield from replace_versions(store, layout, [replacement], columns)
    return version


def replace_versions(
    store: EntryStore,
    layout: EntryLayout,
    replacements: Sequence[VersionReplacement],
    columns: Mapping[str, Value],
) -> Program[list[NewVersion]]:
    """Replace versions by copies of others; ``columns`` are values that differ in the copies.

    Each step is one statement for all of them. They have to be of different documents that are not
    linked to each other (`independent_groups`), and of one status and locale. Replaced rows are
    deleted last: links of other entries are moved away from them before, because deleting them
    deletes their links.
    """
    sources = [replacement.source for replacement in replacements]
    new_ids = yield from store.writes.copy_many(layout.table.name, layout.columns, sources, columns)
    copies = list(zip(sources, new_ids, strict=True))
    copier = _Copier(store, layout, dict(zip(new_ids, replacements, strict=True)))
    yield from copier.copy_parts(layout, copies)
    yield from copier.copy_links(layout, copies)
    row_replacements = [
        RowReplacement(
            new=new_id,
            source=replacement.source,
            replaced_id=replacement.replaced_id,
            published=bool(replacement.published),
        )
        for new_id, replacement in zip(new_ids, replacements, strict=True)
    ]
    yield from relink(store, layout, row_replacements)
    yield from delete_entries(store, layout, copier.replaced_ids)
    return [
        NewVersion(new_id, tuple(copier.missing_self_links.get(new_id, ()))) for new_id in new_ids
    ]


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
    copier = _Copier(store, layout, {new_id: replacement}, to_new_document=True)
    copies = [(source, new_id)]
    yield from copier.copy_parts(layout, copies)
    for attribute, edge in layout.links:
        is_bidirectional = is_two_sided(store.layouts, attribute, edge)
        if not (is_bidirectional and has_single_source(attribute)):
            yield from copier.copy_link(layout, attribute, edge, copies)
    return new_id


def copy_attributes(
    store: EntryStore,
    layout: EntryLayout,
    source: int,
    target: int,
    names: Collection[str],
    *,
    published: bool | None,
    locale: str | None,
) -> Program[Mapping[str, Collection[int]]]:
    """Copy media and components of some attributes to another row, which has none of them yet.

    ``published`` and ``locale`` are those of linked entries. Entries that do not exist in them are
    not linked; returns the rows of these that are linked to the source, by content type.
    """
    replacement = VersionReplacement(
        source=source,
        replaced_id=None,
        published=published,
        siblings=frozenset({source, target}),
        locale=locale,
    )
    copier = _Copier(store, layout, {target: replacement}, to_other_locale=True)
    yield from copier.copy_parts(layout, [(source, target)], names)
    return copier.missing


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


Copies = Sequence[tuple[int, int]]
"""Rows of one model, each with its copy."""


class _Copier:
    """Copies what belongs to rows of a content type; ``replacements`` are by their copies.

    Copies ``to_other_locale`` link to nothing that their locale does not have. One
    ``to_new_document`` comes last in the lists of linked entries.
    """

    def __init__(
        self,
        store: EntryStore,
        layout: EntryLayout,
        replacements: Mapping[int, VersionReplacement],
        *,
        to_other_locale: bool = False,
        to_new_document: bool = False,
    ) -> None:
        self._store = store
        self._uid = layout.model.uid
        self._replacements = replacements
        first_replacement = next(iter(replacements.values()))
        self._published = first_replacement.published
        self._locale = first_replacement.locale
        self.replaced_ids = [
            replacement.replaced_id
            for replacement in replacements.values()
            if replacement.replaced_id is not None
        ]
        self.missing_self_links: dict[int, list[SelfLink]] = {}
        """Links of sources to themselves, which the copies still lack, by the copies."""
        self._to_other_locale = to_other_locale
        self._to_new_document = to_new_document
        self.missing: dict[str, set[int]] = {}
        """Linked rows that have no version in the locale of the copies, by content type."""

    def copy_parts(
        self, layout: EntryLayout, copies: Copies, names: Collection[str] | None = None
    ) -> Program[None]:
        """Copy the dependent rows of rows: media, polymorphic links and components.

        Components that an attribute does not allow are not copied: they exist in drafts only.
        """
        tables: dict[str, list[MorphTargetEdge]] = {}
        for name, morph_edge in layout.morph_targets:
            if names is None or name in names:
                tables.setdefault(morph_edge.table, []).append(morph_edge)
        for edges in tables.values():
            yield from self._copy_morph_targets(edges, copies)
        for name, edge in layout.morph_lists:
            if names is None or name in names:
                yield from self._copy_morph_list(edge, copies)
        yield from self._copy_components(layout, copies, names)

    def _copy_components(
        self, layout: EntryLayout, copies: Copies, names: Collection[str] | None
    ) -> Program[None]:
        all_links = yield from component_links(self._store, layout, [row for row, _ in copies])
        links = [
            link
            for link in all_links
            if (names is None or link.field in names) and layout.holds(link.field, link.uid)
        ]
        copies_by_link: dict[int, int] = {}
        for group in _copied_together(links):
            inner, writes = self._store.layout(group[0].uid), self._store.writes
            ids = [link.id for link in group]
            copy_ids = yield from writes.copy_many(inner.table.name, inner.columns, ids, {})
            inner_copies = list(zip(ids, copy_ids, strict=True))
            yield from self.copy_parts(inner, inner_copies)
            yield from self.copy_links(inner, inner_copies)
            for link, copy_id in zip(group, copy_ids, strict=True):
                copies_by_link[link.link_id] = copy_id
        new_ids = dict(copies)
        rows = [
            (new_ids[link.entity], copies_by_link[link.link_id], link.uid, link.field, link.order)
            for link in links
        ]
        yield from attach_components(self._store, layout, rows)

    def _copy_morph_targets(
        self, edges: Sequence[MorphTargetEdge], copies: Copies
    ) -> Program[None]:
        """Copy the rows of one morph table that refer to rows through some attributes."""
        edge, fields = edges[0], [edge.field for edge in edges]
        source_column = edge.source_id_column
        copied = [name for name in edge.columns if name != source_column]
        mapping = id_mapping_of(self._store.dialect, copies)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table_clause = sa.table(edge.table, *(sa.column(name) for name in edge.columns))
            rows = builder.table(edge.table)
            source_id = rows.c(source_column)
            selection = [*(rows.c(name) for name in copied), mapping.new_id_of(builder, source_id)]
            select = sa.select(*selection).select_from(rows.source)
            select = select.where(
                mapping.has(builder, source_id),
                rows.c(edge.source_type_column) == builder.constant(edge.type_value),
                rows.c(FIELD).in_([builder.constant(field) for field in fields]),
            )
            select = select.order_by(rows.c(ORDER), rows.c("id"))
            return sa.insert(table_clause).from_select([*copied, source_column], select)

        key = ("copy morph targets", edge.table, edge.type_value, tuple(fields), mapping.shape)
        yield from self._store.writes.run(key, build, mapping.values)

    def _copy_morph_list(self, edge: MorphListEdge, copies: Copies) -> Program[None]:
        """Link new rows to the targets of their sources, of any type, in the matching version."""
        columns = (edge.source_column, edge.target_type_column, edge.target_id_column, FIELD, ORDER)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(edge.table)
            source = table.c(edge.source_column)
            query = sa.select(*(table.c(name) for name in columns))
            query = query.where(self._store.dialect.member_of(source, builder.parents()))
            return query.order_by(table.c(ORDER), table.c("id"))

        key = ("morph list of", edge.table)
        sources = [source for source, _ in copies]
        rows = yield from self._store.writes.run_listed(key, build, sources)
        linked_ids: dict[str, set[int]] = {}
        for _, uid, target_id, _, _ in rows:
            linked_ids.setdefault(str(uid), set()).add(int(target_id or 0))
        target_ids: dict[str, Mapping[int, int]] = {}
        for uid, ids in linked_ids.items():
            if self._store.layouts.get(uid) is not None:
                target_ids[uid] = yield from self._map_targets(uid, sorted(ids))
        new_ids = dict(copies)
        links: list[list[Value]] = []
        for source_id, uid, target_id, field, order in rows:
            new_target = target_ids.get(str(uid), {}).get(int(target_id or 0))
            if new_target is not None:
                links.append([new_ids[int(source_id or 0)], uid, new_target, field, order])
        yield from self._store.writes.insert_many(edge.table, columns, links)

    def copy_links(self, layout: EntryLayout, copies: Copies) -> Program[None]:
        """Link new rows to the targets of their sources, in the matching version."""
        for attribute, edge in layout.links:
            yield from self.copy_link(layout, attribute, edge, copies)

    def copy_link(
        self, layout: EntryLayout, attribute: RelationAttribute, edge: LinkEdge, copies: Copies
    ) -> Program[None]:
        """Copy the links of one attribute."""
        is_entry = layout.model.uid == self._uid
        sources = [source for source, _ in copies]
        links = yield from self._links_of(
            edge, [*sources, *(self.replaced_ids if is_entry else ())]
        )
        linked_ids = {link.target_id for source in sources for link in links.get(source, ())}
        if not linked_ids:
            return
        target_ids = yield from self._map_targets(edge.target, sorted(linked_ids))
        is_bidirectional = is_two_sided(self._store.layouts, attribute, edge)
        links_own_type = edge.target == layout.model.uid
        rows: list[tuple[int, _RowLink]] = []
        for source, new_id in copies:
            replaced_id = self._replacements[new_id].replaced_id if is_entry else None
            inverse_orders = {
                link.target_id: link.inverse for link in links.get(replaced_id or 0, ())
            }
            linked: set[int] = set()
            for link in links.get(source, ()):
                target_id = target_ids.get(link.target_id)
                if target_id is None or target_id in linked:
                    continue
                is_self_link = links_own_type and target_id == new_id
                if is_bidirectional and is_self_link:
                    if edge.owning:
                        self.missing_self_links.setdefault(new_id, []).append(
                            SelfLink(edge, link.order, link.inverse)
                        )
                    continue
                inverse = None if self._to_new_document else link.inverse
                if replaced_id is not None or (links_own_type and not edge.owning):
                    # A document keeps its position on the other side; among documents of its own
                    # type, one that is published for the first time comes last.
                    inverse = inverse_orders.get(
                        replaced_id if replaced_id and is_self_link else target_id
                    )
                linked.add(target_id)
                rows.append((new_id, _RowLink(target_id, link.order, inverse)))
        if is_bidirectional and has_single_source(attribute):
            # Of several sources the last one gets the target, as if they were copied in turn.
            owners = {link.target_id: new_id for new_id, link in rows}
            rows = [(new_id, link) for new_id, link in rows if owners[link.target_id] == new_id]
            yield from self._release_targets(edge, owners)
        yield from self._insert_links(edge, rows)

    def _links_of(
        self, edge: LinkEdge, source_ids: Sequence[int]
    ) -> Program[dict[int, list[_RowLink]]]:
        """Return the links of rows in their order, by the rows."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(edge.table)
            null = sa.null()
            order = null if edge.order is None else table.c(edge.order)
            inverse = null if edge.inverse_order is None else table.c(edge.inverse_order)
            source = table.c(edge.source_column)
            query = sa.select(source, table.c(edge.target_column), order, inverse)
            query = query.where(self._store.dialect.member_of(source, builder.parents()))
            if edge.order is not None:
                query = query.order_by(order)
            return query.order_by(table.c("id"))

        key = ("links of", edge.table, edge.source_column)
        rows = yield from self._store.writes.run_listed(key, build, source_ids)
        links: dict[int, list[_RowLink]] = {}
        for source_id, target_id, order, inverse in rows:
            link = _RowLink(int(target_id or 0), order, inverse)
            links.setdefault(int(source_id or 0), []).append(link)
        return links

    def _map_targets(self, uid: str, ids: Sequence[int]) -> Program[Mapping[int, int]]:
        """Map linked rows to the rows of the same documents in the status and locale of the copies.

        Documents without such a row are left out. Entries of the own type are linked in the locale
        that they were linked in, if they have no version in that of the copies, as in Strapi.
        """
        layout = self._store.layout(uid)
        locale = self._locale if layout.is_localized() else None
        published = self._published if layout.is_versioned() else None
        if published is None and locale is None:
            return {id_: id_ for id_ in ids}
        excluded_ids = self.replaced_ids if uid == self._uid else ()
        rows = yield from counterparts(
            self._store, layout, ids, published=published, locale=locale, excluded_ids=excluded_ids
        )
        missing_ids = [id_ for id_ in ids if id_ not in rows]
        if missing_ids and locale is not None:
            self.missing.setdefault(uid, set()).update(missing_ids)
        is_elsewhere = uid != self._uid or self._to_other_locale
        if locale is None or is_elsewhere or not missing_ids:
            return rows
        other_rows = yield from counterparts(
            self._store, layout, missing_ids, published=published, excluded_ids=excluded_ids
        )
        return {**rows, **other_rows}

    def _release_targets(self, edge: LinkEdge, owners: Mapping[int, int]) -> Program[None]:
        """Delete links of other documents to targets that can belong to one document only.

        ``owners`` are the new rows that will be linked to the targets.
        """
        if not owners:
            return

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(edge.table)
            target = table.c(edge.target_column)
            query = sa.select(table.c("id"), table.c(edge.source_column), target)
            return query.where(self._store.dialect.member_of(target, builder.parents()))

        key = ("sources of", edge.table, edge.source_column)
        found = yield from self._store.writes.run_listed(key, build, list(owners))
        released_ids = []
        for link_id, source_id, target_id in found:
            new_id = owners[int(target_id or 0)]
            if source_id not in {new_id, *self._replacements[new_id].siblings}:
                released_ids.append(int(link_id or 0))
        yield from self._store.writes.delete(edge.table, released_ids)

    def _insert_links(self, edge: LinkEdge, links: Sequence[tuple[int, _RowLink]]) -> Program[None]:
        """Insert links; those without a position in the list of their target are appended there."""
        next_orders: dict[int, float] = {}
        if edge.inverse_order is not None:
            appended = {link.target_id for _, link in links if link.inverse is None}
            if appended:
                next_orders = yield from self._next_inverse_orders(edge, sorted(appended))
        link_rows: list[list[Value]] = []
        for source_id, link in links:
            row: list[Value] = [source_id, link.target_id]
            if edge.order is not None:
                row.append(link.order)
            if edge.inverse_order is not None:
                inverse_order = link.inverse
                next_order = next_orders.get(link.target_id, 1)
                if inverse_order is None:
                    inverse_order = next_order
                if isinstance(inverse_order, int | float):
                    # The next link to the target is appended after this one.
                    next_orders[link.target_id] = max(next_order, inverse_order + 1)
                row.append(inverse_order)
            link_rows.append(row)
        yield from self._store.writes.insert_many(edge.table, edge.columns, link_rows)

    def _next_inverse_orders(
        self, edge: LinkEdge, target_ids: Sequence[int]
    ) -> Program[dict[int, float]]:
        """Return the position after the last one in the lists of targets that have any links."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(edge.table)
            target = table.c(edge.target_column)
            last_order = sa.func.coalesce(sa.func.max(table.c(edge.inverse_order or "")), 0)
            query = sa.select(target, last_order + sa.literal_column("1")).group_by(target)
            return query.where(self._store.dialect.member_of(target, builder.parents()))

        key = ("next", edge.table, edge.target_column)
        rows = yield from self._store.writes.run_listed(key, build, target_ids)
        return {int(target_id or 0): float(order or 1) for target_id, order in rows}


def _copied_together(links: Sequence[ComponentLink]) -> Iterator[list[ComponentLink]]:
    """Group links of components by their models; a component of several links is in several groups.

    Versions do not share components, but rows that other programs have written may do so.
    """
    groups: dict[tuple[str, int], list[ComponentLink]] = {}
    times: Counter[tuple[str, int]] = Counter()
    for link in links:
        component = (link.uid, link.id)
        groups.setdefault((link.uid, times[component]), []).append(link)
        times[component] += 1
    yield from groups.values()
