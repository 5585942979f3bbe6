"""What the scalars of content files look like, and how they are stored."""

import re
from collections.abc import Callable, Mapping

from quire.errors import ValidationError
from quire.schema.attributes.base import ScalarAttribute, StorageKind

_UID = re.compile(r"[A-Za-z0-9\-_.~]*")
_MAX_STRING = 255


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


_FORMS: Mapping[StorageKind, tuple[Callable[[object], bool], str]] = {
    StorageKind.STRING: (_is_text, "a string"),
    StorageKind.TEXT: (_is_text, "a string"),
    StorageKind.INTEGER: (_is_whole, "a whole number"),
    StorageKind.BIGINTEGER: (lambda value: _is_whole(value) or _is_text(value), "a whole number"),
    StorageKind.FLOAT: (_is_number, "a number"),
    StorageKind.DECIMAL: (_is_number, "a number"),
    StorageKind.BOOLEAN: (lambda value: isinstance(value, bool), "true or false"),
    StorageKind.DATE: (_is_text, "a date"),
    StorageKind.TIME: (_is_text, "a time"),
    StorageKind.DATETIME: (_is_text, "a date with a time"),
    StorageKind.TIMESTAMP: (_is_text, "a date with a time"),
}
"""What the values of each kind of column look like; JSON may be anything."""

_CAST = frozenset(
    {
        StorageKind.BIGINTEGER,
        StorageKind.DATE,
        StorageKind.TIME,
        StorageKind.DATETIME,
        StorageKind.TIMESTAMP,
    }
)
"""Kinds of column whose values are written as text and stored as something else."""


def scalar_fault(attribute: ScalarAttribute, value: object, *, complete: bool) -> str | None:
    """Say what is wrong with a scalar; the least lengths and numbers are for complete entries."""
    if attribute.secret:
        return "secrets do not belong into content files"
    fits, expected = _FORMS.get(attribute.storage, (None, ""))
    if fits is not None and not fits(value):
        return f"expected {expected}"
    if isinstance(value, str) and attribute.storage in _CAST:
        try:
            attribute.type.cast(value)
        except ValidationError as error:
            return error.message
    values = attribute.raw.get("enum")
    if isinstance(values, list) and value not in values:
        return f"expected one of {', '.join(map(str, values))}"
    if complete and attribute.type.name == "uid" and not _UID.fullmatch(str(value)):
        return "expected letters, digits and the signs - _ . ~"
    if isinstance(value, str):
        longest = _MAX_STRING if attribute.storage is StorageKind.STRING else None
        limits = attribute.raw.get("minLength"), attribute.raw.get("maxLength", longest)
        return _limit_fault(len(value), *limits, unit=" characters", complete=complete)
    if _is_number(value) and isinstance(value, int | float):
        limits = attribute.raw.get("min"), attribute.raw.get("max")
        return _limit_fault(value, *limits, unit="", complete=complete)
    return None


def _limit_fault(
    size: float, least: object, most: object, *, unit: str, complete: bool
) -> str | None:
    if isinstance(most, int | float) and size > most:
        return f"expected at most {most}{unit}"
    if complete and isinstance(least, int | float) and size < least:
        return f"expected at least {least}{unit}"
    return None


def stored_scalar(attribute: ScalarAttribute, value: object) -> object:
    """Return what is stored for a value without faults: moments are epoch milliseconds."""
    if isinstance(value, str) and attribute.storage in _CAST:
        return attribute.type.cast(value)
    return value
