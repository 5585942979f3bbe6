"""Converts values to text as JavaScript does."""

import json
import math

from quire.javascript.numbers import number_text


def string_of(value: object) -> str:
    """Return ``String(value)`` for a JSON value: ``[1, null]`` is ``1,``."""
    if isinstance(value, list):
        return ",".join("" if item is None else string_of(item) for item in value)
    if isinstance(value, dict):
        return "[object Object]"
    return value if isinstance(value, str) else _format_scalar(value)


def type_of(value: object) -> str:
    """Return ``typeof value`` for a JSON value."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "object"


def length(text: str) -> int:
    """Return the length in UTF-16 units: most emoji count as two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def printed(value: object) -> str:
    """Return a JSON value in the form of yup's messages.

    Text is quoted, numbers and ``true`` are not; objects and lists are JSON on several lines whose
    scalars are printed first, so that each of them is a string.
    """
    if isinstance(value, dict | list):
        return json.dumps(_format_scalars(value), indent=2, ensure_ascii=False)
    if isinstance(value, float) and value == 0 and math.copysign(1, value) < 0:
        return "-0"
    return f'"{value}"' if isinstance(value, str) else _format_scalar(value)


def _format_scalars(value: object) -> object:
    if isinstance(value, dict):
        return {key: _format_scalars(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_format_scalars(item) for item in value]
    return printed(value)


def _format_scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, int | float) else str(value)
