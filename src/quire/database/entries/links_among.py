"""Finds which of some documents are linked to each other.

The copies of such documents depend on each other: a version of one links to the version of another
only if that exists. So they are published one after the other, and others together.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.components import component_links, ids_by_component
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program
from quire.database.tables.table_map import ComponentEdge, LinkEdge

DocumentIds = Mapping[int, str]
"""The document ids of rows."""


def links_among(
    store: EntryStore, layout: EntryLayout, documents: DocumentIds
) -> Program[dict[str, set[str]]]:
    """Return the documents that are linked to each one, in either direction, by document ids.

    ``documents`` has all rows of the documents. Links of components count as those of their
    entries; links of documents to themselves do not count.
    """
    linked: dict[str, set[str]] = {}
    yield from _add_links(store, layout, documents, documents, layout.model.uid, linked)
    return linked


def independent_groups(
    document_ids: Iterable[str], linked: Mapping[str, Collection[str]]
) -> list[list[str]]:
    """Divide documents, in their order, into groups that are not linked to each other.

    ``linked`` are the documents that are linked to each one, see `links_among`.
    """
    groups: list[list[str]] = []
    for document_id in document_ids:
        if not groups or not set(groups[-1]).isdisjoint(linked.get(document_id, ())):
            groups.append([])
        groups[-1].append(document_id)
    return groups


def _add_links(
    store: EntryStore,
    layout: EntryLayout,
    owners: DocumentIds,
    documents: DocumentIds,
    uid: str,
    linked: dict[str, set[str]],
) -> Program[None]:
    """Add the links of rows of one model, ``owners``, and of their components."""
    for _, edge in layout.links:
        if edge.target == uid:
            for source_id, target_id in (yield from _links_of(store, edge, list(owners))):
                source, target = owners[source_id], documents.get(target_id)
                if target is not None and target != source:
                    linked.setdefault(source, set()).add(target)
                    linked.setdefault(target, set()).add(source)
    if not _links_in_components(store, layout, uid, frozenset()):
        return
    links = yield from component_links(store, layout, list(owners))
    for component in ids_by_component(links):
        inner_owners = {link.id: owners[link.entity] for link in links if link.uid == component}
        inner = store.layout(component)
        yield from _add_links(store, inner, inner_owners, documents, uid, linked)


def _links_in_components(
    store: EntryStore, layout: EntryLayout, uid: str, checked: frozenset[str]
) -> bool:
    """Tell whether components of a model, at any depth, can link to entries of a content type."""
    components = {
        component
        for _, edge in layout.table.edges_of(ComponentEdge)
        for component in edge.components
        if component not in checked
    }
    for component in components:
        inner = store.layout(component)
        if any(edge.target == uid for _, edge in inner.links):
            return True
        if _links_in_components(store, inner, uid, checked | components):
            return True
    return False


def _links_of(
    store: EntryStore, edge: LinkEdge, source_ids: Sequence[int]
) -> Program[list[tuple[int, int]]]:
    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(edge.table)
        source = table.c(edge.source_column)
        query = sa.select(source, table.c(edge.target_column))
        return query.where(store.dialect.member_of(source, builder.parents()))

    key = ("linked rows", edge.table, edge.source_column)
    rows = yield from store.writes.run_listed(key, build, source_ids)
    return [(int(source or 0), int(target or 0)) for source, target in rows]
