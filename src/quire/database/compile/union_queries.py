"""Decides which populated edges share one statement.

Where every statement is a round trip, the branches of a node are read together: their rows are
joined by ``UNION ALL``, each with the number of its branch. Columns of one kind share a position,
whatever table they are from, since a column of such a statement has one type; a branch without a
column for a position selects null.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import sqlalchemy as sa
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import TypeEngine

from quire.database.compile.sql_conditions import Condition, JoinedTargets
from quire.database.compile.statements import Query, StatementBuilder
from quire.schema.attributes.base import StorageKind

BRANCH, ORDER, LINK = 0, 1, 2
"""Positions of branch number, order and id of the link in rows of a shared statement."""

_SORTED_BY = (BRANCH, ORDER, LINK)


class ParentKey(NamedTuple):
    """The key that rows are found by: its position in a row of the parents, and its column kind."""

    position: int
    kind: StorageKind


class Columns(Protocol):
    """The columns that rows of a model have in a statement."""

    def position(self, name: str, column: Condition, kind: StorageKind) -> int:
        """Select a column once, and return its position in the row."""


class OwnColumns:
    """The columns of a statement for rows of one kind, each with its own position."""

    def __init__(self) -> None:
        self.selected: list[Any] = []
        self._positions: dict[str, int] = {}

    def position(self, name: str, column: Condition, kind: StorageKind) -> int:
        """See `Columns.position`."""
        del kind  # no other value has this position
        if name not in self._positions:
            self._positions[name] = len(self.selected)
            self.selected.append(column)
        return self._positions[name]


class OwnRows(OwnColumns):
    """The rows of a branch with its own statement."""

    parent_position = 0
    """The position of the parent's key in a row."""

    def __init__(self, builder: StatementBuilder) -> None:
        super().__init__()
        self.builder = builder
        self.query: Query | None = None

    @property
    def width(self) -> int:
        """How many columns a row has, once all branches of the statement are added."""
        return len(self.selected)

    def begin(self, join: JoinedTargets, key: ParentKey, *, mixed: bool) -> Condition:
        """Select the parent's key first, and for ``mixed`` rows order and id of the link.

        Returns the condition that rows belong to the given parents, by this key.
        """
        del key  # there is one list of keys
        self._join = join
        self.selected += [join.parent_key, *(join.order if mixed else ())]
        return self.builder.dialect.member_of(join.parent_key, self.builder.parents())

    def finish(self, where: Sequence[Condition], sort: Sequence[Any], *, grouped: bool) -> None:
        """Select these rows in this order and then in that of their links, or ``grouped``."""
        join = self._join
        select = sa.select(*self.selected).select_from(join.source).where(*where)
        statement = (
            select.group_by(join.parent_key) if grouped else select.order_by(*sort, *join.order)
        )
        self.query = self.builder.finish(statement)


class UnionStatement:
    """A statement that several branches share, while it is built."""

    def __init__(self, builder: StatementBuilder) -> None:
        self.builder = builder
        self._dialect = dialect = builder.dialect
        kinds = (StorageKind.ID, StorageKind.FLOAT, StorageKind.ID)
        self._types: list[TypeEngine[Any] | None] = [dialect.united_type(kind) for kind in kinds]
        self._branches: list[_Branch] = []

    @property
    def width(self) -> int:
        """How many columns the rows have, once all branches are added."""
        return len(self._types)

    def next_position(self, kind: StorageKind, used_columns: dict[int, Condition]) -> int:
        """Return the first column for values of a kind that the branch has not used yet."""
        sql_type = self._dialect.united_type(kind)
        for position in range(len(_SORTED_BY), len(self._types)):
            if position not in used_columns and type(self._types[position]) is type(sql_type):
                return position
        self._types.append(sql_type)
        return len(self._types) - 1

    def add(self, branch: "_Branch") -> int:
        """Add a branch, and return its number."""
        self._branches.append(branch)
        return len(self._branches) - 1

    def finish(self) -> Query:
        """Compile the statement."""
        selects = [self._select(number, branch) for number, branch in enumerate(self._branches)]
        order: list[Condition] = [sa.literal_column(str(position + 1)) for position in _SORTED_BY]
        return self.builder.finish(sa.union_all(*selects).order_by(*order))

    def _select(self, number: int, branch: "_Branch") -> Any:  # noqa: ANN401 - SQLAlchemy's own
        columns_by_position = {BRANCH: sa.literal_column(str(number)), **branch.columns}
        columns = [
            column if sql_type is None else sa.cast(column, sql_type)
            for position, sql_type in enumerate(self._types)
            for column in (columns_by_position.get(position, sa.null()),)
        ]
        select = sa.select(*columns).select_from(branch.join.source).where(*branch.where)
        return select.group_by(branch.join.parent_key) if branch.grouped else select


class _Branch(NamedTuple):
    """The columns of a branch in a shared statement, by position, and its rows."""

    columns: dict[int, ColumnElement[Any]]
    join: JoinedTargets
    where: Sequence[Condition]
    grouped: bool


class UnionRows:
    """The rows of a branch whose statement is shared."""

    def __init__(self, statement: UnionStatement) -> None:
        self._statement = statement
        self._positions: dict[str, int] = {}
        self._columns: dict[int, Condition] = {}
        self.parent_position = -1
        self.number = -1
        """The number of the branch, once it is finished."""

    @property
    def builder(self) -> StatementBuilder:
        """The builder of the statement."""
        return self._statement.builder

    @property
    def width(self) -> int:
        """See `OwnRows.width`."""
        return self._statement.width

    def position(self, name: str, column: Condition, kind: StorageKind) -> int:
        """See `Columns.position`."""
        if name not in self._positions:
            position = self._statement.next_position(kind, self._columns)
            self._positions[name] = position
            self._columns[position] = column
        return self._positions[name]

    def begin(self, join: JoinedTargets, key: ParentKey, *, mixed: bool) -> Condition:
        """See `OwnRows.begin`."""
        del mixed  # the order of links is always selected
        self._join = join
        self.parent_position = self.position("", join.parent_key, key.kind)
        return self.builder.dialect.member_of(
            join.parent_key, self.builder.parents_by(key.position)
        )

    def finish(self, where: Sequence[Condition], sort: Sequence[Any], *, grouped: bool) -> None:
        """See `OwnRows.finish`. Rows can only be sorted by the order of links."""
        if sort:
            message = "rows that share a statement come in the order of their links"
            raise TypeError(message)
        if not grouped:
            *order, link = self._join.order
            self._columns[LINK] = link
            if order:
                self._columns[ORDER] = order[0]
        self.number = self._statement.add(_Branch(self._columns, self._join, where, grouped))
