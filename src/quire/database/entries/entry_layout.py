"""How the rows of each model are stored, computed once per schema.

An `EntryLayout` sorts the attributes of a content type or component by how they are stored.
`IncomingLinks` lists the ways by which rows of *other* models lead to the rows of a content type,
so that a row can be replaced by another without any of them noticing.
"""

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from quire.database.tables.table_map import (
    ColumnEdge,
    ComponentEdge,
    LinkEdge,
    ModelTable,
    MorphColumnEdge,
    MorphListEdge,
    MorphTargetEdge,
    TableMap,
)
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    MediaAttribute,
    Relation,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import FILE_UID, Component, ContentType, Model, Schema

AUTOMATIC = frozenset({"id", "documentId", "createdAt", "updatedAt", "publishedAt", "locale"})
"""Scalars that the server alone writes."""

FIRST_PUBLISHED = "firstPublishedAt"
"""An optional moment of draft & publish types, stamped when a document is first published."""


class EntryLayout(Struct, frozen=True, dict=True):
    """How the rows of one model are stored, for those who write them."""

    model: Model
    table: ModelTable

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """All columns but ``id``."""
        names = dict.fromkeys(self.table.columns.values())
        for edge in self.table.edges.values():
            if isinstance(edge, ColumnEdge):
                names[edge.column] = None
            elif isinstance(edge, MorphColumnEdge):
                names[edge.id_column] = names[edge.type_column] = None
        names.pop("id", None)
        return tuple(names)

    @cached_property
    def own_scalars(self) -> tuple[ScalarAttribute, ...]:
        """The scalars that content decides, in order."""
        return tuple(a for a in self.model.scalars if a.name not in AUTOMATIC)

    @cached_property
    def components(self) -> tuple[ComponentAttribute | DynamicZoneAttribute, ...]:
        """Single, repeatable and zone attributes, in order."""
        return tuple(
            a
            for a in self.model.attributes.values()
            if isinstance(a, ComponentAttribute | DynamicZoneAttribute)
        )

    def holds(self, name: str, component: str) -> bool:
        """Whether the schema lists a component for an attribute."""
        edge = self.table.edges.get(name)
        return isinstance(edge, ComponentEdge) and component in edge.components

    @cached_property
    def links(self) -> tuple[tuple[RelationAttribute, LinkEdge], ...]:
        """Relations through a link table, seen from this side."""
        found = []
        for name, edge in self.table.edges.items():
            attribute = self.model.attributes[name]
            if isinstance(edge, LinkEdge) and isinstance(attribute, RelationAttribute):
                found.append((attribute, edge))
        return tuple(found)

    @cached_property
    def morph_lists(self) -> tuple[tuple[str, MorphListEdge], ...]:
        """Relations to rows of any type that this model's rows own."""
        edges = self.table.edges.items()
        return tuple((name, edge) for name, edge in edges if isinstance(edge, MorphListEdge))

    @cached_property
    def morph_targets(self) -> tuple[tuple[str, MorphTargetEdge], ...]:
        """Media, and relations whose other side owns a morph table."""
        edges = self.table.edges.items()
        return tuple((name, edge) for name, edge in edges if isinstance(edge, MorphTargetEdge))

    def is_versioned(self) -> bool:
        """Whether the model is a content type with draft & publish."""
        return isinstance(self.model, ContentType) and self.model.draft_and_publish

    def is_localized(self) -> bool:
        """Whether the model is a localized content type."""
        return isinstance(self.model, ContentType) and self.model.localized

    @cached_property
    def shared(self) -> frozenset[str]:
        """The attributes whose value all locales of a document have in common.

        Relations and uid attributes belong to their locale whatever their options say.
        """
        if not self.is_localized():
            return frozenset()
        return frozenset(a.name for a in self.model.attributes.values() if _is_shared(a))


def _is_shared(attribute: Attribute) -> bool:
    if (
        attribute.name in AUTOMATIC | {FIRST_PUBLISHED}
        or attribute.localized
        or not attribute.visible
    ):
        return False
    if isinstance(attribute, ScalarAttribute):
        return attribute.type.per_entry is False
    return isinstance(attribute, MediaAttribute | ComponentAttribute | DynamicZoneAttribute)


class IncomingLink(Struct, frozen=True):
    """A link table whose far rows are of the type in question, seen from the model that owns it.

    ``one_way`` says that the type has no attribute of its own for these links.
    """

    owner: EntryLayout
    attribute: RelationAttribute
    edge: LinkEdge
    one_way: bool


