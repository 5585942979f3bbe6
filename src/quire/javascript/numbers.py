"""Numbers as JavaScript parses and prints them."""

import math
import re

_EXACT = 2**53
_INT64_LIMIT = 2**63
_SPACES = re.compile(r"[\s\ufeff]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_PREFIXED_INTEGER = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_RADIX = {"x": 16, "o": 8, "b": 2}


def number_text(number: float) -> str:
    """Return a number as text: the shortest unique form, without a fraction if it is an integer."""
    if isinstance(number, int) and abs(number) <= _EXACT:
        return str(number)
    number = as_double(number)
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else ("-" if number < 0 else "") + "Infinity"
    digits, _, exponent = f"{number!r}".partition("e")
    if not exponent and number.is_integer():
        return "0" if number == 0 else digits.removesuffix(".0")
    if number.is_integer() and abs(number) < 1e21:
        return _plain_digits(digits, int(exponent))
    return f"{digits}e{int(exponent):+d}" if exponent else digits


def _plain_digits(digits: str, exponent: int) -> str:
    sign = "-" if digits.startswith("-") else ""
    integer, _, fraction = digits.lstrip("-").partition(".")
    return (
        sign + integer + fraction.removesuffix("0" if fraction == "0" else "").ljust(exponent, "0")
    )


def read_number(text: str) -> float:
    """Parse a number in JavaScript's syntax, ignoring blanks; NaN if it is none.

    ``12``, ``.5``, ``1e2``, ``0x1F`` and ``Infinity`` are numbers, ``12 kg`` and nothing are not.
    """
    digits = _SPACES.sub("", text)
    if _DECIMAL.fullmatch(digits):
        return float(digits)
    if _PREFIXED_INTEGER.fullmatch(digits):
        return as_double(int(digits[2:], _RADIX[digits[1].lower()]))
    if digits.removeprefix("-").removeprefix("+") == "Infinity" and digits[:2] not in {"-+", "+-"}:
        return -math.inf if digits.startswith("-") else math.inf
    return math.nan


def as_double(number: float) -> float:
    """Return the double nearest to a number; beyond all doubles it is infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def normalize_number(number: float) -> int | float:
    """Return an integer of 64 bits as an int, and any other number unchanged."""
    return int(number) if number.is_integer() and abs(number) < _INT64_LIMIT else number
