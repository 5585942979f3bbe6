"""The parts of an integrity rule: what selects damaged rows, describes and repairs them."""

from collections.abc import Mapping
from typing import Protocol

import sqlalchemy as sa
from msgspec import Struct, field

from quire.database.compile.statements import StatementBuilder
from quire.database.dialect import Scalar
from quire.database.integrity.examined_tables import DamageQuery, ExaminedTables, plain_table
from quire.database.integrity.findings import MAX_IDS, Damage, DamageKind, count_noun
from quire.database.program import Program, Rows


class IntegrityRule(Protocol):
    """Finds one kind of damage."""

    def find(self) -> Program[list[Damage]]:
        """Find damage; changes nothing. Returns no findings without damage."""
        ...

    def repair(self) -> Program[None]:
        """Repair what `find` finds now. Called only for findings that can be repaired."""
        ...


class Repair(Struct, frozen=True, kw_only=True):
    """How damaged rows are repaired: columns are set, or the rows are deleted.

    ``text`` describes the repair in reports: "A repair ``deletes them``." ``repairable`` selects
    the rows that can be repaired, if that is not possible for all damaged rows.
    """

    text: str
    assigned: Mapping[str, Scalar] = field(default_factory=dict)
    repairable: DamageQuery | None = None


DELETE = Repair(text="deletes them")


def clear(*columns: str) -> Repair:
    """Return the repair that sets columns of the damaged rows to null."""
    return Repair(text=f"empties {' and '.join(columns)}", assigned=dict.fromkeys(columns))


class RowRule(Struct, frozen=True, kw_only=True):
    """A rule about the rows of one table, found by one statement and repaired by another.

    The sentence of a finding is the count, ``noun`` and ``phrase``: "3 links to rows that ...".
    """

    layout: ExaminedTables
    kind: DamageKind
    table: str
    damaged: DamageQuery
    phrase: str
    noun: str = "row"
    repair_action: Repair | None = None

    def find(self) -> Program[list[Damage]]:
        """See `IntegrityRule`."""
        rows = yield from self.layout.run(lambda builder: first_ids(self.damaged(builder)))
        if not rows:
            return []
        ids, count = ids_and_count(rows)
        return [
            Damage(
                kind=self.kind,
                table=self.table,
                count=count,
                ids=ids,
                sentence=f"{count_noun(count, self.noun)} {self.phrase}",
                repair=None if self.repair_action is None else self.repair_action.text,
            )
        ]

    def repair(self) -> Program[None]:
        """See `IntegrityRule`."""
        if self.repair_action is not None:
            yield from self.layout.run(self._change)

    def _change(self, builder: StatementBuilder) -> sa.ClauseElement:
        action = self.repair_action or DELETE
        table = plain_table(self.table, "id", *action.assigned)
        is_damaged = table.c.id.in_((action.repairable or self.damaged)(builder))
        if not action.assigned:
            return sa.delete(table).where(is_damaged)
        return sa.update(table).values(dict(action.assigned)).where(is_damaged)


def first_ids(damaged: sa.Select[tuple[int]]) -> sa.ClauseElement:
    """Select the first ids of damaged rows, each with the count of all."""
    rows = damaged.subquery()
    count = sa.func.count().over()
    limit: sa.ColumnElement[int] = sa.literal_column(str(MAX_IDS))
    return sa.select(rows.c.id, count).order_by(rows.c.id).limit(limit)


def ids_and_count(rows: Rows) -> tuple[tuple[int, ...], int]:
    """Read the rows of `first_ids`, of which there is at least one."""
    return tuple(int(row[0] or 0) for row in rows), int(rows[0][1] or 0)