class IncomingColumn(Struct, frozen=True):
    """A column of another table that holds ids of rows of the type in question."""

    table: str
    column: str


class IncomingLinks(Struct, frozen=True):
    """All that can lead to the rows of one content type."""

    links: tuple[IncomingLink, ...]
    columns: tuple[IncomingColumn, ...]


class EntryLayouts:
    """The layouts of a schema by uid, and what leads to each of its types."""

    def __init__(self, schema: Schema, tables: TableMap) -> None:
        self._layouts: Mapping[str, EntryLayout] = {
            model.uid: EntryLayout(model, tables[model.uid]) for model in schema.models()
        }
        self._incoming: dict[str, IncomingLinks] = {}
        layouts = self._layouts.values()
        self.media_tables = {edge.table for _, edge in self._layouts[FILE_UID].morph_lists}
        """The tables through which files belong to media attributes."""
        self._morph_lists = tuple(edge for layout in layouts for _, edge in layout.morph_lists)
        self._morph_columns = tuple(
            (layout.table.name, edge)
            for layout in layouts
            for edge in layout.table.edges.values()
            if isinstance(edge, MorphColumnEdge)
        )
        self._uses: dict[str, list[tuple[EntryLayout, str]]] = {}
        for layout in layouts:
            for name, edge in layout.table.edges.items():
                if isinstance(edge, ComponentEdge):
                    for uid in edge.components:
                        self._uses.setdefault(uid, []).append((layout, name))

    def __getitem__(self, uid: str) -> EntryLayout:
        """Return the layout of a uid. Raises KeyError when there is no such model."""
        return self._layouts[uid]

    def get(self, uid: str) -> EntryLayout | None:
        """Return the layout of a uid that a row names; ``None`` when there is no such model."""
        return self._layouts.get(uid)

    def morph_lists_to(self, layout: EntryLayout) -> tuple[MorphListEdge, ...]:
        """Return the tables through which rows of any type are reached, those of a model too.

        Files belong to the media attributes of content types and components, everything else leads
        to content types alone.
        """
        own = {back.table for _, back in layout.morph_targets}
        free = not is_component(layout)
        return tuple(
            edge
            for edge in self._morph_lists
            if edge.table in own or (free and edge.table not in self.media_tables)
        )

    def morph_columns_to(self, layout: EntryLayout) -> tuple[tuple[str, MorphColumnEdge], ...]:
        """Return the tables with columns that can name a row of a model, and these columns."""
        return () if is_component(layout) else self._morph_columns

    def incoming(self, uid: str) -> IncomingLinks:
        """Return what leads to the rows of a content type."""
        found = self._incoming.get(uid)
        if found is None:
            found = self._incoming[uid] = self._find_incoming(uid)
        return found

    def uses_of(self, component: str) -> tuple[tuple[EntryLayout, str], ...]:
        """Return the models that have a component, each with the attribute that holds it."""
        return tuple(self._uses.get(component, ()))

    def _find_incoming(self, uid: str) -> IncomingLinks:
        links: list[IncomingLink] = []
        columns: list[IncomingColumn] = []
        for layout in self._layouts.values():
            for attribute, edge in layout.links:
                if edge.owning and edge.target == uid:
                    one_way = not self._is_mapped(uid, layout.model, attribute)
                    links.append(IncomingLink(layout, attribute, edge, one_way))
            columns += [
                IncomingColumn(layout.table.name, edge.column)
                for edge in layout.table.edges.values()
                if isinstance(edge, ColumnEdge) and edge.target == uid
            ]
        return IncomingLinks(tuple(links), tuple(columns))

    def _is_mapped(self, uid: str, owner: Model, attribute: RelationAttribute) -> bool:
        return any(
            back.target == owner.uid and back.mapped_by == attribute.name
            for back in self._layouts[uid].model.relations
        )


def is_two_sided(layouts: EntryLayouts, attribute: RelationAttribute, edge: LinkEdge) -> bool:
    """Whether both models have an attribute for the same links."""
    if not edge.owning:
        return True
    target = layouts[edge.target].model
    return any(
        back.target == edge.owner and back.mapped_by == attribute.name for back in target.relations
    )


def far_is_single(attribute: RelationAttribute) -> bool:
    """Whether a far row can belong to one near row only, where both sides know of the relation."""
    return attribute.relation in {Relation.ONE_TO_ONE, Relation.ONE_TO_MANY}


def is_component(layout: EntryLayout) -> bool:
    """Tell the layouts of components from those of content types."""
    return isinstance(layout.model, Component)
