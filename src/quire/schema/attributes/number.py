"""Numbers: ``integer``, ``biginteger`` (a string in JSON), ``float`` and ``decimal``.

Operands in filters are read as the web reads numbers: surrounding blanks do not count, ``3``,
``3.0``, ``1e0`` and ``0x3`` are all three.
"""

import math
import re
import sys

from quire.errors import ValidationError
from quire.schema.attributes.base import (
    AttributeType,
    FilterValue,
    OptionCheck,
    Search,
    StorageKind,
    build_scalar,
    number_option,
)

_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_PREFIXED = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_RADIX = {"x": 16, "o": 8, "b": 2}
_MAX_DIGITS = 400
"""Longer numerals are beyond any number that a column holds."""


def parse_number(text: str) -> int | float | None:
    """Read a number in the web's syntax; ``None`` when the text is not a finite number."""
    stripped = text.strip()
    if len(stripped) > _MAX_DIGITS:
        return None
    if _PREFIXED.fullmatch(stripped):
        whole = int(stripped[2:], _RADIX[stripped[1].lower()])
        return whole if whole <= sys.float_info.max else None
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
    number = int(text) if len(text) <= _MAX_DIGITS and _WHOLE.fullmatch(text) else None
    if number is None or abs(number) > sys.float_info.max:
        message = f"Invalid integer {text[:100]!r}"
        raise ValidationError(message)
    return number


RANGE: dict[str, OptionCheck] = {"min": number_option, "max": number_option}

INTEGER = AttributeType(
    name="integer",
    build=build_scalar,
    options=RANGE,
    storage=StorageKind.INTEGER,
    cast=_cast_number,
    search=Search.NUMBER,
)
BIGINTEGER = AttributeType(
    name="biginteger",
    build=build_scalar,
    options=RANGE,
    storage=StorageKind.BIGINTEGER,
    cast=_cast_biginteger,
    search=Search.NUMBER,
)
FLOAT = AttributeType(
    name="float",
    build=build_scalar,
    options=RANGE,
    storage=StorageKind.FLOAT,
    cast=_cast_number,
    search=Search.NUMBER,
)
DECIMAL = AttributeType(
    name="decimal",
    build=build_scalar,
    options=RANGE,
    storage=StorageKind.DECIMAL,
    cast=_cast_number,
    search=Search.NUMBER,
)
