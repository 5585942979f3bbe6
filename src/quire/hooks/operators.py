"""Filter operators of a project's Python code: the decorator, and checked operators as values."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from msgspec import Struct

from quire.hooks.checked_function import CheckedFunction
from quire.hooks.marks import add_mark

F = TypeVar("F", bound=Callable[..., Any])

OPERAND_TYPES: Mapping[type, str] = MappingProxyType(
    {str: "string", int: "integer", float: "number", bool: "boolean"}
)
"""The types of bound values, and their JSON types."""


class OperatorMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    name: Any
    on: Any
    operand: Any

    phase = "operator"


def operator(name: str, *, on: Sequence[str], operand: type) -> Callable[[F], F]:
    """Make a function a filter operator: ``filters[position][$geo_within][south]=50``.

    ``name`` begins with ``$`` and has an underscore, so that it is never one of Quire's own. ``on``
    are the attribute types that it compares; ``operand`` is the type of what it compares them with:
    a struct of texts, numbers and booleans, one of these, or a list of them.

    The function takes the column, a SQLAlchemy expression, and the operand as a `quire.Sql`, whose
    fields are bound values; it returns a condition. It is called once for each form of a query, and
    never sees a value.
    """
    mark = OperatorMark(name=name, on=on, operand=operand)
    return lambda function: add_mark(function, mark)


class OperandField(Struct, frozen=True, kw_only=True):
    """One bound value of an operand; ``name`` is empty for the operand itself."""

    name: str
    kind: type
    is_list: bool = False
    required: bool = True


class CustomOperator(CheckedFunction, frozen=True, kw_only=True, eq=False):
    """A checked operator. ``fields`` are the bound values of its operand, in their order."""

    on: frozenset[str]
    operand: Any
    fields: tuple[OperandField, ...]
    function: Callable[[Any, Any], Any]
