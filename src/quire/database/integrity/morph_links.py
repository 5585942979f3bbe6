"""Rules about links to rows of any type."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql.elements import ColumnElement

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.integrity.examined_tables import DamageQuery, ExaminedTables, ids_of, is_missing
from quire.database.integrity.findings import DamageKind
from quire.database.integrity.integrity_rule import DELETE, RowRule, clear
from quire.database.tables.table_map import ModelTable, MorphColumnEdge, MorphListEdge


def morph_rules(layout: ExaminedTables) -> Iterator[RowRule]:
    """Return the rules about every morph table and every pair of target columns.

    Rows of types that the schema lacks are only reported: they may belong to a plugin, and Strapi
    removes those of deleted types.
    """
    for model_table in layout.tables.tables.values():
        for _, edge in model_table.edges_of(MorphListEdge):
            yield from _table_rules(layout, model_table, edge)
        for _, column in model_table.edges_of(MorphColumnEdge):
            yield from _column_rules(layout, model_table, column)


def target_gone(
    layout: ExaminedTables,
    builder: StatementBuilder,
    kind: ColumnElement[Any],
    id_: ColumnElement[Any],
) -> ColumnElement[bool]:
    """Return the condition that the row of a known type is missing; false for other types."""
    cases = [
        (kind == uid, is_missing(builder, layout.tables[uid].name, id_))
        for uid in _known_types(layout)
    ]
    return sa.case(*cases, else_=sa.false())


def type_unknown(
    layout: ExaminedTables, builder: StatementBuilder, kind: ColumnElement[Any]
) -> ColumnElement[bool]:
    """Return the condition that a type is set and that the schema lacks it."""
    known_uids = builder.constant(layout.dialect.encode_list(list(layout.tables.tables)))
    return kind.is_not(None) & ~layout.dialect.member_of(kind, known_uids)


def _known_types(layout: ExaminedTables) -> Iterator[str]:
    return (uid for uid in layout.tables.tables if layout.has_table(uid))


def _table_rules(
    layout: ExaminedTables, model_table: ModelTable, edge: MorphListEdge
) -> Iterator[RowRule]:
    if not layout.has(
        edge.table, "id", edge.source_column, edge.target_id_column, edge.target_type_column
    ):
        return
    if not layout.has_table(model_table.uid):
        return

    def dangling(builder: StatementBuilder) -> sa.Select[Any]:
        links = builder.table(edge.table)
        kind, id_ = links.c(edge.target_type_column), links.c(edge.target_id_column)
        lacks_target = kind.is_(None) | id_.is_(None)
        lacks_owner = is_missing(builder, model_table.name, links.c(edge.source_column))
        return ids_of(links, lacks_owner | lacks_target | target_gone(layout, builder, kind, id_))

    yield RowRule(
        layout=layout,
        kind=DamageKind.DANGLING_MORPH_LINK,
        table=edge.table,
        damaged=dangling,
        noun="link",
        phrase="from or to a row that is gone",
        repair_action=DELETE,
    )
    yield RowRule(
        layout=layout,
        kind=DamageKind.UNKNOWN_TYPE,
        table=edge.table,
        damaged=_select_unknown_type(layout, edge.table, edge.target_type_column),
        noun="link",
        phrase="to a type that the schema lacks",
    )


def _column_rules(
    layout: ExaminedTables, model_table: ModelTable, edge: MorphColumnEdge
) -> Iterator[RowRule]:
    if not layout.has(model_table.name, "id", edge.id_column, edge.type_column):
        return

    def dangling(builder: StatementBuilder) -> sa.Select[Any]:
        rows = builder.table(model_table.name)
        return ids_of(rows, _is_dangling(layout, builder, rows, edge))

    yield RowRule(
        layout=layout,
        kind=DamageKind.DANGLING_TARGET,
        table=model_table.name,
        damaged=dangling,
        phrase=f"with a row that is gone in {edge.id_column}",
        repair_action=clear(edge.id_column, edge.type_column),
    )
    yield RowRule(
        layout=layout,
        kind=DamageKind.UNKNOWN_TYPE,
        table=model_table.name,
        damaged=_select_unknown_type(layout, model_table.name, edge.type_column),
        phrase=f"with a type that the schema lacks in {edge.type_column}",
    )


def _is_dangling(
    layout: ExaminedTables, builder: StatementBuilder, rows: AliasedTable, edge: MorphColumnEdge
) -> ColumnElement[bool]:
    """Return the condition that only one of the two columns is set, or that the row is missing."""
    kind, id_ = rows.c(edge.type_column), rows.c(edge.id_column)
    is_incomplete = kind.is_(None) != id_.is_(None)
    return is_incomplete | (id_.is_not(None) & target_gone(layout, builder, kind, id_))


def _select_unknown_type(layout: ExaminedTables, table: str, column: str) -> DamageQuery:
    def damaged(builder: StatementBuilder) -> sa.Select[Any]:
        rows = builder.table(table)
        return ids_of(rows, type_unknown(layout, builder, rows.c(column)))

    return damaged
