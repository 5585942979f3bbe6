"""Compiles a read plan to a tree of statements.

SQLAlchemy builds and compiles the expressions, once per plan. The result is SQL text for the driver
and, for every placeholder, the function that takes its value from the request. Identifiers in the
text come from the schema alone, values are always bound. Related rows are fetched by the ids of
their parents, by one statement per edge or by one for several edges of a node. Filters through
relations are ``id IN (subquery)``: a join would repeat rows and break limits and counts.
"""

from collections.abc import Callable, Mapping
from enum import Enum, auto
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import sqlalchemy as sa
from msgspec.structs import replace

from quire.database.compile.compiled_read import (
    CompiledEdge,
    CompiledKeys,
    CompiledNode,
    CompiledPages,
    CompiledRead,
    CompiledUnlistedComponents,
    SharedRows,
)
from quire.database.compile.read_strategy import PageChoice, choose_pages, choose_shared
from quire.database.compile.sql_conditions import (
    DOCUMENT_ID,
    LOCALE,
    PUBLISHED_AT,
    Conditions,
    parent_key_column,
    versions_condition,
)
from quire.database.compile.statements import AliasedTable, Query, ReadTables, StatementBuilder
from quire.database.compile.union_queries import (
    Columns,
    OwnColumns,
    OwnRows,
    ParentKey,
    UnionRows,
    UnionStatement,
)
from quire.database.dialect import Dialect
from quire.database.execute.row_mappers import MappedColumn, ValueSerializer, build_mapper, member
from quire.database.tables.table_map import (
    COMPONENT_ENTITY,
    COMPONENT_TYPE,
    FIELD,
    ORDER,
    ComponentEdge,
    Edge,
    LocalizationsEdge,
    MorphColumnEdge,
    MorphListEdge,
    TableMap,
)
from quire.query.plan import EdgeKind, PlanEdge, PlanNode, ReadPlan
from quire.query.resolve.fields import computed_fields
from quire.schema.attributes.base import DynamicZoneAttribute, ScalarAttribute, StorageKind
from quire.schema.model import Schema

UPDATED_AT = "updatedAt"

ValueSerializers = Mapping[tuple[str, str], ValueSerializer]
"""Functions that convert stored values for responses, by uid and name of the attribute."""

NO_SERIALIZERS: ValueSerializers = MappingProxyType({})


def compile_read(
    plan: ReadPlan,
    schema: Schema,
    tables: TableMap,
    dialect: Dialect,
    presented: ValueSerializers = NO_SERIALIZERS,
) -> CompiledRead:
    """Compile a plan for a database; ``presented`` are attributes shown in another form."""
    return _Compiler(schema, tables, dialect, presented).read(plan)


class PageOrder(Enum):
    """How the rows of a page are found and sorted (`quire.database.compile.read_strategy`)."""

    REQUESTED = auto()
    REVERSED = auto()
    """From the end of the list, for a page in its second half."""
    BY_ID_SCAN = auto()
    """In the order of ids, by a scan of the table until the page is full."""
    BY_ID_SORT = auto()
    """In the order of ids, by sorting the ids of all rows that an index finds."""


class _SharedStatement(NamedTuple):
    """A statement that several branches share, and its number among the statements of the node."""

    statement: int
    union: UnionStatement


class _ResponsePosition(NamedTuple):
    """The position of a populated value: its key in the items, and the path from the root."""

    member: str
    path: str


