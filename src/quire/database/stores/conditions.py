"""Conditions on the rows of a `Table`: comparisons of columns with values, joined by and and or.

A condition has a shape, which says what SQL it becomes, and values, which are bound to it. Columns
have the names that the fields of the row type are encoded by.
"""

import operator
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from typing import Any, Protocol

import sqlalchemy as sa
from msgspec import Struct, structs
from sqlalchemy.sql.elements import ColumnElement

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Bound
from quire.database.dialect import Scalar
from quire.database.program import Value
from quire.database.tables.table_map import LinkEdge
from quire.schema.attributes.base import StorageKind

Expression = ColumnElement[Any]

_LIKE_ESCAPE = str.maketrans({sign: f"\\{sign}" for sign in "\\%_"})
_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Encoder(Protocol):
    """Turns values into what their columns hold."""

    def encode(self, column: str, value: object) -> Value:
        """Return what a column holds for a value."""


class Column(Struct, frozen=True):
    """A column: its name in the database, and its kind.

    With a ``link`` it is a relation to one row, the id of which is kept in a table of its own.
    """

    name: str
    kind: StorageKind
    link: LinkEdge | None = None


class Scope(Struct, frozen=True, kw_only=True):
    """The columns and the slots of a statement that is being built.

    ``source`` is the table ``name`` as the statement has it: with an alias, or without one where
    its rows are changed. ``columns`` are by the names that conditions use, ``empty`` are those in
    which an empty text stands for nothing. ``slots`` are those that were not taken yet.
    """

    builder: StatementBuilder
    source: sa.FromClause
    name: str
    columns: Mapping[str, Column]
    empty: frozenset[str]
    slots: Iterator[int]

    def column(self, name: str) -> Expression:
        """Return a column. Raises KeyError for one that the table does not have."""
        column = self.columns[name]
        if column.link is not None:
            return self._linked(column.link)
        found: Expression = sa.column(column.name, _selectable=self.source)
        return found

    def _linked(self, edge: LinkEdge) -> Expression:
        links = self.builder.table(edge.table)
        found = sa.select(links.c(edge.far)).where(links.c(edge.near) == self.column("id"))
        return found.limit(sa.literal_column("1")).correlate(self.source).scalar_subquery()

    def is_null(self, name: str) -> Expression:
        """Return the condition that a column holds nothing."""
        column = self.column(name)
        return column == self.builder.constant("") if name in self.empty else column.is_(None)

    def slot(self) -> Expression:
        """Bind the next value."""
        return self.builder.plain_slot(next(self.slots))

    def list_slot(self) -> Expression:
        """Bind the next value, a list."""
        return self.builder.list_slot(next(self.slots), _unchanged)

    def other(self) -> "Scope":
        """Return the scope of another row of the same table."""
        return structs.replace(self, source=self.builder.table(self.name).source)


def _unchanged(value: Scalar) -> Value:
    return value


class Condition(Struct, frozen=True):
    """Something that is true of a row or not."""

    @property
    def shape(self) -> Hashable:
        """What tells its SQL from that of other conditions."""
        raise NotImplementedError

    def bound(self, encoder: Encoder) -> Iterator[Bound]:
        """Iterate over the values of its slots, in their order."""
        raise NotImplementedError

    def expression(self, scope: Scope) -> Expression:
        """Return its SQL; it takes as many slots as there are values."""
        raise NotImplementedError


class _Comparison(Condition, frozen=True):
    operator: str
    column: str
    value: object

    @property
    def shape(self) -> Hashable:
        return (self.operator, self.column)

    def bound(self, encoder: Encoder) -> Iterator[Bound]:
        yield encoder.encode(self.column, self.value)

    def expression(self, scope: Scope) -> Expression:
        compared: Expression = _OPERATORS[self.operator](scope.column(self.column), scope.slot())
        return compared


class _Null(Condition, frozen=True):
    column: str
    negated: bool = False

    @property
    def shape(self) -> Hashable:
        return ("not null" if self.negated else "null", self.column)

    def bound(self, encoder: Encoder) -> Iterator[Bound]:
        del encoder
        return iter(())

    def expression(self, scope: Scope) -> Expression:
        return sa.not_(scope.is_null(self.column)) if self.negated else scope.is_null(self.column)


class _Prefix(Condition, frozen=True):
    column: str
    prefix: str

    @property
    def shape(self) -> Hashable:
        return ("prefix", self.column)

    def bound(self, encoder: Encoder) -> Iterator[Bound]:
        del encoder
        yield f"{self.prefix.translate(_LIKE_ESCAPE)}%"

    def expression(self, scope: Scope) -> Expression:
        return scope.column(self.column).like(scope.slot(), escape="\\")


class _Listed(Condition, frozen=True):
    column: str
    values: tuple[object, ...]
    negated: bool

    @property
    def shape(self) -> Hashable:
        return ("not listed" if self.negated else "listed", self.column)

    def bound(self, encoder: Encoder) -> Iterator[Bound]:
        yield [encoder.encode(self.column, value) for value in self.values]

    def expression(self, scope: Scope) -> Expression:
        found = scope.builder.dialect.member_of(scope.column(self.column), scope.list_slot())
        return sa.not_(found) if self.negated else found


class _OneOf(Condition, frozen=True):
    column: str
    values: tuple[object, ...]

    @property
    def shape(self) -> Hashable:
        return ("one of", self.column, len(self.values))

    def bound(self, encoder: Encoder) -> Iterator[Bound]:
        return (encoder.encode(self.column, value) for value in self.values)

    def expression(self, scope: Scope) -> Expression:
        return scope.column(self.column).in_([scope.slot() for _ in self.values])


