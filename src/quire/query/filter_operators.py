"""The filter operators, one row each.

An operator has a predicate, and says whether it negates it, whether it ignores case, and what its
operand is. Dialects write the predicates in SQL.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from msgspec import Struct

from quire.hooks.operators import CustomOperator


class Predicate(Enum):
    """The comparisons that a database must support."""

    EQUALS = "equals"
    LESS = "less"
    LESS_OR_EQUAL = "less or equal"
    GREATER = "greater"
    GREATER_OR_EQUAL = "greater or equal"
    IN = "in"
    BETWEEN = "between"
    IS_NULL = "is null"
    CONTAINS = "contains"
    STARTS_WITH = "starts with"
    ENDS_WITH = "ends with"


class CustomPredicate(Struct, frozen=True):
    """The comparison of an operator that the project's code defines, by the operator's name."""

    name: str


class Operand(Enum):
    """What an operator takes."""

    VALUE = "a value of the attribute's type"
    TEXT = "text, for every attribute type"
    LIST = "a list of values of the attribute's type"
    PAIR = "exactly two values of the attribute's type"
    FLAG = "true or false"


class Operator(Struct, frozen=True, kw_only=True):
    """One filter operator."""

    name: str
    predicate: Predicate
    operand: Operand
    negated: bool = False
    fold: bool = False
    null: bool = False
    """Whether a missing operand means null (``$eq`` and similar ones)."""


_VALUE, _TEXT = Operand.VALUE, Operand.TEXT
_ROWS = (
    Operator(name="$eq", predicate=Predicate.EQUALS, operand=_VALUE, null=True),
    Operator(name="$ne", predicate=Predicate.EQUALS, operand=_VALUE, negated=True, null=True),
    Operator(name="$eqi", predicate=Predicate.EQUALS, operand=_TEXT, fold=True, null=True),
    Operator(
        name="$nei",
        predicate=Predicate.EQUALS,
        operand=_TEXT,
        negated=True,
        fold=True,
        null=True,
    ),
    Operator(name="$lt", predicate=Predicate.LESS, operand=_VALUE),
    Operator(name="$lte", predicate=Predicate.LESS_OR_EQUAL, operand=_VALUE),
    Operator(name="$gt", predicate=Predicate.GREATER, operand=_VALUE),
    Operator(name="$gte", predicate=Predicate.GREATER_OR_EQUAL, operand=_VALUE),
    Operator(name="$in", predicate=Predicate.IN, operand=Operand.LIST),
    Operator(name="$notIn", predicate=Predicate.IN, operand=Operand.LIST, negated=True),
    Operator(name="$between", predicate=Predicate.BETWEEN, operand=Operand.PAIR),
    Operator(name="$null", predicate=Predicate.IS_NULL, operand=Operand.FLAG),
    Operator(name="$notNull", predicate=Predicate.IS_NULL, operand=Operand.FLAG, negated=True),
    Operator(name="$contains", predicate=Predicate.CONTAINS, operand=_TEXT),
    Operator(name="$notContains", predicate=Predicate.CONTAINS, operand=_TEXT, negated=True),
    Operator(name="$containsi", predicate=Predicate.CONTAINS, operand=_TEXT, fold=True),
    Operator(
        name="$notContainsi",
        predicate=Predicate.CONTAINS,
        operand=_TEXT,
        negated=True,
        fold=True,
    ),
    Operator(name="$startsWith", predicate=Predicate.STARTS_WITH, operand=_TEXT),
    Operator(name="$startsWithi", predicate=Predicate.STARTS_WITH, operand=_TEXT, fold=True),
    Operator(name="$endsWith", predicate=Predicate.ENDS_WITH, operand=_TEXT),
    Operator(name="$endsWithi", predicate=Predicate.ENDS_WITH, operand=_TEXT, fold=True),
)

Operators = Mapping[str, Operator | CustomOperator]
"""Comparison operators by name."""

OPERATORS: Mapping[str, Operator] = MappingProxyType({row.name: row for row in _ROWS})
"""Quire's own operators. Resolving takes the table as an argument."""

AND, OR, NOT = "$and", "$or", "$not"
GROUPS = frozenset({AND, OR, NOT})
"""Operators that join filters instead of comparing."""


def operators_of(custom: Mapping[str, CustomOperator]) -> Operators:
    """Return Quire's operators and those of the project's code."""
    return {**OPERATORS, **custom} if custom else OPERATORS


UNSUPPORTED = frozenset({"$jsonSupersetOf"})
"""Operator names that Strapi knows but that are not for clients."""
