"""The tables of a schema as SQLAlchemy metadata: columns, foreign keys, indexes.

Names, columns and their order, constraints and indexes are those of Strapi, so that either server
can open the database of the other. In addition there are *read indexes* for lists and populated
pages; they are marked, and have names that nobody else uses.

This module imports SQLAlchemy, which takes a while: import it only where tables are needed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Column, ForeignKeyConstraint, Index, MetaData, Table
from sqlalchemy.sql.elements import UnaryExpression
from sqlalchemy.sql.operators import desc_op
from sqlalchemy.types import TypeEngine

from quire.database.tables.names import identifier
from quire.database.tables.system_tables import (
    HISTORY_VERSIONS,
    OWN_PREFIX,
    PLAIN_TABLES,
    SystemColumn,
)
from quire.database.tables.table_map import (
    COMPONENT_ENTITY,
    COMPONENT_ID,
    COMPONENT_TYPE,
    FIELD,
    ORDER,
    ColumnEdge,
    ComponentEdge,
    LinkEdge,
    ModelTable,
    MorphColumnEdge,
    MorphListEdge,
    TableMap,
)
from quire.errors import SchemaError, SchemaProblem
from quire.query.plan import Status
from quire.schema.attributes.base import ScalarAttribute, StorageKind
from quire.schema.model import ADMIN_USER_UID, Component, ContentType, Model, Schema, TypeKind

OF_STATUS = "of_status"
"""Key of ``Index.info``: the status of the rows that the index holds, ``None`` for all rows."""

READ_INDEX = "read_index"
"""Key of ``Index.info``: what the index is for. Strapi has no such key."""

_LOOKED_UP = "entries are found by the value, and so is one that has it, without reading the table"

_KIND = "kind"
"""Key of ``Column.info``: the column kind, which a SQLAlchemy type does not determine."""


class ColumnTypes(Struct, frozen=True, kw_only=True):
    """The column types of one kind of database.

    ``reference`` is the type of columns with the id of another row, ``order`` that of the columns
    that sort links and components. ``exact`` is the name of the type that keeps all the digits of a
    number.
    """

    kinds: Mapping[StorageKind, TypeEngine[Any]]
    reference: TypeEngine[Any]
    order: TypeEngine[Any]
    exact: str


_NAMED_COLUMN_TYPES: Mapping[str, StorageKind] = {
    "string": StorageKind.STRING,
    "text": StorageKind.TEXT,
    "integer": StorageKind.INTEGER,
    "bigInteger": StorageKind.BIGINTEGER,
    "double": StorageKind.FLOAT,
    "decimal": StorageKind.DECIMAL,
    "boolean": StorageKind.BOOLEAN,
    "date": StorageKind.DATE,
    "time": StorageKind.TIME,
    "datetime": StorageKind.DATETIME,
    "timestamp": StorageKind.TIMESTAMP,
    "jsonb": StorageKind.JSON,
}
"""The values of an attribute's ``columnType`` and their column kinds."""


def build_metadata(schema: Schema, table_map: TableMap, types: ColumnTypes) -> MetaData:
    """Describe every table of a project, with built-in types and system tables.

    Read indexes have ``READ_INDEX`` in their ``info``. Raises SchemaError when a schema file asks
    for an index over a column that its table lacks, or when two tables would have one name.
    """
    build = _MetadataBuilder(table_map=table_map, types=types, metadata=MetaData())
    for name, fields in PLAIN_TABLES.items():
        build.plain_table(name, fields)
    for model in schema.models():
        build.model_table(model)
    for model in schema.models():
        build.model_references(model)
    build.creator_reference(HISTORY_VERSIONS)
    return build.metadata


def column_kind(column: Column[Any]) -> StorageKind:
    """Return the kind of a column that `build_metadata` made."""
    return StorageKind(column.info[_KIND])


def plain_column(
    types: ColumnTypes, name: str, kind: StorageKind, *, nullable: bool = True
) -> Column[Any]:
    """Describe a column of a table outside the schema; one for ids is the primary key."""
    key = kind is StorageKind.ID
    return Column(
        name, types.kinds[kind], primary_key=key, nullable=nullable and not key, info={_KIND: kind}
    )


def is_read_index(index: Index) -> bool:
    """Tell whether an index is one of Quire's own read indexes."""
    return bool(index.info.get(READ_INDEX))


def index_columns(index: Index) -> list[tuple[str, bool]]:
    """Return the columns of an index in their order, and whether each is descending."""
    columns = []
    for expression in index.expressions:
        descending = isinstance(expression, UnaryExpression) and expression.modifier is desc_op
        column: Any = expression.element if descending else expression  # type: ignore[union-attr]  # a column, or one that is descending
        columns.append((str(column.name), descending))
    return columns