class _Joined(Condition, frozen=True):
    conditions: tuple[Condition, ...]
    is_any: bool

    @property
    def shape(self) -> Hashable:
        return ("or" if self.is_any else "and", *(one.shape for one in self.conditions))

    def bound(self, encoder: Encoder) -> Iterator[Bound]:
        for one in self.conditions:
            yield from one.bound(encoder)

    def expression(self, scope: Scope) -> Expression:
        join = sa.or_ if self.is_any else sa.and_
        return join(*(one.expression(scope) for one in self.conditions))


class _LinkedTo(Condition, frozen=True):
    column: str
    row_id: int

    @property
    def shape(self) -> Hashable:
        return ("linked to", self.column)

    def bound(self, encoder: Encoder) -> Iterator[Bound]:
        yield encoder.encode(self.column, self.row_id)

    def expression(self, scope: Scope) -> Expression:
        edge = scope.columns[self.column].link
        if edge is None:
            raise TypeError(f"{scope.name}.{self.column} is not kept in a table of links")
        links = scope.builder.table(edge.table)
        near = sa.select(links.c(edge.near)).where(links.c(edge.far) == scope.slot())
        return scope.column("id").in_(near)


class _IdOf(Condition, frozen=True):
    column: str
    table: str
    negated: bool

    @property
    def shape(self) -> Hashable:
        return ("no id of" if self.negated else "id of", self.column, self.table)

    def bound(self, encoder: Encoder) -> Iterator[Bound]:
        del encoder
        return iter(())

    def expression(self, scope: Scope) -> Expression:
        table = scope.builder.table(self.table)
        ids = sa.select(table.c("id")).select_from(table.source)
        column = scope.column(self.column)
        return column.not_in(ids) if self.negated else column.in_(ids)


class _NoOther(Condition, frozen=True):
    same: tuple[tuple[str, str], ...]
    conditions: tuple[Condition, ...]
    is_earlier: bool

    @property
    def shape(self) -> Hashable:
        shapes = (one.shape for one in self.conditions)
        return ("no earlier" if self.is_earlier else "no other", self.same, *shapes)

    def bound(self, encoder: Encoder) -> Iterator[Bound]:
        for one in self.conditions:
            yield from one.bound(encoder)

    def expression(self, scope: Scope) -> Expression:
        other = scope.other()
        present, compared = scope.column("id"), other.column("id")
        chosen = sa.select(compared).select_from(other.source)
        chosen = chosen.where(
            *(other.column(its) == scope.column(own) for its, own in self.same),
            *(one.expression(other) for one in self.conditions),
            compared < present if self.is_earlier else compared != present,
        )
        return sa.not_(chosen.correlate(scope.source).exists())


def eq(column: str, value: object) -> Condition:
    """Require a value; ``None`` requires that there is none."""
    return _Null(column) if value is None else _Comparison("=", column, value)


def lt(column: str, value: object) -> Condition:
    """Require less than a value."""
    return _Comparison("<", column, value)


def le(column: str, value: object) -> Condition:
    """Require a value or less."""
    return _Comparison("<=", column, value)


def gt(column: str, value: object) -> Condition:
    """Require more than a value."""
    return _Comparison(">", column, value)


def ge(column: str, value: object) -> Condition:
    """Require a value or more."""
    return _Comparison(">=", column, value)


def is_null(column: str) -> Condition:
    """Require that there is no value."""
    return _Null(column)


def not_null(column: str) -> Condition:
    """Require that there is a value."""
    return _Null(column, negated=True)


def in_list(column: str, values: Collection[object]) -> Condition:
    """Require one of any number of values, which are bound as one list."""
    return _Listed(column, tuple(values), negated=False)


def not_in_list(column: str, values: Collection[object]) -> Condition:
    """Require none of any number of values, which are bound as one list."""
    return _Listed(column, tuple(values), negated=True)


def one_of(column: str, *values: object) -> Condition:
    """Require one of a few values that the code knows: each number of them is a statement."""
    return _OneOf(column, values)


def starts_with(column: str, prefix: str) -> Condition:
    """Require a text with this beginning."""
    return _Prefix(column, prefix)


def any_of(*conditions: Condition) -> Condition:
    """Require one of several conditions."""
    return _Joined(conditions, is_any=True)


def all_of(*conditions: Condition) -> Condition:
    """Require several conditions."""
    return _Joined(conditions, is_any=False)


def linked_to(column: str, row_id: int) -> Condition:
    """Require that a relation leads to a row. It is found by that row, which `eq` is not."""
    return _LinkedTo(column, row_id)


def is_id_of(column: str, table: str) -> Condition:
    """Require that a column holds the id of a row of another table."""
    return _IdOf(column, table, negated=False)


def is_no_id_of(column: str, table: str) -> Condition:
    """Require that a column does not hold the id of a row of another table."""
    return _IdOf(column, table, negated=True)


def no_other(*conditions: Condition, same: Mapping[str, str]) -> Condition:
    """Require that there is no other row of the table that meets conditions.

    ``same`` are columns of the other row that hold the same as columns of this one.
    """
    return _NoOther(tuple(same.items()), conditions, is_earlier=False)


def none_earlier(*conditions: Condition, same: Collection[str]) -> Condition:
    """Require that no row with a lower id meets conditions and is the ``same`` in these columns."""
    return _NoOther(tuple((name, name) for name in same), conditions, is_earlier=True)
