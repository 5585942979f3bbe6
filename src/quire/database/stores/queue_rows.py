"""Rows that wait to be worked on: claimed for a while, settled, pruned.

``due`` says when a row may be claimed. A claim moves it to the end of the lease, so that the row of
a lost process is claimed again by another one. ``ended_at`` is set when nothing is left to do.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.compile.writes import Bound, Writes
from quire.database.program import Program, Row, Value
from quire.database.stores.table import OwnTable

Conditions = Callable[[StatementBuilder, AliasedTable], Sequence[sa.ColumnElement[bool]]]
"""Makes conditions on a row. It is part of the key of statements, so it must not be a new function
each time; the slots of its values begin with `FIRST_SLOT`."""

FIRST_SLOT = 3


class QueueRows:
    """The rows of one table, with the columns ``due``, ``attempts``, ``ended_at`` among others."""

    def __init__(self, writes: Writes, table: OwnTable) -> None:
        self.name = table.name
        self.columns = ("id", *table.columns)
        self._writes = writes

    def described(self) -> sa.TableClause:
        """Return the table, for statements that change it."""
        return sa.table(self.name, *(sa.column(name) for name in self.columns))

    def selected(self, table: AliasedTable) -> sa.Select[Any]:
        """Return a query for all columns."""
        return sa.select(*(table.c(name) for name in self.columns)).select_from(table.source)

    def run(
        self, key: Hashable, build: Callable[[StatementBuilder], sa.ClauseElement], *values: Bound
    ) -> Program[list[Row]]:
        """Run a statement; ``key`` tells it from others on the same table."""
        return (yield from self._writes.run((self.name, key), build, values))

    def first_due(self, conditions: Conditions, *values: Bound) -> Program[int | None]:
        """Return when a row with these conditions may be claimed next; ``None`` without any."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(self.name)
            chosen = sa.select(sa.func.min(table.c("due"))).select_from(table.source)
            return chosen.where(*conditions(builder, table))

        rows = yield from self.run(("due", conditions), build, None, None, None, *values)
        return None if rows[0][0] is None else int(rows[0][0])

    def claim(
        self,
        conditions: Conditions,
        *values: Bound,
        now: int,
        until: int,
        most: int,
        changes: Mapping[str, Value] | None = None,
        by: str = "id",
    ) -> Program[list[Row]]:
        """Claim rows that are due, the first ones in the order of a column; returns them by id.

        Nobody else claims them until the lease ends. Rows that another process is just claiming are
        passed over. Each claim counts as an attempt. ``changes`` are set along with it.
        """
        changed = {} if changes is None else changes
        first = FIRST_SLOT + len(values)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(self.name)
            chosen = sa.select(table.c("id")).select_from(table.source)
            is_due = table.c("due") <= builder.plain_slot(0)
            chosen = chosen.where(*conditions(builder, table), is_due)
            chosen = chosen.order_by(table.c(by), table.c("id")).limit(builder.plain_slot(2))
            # A common table expression, so that the limit holds whatever the planner does.
            locked = chosen.with_for_update(skip_locked=True).cte("claimed")
            taken = self.described()
            set_to: dict[str, Any] = {
                "due": builder.plain_slot(1),
                "attempts": taken.c.attempts + 1,
                **{name: builder.plain_slot(first + slot) for slot, name in enumerate(changed)},
            }
            here = taken.c.id.in_(sa.select(locked.c.id))
            return sa.update(taken).values(set_to).where(here).returning(*taken.c)

        key = ("claim", conditions, tuple(changed), by)
        bound = (now, until, most, *values, *changed.values())
        rows = yield from self.run(key, build, *bound)
        return sorted(rows, key=lambda row: int(row[0] or 0))

    def renew(self, ids: Collection[int], holder: str, *, until: int) -> Program[frozenset[int]]:
        """Move the ends of the leases of a ``holder``; returns the rows that are still theirs."""

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            taken = self.described()
            here = self._writes.dialect.member_of(taken.c.id, builder.parents())
            change = sa.update(taken).values(due=builder.plain_slot(0))
            return change.where(here, taken.c.holder == builder.plain_slot(1)).returning(taken.c.id)

        key = (self.name, "renew")
        rows = yield from self._writes.run_listed(key, build, ids, (until, holder))
        return frozenset(int(row[0] or 0) for row in rows)

    def settle(
        self, row_id: int, changes: Mapping[str, Value], *, holder: str | None = None
    ) -> Program[bool]:
        """Write down what became of a row; tells whether it was still claimed by ``holder``."""
        if holder is None:
            yield from self._writes.update(self.name, row_id, changes)
            return True
        columns = tuple(changes)

        def build(builder: StatementBuilder) -> sa.ClauseElement:
            taken = self.described()
            values = {name: builder.plain_slot(slot) for slot, name in enumerate(columns)}
            here = taken.c.id == builder.plain_slot(len(columns))
            held = taken.c.holder == builder.plain_slot(len(columns) + 1)
            return sa.update(taken).values(values).where(here, held).returning(taken.c.id)

        key = ("settle", columns)
        return bool((yield from self.run(key, build, *changes.values(), row_id, holder)))

    def prune(self, *, before: int, most: int) -> Program[None]:
        """Delete rows that ended before a moment, and those before the last ``most`` rows."""
        over = self.described()

        def too_old(builder: StatementBuilder) -> sa.ClauseElement:
            return sa.delete(over).where(over.c.ended_at < builder.plain_slot(0))

        def too_many(builder: StatementBuilder) -> sa.ClauseElement:
            table = builder.table(self.name)
            last = sa.select(sa.func.max(table.c("id"))).select_from(table.source)
            bound = last.scalar_subquery() - builder.plain_slot(0)
            return sa.delete(over).where(over.c.ended_at.is_not(None), over.c.id <= bound)

        yield from self.run(("prune", "old"), too_old, before)
        yield from self.run(("prune", "many"), too_many, most)