def sorted_indexes(table: Table) -> list[Index]:
    """Return the indexes of a table in order of name (SQLAlchemy keeps them in a set)."""
    return sorted(table.indexes, key=lambda index: str(index.name))


class _MetadataBuilder(Struct, frozen=True, kw_only=True):
    """Adds tables to the metadata: first those with rows of their own, then link tables."""

    table_map: TableMap
    types: ColumnTypes
    metadata: MetaData

    def plain_table(self, name: str, fields: tuple[SystemColumn, ...]) -> None:
        columns = (
            self._column(field.name, field.kind, nullable=not field.required) for field in fields
        )
        Table(name, self.metadata, self._id(), *columns)

    def model_table(self, model: Model) -> None:
        mapped = self.table_map[model.uid]
        columns: dict[str, Column[Any]] = {}
        for column in self._model_columns(model, mapped):
            columns.setdefault(column.name, column)
        table = self._new_table(model, mapped.name, *columns.values())
        for attribute in model.scalars:
            if _column_options(attribute).get("unique") is True:
                column = table.c[mapped.columns[attribute.name]]
                Index(identifier(table.name, column.name, suffix="unique"), column, unique=True)
        if isinstance(model, ContentType):
            self._content_type_indexes(model, table)

    def model_references(self, model: Model) -> None:
        """Add a creator column to a table without documents."""
        mapped = self.table_map[model.uid]
        table = self.metadata.tables[mapped.name]
        if mapped.edges_of(ComponentEdge):
            self._components_table(model, mapped, table)
        for edge in mapped.edges.values():
            match edge:
                case ColumnEdge():
                    self._column_reference(table, edge.column, self._table(edge.target))
                case LinkEdge(owning=True):
                    self._link_table(model, edge, table)
                case MorphListEdge():
                    self._morph_table(model, edge, table)
                case _:
                    continue

    def creator_reference(self, name: str) -> None:
        """Add the creator to a table without documents."""
        table = self.metadata.tables[name]
        table.append_column(self._reference("created_by_id"))
        self._column_reference(table, "created_by_id", self._table(ADMIN_USER_UID))

    def _model_columns(self, model: Model, mapped: ModelTable) -> Iterator[Column[Any]]:
        for attribute in model.attributes.values():
            edge = mapped.edges.get(attribute.name)
            if attribute.name == "id":
                yield self._id()
            elif isinstance(attribute, ScalarAttribute):
                yield self._scalar(attribute, mapped.columns[attribute.name])
            elif isinstance(edge, ColumnEdge):
                yield self._reference(edge.column)
            elif isinstance(edge, MorphColumnEdge):
                yield self._reference(edge.id_column)
                yield self._column(edge.type_column, StorageKind.STRING)

    def _scalar(self, attribute: ScalarAttribute, name: str) -> Column[Any]:
        options = _column_options(attribute)
        return self._column(
            name,
            _storage(attribute),
            nullable=options.get("notNullable") is not True,
            default=_server_default(options.get("defaultTo")),
        )

    def _content_type_indexes(self, model: ContentType, table: Table) -> None:
        versions = (table.c.document_id, table.c.locale, table.c.published_at)
        Index(identifier(model.collection_name, "documents", suffix="index"), *versions)
        for index in model.indexes:
            unknown = [name for name in index.columns if name not in table.c]
            if unknown:
                message = f"{index.name} names a column that {table.name} lacks: {unknown[0]}"
                raise SchemaError([SchemaProblem(model.file, "indexes", message)])
            Index(index.name, *(table.c[name] for name in index.columns), unique=index.unique)
        if has_lists(model):
            _list_indexes(model, table)
            self._unique_indexes(model, table)

    def _unique_indexes(self, model: ContentType, table: Table) -> None:
        """Add indexes for the lookup of unique values."""
        for attribute in model.scalars:
            column = table.c[self.table_map[model.uid].columns[attribute.name]]
            if is_looked_up(attribute) and column_kind(column) is not StorageKind.JSON:
                name = identifier(table.name, column.name, prefix="quire", suffix="value")
                Index(name, column, info={READ_INDEX: _LOOKED_UP})

    def _components_table(self, model: Model, mapped: ModelTable, owner: Table) -> None:
        table = self._new_table(
            model,
            mapped.components_table,
            self._id(),
            self._reference(COMPONENT_ENTITY),
            self._reference(COMPONENT_ID),
            self._column(COMPONENT_TYPE, StorageKind.STRING),
            self._column(FIELD, StorageKind.STRING),
            self._order(ORDER),
        )
        name = model.collection_name
        entity, part = table.c[COMPONENT_ENTITY], table.c[COMPONENT_ID]
        kind, field = table.c[COMPONENT_TYPE], table.c[FIELD]
        Index(identifier(name, FIELD, suffix="index"), field)
        Index(identifier(name, COMPONENT_TYPE, suffix="index"), kind)
        _reference(entity, owner, identifier(name, middle="entity", suffix="fk"), "CASCADE")
        Index(identifier(name, suffix="unique"), entity, part, field, kind, unique=True)
        gain = "components of entries are found in their order"
        _read_index("fields", entity, field, table.c[ORDER], gain=gain)

    def _link_table(self, model: Model, edge: LinkEdge, source: Table) -> None:
        orders = [name for name in (edge.order, edge.inverse_order) if name is not None]
        table = self._new_table(
            model,
            edge.table,
            self._id(),
            self._reference(edge.source_column),
            self._reference(edge.target_column),
            *(self._order(name) for name in orders),
        )
        source_id, target_id = table.c[edge.source_column], table.c[edge.target_column]
        _reference(source_id, source, identifier(edge.table, suffix="fk"), "CASCADE")
        target = self._table(edge.target)
        _reference(target_id, target, identifier(edge.table, suffix="inv_fk"), "CASCADE")
        Index(identifier(edge.table, suffix="unique"), source_id, target_id, unique=True)
        if edge.order is not None:
            Index(identifier(edge.table, suffix="order_fk"), table.c[edge.order])
        if edge.inverse_order is not None:
            Index(identifier(edge.table, suffix="order_inv_fk"), table.c[edge.inverse_order])
        if _is_own(model):
            self._link_read_indexes(edge, table)

    def _link_read_indexes(self, edge: LinkEdge, table: Table) -> None:
        """Add indexes for both directions of a link, in the order that the list is shown in."""
        source_id, target_id = table.c[edge.source_column], table.c[edge.target_column]
        if edge.order is not None:  # without an order column, the unique index is the same
            gain = "related entries are populated in their order, without sorting them"
            _read_index("targets", source_id, table.c[edge.order], target_id, gain=gain)
        gain = "filters through the relation, and its other side, do not read the link table"
        if edge.inverse_order is not None:
            _read_index("sources", target_id, table.c[edge.inverse_order], source_id, gain=gain)
        else:
            _read_index("sources", target_id, source_id, gain=gain)

    def _morph_table(self, model: Model, edge: MorphListEdge, owner: Table) -> None:
        table = self._new_table(
            model,
            edge.table,
            self._id(),
            self._reference(edge.source_column),
            self._reference(edge.target_id_column),
            self._column(edge.target_type_column, StorageKind.STRING),
            self._column(FIELD, StorageKind.STRING),
            self._order(ORDER),
        )
        target_id, order = table.c[edge.target_id_column], table.c[ORDER]
        _reference(
            table.c[edge.source_column], owner, identifier(edge.table, suffix="fk"), "CASCADE"
        )
        Index(identifier(edge.table, suffix="order_index"), order)
        Index(identifier(edge.table, suffix="id_column_index"), target_id)
        gain = "files of entries, and other rows linked like them, are found in their order"
        _read_index(
            "related", target_id, table.c[edge.target_type_column], table.c[FIELD], order, gain=gain
        )

    def _column_reference(self, table: Table, column: str, target: Table) -> None:
        name = identifier(table.name, column, suffix="fk")
        _reference(table.c[column], target, name, "SET NULL")

    def _new_table(self, model: Model, name: str, *columns: Column[Any]) -> Table:
        """Add a table for a model. Raises SchemaError when its name is taken."""
        folded = name.casefold()  # SQLite ignores the case of names
        if folded in PLAIN_TABLES or folded.startswith((OWN_PREFIX, "sqlite_")):
            message = f"{name} would be a table of the server; choose another collectionName"
            raise SchemaError([SchemaProblem(model.file, "", message)])
        if name in self.metadata.tables:
            message = f"{name} would be a table of two models or relations; rename one of them"
            raise SchemaError([SchemaProblem(model.file, "", message)])
        return Table(name, self.metadata, *columns)

    def _table(self, uid: str) -> Table:
        return self.metadata.tables[self.table_map[uid].name]

    def _id(self) -> Column[Any]:
        kind = StorageKind.ID
        return Column("id", self.types.kinds[kind], primary_key=True, info={_KIND: kind})

    def _column(
        self, name: str, kind: StorageKind, *, nullable: bool = True, default: str | None = None
    ) -> Column[Any]:
        return Column(
            name,
            self.types.kinds[kind],
            nullable=nullable,
            server_default=default,
            info={_KIND: kind},
        )

    def _reference(self, name: str) -> Column[Any]:
        return Column(name, self.types.reference, info={_KIND: StorageKind.INTEGER})

    def _order(self, name: str) -> Column[Any]:
        return Column(name, self.types.order, info={_KIND: StorageKind.FLOAT})


