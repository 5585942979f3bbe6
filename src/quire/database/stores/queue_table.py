"""Queues: rows that are claimed for a while, settled, and pruned.

``due`` says when a row may be claimed. A claim moves it to the end of the lease, so that another
process claims the rows of a lost one. ``ended_at`` is set when nothing is left to do.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.program import Program
from quire.database.stores.row_conditions import (
    Condition,
    eq,
    expression,
    gt,
    le,
    lt,
    not_null,
)
from quire.database.stores.table import RowT, Table

_HAS_ENDED = not_null("ended_at")


class QueueTable(Table[RowT]):
    """A table with the columns ``due``, ``attempts`` and ``ended_at``."""

    def claim(
        self,
        *where: Condition,
        now: int,
        until: int,
        limit: int,
        changes: Mapping[str, object] | None = None,
        order: Sequence[str] = ("due", "id"),
    ) -> Program[list[RowT]]:
        """Claim due rows, the first ones in the order of some columns; returns them by id.

        No other process claims them until the lease ends. Rows that another process is claiming are
        skipped. Each claim counts as an attempt. ``changes`` are set as well.
        """
        encoded_changes = self.encode_all(changes or {})
        conditions = (*where, le("due", now))

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            scope = self._alias_scope(builder)
            query = self._select_columns(scope, ("id",), conditions)
            query = query.order_by(*map(scope.column, order)).limit(scope.slot())
            # A common table expression, so that the planner cannot ignore the limit.
            locked = query.with_for_update(skip_locked=True).cte("claimed")
            table = self._table_clause()
            set_to: dict[str, Any] = {
                "due": scope.slot(),
                "attempts": table.c.attempts + 1,
                **{name: scope.slot() for name in encoded_changes},
            }
            condition = table.c.id.in_(sa.select(locked.c.id))
            columns = (table.c[self.columns[name].name] for name in self._selected_columns)
            return sa.update(table).values(set_to).where(condition).returning(*columns)

        bound_values = (limit, until, *encoded_changes.values())
        rows = yield from self._run(
            ("claim", *encoded_changes, *order), build, conditions, after=bound_values
        )
        position = self._selected_columns.index("id")
        return [self.decode(row) for row in sorted(rows, key=lambda row: int(row[position] or 0))]

    def first_due(self, *where: Condition, head: Condition, now: int) -> Program[int | None]:
        """Return when to claim rows next: now, at a later time, or ``None`` for never.

        Only rows that are a ``head`` are claimed. Other rows become one when a row is settled.
        """
        is_due = (*where, head, le("due", now))
        if (yield from self.first(*is_due, order=("due",))) is not None:
            return now
        return (yield from self.lowest("due", *where, gt("due", now)))

    def due_texts(self, column: str, *where: Condition, now: int, limit: int) -> Program[list[str]]:
        """Return the distinct texts in a column of due rows, the earliest first."""
        conditions = (*where, le("due", now))

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            scope = self._alias_scope(builder)
            query = self._select_columns(scope, (column,), conditions).group_by(
                scope.column(column)
            )
            return query.order_by(sa.func.min(scope.column("due"))).limit(scope.slot())

        rows = yield from self._run(("due texts", column), build, conditions, after=(limit,))
        return [str(row[0]) for row in rows]

    def settle(
        self, row_id: int, changes: Mapping[str, object], *where: Condition
    ) -> Program[bool]:
        """Record the result of a row that meets conditions; tells whether it does."""
        return bool((yield from self.changed(changes, eq("id", row_id), *where)))

    def prune(self, *, before: int, limit: int) -> Program[None]:
        """Delete rows that ended before a time, and all but the last ``limit`` rows."""

        def too_many(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(self.name)
            last = sa.select(sa.func.max(table.c("id"))).select_from(table.source)
            table_clause = self._table_clause()
            scope = self._scope(builder, table_clause)
            highest_deleted_id = last.scalar_subquery() - scope.slot()
            return sa.delete(table_clause).where(
                expression(_HAS_ENDED.shape, scope), table_clause.c.id <= highest_deleted_id
            )

        yield from self.delete(lt("ended_at", before))
        yield from self._run("prune", too_many, (), after=(limit,))
