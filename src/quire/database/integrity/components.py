"""Rules about components: unused rows, and links to or from missing rows.

A component belongs to the one row that its ``_cmps`` row names. Unused components are left behind
where rows of content were deleted by plain SQL, such as with a locale.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.sql.elements import ColumnElement

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.integrity.examined_tables import DamageQuery, ExaminedTables, ids_of, is_missing
from quire.database.integrity.findings import MAX_IDS, Damage, DamageKind, count_noun
from quire.database.integrity.integrity_rule import DELETE, IntegrityRule, RowRule
from quire.database.integrity.links import is_unique, select_repeated
from quire.database.integrity.morph_links import target_gone, type_unknown
from quire.database.program import Program
from quire.database.tables.table_map import (
    COMPONENT_ENTITY,
    COMPONENT_ID,
    COMPONENT_TYPE,
    FIELD,
    ComponentEdge,
    ModelTable,
)
from quire.schema.attributes.base import DynamicZoneAttribute

LINK_COLUMNS = ("id", COMPONENT_ENTITY, COMPONENT_ID, COMPONENT_TYPE, FIELD)
"""Those without the order, which is not needed to find damage."""

_UNIQUE = (COMPONENT_ENTITY, COMPONENT_ID, FIELD, COMPONENT_TYPE)


def component_rules(layout: ExaminedTables) -> Iterator[IntegrityRule]:
    """Return the rules for all components, and for every table that links rows to components.

    Orphans come first: deleting them leaves their own links behind.
    """
    if any(layout.has_table(uid) for uid in layout.schema.components):
        yield OrphanRule(layout)
    for model_table in _tables_with_components(layout):
        yield from _link_rules(layout, model_table)


class OrphanRule(Struct, frozen=True):
    """Components that no content uses.

    Content uses components, and so do rows in component tables that belong to no model of the
    schema: a plugin may have made them.
    """

    layout: ExaminedTables

    def find(self) -> Program[list[Damage]]:
        """List the orphans of each component."""
        orphans = yield from self._orphans()
        return [
            Damage(
                kind=DamageKind.ORPHAN_COMPONENT,
                table=self.layout.tables[uid].name,
                count=len(ids),
                ids=tuple(ids[:MAX_IDS]),
                sentence=f"{count_noun(len(ids), 'component')} used by no content",
                repair=DELETE.text,
            )
            for uid, ids in orphans.items()
        ]

    def repair(self) -> Program[None]:
        """Delete the orphans, with one statement for each component."""
        writes = Writes(self.layout.dialect)
        orphans = yield from self._orphans()
        for uid, ids in orphans.items():
            yield from writes.delete(self.layout.tables[uid].name, ids)

    def _orphans(self) -> Program[dict[str, list[int]]]:
        """Return the ids of orphans in order, by component in the order of the schema."""
        rows = yield from self.layout.run(self._select_unused)
        orphans: dict[str, list[int]] = defaultdict(list)
        for kind, id_ in rows:
            orphans[str(kind)].append(int(id_ or 0))
        return {
            uid: sorted(orphans[uid]) for uid in self.layout.schema.components if uid in orphans
        }

    def _select_unused(self, builder: StatementBuilder) -> sa.ClauseElement:
        rows = sa.union_all(*self._select_components(builder)).subquery()
        used_components = self._select_used(builder)
        return sa.except_(
            sa.select(rows.c.kind, rows.c.id),
            sa.select(used_components.c.kind, used_components.c.id),
        )

    def _select_components(self, builder: StatementBuilder) -> Iterator[sa.Select[Any]]:
        for uid in self.layout.schema.components:
            if self.layout.has_table(uid):
                table = builder.table(self.layout.tables[uid].name)
                yield sa.select(_text(uid).label("kind"), table.c("id").label("id"))

    def _select_used(self, builder: StatementBuilder) -> sa.CTE:
        """Select the components that content uses, and those that these use, and so on."""
        roots = _union_all(self._select_roots(builder))
        used_components = sa.select(roots.c.kind, roots.c.id).cte("used", recursive=True)
        inner = list(self._select_nested_components(builder))
        if not inner:
            return used_components
        links = _union_all(inner)
        follow = (links.c.owner == used_components.c.kind) & (
            links.c.entity == used_components.c.id
        )
        return used_components.union(
            sa.select(links.c.kind, links.c.id).join(used_components, follow)
        )

    def _select_roots(self, builder: StatementBuilder) -> Iterator[sa.Select[Any]]:
        """Select the components that content uses, or tables outside the schema."""
        null_id: ColumnElement[Any] = sa.cast(sa.null(), sa.Integer())
        yield sa.select(_text("").label("kind"), null_id.label("id")).where(sa.false())
        tables_by_name = {
            model_table.components_table: model_table
            for model_table in self.layout.tables.tables.values()
        }
        for name in self.layout.existing_tables:
            if not self.layout.has(name, *LINK_COLUMNS):
                continue
            links = builder.table(name)
            link_columns = (
                links.c(COMPONENT_TYPE).label("kind"),
                links.c(COMPONENT_ID).label("id"),
            )
            model_table = tables_by_name.get(name)
            if model_table is None or not self.layout.has_table(model_table.uid):
                yield sa.select(*link_columns)
            elif model_table.uid not in self.layout.schema.components:
                yield sa.select(*link_columns).where(_entity_exists(builder, model_table, links))

    def _select_nested_components(self, builder: StatementBuilder) -> Iterator[sa.Select[Any]]:
        """Select the components that components use, with the user."""
        for model_table in _tables_with_components(self.layout):
            if model_table.uid in self.layout.schema.components:
                links = builder.table(model_table.components_table)
                yield sa.select(
                    _text(model_table.uid).label("owner"),
                    links.c(COMPONENT_ENTITY).label("entity"),
                    links.c(COMPONENT_TYPE).label("kind"),
                    links.c(COMPONENT_ID).label("id"),
                ).where(_entity_exists(builder, model_table, links))


def _tables_with_components(layout: ExaminedTables) -> Iterator[ModelTable]:
    for model_table in layout.tables.tables.values():
        if layout.has_table(model_table.uid) and layout.has(
            model_table.components_table, *LINK_COLUMNS
        ):
            yield model_table


def _text(text: str) -> ColumnElement[str]:
    return sa.literal(text, sa.Text())


def _union_all(selects: Iterable[sa.Select[Any]]) -> sa.Subquery:
    return sa.union_all(*selects).subquery()


def _entity_exists(
    builder: StatementBuilder, model_table: ModelTable, links: AliasedTable
) -> ColumnElement[bool]:
    return ~is_missing(builder, model_table.name, links.c(COMPONENT_ENTITY))


def _link_rules(layout: ExaminedTables, model_table: ModelTable) -> Iterator[IntegrityRule]:
    table = model_table.components_table
    yield RowRule(
        layout=layout,
        kind=DamageKind.DANGLING_COMPONENT_LINK,
        table=table,
        damaged=_select_dangling(layout, model_table),
        noun="link",
        phrase="from or to a row that is gone",
        repair_action=DELETE,
    )
    if not is_unique(layout, table, *_UNIQUE):
        yield RowRule(
            layout=layout,
            kind=DamageKind.DOUBLE_COMPONENT_LINK,
            table=table,
            damaged=select_repeated(table, *_UNIQUE),
            noun="link",
            phrase="to a component that an older one leads to already",
            repair_action=DELETE,
        )
    yield RowRule(
        layout=layout,
        kind=DamageKind.SHARED_COMPONENT,
        table=table,
        damaged=_select_shared(layout, table),
        noun="link",
        phrase="to a component that another row uses too",
    )
    yield RowRule(
        layout=layout,
        kind=DamageKind.UNKNOWN_COMPONENT,
        table=table,
        damaged=_select_unknown_component(layout, table),
        noun="link",
        phrase="to a component that the schema lacks",
    )
    yield RowRule(
        layout=layout,
        kind=DamageKind.UNKNOWN_FIELD,
        table=table,
        damaged=_select_unknown_field(layout, model_table),
        noun="link",
        phrase=f"under a name that is no attribute of {model_table.uid} for such a component",
    )


def _select_dangling(layout: ExaminedTables, model_table: ModelTable) -> DamageQuery:
    def damaged(builder: StatementBuilder) -> sa.Select[Any]:
        links = builder.table(model_table.components_table)
        kind, id_ = links.c(COMPONENT_TYPE), links.c(COMPONENT_ID)
        lacks_target = kind.is_(None) | id_.is_(None)
        lacks_owner = is_missing(builder, model_table.name, links.c(COMPONENT_ENTITY))
        return ids_of(links, lacks_owner | lacks_target | target_gone(layout, builder, kind, id_))

    return damaged


def _select_shared(layout: ExaminedTables, table: str) -> DamageQuery:
    """Select links to components of the schema that several rows of the table use."""

    def damaged(builder: StatementBuilder) -> sa.Select[Any]:
        links, inner = builder.table(table), builder.table(table)
        kind, id_, entity = (
            inner.c(column) for column in (COMPONENT_TYPE, COMPONENT_ID, COMPONENT_ENTITY)
        )
        has_several_owners = sa.func.min(entity) != sa.func.max(entity)
        select = sa.select(kind.label("kind"), id_.label("id")).group_by(kind, id_)
        shared_components = select.having(has_several_owners).subquery()
        unknown = type_unknown(layout, builder, links.c(COMPONENT_TYPE))
        condition = (shared_components.c.kind == links.c(COMPONENT_TYPE)) & (
            shared_components.c.id == links.c(COMPONENT_ID)
        )
        return ids_of(links, condition, ~unknown)

    return damaged


def _select_unknown_component(layout: ExaminedTables, table: str) -> DamageQuery:
    def damaged(builder: StatementBuilder) -> sa.Select[Any]:
        links = builder.table(table)
        return ids_of(links, type_unknown(layout, builder, links.c(COMPONENT_TYPE)))

    return damaged


def _select_unknown_field(layout: ExaminedTables, model_table: ModelTable) -> DamageQuery:
    """Select links to known components under no attribute, or an attribute for another one.

    A dynamic zone accepts any component, listed or not.
    """

    def damaged(builder: StatementBuilder) -> sa.Select[Any]:
        links = builder.table(model_table.components_table)
        field, kind = links.c(FIELD), links.c(COMPONENT_TYPE)
        fits = [
            (field == edge.field) & kind_fits(layout, model_table, edge, kind)
            for _, edge in model_table.edges_of(ComponentEdge)
        ]
        is_known = ~type_unknown(layout, builder, kind) & kind.is_not(None)
        return ids_of(links, is_known, ~sa.func.coalesce(sa.or_(*fits), sa.false()))

    return damaged


def kind_fits(
    layout: ExaminedTables, model_table: ModelTable, edge: ComponentEdge, kind: ColumnElement[Any]
) -> ColumnElement[bool]:
    """Tell whether an attribute can contain a component."""
    model = layout.schema.model(model_table.uid)
    if isinstance(model.attributes[edge.field], DynamicZoneAttribute):
        return sa.true()
    return kind == edge.components[0]
