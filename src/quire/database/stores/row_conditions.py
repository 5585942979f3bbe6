"""Conditions on the rows of a `Table`: comparisons with values, combined by AND and OR.

A condition has a shape, which determines its SQL, and operands, which are bound: so statements are
cached by their shapes. Columns are named like the encoded fields of the row type.
"""

import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct, structs
from sqlalchemy.sql.elements import ColumnElement

from quire.database.compile.statements import StatementBuilder
from quire.database.dialect import Scalar
from quire.database.program import Value
from quire.database.tables.table_map import LinkEdge
from quire.schema.attributes.base import StorageKind

Expression = ColumnElement[Any]

_LIKE_ESCAPE = str.maketrans({sign: f"\\{sign}" for sign in "\\%_"})


class Column(Struct, frozen=True):
    """A column: its name in the database, and its kind.

    With a ``link`` it is a relation to one row, whose id is stored in a link table.
    """

    name: str
    kind: StorageKind
    link: LinkEdge | None = None


class StatementScope(Struct, frozen=True, kw_only=True):
    """The columns and slots of a statement that is being built.

    ``source`` is the table ``name`` in the statement: with an alias, or without one if its rows are
    changed. ``columns`` are by the names that conditions use; in ``empty`` ones an empty text means
    null. ``slots`` are the remaining ones.
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
            return self._linked_expression(column.link)
        expression: Expression = sa.column(column.name, _selectable=self.source)
        return expression

    def _linked_expression(self, edge: LinkEdge) -> Expression:
        links = self.builder.table(edge.table)
        target_ids = sa.select(links.c(edge.target_column)).where(
            links.c(edge.source_column) == self.column("id")
        )
        return target_ids.limit(sa.literal_column("1")).correlate(self.source).scalar_subquery()

    def is_null(self, name: str) -> Expression:
        """Return the condition that a column is null."""
        column = self.column(name)
        return column == self.builder.constant("") if name in self.empty else column.is_(None)

    def slot(self) -> Expression:
        """Bind the next value."""
        return self.builder.plain_slot(next(self.slots))

    def list_slot(self) -> Expression:
        """Bind the next value, a list."""
        return self.builder.list_slot(next(self.slots), _identity)

    def other_row(self) -> "StatementScope":
        """Return the scope of another row of the same table."""
        return structs.replace(self, source=self.builder.table(self.name).source)


def _identity(value: Scalar) -> Value:
    return value


Shape = tuple[Any, ...]
"""The kind of a condition, its columns, and the shapes of its parts."""


class Condition(Struct, frozen=True):
    """A condition on a row.

    ``operands`` are the values of its slots, in order, with the columns that they are compared
    with; lists are tuples.
    """

    shape: Shape
    operands: tuple[tuple[str, object], ...] = ()


def expression(shape: Shape, scope: StatementScope) -> Expression:
    """Return the SQL of a condition; it uses one slot for each operand."""
    kind, *parts = shape
    return _EXPRESSIONS[kind](scope, *parts)


def _comparison(compare: Callable[[Any, Any], Any]) -> Callable[..., Expression]:
    def build(scope: StatementScope, column: str) -> Expression:
        condition: Expression = compare(scope.column(column), scope.slot())
        return condition

    return build


def _in_list_expression(scope: StatementScope, column: str) -> Expression:
    return scope.builder.dialect.member_of(scope.column(column), scope.list_slot())


def _one_of(scope: StatementScope, column: str, count: int) -> Expression:
    return scope.column(column).in_([scope.slot() for _ in range(count)])


def _prefix(scope: StatementScope, column: str) -> Expression:
    return scope.column(column).like(scope.slot(), escape="\\")


def _linked_to(scope: StatementScope, column: str) -> Expression:
    edge = scope.columns[column].link
    if edge is None:
        raise TypeError(f"{scope.name}.{column} is not stored in a link table")
    links = scope.builder.table(edge.table)
    source_ids = sa.select(links.c(edge.source_column)).where(
        links.c(edge.target_column) == scope.slot()
    )
    return scope.column("id").in_(source_ids)


def _id_of(scope: StatementScope, column: str, table: str) -> Expression:
    other = scope.builder.table(table)
    return scope.column(column).in_(sa.select(other.c("id")).select_from(other.source))


def _no_other(
    scope: StatementScope, compare: str, equal_columns: Sequence[tuple[str, str]], *shapes: Shape
) -> Expression:
    other = scope.other_row()
    query = sa.select(other.column("id")).select_from(other.source)
    query = query.where(
        *(
            other.column(other_column) == scope.column(column)
            for other_column, column in equal_columns
        ),
        *(expression(shape, other) for shape in shapes),
        _COMPARISONS[compare](other.column("id"), scope.column("id")),
    )
    # PostgreSQL makes no join of a query with an offset. Its join would compare all waiting rows of
    # a queue with each other where the statistics are of a time when few were waiting.
    query = query.offset(sa.literal_column("0"))
    return sa.not_(query.correlate(scope.source).exists())


_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_EXPRESSIONS: Mapping[str, Callable[..., Expression]] = {
    **{sign: _comparison(compare) for sign, compare in _COMPARISONS.items()},
    "null": lambda scope, column: scope.is_null(column),
    "not": lambda scope, shape: sa.not_(expression(shape, scope)),
    "listed": _in_list_expression,
    "one of": _one_of,
    "prefix": _prefix,
    "and": lambda scope, *shapes: sa.and_(*(expression(one, scope) for one in shapes)),
    "or": lambda scope, *shapes: sa.or_(*(expression(one, scope) for one in shapes)),
    "linked to": _linked_to,
    "id of": _id_of,
    "no other": _no_other,
}


def eq(column: str, value: object) -> Condition:
    """Equal to a value; with ``None``, null."""
    return is_null(column) if value is None else Condition(("=", column), ((column, value),))


def lt(column: str, value: object) -> Condition:
    """Less than a value."""
    return Condition(("<", column), ((column, value),))


def le(column: str, value: object) -> Condition:
    """Less than or equal to a value."""
    return Condition(("<=", column), ((column, value),))


def gt(column: str, value: object) -> Condition:
    """Greater than a value."""
    return Condition((">", column), ((column, value),))


def ge(column: str, value: object) -> Condition:
    """Greater than or equal to a value."""
    return Condition((">=", column), ((column, value),))


def is_null(column: str) -> Condition:
    """Null."""
    return Condition(("null", column))


def not_null(column: str) -> Condition:
    """Not null."""
    return _negate_condition(is_null(column))


def in_list(column: str, values: Collection[object]) -> Condition:
    """One of any number of values, which are bound as one list."""
    return Condition(("listed", column), ((column, tuple(values)),))


def not_in_list(column: str, values: Collection[object]) -> Condition:
    """None of any number of values, which are bound as one list."""
    return _negate_condition(in_list(column, values))


def one_of(column: str, *values: object) -> Condition:
    """One of a few constant values: each number of values is a statement."""
    return Condition(("one of", column, len(values)), tuple((column, value) for value in values))


def starts_with(column: str, prefix: str) -> Condition:
    """A text with this prefix."""
    return Condition(("prefix", column), ((column, f"{prefix.translate(_LIKE_ESCAPE)}%"),))


def any_of(*conditions: Condition) -> Condition:
    """At least one of several conditions."""
    return _join_conditions(("or",), conditions)


def all_of(*conditions: Condition) -> Condition:
    """All of several conditions."""
    return _join_conditions(("and",), conditions)


def linked_to(column: str, row_id: int) -> Condition:
    """A relation to a row. Rows are found by the target, unlike with `eq`."""
    return Condition(("linked to", column), ((column, row_id),))


def is_id_of(column: str, table: str) -> Condition:
    """The id of a row of another table."""
    return Condition(("id of", column, table))


def is_no_id_of(column: str, table: str) -> Condition:
    """Not the id of a row of another table."""
    return _negate_condition(is_id_of(column, table))


def no_other(*conditions: Condition, equal_columns: Mapping[str, str]) -> Condition:
    """No other row of the table meets the conditions.

    ``equal_columns`` are columns that are equal in the other row and this one.
    """
    return _join_conditions(("no other", "!=", tuple(equal_columns.items())), conditions)


def none_earlier(*conditions: Condition, equal_columns: Collection[str]) -> Condition:
    """No row with a lower id meets the conditions and is equal in the ``equal_columns`` columns."""
    return _join_conditions(
        ("no other", "<", tuple((name, name) for name in equal_columns)), conditions
    )


def _negate_condition(condition: Condition) -> Condition:
    return Condition(("not", condition.shape), condition.operands)


def _join_conditions(shape: Shape, conditions: Sequence[Condition]) -> Condition:
    shapes = (condition.shape for condition in conditions)
    operands = tuple(operand for condition in conditions for operand in condition.operands)
    return Condition((*shape, *shapes), operands)
