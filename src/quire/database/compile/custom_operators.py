"""Conditions of the filter operators that a project's code defines."""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy.sql.elements import ColumnElement

from quire.database.compile.statements import StatementBuilder
from quire.database.dialect import Dialect
from quire.hooks.operators import CustomOperator, OperandField
from quire.query.plan import Slot
from quire.schema.attributes.base import StorageKind

T = TypeVar("T")

_KINDS: Mapping[type, tuple[StorageKind, "sa.types.TypeEngine[Any]"]] = {
    str: (StorageKind.TEXT, sa.Text()),
    int: (StorageKind.BIGINTEGER, sa.BigInteger()),
    float: (StorageKind.FLOAT, sa.Double()),
    bool: (StorageKind.BOOLEAN, sa.Boolean()),
}


class Sql(Generic[T]):
    """The operand of an operator as SQL: each field of ``T`` is a bound value.

    ``value`` is the operand itself if it is not a struct. The other methods return expressions in
    the SQL of the database in use.
    """

    value: ColumnElement[Any]

    def __init__(self, dialect: Dialect, values: Mapping[str, ColumnElement[Any]]) -> None:
        self._dialect = dialect
        self._values = values

    def __getattr__(self, name: str) -> ColumnElement[Any]:
        """Return the bound value of a field of the operand."""
        value = self.__dict__.get("_values", {}).get("" if name == "value" else name)
        if value is None:
            raise AttributeError(f"the operand has no field {name!r}")
        return value  # type: ignore[no-any-return]  # it is one of the values

    def json_number(self, column: ColumnElement[Any], *path: str) -> ColumnElement[Any]:
        """Return a number inside a JSON column, null if there is none: ``"box", "width"``."""
        return self._dialect.json_number(column, path)

    def json_text(self, column: ColumnElement[Any], *path: str) -> ColumnElement[Any]:
        """Return a text inside a JSON column, null if there is none."""
        return self._dialect.json_text(column, path)

    def is_in(self, column: ColumnElement[Any], values: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return the condition that a column has one of the values of a list."""
        return self._dialect.member_of(column, values)


def custom_condition(
    operator: CustomOperator,
    column: ColumnElement[Any],
    slots: Sequence[Slot],
    builder: StatementBuilder,
) -> ColumnElement[bool]:
    """Return the condition of an operator on a column. Raises TypeError for any other result."""
    values = {
        field.name: _bind_operand(field, slot, builder)
        for field, slot in zip(operator.fields, slots, strict=True)
    }
    condition = operator.function(column, Sql(builder.dialect, values))
    builder.reads.add_all()  # it may ask any table, by itself or by a function of the database
    if not isinstance(condition, ColumnElement):
        raise TypeError(f"{operator.name} ({operator.place}) must return a SQLAlchemy condition")
    return condition


def try_condition(operator: CustomOperator, dialect: Dialect) -> None:
    """Compile the condition of an operator for a database. Raises what its function raises."""
    builder = StatementBuilder(dialect)
    column = builder.table("entries").c("value")
    condition = custom_condition(operator, column, range(len(operator.fields)), builder)
    builder.finish(sa.select(column).where(condition))


def _bind_operand(field: OperandField, slot: Slot, builder: StatementBuilder) -> ColumnElement[Any]:
    kind, sql_type = _KINDS[field.kind]
    encode = builder.dialect.encoder(kind)
    if field.is_list:
        return builder.list_slot(slot, encode)
    # The database does not infer the type of a value next to an expression.
    return sa.cast(builder.slot(slot, encode), sql_type)
