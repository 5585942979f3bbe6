"""Numbers: ``integer``, ``biginteger`` (a string in JSON), ``float`` and ``decimal``.

Operands in filters are parsed as in JavaScript: surrounding blanks are ignored, ``3``, ``3.0``,
``1e0`` and ``0x3`` are valid.
"""

import math
import re
import sys
from collections.abc import Callable

from quire.errors import ValidationError
from quire.javascript.numbers import as_double, normalize_number, number_text, read_number
from quire.javascript.text import string_of
from quire.schema.attributes.base import (
    AttributeType,
    FilterValue,
    OptionCheck,
    ScalarAttribute,
    SearchMode,
    StorageKind,
    build_scalar,
    number_option,
)
from quire.schema.attributes.json_schema import JsonForm, JsonSchema, Pointers, scalar_form
from quire.schema.attributes.validation import (
    Acceptor,
    Refusal,
    RefusedValue,
    ValueRules,
    mistyped,
)

_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_PREFIXED_INTEGER = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_INTEGER_TEXT = re.compile(r"[+-]?[0-9]+")
_RADIX = {"x": 16, "o": 8, "b": 2}
_MAX_DIGITS = 400
"""Longer numerals exceed the range of every column."""


def parse_number(text: str) -> int | float | None:
    """Parse a number in JavaScript's syntax; ``None`` when the text is not a finite number."""
    stripped = text.strip()
    if len(stripped) > _MAX_DIGITS:
        return None
    if _PREFIXED_INTEGER.fullmatch(stripped):
        integer = int(stripped[2:], _RADIX[stripped[1].lower()])
        return integer if integer <= sys.float_info.max else None
    if not _DECIMAL.fullmatch(stripped):
        return None
    number = float(stripped)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number


def _cast_number(text: str) -> FilterValue:
    number = parse_number(text)
    if number is None:
        message = f"Invalid number {text[:100]!r}"
        raise ValidationError(message)
    return number


def _cast_biginteger(text: str) -> FilterValue:
    number = int(text) if len(text) <= _MAX_DIGITS and _INTEGER_TEXT.fullmatch(text) else None
    if number is None or abs(number) > sys.float_info.max:
        message = f"Invalid integer {text[:100]!r}"
        raise ValidationError(message)
    return number


_NOT_A_NUMBER = "NaN"
_BIG_INTEGER_TEXT = re.compile(r"\s*[+-]?[0-9]+\s*")
_MAX_EXACT = 2**63 - 1

NumberRule = Callable[[float], str | None]
"""Checks a number; returns a message that follows the path, if it is invalid."""


def _read(value: object) -> float:
    """Parse a number, or the text of one, as JavaScript does; NaN for everything else."""
    if isinstance(value, bool | dict) or value is None:
        return math.nan
    if isinstance(value, int | float):
        return as_double(value)
    return read_number(string_of(value))


def read_plain_number(value: object) -> int | float | None:
    """Parse a number, or the text of one, as JavaScript does; ``None`` for everything else."""
    number = _read(value)
    return None if math.isnan(number) else normalize_number(number)


def _accept_number(rules: list[NumberRule]) -> Acceptor:
    def accept(value: object) -> object:
        number = _read(value)
        if math.isnan(number):
            mistake = mistyped("number", _NOT_A_NUMBER, value)
            raise RefusedValue(Refusal(message=mistake, value=None))
        broken = [message for rule in rules if (message := rule(number)) is not None]
        if broken:
            # JSON has no infinity; JavaScript serializes it as null.
            normalized = normalize_number(number) if math.isfinite(number) else None
            raise RefusedValue(*(Refusal(message=message, value=normalized) for message in broken))
        return normalize_number(number)

    return accept


def _bound(raw: object) -> float | None:
    """Parse a limit of the schema file, which may be given as text."""
    number = math.nan if raw is None else _read(raw)
    return None if math.isnan(number) else number


def _whole(number: float) -> str | None:
    return None if number.is_integer() else "must be an integer"


def _finite(number: float) -> str | None:
    return None if math.isfinite(number) else "must be a finite number"