class _Compiler:
    def __init__(
        self, schema: Schema, tables: TableMap, dialect: Dialect, presented: ValueSerializers
    ) -> None:
        self.presented = presented
        self.schema = schema
        self.tables = tables
        self.dialect = dialect
        self._reads = ReadTables()
        self._published_only = False
        self._has_presented = False
        self._shares_statements = dialect.unites_edges

    def read(self, plan: ReadPlan) -> CompiledRead:
        """Compile the page of the root, its count, and all populated nodes."""
        self._published_only = plan.published_only
        self._shares_statements = plan.prefers_few_statements or self.dialect.unites_edges
        builder = self._builder()
        table = builder.table(self.tables[plan.root.uid].name)
        columns = OwnColumns()
        choice = choose_pages(plan, self.schema)
        if choice is not None:
            columns.position("id", table.c("id"), StorageKind.ID)
        node = self._compile_node(plan.root, table, columns)(len(columns.selected))
        page = self._compile_page(plan, builder, table, columns)
        count = self._compile_count(plan) if plan.count else None
        count_queries = () if count is None else (count,)
        fields = plan.root.fields
        shows_change = UPDATED_AT in fields and UPDATED_AT not in plan.root.hidden
        computed = [self.schema.computed[uid][name] for uid, name in computed_fields(plan.root)]
        id_slot = plan.document if plan.document is not None else plan.entry
        return CompiledRead(
            plan=plan,
            dialect=self.dialect,
            page=page,
            pages=None if choice is None else self._describe_pages(plan, choice, table, columns),
            node=node,
            count=count,
            counts_rows=plan.count and not plan.count_documents,
            presented=self._has_presented,
            changed=member(fields.index(UPDATED_AT)) if shows_change else None,
            ids=() if id_slot is None else page.positions(id_slot),
            computed=bool(computed),
            may_wait=any(field.batch for field in computed),
            queries=(page, *count_queries, *node.queries()),
            reads=self._reads,
        )

    def _compile_page(
        self,
        plan: ReadPlan,
        builder: StatementBuilder,
        table: AliasedTable,
        columns: OwnColumns,
        order: PageOrder = PageOrder.REQUESTED,
    ) -> Query:
        """Compile the statement that finds the rows of a page, for some columns of them."""
        scans_by_id = order is PageOrder.BY_ID_SCAN
        conditions = self._conditions(builder, in_order_of_ids=scans_by_id)
        where = versions_condition(plan, table, conditions)
        select = sa.select(*columns.selected).where(*where)
        backward = order is PageOrder.REVERSED
        keys = conditions.order(plan.root, table, backward=backward)
        select = select.order_by(*keys)
        if plan.limit is not None and plan.offset is not None:
            tie_breakers = self._tie_breakers(plan, table, is_sorted=bool(keys))
            if order is PageOrder.BY_ID_SORT:
                tie_breakers = (self.dialect.unindexed(table.c("id")),)
            select = select.order_by(*(key.desc() if backward else key for key in tie_breakers))
            limit, offset = builder.plain_slot(plan.limit), builder.plain_slot(plan.offset)
            select = select.limit(limit).offset(offset)
        elif not self.dialect.finds_in_order:
            select = select.order_by(table.c("id"))
        return builder.finish(select)

    def _describe_pages(
        self, plan: ReadPlan, choice: PageChoice, table: AliasedTable, columns: OwnColumns
    ) -> CompiledPages | None:
        """Describe how potentially costly pages are read; ``columns`` are those of their rows."""
        if plan.limit is None or plan.offset is None:
            return None
        id_scan = id_sort = None
        if choice.can_scan_by_id:
            id_scan = cache(lambda: self._compile_id_scan(plan, table, columns))
        if choice.can_sort_by_id:
            id_sort = cache(lambda: self._compile_keys(plan, table, columns, PageOrder.BY_ID_SORT))
        return CompiledPages(
            start=choice.start,
            limit=plan.limit,
            offset=plan.offset,
            locale=plan.locale_slot,
            keys=cache(lambda: self._compile_keys(plan, table, columns, PageOrder.REQUESTED)),
            id_scan=id_scan,
            id_sort=id_sort,
        )

    def _compile_id_scan(self, plan: ReadPlan, table: AliasedTable, columns: OwnColumns) -> Query:
        """Compile a page whose rows are found by walking through the table."""
        builder = self._builder(aliases=1)  # that of ``table``
        return self._compile_page(plan, builder, table, columns, PageOrder.BY_ID_SCAN)

    def _compile_keys(
        self, plan: ReadPlan, table: AliasedTable, columns: OwnColumns, order: PageOrder
    ) -> CompiledKeys:
        """Compile a page that is read by its keys; ``columns`` are those of its rows."""
        builder = self._builder()
        key = table.c("id")
        has_key = self.dialect.member_of(key, builder.parents())
        return CompiledKeys(
            keys=self._compile_key_page(plan, table.name, order),
            backward=self._compile_key_page(plan, table.name, PageOrder.REVERSED),
            rows=builder.finish(sa.select(*columns.selected).where(has_key)),
            key=columns.position("id", key, StorageKind.ID),
        )

    def _compile_key_page(self, plan: ReadPlan, table: str, order: PageOrder) -> Query:
        builder = self._builder()
        aliased = builder.table(table)
        ids = OwnColumns()
        ids.position("id", aliased.c("id"), StorageKind.ID)
        return self._compile_page(plan, builder, aliased, ids, order)

    def _tie_breakers(
        self, plan: ReadPlan, table: AliasedTable, *, is_sorted: bool
    ) -> tuple[sa.ColumnElement[Any], ...]:
        """Return the last sort key: the id, so that the order is always defined.

        The rows of one document are few, and an index has them by locale and publication; in that
        order they need no sorting. Rows that are sorted by something else must not make the planner
        walk a larger index only because it has them in the order of ids.
        """
        row_id = table.c("id")
        if plan.document is None:
            return (row_id,)
        if is_sorted:
            return (self.dialect.unindexed(row_id),)
        return table.c(LOCALE), table.c(PUBLISHED_AT), row_id

    def _builder(self, aliases: int = 0) -> StatementBuilder:
        return StatementBuilder(self.dialect, aliases=aliases, reads=self._reads)

    def _conditions(
        self, builder: StatementBuilder, *, in_order_of_ids: bool = False
    ) -> Conditions:
        return Conditions(
            self.schema,
            self.tables,
            self.dialect,
            builder,
            published_only=self._published_only,
            in_order_of_ids=in_order_of_ids,
        )

    def _compile_count(self, plan: ReadPlan) -> Query:
        builder = self._builder()
        conditions = self._conditions(builder)
        table = builder.table(self.tables[plan.root.uid].name)
        where = versions_condition(plan, table, conditions)
        count_expression: Any = sa.func.count()
        if plan.count_documents:
            count_expression = sa.func.count(sa.distinct(table.c(DOCUMENT_ID)))
        return builder.finish(sa.select(count_expression).select_from(table.source).where(*where))

    # Nodes -----------------------------------------------------------------------------------

    def _compile_node(
        self,
        plan: PlanNode,
        table: AliasedTable,
        columns: Columns,
        kind: tuple[str, str] | None = None,
        path: str = "",
    ) -> Callable[[int], CompiledNode]:
        """Select the columns of a node; returns a function that builds it.

        The mapper needs the width of a row, which is unknown until all branches of a shared
        statement have selected their columns: therefore compilation has two steps. ``path`` is the
        dotted path from the root, which itself has none.
        """
        mapped_columns = self._mapped_columns(plan, table, columns)
        shared_edges = self._group_shared_edges(plan)
        edge_builders = [
            self._compile_edge(
                edge,
                plan,
                table,
                columns,
                _ResponsePosition(
                    member(len(mapped_columns) + index), f"{path}.{edge.attribute}".lstrip(".")
                ),
                shared_edges.get(edge.attribute),
            )
            for index, edge in enumerate(plan.edges)
        ]
        unions = dict.fromkeys(shared.union for shared in shared_edges.values())
        edges = tuple(build_edge() for build_edge in edge_builders)
        union_queries = tuple(statement.finish() for statement in unions)
        presented = self._presented_fields(plan.uid)

        def finish(width: int) -> CompiledNode:
            mapper = build_mapper(
                self.dialect,
                mapped_columns,
                width,
                edges=[edge.attribute for edge in plan.edges],
                kind=kind,
                computed=plan.computed,
                presented=presented,
            )
            return CompiledNode(
                uid=plan.uid, mapper=mapper, edges=edges, union_queries=union_queries
            )

        return finish

    def _mapped_columns(
        self, plan: PlanNode, table: AliasedTable, columns: Columns
    ) -> list[MappedColumn]:
        """Select the columns of a node's own fields."""
        attributes = self.schema.model(plan.uid).attributes
        names = self.tables[plan.uid].columns
        return [
            (
                name,
                attribute.storage,
                columns.position(names[name], table.c(names[name]), attribute.storage),
            )
            for name in plan.fields
            if isinstance(attribute := attributes[name], ScalarAttribute)
        ]

    def _presented_fields(self, uid: str) -> dict[str, ValueSerializer]:
        """Return the fields of a type whose form in responses differs from the stored one."""
        presented = {
            name: serializer
            for (owner_uid, name), serializer in self.presented.items()
            if owner_uid == uid
        }
        self._has_presented |= bool(presented)
        return {**self.schema.model(uid).presented, **presented}

    def _group_shared_edges(self, plan: PlanNode) -> Mapping[str, _SharedStatement]:
        """Return the edges of a node whose rows share a statement, and that statement."""
        if not self._shares_statements:
            return {}
        statements_by_edge: dict[str, _SharedStatement] = {}
        for number, group in enumerate(choose_shared(plan.edges, self.tables[plan.uid].edges)):
            shared = _SharedStatement(number, UnionStatement(self._builder()))
            statements_by_edge.update((edge.attribute, shared) for edge in group)
        return statements_by_edge

    def _compile_edge(
        self,
        plan: PlanEdge,
        parent: PlanNode,
        table: AliasedTable,
        columns: Columns,
        position: _ResponsePosition,
        shared: _SharedStatement | None,
    ) -> Callable[[], CompiledEdge]:
        """Compile the nodes of an edge; returns a function that builds it, see `_compile_node`."""
        edge = self.tables[parent.uid].edges[plan.attribute]
        attribute = self.schema.model(parent.uid).attributes[plan.attribute]
        to_many = bool(getattr(attribute, "to_many", True))
        key_name = parent_key_column(edge)
        key_kind = StorageKind.STRING if key_name == DOCUMENT_ID else StorageKind.ID
        key = ParentKey(columns.position(key_name, table.c(key_name), key_kind), key_kind)
        parent_id = columns.position("id", table.c("id"), StorageKind.ID)
        if plan.kind is EdgeKind.COUNT:
            build_count = self._compile_count_edge(edge, plan.nodes[0], key, shared)
            return lambda: CompiledEdge(
                path=position.path,
                member=position.member,
                to_many=to_many,
                parent_key=key.position,
                parent_id=parent_id,
                nodes=(build_count(),),
                is_count=True,
            )
        target = None
        if isinstance(edge, MorphColumnEdge):
            id_column, type_column = edge.id_column, edge.type_column
            target = (
                columns.position(id_column, table.c(id_column), StorageKind.ID),
                columns.position(type_column, table.c(type_column), StorageKind.STRING),
            )
        mixed = isinstance(attribute, DynamicZoneAttribute)
        node_builders = [
            self._compile_related(edge, node, key, shared, position.path, mixed=mixed)
            for node in plan.nodes
        ]
        return lambda: CompiledEdge(
            path=position.path,
            member=position.member,
            to_many=to_many,
            parent_key=key.position,
            parent_id=parent_id,
            nodes=tuple(build_node() for build_node in node_builders),
            mixed=mixed,
            links=self._compile_morph_links(edge) if isinstance(edge, MorphListEdge) else None,
            target=target,
            skip_parents=isinstance(edge, LocalizationsEdge),
            unlisted=self._compile_unlisted_components(edge, plan, key, position.path)
            if isinstance(edge, ComponentEdge)
            else None,
        )

    def _compile_unlisted_components(
        self, edge: ComponentEdge, plan: PlanEdge, key: ParentKey, path: str
    ) -> CompiledUnlistedComponents | None:
        if not plan.unlisted:
            return None
        builder = self._builder()
        links = builder.table(edge.table)
        kind = links.c(COMPONENT_TYPE)
        listed_uids = builder.constant(self.dialect.encode_list([node.uid for node in plan.nodes]))
        select = (
            sa.select(kind)
            .where(
                self.dialect.member_of(links.c(COMPONENT_ENTITY), builder.parents()),
                links.c(FIELD) == builder.constant(edge.field),
                sa.not_(self.dialect.member_of(kind, listed_uids)),
            )
            .distinct()
        )
        nodes = {node.uid: node for node in plan.unlisted}
        compiled: dict[str, CompiledNode] = {}

        def node(uid: str) -> CompiledNode | None:
            if uid not in compiled and uid in nodes:
                compiled[uid] = self._compile_related(
                    edge, nodes[uid], key, None, path, mixed=True
                )()
            return compiled.get(uid)

        return CompiledUnlistedComponents(query=builder.finish(select), node=node)

    def _compile_related(
        self,
        edge: Edge,
        plan: PlanNode,
        key: ParentKey,
        shared: _SharedStatement | None,
        path: str,
        *,
        mixed: bool,
    ) -> Callable[[], CompiledNode]:
        """Compile the statement that reads rows behind an edge for many parents."""
        rows = self._rows(shared)
        conditions = self._conditions(rows.builder)
        target = rows.builder.table(self.tables[plan.uid].name)
        join = conditions.join(edge, target, plan.uid)
        has_parent = rows.begin(join, key, mixed=mixed)
        build_node = self._compile_node(
            plan, target, rows, self._kind_member(edge, plan.uid, mixed=mixed), path
        )
        row_id = 0
        if isinstance(edge, LocalizationsEdge):
            row_id = rows.position("id", target.c("id"), StorageKind.ID)
        where = [has_parent, *join.where, *conditions.row_conditions(plan, target)]
        rows.finish(where, conditions.order(plan, target), grouped=False)
        return lambda: _attach_rows(build_node(rows.width), rows, shared, row_id=row_id)

    def _compile_count_edge(
        self, edge: Edge, plan: PlanNode, key: ParentKey, shared: _SharedStatement | None
    ) -> Callable[[], CompiledNode]:
        rows = self._rows(shared)
        conditions = self._conditions(rows.builder)
        target = rows.builder.table(self.tables[plan.uid].name)
        join = conditions.join(edge, target, plan.uid)
        has_parent = rows.begin(join, key, mixed=False)
        number = rows.position("count", sa.func.count(), StorageKind.INTEGER)
        where = [has_parent, *join.where, *conditions.row_conditions(plan, target)]
        rows.finish(where, (), grouped=True)
        node = CompiledNode(uid=plan.uid, mapper=build_mapper(self.dialect, [], 0))
        return lambda: _attach_rows(node, rows, shared, number=number)

    def _rows(self, shared: _SharedStatement | None) -> OwnRows | UnionRows:
        return OwnRows(self._builder()) if shared is None else UnionRows(shared.union)

    def _compile_morph_links(self, edge: MorphListEdge) -> Query:
        builder = self._builder()
        links = builder.table(edge.table)
        source_key = links.c(edge.source_column)
        select = (
            sa.select(source_key, links.c(edge.target_id_column), links.c(edge.target_type_column))
            .where(self.dialect.member_of(source_key, builder.parents()))
            .order_by(links.c(ORDER), links.c("id"))
        )
        return builder.finish(select)

    def _kind_member(self, edge: Edge, uid: str, *, mixed: bool) -> tuple[str, str] | None:
        """Return the member that names the kind of a row in a list of several kinds."""
        if isinstance(edge, MorphListEdge | MorphColumnEdge):
            return ("__type", uid)
        return ("__component", uid) if mixed else None


def _attach_rows(
    node: CompiledNode,
    rows: OwnRows | UnionRows,
    shared: _SharedStatement | None,
    *,
    number: int = 0,
    row_id: int = 0,
) -> CompiledNode:
    """Return a node with its own statement, or with its part of a shared one."""
    return replace(
        node,
        query=rows.query if isinstance(rows, OwnRows) else None,
        shared=SharedRows(shared.statement, rows.number)
        if shared is not None and isinstance(rows, UnionRows)
        else None,
        parent_position=rows.parent_position,
        number=number,
        row_id=row_id,
    )
