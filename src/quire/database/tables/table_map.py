"""The table map: where each attribute is stored, and how rows are joined.

A `TableMap` holds one `ModelTable` per content type and component: its table, the column of each
scalar attribute, and one *edge* per attribute that leads to other rows. Edges know tables and
columns, nothing about queries. Names follow the rules of `tables.names`.
"""

from collections import deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from msgspec import Struct

from quire.database.tables.names import identifier
from quire.schema.attributes.base import (
    ComponentAttribute,
    DynamicZoneAttribute,
    LocalizationsAttribute,
    MediaAttribute,
    Relation,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import FILE_UID, Component, Model, Schema
from quire.schema.name_words import snake_case

MORPH_TARGET_ID = "target_id"
MORPH_TARGET_TYPE = "target_type"
COMPONENT_ENTITY = "entity_id"
COMPONENT_ID = "cmp_id"
COMPONENT_TYPE = "component_type"
FIELD = "field"
ORDER = "order"
COMPONENT_COLUMNS = (COMPONENT_ENTITY, COMPONENT_ID, COMPONENT_TYPE, FIELD, ORDER)
"""The columns of a components table beside ``id``."""


class LinkEdge(Struct, frozen=True, kw_only=True):
    """Through a link table. ``order`` sorts the target rows of one source row.

    ``owner`` is the uid of the model whose attribute the table belongs to.
    """

    target: str
    table: str
    source_column: str
    target_column: str
    order: str | None
    inverse_order: str | None
    owning: bool
    owner: str

    @property
    def orders(self) -> tuple[str, ...]:
        """The columns with positions."""
        return tuple(name for name in (self.order, self.inverse_order) if name is not None)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the link table beside ``id``."""
        return (self.source_column, self.target_column, *self.orders)


class ColumnEdge(Struct, frozen=True, kw_only=True):
    """The id of the target is in a column of the source row."""

    target: str
    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the source row."""
        return (self.column,)


class BackColumnEdge(Struct, frozen=True, kw_only=True):
    """The id of the source row is in a column of the target."""

    target: str
    column: str


class ComponentEdge(Struct, frozen=True, kw_only=True):
    """Components of a row: ``(entity_id, cmp_id, component_type, field, order)``."""

    components: tuple[str, ...]
    table: str
    field: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the components table beside ``id``."""
        return COMPONENT_COLUMNS


class MorphListEdge(Struct, frozen=True, kw_only=True):
    """From the row that owns a morph table to rows of any type (``morphToMany``)."""

    table: str
    source_column: str
    target_id_column: str
    target_type_column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the morph table beside ``id``."""
        return (self.source_column, self.target_id_column, self.target_type_column, FIELD, ORDER)


class MorphTargetEdge(Struct, frozen=True, kw_only=True):
    """From any row to the rows that refer to it through a morph table (media, ``morphMany``).

    A link counts when type and field are the source model and attribute.
    """

    target: str
    table: str
    target_column: str
    source_id_column: str
    source_type_column: str
    type_value: str
    field: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the morph table beside ``id``."""
        return (self.target_column, self.source_type_column, FIELD, ORDER, self.source_id_column)


class MorphColumnEdge(Struct, frozen=True, kw_only=True):
    """``target_id`` and ``target_type`` in the source row (``morphToOne``)."""

    id_column: str
    type_column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the source row."""
        return (self.id_column, self.type_column)


class MorphBackColumnEdge(Struct, frozen=True, kw_only=True):
    """From any row to the rows whose ``target_id`` and ``target_type`` refer to it."""

    target: str
    id_column: str
    type_column: str
    type_value: str


class LocalizationsEdge(Struct, frozen=True, kw_only=True):
    """The rows of the same document."""

    target: str


Edge = (
    LinkEdge
    | ColumnEdge
    | BackColumnEdge
    | ComponentEdge
    | MorphListEdge
    | MorphTargetEdge
    | MorphColumnEdge
    | MorphBackColumnEdge
    | LocalizationsEdge
)
JoinEdge = ComponentEdge | LinkEdge | MorphListEdge
EdgeT = TypeVar("EdgeT", bound=Edge)


class ModelTable(Struct, frozen=True, kw_only=True):
    """The table of a content type or component.

    ``columns`` maps scalar attributes to columns in physical order (without relation columns),
    ``edges`` maps the other attributes to their edges.
    """

    uid: str
    name: str
    columns: Mapping[str, str]
    edges: Mapping[str, Edge]
    components_table: str

    def edges_of(self, kind: type[EdgeT]) -> tuple[tuple[str, EdgeT], ...]:
        """Return the edges of one kind, with their attributes."""
        return tuple((name, edge) for name, edge in self.edges.items() if isinstance(edge, kind))

    @property
    def row_columns(self) -> tuple[str, ...]:
        """The columns beside ``id``: those of scalars, and those with the ids of other rows."""
        names = dict.fromkeys(self.columns.values())
        for edge in self.edges.values():
            if isinstance(edge, ColumnEdge | MorphColumnEdge):
                names.update(dict.fromkeys(edge.columns))
        names.pop("id", None)
        return tuple(names)

    @property
    def join_edges(self) -> tuple[JoinEdge, ...]:
        """The edges through tables of components, links and morphs that a relation owns."""
        edges = self.edges.values()
        return tuple(
            edge for edge in edges if isinstance(edge, ComponentEdge | LinkEdge | MorphListEdge)
        )


class TableMap(Struct, frozen=True):
    """The tables of a schema, by uid."""

    tables: Mapping[str, ModelTable]

    def __getitem__(self, uid: str) -> ModelTable:
        """Return the table of a uid. Raises KeyError when there is none."""
        return self.tables[uid]

    def names_of(self, uid: str, *attributes: str) -> frozenset[str]:
        """Return the table of a uid with the link tables of some attributes.

        Empty for a uid that the schema lacks.
        """
        model = self.tables.get(uid)
        if model is None:
            return frozenset()
        edges = (model.edges.get(name) for name in attributes)
        return frozenset(
            {model.name, *(edge.table for edge in edges if isinstance(edge, LinkEdge))}
        )


_recent_maps: deque[tuple[Schema, TableMap]] = deque(maxlen=4)
"""The table maps of the last schemas."""


def map_tables(schema: Schema) -> TableMap:
    """Return the table map of a schema."""
    for mapped_schema, tables in tuple(_recent_maps):
        if mapped_schema is schema:
            return tables
    tables = TableMap(
        MappingProxyType({model.uid: _map_model(schema, model) for model in schema.models()})
    )
    _recent_maps.append((schema, tables))
    return tables


def table_name(model: Model) -> str:
    """Return the table of a model: its collection name, shortened if needed."""
    return identifier(model.collection_name)


def components_table(model: Model) -> str:
    """Return the table that links a model's rows to their components."""
    return identifier(model.collection_name, suffix="components")


def column_name(attribute: ScalarAttribute) -> str:
    """Return the column of a scalar attribute."""
    return attribute.column_name or identifier(snake_case(attribute.name))


def id_column(name: str) -> str:
    """Return the column for the id of a row with this singular name."""
    return identifier(snake_case(name), suffix="id")


def link_table(model: Model, attribute: str) -> str:
    """Return the link table of a relation that the model owns."""
    return identifier(snake_case(table_name(model)), snake_case(attribute), suffix="links")


def morph_table(model: Model, attribute: str) -> str:
    """Return the morph table of a ``morphToMany`` attribute."""
    return identifier(snake_case(table_name(model)), snake_case(attribute), suffix="morphs")


def _map_model(schema: Schema, model: Model) -> ModelTable:
    edges: dict[str, Edge] = {}
    cmps = components_table(model)
    for name, attribute in model.attributes.items():
        match attribute:
            case RelationAttribute():
                edges[name] = _relation_edge(schema, model, attribute)
            case MediaAttribute():
                edges[name] = _media_edge(schema, model, name)
            case ComponentAttribute():
                edges[name] = ComponentEdge(
                    components=(attribute.component,), table=cmps, field=name
                )
            case DynamicZoneAttribute():
                edges[name] = ComponentEdge(components=attribute.components, table=cmps, field=name)
            case LocalizationsAttribute():
                edges[name] = LocalizationsEdge(target=attribute.target)
            case _:
                continue
    return ModelTable(
        uid=model.uid,
        name=table_name(model),
        columns=MappingProxyType({scalar.name: column_name(scalar) for scalar in model.scalars}),
        edges=MappingProxyType(edges),
        components_table=cmps,
    )


def _media_edge(schema: Schema, model: Model, name: str) -> MorphTargetEdge:
    return _morph_target(schema, model, name, target=FILE_UID, morph_by="related")


def _relation_edge(schema: Schema, model: Model, attribute: RelationAttribute) -> Edge:
    match attribute.relation:
        case Relation.MORPH_TO_ONE:
            return MorphColumnEdge(id_column=MORPH_TARGET_ID, type_column=MORPH_TARGET_TYPE)
        case Relation.MORPH_TO_MANY:
            return MorphListEdge(
                table=morph_table(model, attribute.name),
                source_column=id_column(model.singular_name),
                target_id_column=id_column(attribute.name),
                target_type_column=identifier(snake_case(attribute.name), suffix="type"),
            )
        case Relation.MORPH_ONE | Relation.MORPH_MANY:
            return _morph_back_edge(schema, model, attribute)
        case _:
            return _plain_edge(schema, model, attribute)


def _morph_back_edge(schema: Schema, model: Model, attribute: RelationAttribute) -> Edge:
    target, morph_by = str(attribute.target), str(attribute.morph_by)
    back = schema.model(target).attributes[morph_by]
    if isinstance(back, RelationAttribute) and back.relation is Relation.MORPH_TO_ONE:
        return MorphBackColumnEdge(
            target=target,
            id_column=MORPH_TARGET_ID,
            type_column=MORPH_TARGET_TYPE,
            type_value=model.uid,
        )
    return _morph_target(schema, model, attribute.name, target=target, morph_by=morph_by)


def _morph_target(
    schema: Schema, model: Model, name: str, *, target: str, morph_by: str
) -> MorphTargetEdge:
    owner = schema.model(target)
    return MorphTargetEdge(
        target=target,
        table=morph_table(owner, morph_by),
        target_column=id_column(owner.singular_name),
        source_id_column=id_column(morph_by),
        source_type_column=identifier(snake_case(morph_by), suffix="type"),
        type_value=model.uid,
        field=name,
    )


def _plain_edge(schema: Schema, model: Model, attribute: RelationAttribute) -> Edge:
    target = schema.model(str(attribute.target))
    owner_attribute = (
        target.attributes.get(attribute.mapped_by) if attribute.mapped_by is not None else None
    )
    if isinstance(owner_attribute, RelationAttribute):
        if not owner_attribute.join_table:
            return BackColumnEdge(target=target.uid, column=id_column(owner_attribute.name))
        return _link_edge(target, owner_attribute, model, owning=False)
    if not attribute.join_table:
        return ColumnEdge(target=target.uid, column=id_column(attribute.name))
    return _link_edge(model, attribute, target, owning=True)


def _link_edge(
    source: Model, attribute: RelationAttribute, target: Model, *, owning: bool
) -> LinkEdge:
    """Describe the link table of ``source``'s attribute, from one of its two sides."""
    link = link_columns(source, attribute, target)
    source_column, target_column = (
        (link.source, link.target) if owning else (link.target, link.source)
    )
    order, inverse = (link.order, link.inverse_order)
    return LinkEdge(
        target=target.uid if owning else source.uid,
        table=link_table(source, attribute.name),
        source_column=source_column,
        target_column=target_column,
        order=order if owning else inverse,
        inverse_order=inverse if owning else order,
        owning=owning,
        owner=source.uid,
    )


class LinkColumns(Struct, frozen=True, kw_only=True):
    """The columns of a link table, from the side that owns it."""

    source: str
    target: str
    order: str | None
    inverse_order: str | None


def link_columns(source: Model, attribute: RelationAttribute, target: Model) -> LinkColumns:
    """Name the columns of the link table of an owning relation.

    An order column sorts the targets within a source (to-many relations); an inverse order column
    sorts the sources within a target (bidirectional relations whose other side is a list).
    """
    source_name = snake_case(source.singular_name)
    target_name = snake_case(target.singular_name)
    has_same_id_column = id_column(source_name) == id_column(target_name)
    has_order = attribute.relation in {Relation.ONE_TO_MANY, Relation.MANY_TO_MANY}
    two_sided = attribute.inversed_by is not None
    inverse = two_sided and attribute.relation in {Relation.MANY_TO_ONE, Relation.MANY_TO_MANY}
    inverse_prefix = "inv" if has_order and source_name == target_name else None
    return LinkColumns(
        source=id_column(source_name),
        target=identifier(target_name, prefix="inv" if has_same_id_column else None, suffix="id"),
        order=identifier(target_name, suffix="order") if has_order else None,
        inverse_order=identifier(source_name, prefix=inverse_prefix, suffix="order")
        if inverse
        else None,
    )


def is_component(model: Model) -> bool:
    """Tell whether a model is a component."""
    return isinstance(model, Component)
