"""Compiles the count of a plan's rows for each of some values, as one statement."""

from typing import Any

import sqlalchemy as sa

from quire.database.compile.sql_conditions import (
    Conditions,
    parent_key_column,
    versions_condition,
)
from quire.database.compile.statements import AliasedTable, Query, StatementBuilder
from quire.database.dialect import Dialect
from quire.database.tables.table_map import TableMap
from quire.query.plan import Comparison, Filter, ReadPlan, RelatedCondition
from quire.query.resolve.scope import target_model
from quire.schema.attributes.base import ScalarAttribute, StorageKind
from quire.schema.model import Schema


def compile_grouped_counts(
    plan: ReadPlan, group: Filter, schema: Schema, tables: TableMap, dialect: Dialect
) -> Query:
    """Count the rows of a plan for each value of the list that ``group`` compares them with.

    The statement returns the position of a value in the list and its number of rows, and nothing
    for a value that no row has. Raises TypeError for a filter that does not compare with a list.
    """
    builder = StatementBuilder(dialect)
    # An index over status and locale would be a way to all rows, and not to those of a value.
    conditions = Conditions(
        schema,
        tables,
        dialect,
        builder,
        published_only=plan.published_only,
        in_order_of_ids=True,
    )
    uid = plan.root.uid
    table = builder.table(tables[uid].name)
    select: sa.Select[Any]
    match group:
        case Comparison():
            value_table, has_value = _compile_values(group, uid, table, conditions)
            select = (
                _count_by_value(value_table, sa.func.count())
                .select_from(table.source)
                .where(has_value)
            )
        case RelatedCondition(attribute=name, part=Comparison() as part, row_filter=row_filter):
            target = target_model(schema, schema.model(uid).attributes[name])
            if target is None:
                message = f"{uid}.{name} has no single target"
                raise TypeError(message)
            edge = tables[uid].edges[name]
            target_table = builder.table(tables[target.uid].name)
            join = conditions.join(edge, target_table, target.uid)
            value_table, has_value = _compile_values(part, target.uid, target_table, conditions)
            # Several versions of a target have its document id.
            rows = sa.func.count(sa.distinct(table.c("id")))
            is_linked = table.c(parent_key_column(edge)) == join.parent_key
            select = _count_by_value(value_table, rows).select_from(join.source, table.source)
            select = select.where(has_value, is_linked, *join.where)
            if row_filter is not None:
                select = select.where(conditions.filter(row_filter, target.uid, target_table))
        case _:
            message = f"rows are not counted by {group!r}"
            raise TypeError(message)
    return builder.finish(select.where(*versions_condition(plan, table, conditions)))


def _count_by_value(value_table: sa.FromClause, rows: Any) -> sa.Select[Any]:  # noqa: ANN401 - a count
    return (
        sa.select(value_table.c.position, rows)
        .select_from(value_table)
        .group_by(value_table.c.position)
    )


def _compile_values(
    part: Comparison, uid: str, table: AliasedTable, conditions: Conditions
) -> tuple[sa.FromClause, sa.ColumnElement[bool]]:
    """Return the values of a comparison as a table, and the condition that a row has one."""
    attribute = conditions.schema.model(uid).attributes[part.attribute]
    if not isinstance(attribute, ScalarAttribute):
        message = f"{uid}.{part.attribute} has no column"
        raise TypeError(message)
    kind: StorageKind = attribute.storage
    dialect, (slot,) = conditions.dialect, part.slots
    bound_list = conditions.builder.list_slot(slot, dialect.encoder(kind))
    value_table = dialect.list_of(bound_list, kind)
    column = table.c(conditions.tables[uid].columns[part.attribute])
    return value_table, column == value_table.c.value