def _is_own(model: Model) -> bool:
    """Whether a model belongs to the project; built-in types are small or read otherwise."""
    return isinstance(model, Component) or (isinstance(model, ContentType) and model.is_api)


def _reference(column: Column[Any], target: Table, name: str, on_delete: str) -> None:
    """Make a column a reference: a foreign key, and an index of the same name."""
    constraint = ForeignKeyConstraint([column], [target.c.id], name=name, ondelete=on_delete)
    column.table.append_constraint(constraint)
    Index(name, column)


def _list_indexes(model: ContentType, table: Table) -> None:
    """Add the indexes for the lists of a content type.

    Lists are in the order of ids. An index of the published rows of a locale has them in that
    order; one over locale and publication finds drafts and counts both, but its published rows
    would have to be sorted. Without versions and locales the table itself is in the right order.
    """
    if model.draft_and_publish:
        gain = "totals, and lists of drafts, do not read the table"
        _read_index("status", table.c.locale, table.c.published_at, gain=gain)
        gain = "deep pages, and lists of a locale with few entries, do not read the whole table"
        _read_index("published", table.c.locale, gain=gain, status="published")
    elif model.localized:
        gain = "totals, and lists of a locale with few entries, do not read the table"
        _read_index("locale", table.c.locale, gain=gain)


