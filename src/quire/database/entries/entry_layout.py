"""How the rows of each model are stored, computed once per schema.

An `EntryLayout` sorts the attributes of a content type or component by how they are stored.
`IncomingLinks` lists how rows of other models refer to the rows of a content type, so that a row
can be replaced by another one without losing a reference.
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
"""Scalars that only the server writes."""

FIRST_PUBLISHED = "firstPublishedAt"
"""An optional timestamp of draft & publish types, set when a document is first published."""


class EntryLayout(Struct, frozen=True, dict=True):
    """How the rows of one model are stored, for code that writes them."""

    model: Model
    table: ModelTable

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """All columns but ``id``."""
        return self.table.row_columns

    @cached_property
    def own_scalars(self) -> tuple[ScalarAttribute, ...]:
        """The scalars that clients can write, in order."""
        return tuple(scalar for scalar in self.model.scalars if scalar.name not in AUTOMATIC)

    @cached_property
    def components(self) -> tuple[ComponentAttribute | DynamicZoneAttribute, ...]:
        """Attributes with components (single, repeatable, dynamic zone), in order."""
        return tuple(
            attribute
            for attribute in self.model.attributes.values()
            if isinstance(attribute, ComponentAttribute | DynamicZoneAttribute)
        )

    def holds(self, name: str, component: str) -> bool:
        """Whether an attribute allows a component."""
        edge = self.table.edges.get(name)
        return isinstance(edge, ComponentEdge) and component in edge.components

    @cached_property
    def links(self) -> tuple[tuple[RelationAttribute, LinkEdge], ...]:
        """Relations through a link table, from this side."""
        edges = [
            (self.model.attributes[name], edge) for name, edge in self.table.edges_of(LinkEdge)
        ]
        return tuple(
            (attribute, edge)
            for attribute, edge in edges
            if isinstance(attribute, RelationAttribute)
        )

    @cached_property
    def morph_lists(self) -> tuple[tuple[str, MorphListEdge], ...]:
        """Relations to rows of any type that rows of this model own."""
        return self.table.edges_of(MorphListEdge)

    @cached_property
    def morph_targets(self) -> tuple[tuple[str, MorphTargetEdge], ...]:
        """Media, and relations whose other side owns a morph table."""
        return self.table.edges_of(MorphTargetEdge)

    def is_versioned(self) -> bool:
        """Whether the model is a content type with draft & publish."""
        return isinstance(self.model, ContentType) and self.model.draft_and_publish

    def is_localized(self) -> bool:
        """Whether the model is a localized content type."""
        return isinstance(self.model, ContentType) and self.model.localized

    @cached_property
    def shared(self) -> frozenset[str]:
        """The attributes whose value is shared by all locales of a document.

        Relations and uid attributes belong to their locale, whatever their options say.
        """
        if not self.is_localized():
            return frozenset()
        return frozenset(
            attribute.name for attribute in self.model.attributes.values() if _is_shared(attribute)
        )


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
    """A link table whose target rows are of the given type, seen from the model that owns it.

    ``one_way`` says that the type has no attribute of its own for these links.
    """

    owner: EntryLayout
    attribute: RelationAttribute
    edge: LinkEdge
    one_way: bool


class IncomingColumn(Struct, frozen=True):
    """A column of another table that holds ids of rows of the given type."""

    table: str
    column: str


class IncomingLinks(Struct, frozen=True):
    """All references to the rows of one content type."""

    links: tuple[IncomingLink, ...]
    columns: tuple[IncomingColumn, ...]


class EntryLayouts:
    """The layouts of a schema by uid, and the references to each of its types."""

    def __init__(self, schema: Schema, tables: TableMap) -> None:
        self._layouts: Mapping[str, EntryLayout] = {
            model.uid: EntryLayout(model, tables[model.uid]) for model in schema.models()
        }
        self._incoming: dict[str, IncomingLinks] = {}
        layouts = self._layouts.values()
        self.media_tables = {edge.table for _, edge in self._layouts[FILE_UID].morph_lists}
        """The tables that link files to media attributes."""
        self._morph_lists = tuple(edge for layout in layouts for _, edge in layout.morph_lists)
        self._morph_columns = tuple(
            (layout.table.name, edge)
            for layout in layouts
            for _, edge in layout.table.edges_of(MorphColumnEdge)
        )
        self._uses: dict[str, list[tuple[EntryLayout, str]]] = {}
        for layout in layouts:
            for name, edge in layout.table.edges_of(ComponentEdge):
                for uid in edge.components:
                    self._uses.setdefault(uid, []).append((layout, name))

    def __getitem__(self, uid: str) -> EntryLayout:
        """Return the layout of a uid. Raises KeyError when there is no such model."""
        return self._layouts[uid]

    def get(self, uid: str) -> EntryLayout | None:
        """Return the layout of a uid from a row; ``None`` when there is no such model."""
        return self._layouts.get(uid)

    def morph_lists_to(self, layout: EntryLayout) -> tuple[MorphListEdge, ...]:
        """Return the morph tables that can refer to rows of a model.

        Files belong to the media attributes of content types and components; all other links refer
        to content types only.
        """
        own_tables = {back.table for _, back in layout.morph_targets}
        free = not is_component(layout)
        return tuple(
            edge
            for edge in self._morph_lists
            if edge.table in own_tables or (free and edge.table not in self.media_tables)
        )

    def morph_columns_to(self, layout: EntryLayout) -> tuple[tuple[str, MorphColumnEdge], ...]:
        """Return the tables with columns that can refer to a row of a model, and these columns."""
        return () if is_component(layout) else self._morph_columns

    def incoming(self, uid: str) -> IncomingLinks:
        """Return the references to the rows of a content type."""
        links = self._incoming.get(uid)
        if links is None:
            links = self._incoming[uid] = self._find_incoming(uid)
        return links

    def uses_of(self, component: str) -> tuple[tuple[EntryLayout, str], ...]:
        """Return the models that use a component, each with the attribute that contains it."""
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
                for _, edge in layout.table.edges_of(ColumnEdge)
                if edge.target == uid
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


def has_single_source(attribute: RelationAttribute) -> bool:
    """Whether a target row can belong to one source row only, in a bidirectional relation."""
    return attribute.relation in {Relation.ONE_TO_ONE, Relation.ONE_TO_MANY}


def is_component(layout: EntryLayout) -> bool:
    """Tell whether a layout is that of a component."""
    return isinstance(layout.model, Component)
