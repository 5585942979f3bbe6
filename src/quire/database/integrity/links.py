"""Rules about relations: link tables, and columns with ids."""

from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.integrity.examined_tables import (
    DamageQuery,
    ExaminedTables,
    ids_of,
    is_missing,
    plain_table,
)
from quire.database.integrity.findings import Damage, DamageKind
from quire.database.integrity.integrity_rule import DELETE, RowRule, clear
from quire.database.program import Program
from quire.database.tables.table_map import ColumnEdge, LinkEdge
from quire.schema.model import ADMIN_USER_UID


def link_rules(layout: ExaminedTables) -> Iterator[RowRule]:
    """Return the rules about link tables: links to and from missing rows, and repeated links.

    A link is between two rows; of equal links the oldest is kept. Tables with a unique index cannot
    have repeated links.
    """
    for edge in link_edges(layout):
        yield RowRule(
            layout=layout,
            kind=DamageKind.DANGLING_LINK,
            table=edge.table,
            damaged=_select_dangling(layout, edge),
            noun="link",
            phrase="from or to a row that is gone",
            repair_action=DELETE,
        )
        if not is_unique(layout, edge.table, edge.source_column, edge.target_column):
            yield RowRule(
                layout=layout,
                kind=DamageKind.DOUBLE_LINK,
                table=edge.table,
                damaged=select_repeated(edge.table, edge.source_column, edge.target_column),
                noun="link",
                phrase="between rows that an older one links already",
                repair_action=DELETE,
            )


def reference_rules(layout: ExaminedTables) -> Iterator["ReferencesRule"]:
    """Return the rules about columns with ids of other rows, creators included."""
    for model_table in layout.tables.tables.values():
        columns = {
            edge.column: _reference_rule(layout, model_table.name, edge)
            for _, edge in model_table.edges_of(ColumnEdge)
            if layout.has_table(edge.target) and layout.has(model_table.name, edge.column)
        }
        if columns:
            yield ReferencesRule(layout, model_table.name, columns)


class ReferencesRule(Struct, frozen=True):
    """The columns of a table that hold ids of other rows, with a rule about each.

    One statement repairs all of them: a database may check every foreign key of a row that the same
    transaction has changed before, so none can be left for later.
    """

    layout: ExaminedTables
    table: str
    columns: Mapping[str, RowRule]

    def find(self) -> Program[list[Damage]]:
        """See `Rule`."""
        findings: list[Damage] = []
        for rule in self.columns.values():
            findings += yield from rule.find()
        return findings

    def repair(self) -> Program[None]:
        """See `Rule`."""
        yield from self.layout.run(self._change)

    def _change(self, builder: StatementBuilder) -> sa.ClauseElement:
        table = plain_table(self.table, "id", *self.columns)
        conditions = {
            name: table.c.id.in_(rule.damaged(builder)) for name, rule in self.columns.items()
        }
        values = {
            name: sa.case((condition, sa.null()), else_=table.c[name])
            for name, condition in conditions.items()
        }
        return sa.update(table).values(values).where(sa.or_(*conditions.values()))


def link_edges(layout: ExaminedTables) -> Iterator[LinkEdge]:
    """Iterate over the existing link tables, from the side that owns them."""
    for model_table in layout.tables.tables.values():
        for _, edge in model_table.edges_of(LinkEdge):
            if (
                edge.owning
                and layout.has(edge.table, "id", edge.source_column, edge.target_column)
                and layout.has_table(edge.owner)
                and layout.has_table(edge.target)
            ):
                yield edge


def is_unique(layout: ExaminedTables, table: str, *columns: str) -> bool:
    """Tell whether a unique index covers exactly these columns."""
    indexes = layout.existing_tables[table].indexes.values()
    return any(
        index.unique and not index.partial and set(index.columns) == set(columns)
        for index in indexes
    )


def select_repeated(table: str, *columns: str) -> DamageQuery:
    """Select all but the oldest of rows that are equal in these columns."""

    def damaged(builder: StatementBuilder) -> sa.Select[Any]:
        inner, outer = builder.table(table), builder.table(table)
        oldest = sa.select(sa.func.min(inner.c("id")))
        kept_ids = oldest.group_by(*(inner.c(column) for column in columns))
        return ids_of(outer, outer.c("id").not_in(kept_ids))

    return damaged


def _select_dangling(layout: ExaminedTables, edge: LinkEdge) -> DamageQuery:
    source, target = layout.tables[edge.owner].name, layout.tables[edge.target].name

    def damaged(builder: StatementBuilder) -> sa.Select[Any]:
        links = builder.table(edge.table)
        lacks_source = is_missing(builder, source, links.c(edge.source_column))
        return ids_of(
            links, lacks_source | is_missing(builder, target, links.c(edge.target_column))
        )

    return damaged


def _reference_rule(layout: ExaminedTables, table: str, edge: ColumnEdge) -> RowRule:
    target = layout.tables[edge.target].name

    def damaged(builder: StatementBuilder) -> sa.Select[Any]:
        rows = builder.table(table)
        id_ = rows.c(edge.column)
        return ids_of(rows, id_.is_not(None), is_missing(builder, target, id_))

    creator = edge.target == ADMIN_USER_UID
    lost = "an administrator who is gone" if creator else f"a row of {target} that is gone"
    return RowRule(
        layout=layout,
        kind=DamageKind.DANGLING_CREATOR if creator else DamageKind.DANGLING_REFERENCE,
        table=table,
        damaged=damaged,
        phrase=f"with {lost} in {edge.column}",
        repair_action=clear(edge.column),
    )
