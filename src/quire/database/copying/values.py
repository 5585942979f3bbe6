"""Converts values between kinds of database.

Between databases of one kind, values are copied unchanged. Between two kinds, a value is converted
to a *common form* and from there to the form of the target. `compare` compares common forms.

===============  ==================================================================================
kind of column   common form
===============  ==================================================================================
numbers          a number; whole ones are integers
decimal          a decimal of two digits, rounded half away from zero, as it is stored in columns
                 of a fixed scale; in columns that the schema does not know its text, exactly
boolean          true or false
date, text       the text
time             ``HH:MM:SS.mmm``
moments          epoch milliseconds
json             the text of a JSON value; text that is not JSON becomes a JSON string
===============  ==================================================================================
"""

import json
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation

from quire.database.dialect import Dialect
from quire.database.program import Value
from quire.schema.attributes.base import StorageKind

PortableValue = str | int | float | bool | bytes | Decimal | None
Convert = Callable[[Value], Value]
Reduce = Callable[[Value], PortableValue]

_MAX_INT64 = 2**63 - 1
_HUNDREDTH = Decimal("0.01")
_MOMENTS = frozenset({StorageKind.DATETIME, StorageKind.TIMESTAMP})
_INTEGER_KINDS = frozenset({StorageKind.ID, StorageKind.INTEGER, StorageKind.BIGINTEGER})


def converter(
    source: Dialect, target: Dialect, kind: StorageKind, *, exact: bool = False
) -> Convert:
    """Return a function that converts a stored value of the source to one of the target.

    ``exact`` numbers are converted to text with all digits, for columns outside the schema.
    """
    if source.name == target.name:
        return lambda stored: stored
    if exact:
        return _number_text
    reduce, restore = reducer(source, kind), restorer(target, kind)
    return lambda stored: None if stored is None else restore(reduce(stored))


def reducer(dialect: Dialect, kind: StorageKind) -> Reduce:
    """Return a function that converts a stored value to its common form."""
    if kind in _MOMENTS:
        return lambda stored: _epoch_ms(dialect, stored)
    if kind is StorageKind.BOOLEAN:
        return lambda stored: None if stored is None else bool(stored)
    return _REDUCERS.get(kind, lambda stored: stored)


def canonical_number(value: Value) -> PortableValue:
    """Return a key that is equal for equal numbers, however they are stored and written."""
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return value
    digits = len(number.as_tuple().digits)
    return str(number.normalize(Context(prec=digits)) if number.is_finite() else number)


def _number_text(value: Value) -> Value:
    """Write a number as its shortest text, which every database accepts."""
    return str(value) if isinstance(value, int | float) else value


def canonical(kind: StorageKind) -> Callable[[PortableValue], PortableValue]:
    """Return a function that maps common forms with the same meaning to one value.

    JSON texts may differ in spaces, order of keys and spelling of numbers.
    """
    return _canonical_json if kind is StorageKind.JSON else lambda value: value


def _epoch_ms(dialect: Dialect, value: Value) -> PortableValue:
    """Parse a timestamp; an invalid one is returned unchanged, and the target will reject it."""
    if value is None:
        return None
    moment = dialect.epoch_ms(value)
    return value if moment is None else moment


def _integer(value: Value) -> PortableValue:
    if not (isinstance(value, float) and value.is_integer()):
        return value
    # Strapi stores the largest number in SQLite as a float, which rounds it up by one.
    return _MAX_INT64 if value == _MAX_INT64 + 1 else int(value)


def _float(value: Value) -> PortableValue:
    return float(value) if isinstance(value, int) else value


def _decimal(value: Value) -> PortableValue:
    if value is None or isinstance(value, bytes):
        return value
    try:
        # By its shortest text, as Strapi does.
        return Decimal(str(value)).quantize(_HUNDREDTH, ROUND_HALF_UP)
    except InvalidOperation:
        return value


def _time(value: Value) -> PortableValue:
    if not isinstance(value, str):
        return value
    clock, _, fraction = value.partition(".")
    return f"{clock}.{fraction[:3]:0<3}"


def _json_text(value: Value) -> PortableValue:
    if value is None or isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        return json.dumps(value)
    try:
        json.loads(value)
    except ValueError:
        return json.dumps(value, ensure_ascii=False)
    return value


def _canonical_json(text: PortableValue) -> PortableValue:
    if not isinstance(text, str):
        return text
    value = _parse_json(text)
    while isinstance(value, str):
        # A text that holds JSON is shown as its value, and stored without quotes in SQLite.
        try:
            value = _parse_json(value)
        except ValueError:
            break
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _parse_json(text: str) -> object:
    return json.loads(text, parse_float=_normal_number, parse_int=_normal_number)


def _normal_number(text: str) -> object:
    """Return a number with one spelling: 1, 1.0 and 1e0 are equal."""
    value = Decimal(text)
    return int(value) if value == value.to_integral_value() else value.normalize()


_REDUCERS: Mapping[StorageKind, Reduce] = {
    **dict.fromkeys(_INTEGER_KINDS, _integer),
    StorageKind.FLOAT: _float,
    StorageKind.DECIMAL: _decimal,
    StorageKind.TIME: _time,
    StorageKind.JSON: _json_text,
}


def restorer(dialect: Dialect, kind: StorageKind) -> Callable[[PortableValue], Value]:
    """Return a function that converts the common form to a stored value."""
    if kind is StorageKind.JSON:
        return lambda text: dialect.stored_json(text) if isinstance(text, str) else None
    encode = dialect.encoder(kind)

    def restore(value: PortableValue) -> Value:
        if isinstance(value, bytes):
            return value
        return encode(float(value) if isinstance(value, Decimal) else value)

    return restore
