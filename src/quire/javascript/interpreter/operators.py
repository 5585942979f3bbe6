"""Operators of two values."""

import math
from collections.abc import Callable, Mapping

from quire.javascript.interpreter.values import (
    SECRET,
    DateValue,
    ErrorValue,
    UnsupportedError,
    is_number,
    loosely_equal,
    number,
    number_of,
    own_keys,
    strictly_equal,
    text_of,
)
from quire.javascript.scope import UNDEFINED


def operate(operator: str, left: object, right: object) -> object:
    """Return the result of an operator. Raises UnsupportedError for unknown ones."""
    if left is SECRET or right is SECRET:
        raise UnsupportedError("a value that is never shown")
    operation = _OPERATORS.get(operator)
    if operation is None:
        raise UnsupportedError(f"the operator {operator}")
    return operation(left, right)


def _plus(left: object, right: object) -> object:
    if isinstance(left, DateValue) or isinstance(right, DateValue):
        raise UnsupportedError("a date as text")
    if isinstance(left, str | list | dict) or isinstance(right, str | list | dict):
        return text_of(left) + text_of(right)
    return number(number_of(left) + number_of(right))


def _divide(left: float, right: float) -> float:
    if right == 0:
        return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left)
    return left / right


def _remainder(left: float, right: float) -> float:
    if right == 0 or math.isinf(left):
        return math.nan
    return math.fmod(left, right)


def _arithmetic_operator(
    calculate: Callable[[float, float], float],
) -> Callable[[object, object], object]:
    return lambda left, right: number(calculate(number_of(left), number_of(right)))


def _comparison_operator(
    compare_numbers: Callable[[float, float], bool], compare_texts: Callable[[str, str], bool]
) -> Callable[[object, object], object]:
    def compare(left: object, right: object) -> object:
        if isinstance(left, str) and isinstance(right, str):
            if not (left.isascii() and right.isascii()):
                left, right = _units(left), _units(right)
            return compare_texts(left, right)
        return compare_numbers(number_of(left), number_of(right))

    return compare


def _units(text: str) -> str:
    """Return a text whose characters are the UTF-16 units of another, which JavaScript compares."""
    encoded = text.encode("utf-16-be", "surrogatepass")
    return "".join(
        chr(int.from_bytes(encoded[index : index + 2])) for index in range(0, len(encoded), 2)
    )


def _is_in(left: object, right: object) -> bool:
    if not isinstance(right, dict):
        raise UnsupportedError("the operator in")
    return left in set(own_keys(right))


_OPERATORS: Mapping[str, Callable[[object, object], object]] = {
    "+": _plus,
    "-": _arithmetic_operator(lambda left, right: left - right),
    "*": _arithmetic_operator(lambda left, right: left * right),
    "/": _arithmetic_operator(_divide),
    "%": _arithmetic_operator(_remainder),
    "===": strictly_equal,
    "!==": lambda left, right: not strictly_equal(left, right),
    "==": loosely_equal,
    "!=": lambda left, right: not loosely_equal(left, right),
    "<": _comparison_operator(lambda left, right: left < right, lambda left, right: left < right),
    ">": _comparison_operator(lambda left, right: left > right, lambda left, right: left > right),
    "<=": _comparison_operator(
        lambda left, right: left <= right, lambda left, right: left <= right
    ),
    ">=": _comparison_operator(
        lambda left, right: left >= right, lambda left, right: left >= right
    ),
    "in": _is_in,
}


def type_name(value: object) -> str:
    """Return ``typeof value``."""
    if value is SECRET:
        raise UnsupportedError("a value that is never shown")
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, bool):
        return "boolean"
    if is_number(value):
        return "number"
    if isinstance(value, str):
        return "string"
    if value is None or isinstance(value, dict | list | DateValue | ErrorValue):
        return "object"
    raise UnsupportedError("typeof something of the server")
