"""Converts values when a column changes its type.

Values are converted through the common form of `copying.values`. A value without a counterpart in
the new kind is *unfit*: the plan counts these values.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import orjson

from quire.database.copying.values import PortableValue, reducer, restorer
from quire.database.dialect import Dialect
from quire.database.program import Value
from quire.schema.attributes.base import StorageKind

ValueConversion = Callable[[PortableValue, StorageKind], PortableValue]


class ConversionError(Exception):
    """A value has no counterpart of the new kind."""


class Converter:
    """Converts stored values of one kind to stored values of another one."""

    def __init__(
        self, dialect: Dialect, source_kind: StorageKind, target_kind: StorageKind
    ) -> None:
        self._before = source_kind
        self._reduce = reducer(dialect, source_kind)
        self._restore = restorer(dialect, target_kind)
        self._meaning = _MEANINGS[target_kind]

    def __call__(self, value: Value) -> Value:
        """Convert a value. Raises ConversionError when there is no counterpart."""
        if value is None:
            return None
        return self._restore(self._meaning(self._reduce(value), self._before))


_LONGEST_STRING = 255
_INTEGER_BITS = 31
_BIG_BITS = 63
_LARGEST_DECIMAL = Decimal(10) ** 8 - Decimal("0.005")
"""Columns of decimals have ten digits, and round to two of them after the point."""
_INTEGER_TEXT = re.compile(r"\s*[+-]?\d{1,19}(?:\.0*)?\s*", re.ASCII)
_NUMBER = re.compile(
    r"\s*[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?\s*", re.ASCII
)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?", re.ASCII)
_TRUTH: Mapping[PortableValue, bool] = {"true": True, "false": False, "1": True, "0": False}
_MOMENTS = frozenset({StorageKind.DATETIME, StorageKind.TIMESTAMP})
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _text(value: PortableValue, kind: StorageKind) -> str:
    if kind in _MOMENTS and isinstance(value, int):
        moment = _moment(value)
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
    if kind is StorageKind.JSON and isinstance(value, str):
        document = json.loads(value)
        return document if isinstance(document, str) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, bytes):
        raise ConversionError
    return str(value)


def _short_text(value: PortableValue, kind: StorageKind) -> str:
    text = _text(value, kind)
    if len(text) > _LONGEST_STRING:
        raise ConversionError
    return text


def _integer_of(bits: int) -> ValueConversion:
    def convert(value: PortableValue, kind: StorageKind) -> int:
        number = _integer(value, kind)
        if not -(2**bits) <= number < 2**bits:
            raise ConversionError
        return number

    return convert


def _integer(value: PortableValue, kind: StorageKind) -> int:
    if kind in _MOMENTS:
        raise ConversionError
    if isinstance(value, str) and kind is not StorageKind.JSON:
        if not _INTEGER_TEXT.fullmatch(value):
            raise ConversionError
        return int(Decimal(value.strip()))
    number = _decimal(value, kind)
    if number != number.to_integral_value():
        raise ConversionError
    return int(number)


def _decimal(value: PortableValue, kind: StorageKind) -> Decimal:
    """Parse any number exactly."""
    if kind is StorageKind.JSON and isinstance(value, str):
        document = json.loads(value, parse_float=Decimal, parse_int=Decimal)
        return _decimal(
            document if isinstance(document, bool | str | Decimal) else b"", StorageKind.TEXT
        )
    if isinstance(value, bool):
        return Decimal(int(value))
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return Decimal(value.strip())
    if isinstance(value, int | Decimal):
        return Decimal(value)
    if isinstance(value, float) and math.isfinite(value):
        return Decimal(repr(value))
    raise ConversionError


def _float(value: PortableValue, kind: StorageKind) -> float:
    if kind in _MOMENTS:
        raise ConversionError
    number = float(_decimal(value, kind))
    if not math.isfinite(number):
        raise ConversionError
    return number


def _bounded_decimal(value: PortableValue, kind: StorageKind) -> Decimal:
    if kind in _MOMENTS:
        raise ConversionError
    number = _decimal(value, kind)
    if abs(number) >= _LARGEST_DECIMAL:
        raise ConversionError
    return number


def _boolean(value: PortableValue, kind: StorageKind) -> bool:
    if kind in _MOMENTS:
        raise ConversionError
    text = _text(value, kind).strip().lower()
    if text not in _TRUTH:
        raise ConversionError
    return _TRUTH[text]


def _date(value: PortableValue, kind: StorageKind) -> str:
    text = _text(value, kind).strip()
    moment = text if _DATE.fullmatch(text) else f"{_iso(text):%Y-%m-%d}"
    _iso(moment)
    return moment


def _time(value: PortableValue, kind: StorageKind) -> str:
    if kind in _MOMENTS and isinstance(value, int):
        moment = _moment(value)
        return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03}"
    match = _TIME.fullmatch(_text(value, kind).strip())
    if match is None:
        raise ConversionError
    hours, minutes, seconds, fraction = match.groups()
    return f"{hours}:{minutes}:{seconds or '00'}.{(fraction or '')[:3]:0<3}"


def _epoch(value: PortableValue, kind: StorageKind) -> int:
    if kind in _MOMENTS and isinstance(value, int):
        return value
    if kind in {StorageKind.DATE, StorageKind.STRING, StorageKind.TEXT, StorageKind.JSON}:
        return (_iso(_text(value, kind).strip()) - _EPOCH) // timedelta(milliseconds=1)
    raise ConversionError


def _moment(milliseconds: int) -> datetime:
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        raise ConversionError from None


def _iso(text: str) -> datetime:
    """Parse a date or a timestamp; without a zone it is in UTC."""
    if not _DATE.match(text):
        raise ConversionError
    try:
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    except ValueError:
        raise ConversionError from None


def _json(value: PortableValue, kind: StorageKind) -> str:
    if kind is StorageKind.JSON and isinstance(value, str):
        return value
    if isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, int | float) and kind not in _MOMENTS:
        return json.dumps(value)
    text = _text(value, kind)
    return text if _is_json(text) else json.dumps(text, ensure_ascii=False)


def _is_json(text: str) -> bool:
    r"""Tell whether every database stores a text as a JSON document.

    ``NaN`` and halves of surrogate pairs are no JSON, and PostgreSQL stores no ``\u0000``.
    """
    try:
        document = orjson.loads(text)
    except ValueError:
        return False
    return "\\u0000" not in json.dumps(document)


_MEANINGS: Mapping[StorageKind, ValueConversion] = {
    StorageKind.STRING: _short_text,
    StorageKind.TEXT: _text,
    StorageKind.JSON: _json,
    StorageKind.ID: _integer_of(_INTEGER_BITS),
    StorageKind.INTEGER: _integer_of(_INTEGER_BITS),
    StorageKind.BIGINTEGER: _integer_of(_BIG_BITS),
    StorageKind.FLOAT: _float,
    StorageKind.DECIMAL: _bounded_decimal,
    StorageKind.BOOLEAN: _boolean,
    StorageKind.DATE: _date,
    StorageKind.TIME: _time,
    StorageKind.DATETIME: _epoch,
    StorageKind.TIMESTAMP: _epoch,
}
