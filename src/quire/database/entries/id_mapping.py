"""Maps ids of rows to those of their copies, in statements: one pair of ids, or many at once.

A statement for one pair compares with a bound value, as statements for a single row do. For many
pairs the rows are bound as a list, by which the database finds them in an index, and the pairs as a
table, which it searches for each row found.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.sql.elements import ColumnElement

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import BoundValue
from quire.database.dialect import Dialect
from quire.schema.attributes.base import StorageKind

_COLUMNS = {"old_id": StorageKind.ID, "new_id": StorageKind.ID}


class IdMapping(Struct, frozen=True):
    """Pairs of row ids: a row, and its copy or the row that replaces it. No row is in two pairs.

    A statement uses its first two slots for them (`values`), and `shape` in its key.
    """

    dialect: Dialect
    pairs: tuple[tuple[int, int], ...]

    @property
    def rows(self) -> list[int]:
        """The old ids, in the order of the pairs."""
        return [row for row, _ in self.pairs]

    @property
    def is_single(self) -> bool:
        """Whether there is only one pair."""
        return len(self.pairs) == 1

    @property
    def shape(self) -> Hashable:
        """What the text of statements depends on."""
        return self.is_single

    @property
    def values(self) -> tuple[BoundValue, BoundValue]:
        """The values of the slots 0 and 1."""
        if self.is_single:
            return self.pairs[0]
        return self.rows, self.dialect.encode_rows(self.pairs)

    def has(self, builder: StatementBuilder, column: ColumnElement[Any]) -> ColumnElement[bool]:
        """Return the condition that a column has the id of one of the rows."""
        if self.is_single:
            return column == builder.plain_slot(0)
        return self.dialect.member_of(column, builder.list_slot(0, lambda value: value))

    def new_id_of(
        self, builder: StatementBuilder, column: ColumnElement[Any]
    ) -> ColumnElement[Any]:
        """Return the new id for the one that is in a column."""
        if self.is_single:
            return builder.plain_slot(1)
        pairs = self.dialect.rows_of(builder.plain_slot(1), _COLUMNS)
        query = sa.select(pairs.c.new_id).where(pairs.c.old_id == column)
        return query.correlate_except(pairs).scalar_subquery()


def id_mapping_of(dialect: Dialect, pairs: Sequence[tuple[int, int]]) -> IdMapping:
    """Return the mapping of old to new ids for statements."""
    return IdMapping(dialect, tuple(pairs))