def list_index(table: Table, columns: Sequence[tuple[str, bool]], status: Status | None) -> Index:
    """Return an index for lists: over columns, descending or not, of rows with one status.

    The id comes last, as in the order of every list.
    """
    keys = [table.c[name].desc() if down else table.c[name] for name, down in columns]
    names = [f"{name}_desc" if down else name for name, down in columns]
    suffix = "drafts" if status == "draft" else "list"
    name = identifier(table.name, *names, prefix="quire", suffix=suffix)
    return Index(name, *keys, table.c.id, info={OF_STATUS: status})


def tables_with_read_indexes(schema: Schema, table_map: TableMap) -> frozenset[str]:
    """Name the tables that `build_metadata` adds read indexes to, without describing them."""
    table_names: set[str] = set()
    for model in schema.models():
        mapped = table_map[model.uid]
        if isinstance(model, ContentType) and has_lists(model) and _has_list_indexes(model):
            table_names.add(mapped.name)
        is_own = _is_own(model)
        table_names |= {
            edge.table for edge in mapped.join_edges if is_own or not isinstance(edge, LinkEdge)
        }
    return frozenset(table_names)


def _has_list_indexes(model: ContentType) -> bool:
    versions = model.draft_and_publish or model.localized
    return versions or any(is_looked_up(attribute) for attribute in model.scalars)


def is_name_of_read_index(name: str) -> bool:
    """Tell whether an index has the name of one of Quire's own."""
    return name.startswith("quire_")


def has_lists(model: ContentType) -> bool:
    """Whether a content type has lists for people, and indexes for them."""
    return model.is_api and model.kind is TypeKind.COLLECTION


def is_looked_up(attribute: ScalarAttribute) -> bool:
    """Whether a collection type has an index of an attribute's values: few entries share one."""
    unique = attribute.unique or attribute.type.unique
    return unique and attribute.storage is not StorageKind.JSON


def status_of_index(index: Index) -> Status | None:
    """Return the status of the rows that an index holds, ``None`` when it holds all rows."""
    status: Status | None = index.info.get(OF_STATUS)
    return status


def gain_of(index: Index) -> str:
    """Return what a read index is for, as a sentence; empty for other indexes."""
    return str(index.info.get(READ_INDEX, ""))


def _read_index(
    purpose: str, *columns: Column[Any], gain: str, status: Status | None = None
) -> None:
    """Add a read index; its name begins with ``quire`` and ends in no suffix of Strapi."""
    name = identifier(columns[0].table.name, prefix="quire", suffix=purpose)
    Index(name, *columns, info={READ_INDEX: gain, OF_STATUS: status})


def _column_options(attribute: ScalarAttribute) -> Mapping[str, object]:
    options = attribute.raw.get("column")
    return options if isinstance(options, dict) else {}


def _storage(attribute: ScalarAttribute) -> StorageKind:
    column_type = attribute.raw.get("columnType")
    name = column_type.get("type") if isinstance(column_type, dict) else None
    return _NAMED_COLUMN_TYPES.get(str(name), attribute.storage)


def _server_default(value: object) -> str | None:
    if value is None or isinstance(value, dict | list):
        return None
    return str(int(value)) if isinstance(value, bool) else str(value)
