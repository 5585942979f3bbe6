"""From a read plan to statements: the same tree, with SQL and binders in its nodes.

SQLAlchemy builds and compiles the expressions, once per plan; what comes out is text for the
driver and, for every placeholder, where its value comes from. Names in the text come from the
schema alone. Related rows are fetched by the ids of their parents, one statement per edge; filters
through relations are ``id IN (subquery)``.
"""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.conditions import (
    DOCUMENT_ID,
    LOCALE,
    PUBLISHED_AT,
    Conditions,
    near_key,
    versions_condition,
)
from quire.database.dialect import Dialect
from quire.database.mappers import Present, RowMapper, build_mapper, member
from quire.database.mapping import (
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
from quire.database.searching import searched_from
from quire.database.statements import AliasedTable, Query, StatementBuilder
from quire.query.plan import EdgeKind, PlanEdge, PlanNode, ReadPlan, Slot
from quire.schema.attributes.base import DynamicZoneAttribute, ScalarAttribute
from quire.schema.model import Schema

Presented = Mapping[tuple[str, str], Present]
"""What is shown of attributes, by uid and name, where that is not what is stored."""

NOTHING_PRESENTED: Presented = MappingProxyType({})


class CompiledNode(Struct, frozen=True, kw_only=True, eq=False):
    """Rows of one model: how they become JSON, and what is populated below them."""

    uid: str
    mapper: RowMapper
    edges: "tuple[CompiledEdge, ...]" = ()


class CompiledBranch(Struct, frozen=True, kw_only=True, eq=False):
    """The rows of one kind behind an edge: the statement, keyed by parents, and their node."""

    query: Query
    node: CompiledNode


class CompiledOthers(Struct, frozen=True, kw_only=True, eq=False):
    """The components of a zone that it does not list.

    ``query`` returns the uids of those that parents have; ``branch`` compiles how the components of
    one are read, when it is first needed, and returns ``None`` for a uid that is not known.
    """

    query: Query
    branch: Callable[[str], CompiledBranch | None]


class CompiledEdge(Struct, frozen=True, kw_only=True, eq=False):
    """A populated attribute of a node.

    ``member`` is where items of the parent keep what is populated. ``parent_key`` and ``parent_id``
    are positions in a row of the parent: of what links are found by, and of its id. Rows of a
    ``mixed`` edge come from several branches and are put in the order of their links. ``links`` is
    the statement that lists ``(parent, id, kind)`` for relations to any type. ``skip_parents``
    leaves out rows that are parents themselves (a document among its own localizations). ``others``
    are components that a zone does not list.
    """

    member: str
    to_many: bool
    parent_key: int
    parent_id: int
    branches: tuple[CompiledBranch, ...]
    counted: bool = False
    mixed: bool = False
    links: Query | None = None
    skip_parents: bool = False
    others: CompiledOthers | None = None


class CompiledKeys(Struct, frozen=True, kw_only=True, eq=False):
    """How a page is read in two steps.

    ``keys`` returns the ids of its rows in their order, ``rows`` these rows in any order; ``key``
    is the position of the id in such a row.
    """

    keys: Query
    rows: Query
    key: int


class CompiledSteps(Struct, frozen=True, kw_only=True, eq=False):
    """Which pages of a list are read in two steps: those before which ``start`` rows lie.

    ``offset`` is the slot that says how many lie before a page; ``keys`` compiles the two steps
    when they are first needed, which for many a list they never are.
    """

    start: int
    offset: Slot
    keys: Callable[[], CompiledKeys]


class CompiledRead(Struct, frozen=True, kw_only=True, eq=False):
    """Everything that a plan needs from the database, in ``statements`` statements.

    ``page`` is the first of them; pages that are read in two ``steps`` have one more. ``limit`` is
    the slot with which a page limits its rows itself, if it does.
    """

    page: Query
    steps: CompiledSteps | None
    node: CompiledNode
    count: Query | None
    statements: int
    limit: Slot | None


def compile_read(
    plan: ReadPlan,
    schema: Schema,
    tables: TableMap,
    dialect: Dialect,
    presented: Presented = NOTHING_PRESENTED,
) -> CompiledRead:
    """Compile a plan for a database; ``presented`` are attributes shown in another form."""
    return _Compiler(schema, tables, dialect, presented).read(plan)


class _Columns:
    """The columns of one statement: those that the answer shows, and hidden ones behind them."""

    def __init__(self, leading: list[Any]) -> None:
        self.selected: list[Any] = leading
        self._positions: dict[str, int] = {}

    def position(self, name: str, column: sa.ColumnElement[Any]) -> int:
        """Select a column, once, and return its position in the row."""
        if name not in self._positions:
            self._positions[name] = len(self.selected)
            self.selected.append(column)
        return self._positions[name]


class _Compiler:
    def __init__(
        self, schema: Schema, tables: TableMap, dialect: Dialect, presented: Presented
    ) -> None:
        self.presented = presented
        self.schema = schema
        self.tables = tables
        self.dialect = dialect
        self.statements = 0
        self._published_only = False

    def read(self, plan: ReadPlan) -> CompiledRead:
        """Compile the page of the root, its count, and everything below."""
        self._published_only = plan.published_only
        builder = self._builder()
        table = builder.table(self.tables[plan.root.uid].name)
        columns = _Columns([])
        start = searched_from(plan, self.schema)
        if start is not None:
            columns.position("id", table.c("id"))
        node = self._node(plan.root, table, columns)
        page = self._page(plan, builder, table, columns)
        steps = None
        if start is not None and plan.offset is not None:
            keys = cache(lambda: self._keys(plan, table, columns))
            steps = CompiledSteps(start=start, offset=plan.offset, keys=keys)
        count = self._count(plan) if plan.count else None
        statements = self.statements + 1 + (count is not None)
        return CompiledRead(
            page=page,
            steps=steps,
            node=node,
            count=count,
            statements=statements,
            limit=plan.limit,
        )

    def _page(
        self, plan: ReadPlan, builder: StatementBuilder, table: AliasedTable, columns: _Columns
    ) -> Query:
        """Compile the statement that finds the rows of a page, for some columns of them."""
        conditions = self._conditions(builder)
        where = versions_condition(plan, table, conditions)
        select = sa.select(*columns.selected).where(*where)
        order = conditions.order(plan.root, table)
        select = select.order_by(*order)
        if plan.limit is not None and plan.offset is not None:
            select = select.order_by(*self._last_keys(plan, table, is_sorted=bool(order)))
            limit, offset = builder.plain_slot(plan.limit), builder.plain_slot(plan.offset)
            select = select.limit(limit).offset(offset)
        elif not self.dialect.finds_in_order:
            select = select.order_by(table.c("id"))
        return builder.finish(select)

    def _keys(self, plan: ReadPlan, table: AliasedTable, columns: _Columns) -> CompiledKeys:
        """Compile a page in two steps; ``columns`` are those of its rows."""
        builder = self._builder()
        found = builder.table(table.name)
        keys = self._page(plan, builder, found, _Columns([found.c("id")]))
        builder = self._builder()
        key = table.c("id")
        among = self.dialect.member_of(key, builder.parents())
        return CompiledKeys(
            keys=keys,
            rows=builder.finish(sa.select(*columns.selected).where(among)),
            key=columns.position("id", key),
        )

    def _last_keys(
        self, plan: ReadPlan, table: AliasedTable, *, is_sorted: bool
    ) -> tuple[sa.ColumnElement[Any], ...]:
        """Return the last keys of the order: the id, so that no order is left to chance.

        The rows of one document are few, and an index has them by locale and publication. In that
        order they need no sorting. Where they are sorted by something else, the planner must not
        walk a larger index only because that one has them in order already.
        """
        row_id = table.c("id")
        if plan.document is None:
            return (row_id,)
        if is_sorted:
            return (self.dialect.unindexed(row_id),)
        return table.c(LOCALE), table.c(PUBLISHED_AT), row_id

    def _builder(self) -> StatementBuilder:
        return StatementBuilder(self.dialect)

    def _conditions(self, builder: StatementBuilder) -> Conditions:
        return Conditions(
            self.schema, self.tables, self.dialect, builder, published_only=self._published_only
        )

    def _count(self, plan: ReadPlan) -> Query:
        builder = self._builder()
        conditions = self._conditions(builder)
        table = builder.table(self.tables[plan.root.uid].name)
        where = versions_condition(plan, table, conditions)
        counted: Any = sa.func.count()
        if plan.count_documents:
            counted = sa.func.count(sa.distinct(table.c(DOCUMENT_ID)))
        return builder.finish(sa.select(counted).select_from(table.source).where(*where))

    # Nodes -----------------------------------------------------------------------------------

    def _node(
        self,
        plan: PlanNode,
        table: AliasedTable,
        columns: _Columns,
        kind: tuple[str, str] | None = None,
    ) -> CompiledNode:
        model = self.schema.model(plan.uid)
        physical = self.tables[plan.uid]
        shown = []
        for name in plan.fields:
            attribute = model.attributes[name]
            if isinstance(attribute, ScalarAttribute):
                position = columns.position(physical.columns[name], table.c(physical.columns[name]))
                shown.append((name, attribute.storage, position))
        edges = tuple(
            self._edge(edge, plan, table, columns, member(len(shown) + position))
            for position, edge in enumerate(plan.edges)
        )
        mapper = build_mapper(
            self.dialect,
            shown,
            len(columns.selected),
            edges=[edge.attribute for edge in plan.edges],
            kind=kind,
            presented={
                name: present for (uid, name), present in self.presented.items() if uid == plan.uid
            },
        )
        return CompiledNode(uid=plan.uid, mapper=mapper, edges=edges)

    def _edge(
        self,
        plan: PlanEdge,
        parent: PlanNode,
        table: AliasedTable,
        columns: _Columns,
        place: str,
    ) -> CompiledEdge:
        edge = self.tables[parent.uid].edges[plan.attribute]
        attribute = self.schema.model(parent.uid).attributes[plan.attribute]
        to_many = bool(getattr(attribute, "to_many", True))
        key_name = near_key(edge)
        parent_key = columns.position(key_name, table.c(key_name))
        parent_id = columns.position("id", table.c("id"))
        if plan.kind is EdgeKind.COUNT:
            return CompiledEdge(
                member=place,
                to_many=to_many,
                parent_key=parent_key,
                parent_id=parent_id,
                branches=(self._count_branch(edge, plan.nodes[0]),),
                counted=True,
            )
        mixed = isinstance(attribute, DynamicZoneAttribute)
        branches = tuple(self._branch(edge, node, mixed=mixed) for node in plan.nodes)
        links = self._morph_links(edge) if isinstance(edge, MorphListEdge) else None
        return CompiledEdge(
            member=place,
            to_many=to_many,
            parent_key=parent_key,
            parent_id=parent_id,
            branches=branches,
            mixed=mixed,
            links=links,
            skip_parents=isinstance(edge, LocalizationsEdge),
            others=self._others(edge, plan) if isinstance(edge, ComponentEdge) else None,
        )

    def _others(self, edge: ComponentEdge, plan: PlanEdge) -> CompiledOthers | None:
        if not plan.others:
            return None
        self.statements += 1
        builder = self._builder()
        links = builder.table(edge.table)
        kind = links.c(COMPONENT_TYPE)
        listed = builder.constant(self.dialect.encode_list([node.uid for node in plan.nodes]))
        select = (
            sa.select(kind)
            .where(
                self.dialect.member_of(links.c(COMPONENT_ENTITY), builder.parents()),
                links.c(FIELD) == builder.constant(edge.field),
                sa.not_(self.dialect.member_of(kind, listed)),
            )
            .distinct()
        )
        nodes = {node.uid: node for node in plan.others}
        compiled: dict[str, CompiledBranch] = {}

        def branch(uid: str) -> CompiledBranch | None:
            if uid not in compiled and uid in nodes:
                compiled[uid] = self._branch(edge, nodes[uid], mixed=True)
            return compiled.get(uid)

        return CompiledOthers(query=builder.finish(select), branch=branch)

    def _branch(self, edge: Edge, plan: PlanNode, *, mixed: bool) -> CompiledBranch:
        """Compile the statement that fetches rows behind an edge for many parents at once.

        Its rows begin with the parent's key; mixed ones go on with order and id of the link.
        """
        self.statements += 1
        builder = self._builder()
        conditions = self._conditions(builder)
        target = builder.table(self.tables[plan.uid].name)
        joined = conditions.join(edge, target, plan.uid)
        leading = [joined.near, *(joined.order if mixed else ())]
        columns = _Columns(list(leading))
        node = self._node(plan, target, columns, self._kind(edge, plan.uid, mixed=mixed))
        where = [self.dialect.member_of(joined.near, builder.parents()), *joined.where]
        where += conditions.row_conditions(plan, target)
        order = [*conditions.order(plan, target), *joined.order]
        select = sa.select(*columns.selected).select_from(joined.source).where(*where)
        return CompiledBranch(query=builder.finish(select.order_by(*order)), node=node)

    def _count_branch(self, edge: Edge, plan: PlanNode) -> CompiledBranch:
        self.statements += 1
        builder = self._builder()
        conditions = self._conditions(builder)
        target = builder.table(self.tables[plan.uid].name)
        joined = conditions.join(edge, target, plan.uid)
        where = [self.dialect.member_of(joined.near, builder.parents()), *joined.where]
        where += conditions.row_conditions(plan, target)
        select = (
            sa.select(joined.near, sa.func.count())
            .select_from(joined.source)
            .where(*where)
            .group_by(joined.near)
        )
        mapper = build_mapper(self.dialect, [], 0)
        node = CompiledNode(uid=plan.uid, mapper=mapper)
        return CompiledBranch(query=builder.finish(select), node=node)

    def _morph_links(self, edge: MorphListEdge) -> Query:
        self.statements += 1
        builder = self._builder()
        links = builder.table(edge.table)
        near = links.c(edge.near)
        select = (
            sa.select(near, links.c(edge.far_id), links.c(edge.far_type))
            .where(self.dialect.member_of(near, builder.parents()))
            .order_by(links.c(ORDER), links.c("id"))
        )
        return builder.finish(select)

    def _kind(self, edge: Edge, uid: str, *, mixed: bool) -> tuple[str, str] | None:
        """Return the member that tells the kind of a row in a list of several kinds."""
        if isinstance(edge, MorphListEdge | MorphColumnEdge):
            return ("__type", uid)
        return ("__component", uid) if mixed else None
