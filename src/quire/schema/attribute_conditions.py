"""Conditions under which an attribute is part of an entry, in the notation of JSON Logic.

The ``conditions.visible`` of an attribute is an expression over the other values of its entry (or
component): ``{"==": [{"var": "kind"}, "news"]}``. If it is false, the attribute need not satisfy
its rules. Unsupported expressions do not hide anything.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from quire.javascript.numbers import as_double, read_number
from quire.javascript.text import string_of

Condition = Callable[[Mapping[str, object]], bool]
"""Takes the other values of an entry; tells whether the attribute is part of it."""

_MAX_DEPTH = 50
"""Deeper expressions are not supported."""


class _UnknownError(ValueError):
    """An unsupported expression."""


def condition_of(raw: Mapping[str, object]) -> Condition | None:
    """Parse the condition of an attribute's object in the schema file; ``None`` for always."""
    conditions = raw.get("conditions")
    expression = conditions.get("visible") if isinstance(conditions, dict) else None
    if expression is None:
        return None

    def holds(values: Mapping[str, object]) -> bool:
        try:
            return truthy(_evaluate(expression, values, _MAX_DEPTH))
        except _UnknownError:
            return True

    return holds


def truthy(value: object) -> bool:
    """Tell what counts as true in JSON Logic: an empty list does not, an empty object does."""
    if isinstance(value, float) and math.isnan(value):
        return False
    return isinstance(value, dict) or bool(value)


def _evaluate(expression: object, values: Mapping[str, object], depth: int) -> object:
    """Return the value of an expression. Raises `_UnknownError`."""
    if not depth:
        raise _UnknownError("nested too deeply")
    if isinstance(expression, list):
        return [_evaluate(item, values, depth - 1) for item in expression]
    if not isinstance(expression, dict):
        return expression
    if len(expression) != 1:
        raise _UnknownError("not one operator")
    ((operator, operands),) = expression.items()
    value = operands if isinstance(operands, list) else [operands]
    if operator in _LAZY:
        return _LAZY[operator](value, values, depth - 1)
    if operator not in _EAGER:
        raise _UnknownError(operator)
    return _EAGER[operator]([_evaluate(item, values, depth - 1) for item in value])


def _variable(operands: Sequence[object], values: Mapping[str, object], depth: int) -> object:
    """Look up a dotted path; a second operand is the default."""
    path = _evaluate(operands[0], values, depth) if operands else ""
    otherwise = _evaluate(operands[1], values, depth) if len(operands) > 1 else None
    value: object = values
    for step in string_of(path).split(".") if path not in (None, "") else ():
        value = _member(value, step)
        if value is None:
            return otherwise
    return value


def _member(value: object, step: str) -> object:
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, list) and step.isascii() and step.isdigit():
        index = int(step) if len(step) < 10 else len(value)
        return value[index] if index < len(value) else None
    return None


def _and(operands: Sequence[object], values: Mapping[str, object], depth: int) -> object:
    result: object = None
    for operand in operands:
        result = _evaluate(operand, values, depth)
        if not truthy(result):
            return result
    return result


def _or(operands: Sequence[object], values: Mapping[str, object], depth: int) -> object:
    result: object = None
    for operand in operands:
        result = _evaluate(operand, values, depth)
        if truthy(result):
            return result
    return result


def _if(operands: Sequence[object], values: Mapping[str, object], depth: int) -> object:
    """Take the value after the first test that holds, or the last value."""
    remaining = list(operands)
    while len(remaining) > 1:
        test, result, *remaining = remaining
        if truthy(_evaluate(test, values, depth)):
            return _evaluate(result, values, depth)
    return _evaluate(remaining[0], values, depth) if remaining else None


def _number(value: object) -> float:
    """Convert an operand of a comparison to a number as JavaScript does."""
    if value is None or isinstance(value, bool | int | float):
        return as_double(value or 0)
    text = string_of(value)
    return 0.0 if not text.strip() else read_number(text)


def _strictly_equal(one: object, other: object) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    # Lists and objects are never identical.
    return one is None and other is None


def _equal(one: object, other: object) -> bool:
    """Compare as ``==`` does: text and booleans as numbers with one, null only with null."""
    if one is None or other is None:
        return one is None and other is None
    if isinstance(one, dict | list) and isinstance(other, dict | list):
        return False
    if isinstance(one, str | dict | list) and isinstance(other, str | dict | list):
        return string_of(one) == string_of(other)
    return _number(one) == _number(other)


def _in_order(
    compare: Callable[[float, float], bool], compare_text: Callable[[str, str], bool]
) -> Callable[[Sequence[object]], object]:
    """Make a comparison of two operands, or of three: each with the next."""

    def pair(one: object, other: object) -> bool:
        if isinstance(one, str) and isinstance(other, str):
            return compare_text(one, other)
        return compare(_number(one), _number(other))

    def evaluate(operands: Sequence[object]) -> object:
        if len(operands) < 2:
            raise _UnknownError("needs two operands")
        return all(pair(one, other) for one, other in pairwise(operands))

    return evaluate


def _pair(compare: Callable[[object, object], bool]) -> Callable[[Sequence[object]], object]:
    """Make an operator of two operands; a missing one is null."""

    def evaluate(operands: Sequence[object]) -> object:
        one, other, *_ = [*operands, None, None]
        return compare(one, other)

    return evaluate


def _contains(one: object, other: object) -> bool:
    if isinstance(other, str):
        return string_of(one) in other
    return isinstance(other, list) and any(_strictly_equal(one, item) for item in other)


_LAZY: Mapping[str, Callable[[Sequence[object], Mapping[str, object], int], object]] = {
    "var": _variable,
    "and": _and,
    "or": _or,
    "if": _if,
    "?:": _if,
}
"""Operators that evaluate their operands themselves, and only as many as needed."""

_EAGER: Mapping[str, Callable[[Sequence[object]], object]] = {
    "==": _pair(_equal),
    "!=": _pair(lambda one, other: not _equal(one, other)),
    "===": _pair(_strictly_equal),
    "!==": _pair(lambda one, other: not _strictly_equal(one, other)),
    "!": _pair(lambda one, _: not truthy(one)),
    "!!": _pair(lambda one, _: truthy(one)),
    "<": _in_order(lambda one, other: one < other, lambda one, other: one < other),
    "<=": _in_order(lambda one, other: one <= other, lambda one, other: one <= other),
    ">": _in_order(lambda one, other: one > other, lambda one, other: one > other),
    ">=": _in_order(lambda one, other: one >= other, lambda one, other: one >= other),
    "in": _pair(_contains),
}
"""Operators that take the values of their operands."""