def _least(limit: float) -> NumberRule:
    message = f"must be greater than or equal to {number_text(limit)}"
    return lambda number: message if number < limit else None


def _most(limit: float) -> NumberRule:
    message = f"must be less than or equal to {number_text(limit)}"
    return lambda number: message if number > limit else None


def _number_acceptance(attribute: ScalarAttribute, kind: NumberRule) -> ValueRules:
    """Check the kind of number and ``max`` in drafts, in published entries ``min`` as well."""
    minimum, maximum = _bound(attribute.raw.get("min")), _bound(attribute.raw.get("max"))
    upper_bounds = [] if maximum is None else [_most(maximum)]
    lower_bounds = [] if minimum is None else [_least(minimum)]
    return ValueRules(
        draft=_accept_number([kind, *upper_bounds]),
        full=_accept_number([kind, *lower_bounds, *upper_bounds]),
        null=mistyped("number", _NOT_A_NUMBER),
    )


def accept_integer(attribute: ScalarAttribute) -> ValueRules:
    """Accept integers within the range of the schema file, also given as text."""
    return _number_acceptance(attribute, _whole)


def accept_number(attribute: ScalarAttribute) -> ValueRules:
    """Accept finite numbers within the range of the schema file, also given as text."""
    return _number_acceptance(attribute, _finite)


def _accept_big(value: object) -> object:
    """Accept an integer or its digits; beyond 64 bits it becomes the nearest double.

    Digits are exact. A number is a double, as in JavaScript, however many digits it has.
    """
    text = value
    if isinstance(value, int | float) and not isinstance(value, bool) and as_double(value) % 1 == 0:
        text = number_text(value)
    if (
        not isinstance(text, str)
        or len(text) > _MAX_DIGITS
        or not _BIG_INTEGER_TEXT.fullmatch(text)
    ):
        raise RefusedValue(Refusal(message="must be a valid integer", value=text))
    number = int(text)
    return number if abs(number) <= _MAX_EXACT else as_double(number)


def accept_biginteger(attribute: ScalarAttribute) -> ValueRules:  # noqa: ARG001 - an `Accept`
    """Accept big integers; Strapi does not check their ``min`` and ``max``."""
    return ValueRules(draft=_accept_big, full=_accept_big)


RANGE: dict[str, OptionCheck] = {"min": number_option, "max": number_option}


def _big_shown(attribute: ScalarAttribute, pointers: Pointers) -> JsonSchema:  # noqa: ARG001
    return {"type": "string"}


_BIGINTEGER_SCHEMA: JsonSchema = {"type": ["integer", "string"], "pattern": "^[+-]?[0-9]+$"}


def _big_written(attribute: ScalarAttribute, pointers: Pointers) -> JsonSchema:  # noqa: ARG001
    return _BIGINTEGER_SCHEMA


INTEGER = AttributeType(
    name="integer",
    build=build_scalar,
    json=scalar_form({"type": "integer"}, "min", "max"),
    options=RANGE,
    storage=StorageKind.INTEGER,
    accept=accept_integer,
    cast=_cast_number,
    search=SearchMode.NUMBER,
)
BIGINTEGER = AttributeType(
    name="biginteger",
    build=build_scalar,
    json=JsonForm(response=_big_shown, request=_big_written, operand=_BIGINTEGER_SCHEMA),
    options=RANGE,
    storage=StorageKind.BIGINTEGER,
    accept=accept_biginteger,
    cast=_cast_biginteger,
    search=SearchMode.NUMBER,
)
FLOAT = AttributeType(
    name="float",
    build=build_scalar,
    json=scalar_form({"type": "number"}, "min", "max"),
    options=RANGE,
    storage=StorageKind.FLOAT,
    accept=accept_number,
    cast=_cast_number,
    search=SearchMode.NUMBER,
)
DECIMAL = AttributeType(
    name="decimal",
    build=build_scalar,
    json=scalar_form({"type": "number"}, "min", "max"),
    options=RANGE,
    storage=StorageKind.DECIMAL,
    accept=accept_number,
    cast=_cast_number,
    search=SearchMode.NUMBER,
)
