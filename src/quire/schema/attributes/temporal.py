"""Dates and times: ``date``, ``time``, ``datetime`` and ``timestamp``.

A ``datetime`` is an ISO string in JSON, a ``timestamp`` the string of its epoch milliseconds; both
are kept as moments. Moments without an offset are UTC.
"""

import re
from datetime import UTC, date, datetime, timedelta

from quire.errors import ValidationError
from quire.schema.attributes.base import AttributeType, FilterValue, StorageKind, build_scalar

_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(\.\d{1,3})?")
_EPOCH = re.compile(r"\d+")
_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?")
_EPOCH_START = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_EPOCH_MS = 8_640_000_000_000_000
"""The last moment that the web's clock knows."""
_MAX_EPOCH_DIGITS = 16

DATE_MESSAGE = "Invalid format, expected yyyy-MM-dd"
TIME_MESSAGE = "Invalid time format, expected HH:mm:ss.SSS"
MOMENT_MESSAGE = "Invalid format, expected a timestamp or an ISO date"


def parse_date(text: str) -> str:
    """Return the ``yyyy-MM-dd`` that the text begins with; a time part is cut off.

    Raises ValidationError when there is none, or no such day.
    """
    match = _DATE.match(text)
    if match is None:
        raise ValidationError(DATE_MESSAGE)
    year, month, day = (int(part) for part in match.groups())
    try:
        date(year, month, day)
    except ValueError:
        message = "Invalid date"
        raise ValidationError(message) from None
    return match.group()


def parse_time(text: str) -> str:
    """Return ``HH:mm:ss.SSS``. Raises ValidationError for anything but ``HH:mm:ss[.SSS]``."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValidationError(TIME_MESSAGE)
    fraction = (match.group(4) or ".").ljust(4, "0")
    return text[:8] + fraction


def parse_moment(text: str) -> int:
    """Return epoch milliseconds of an ISO date, with or without time, or of epoch digits.

    Raises ValidationError for anything else.
    """
    if _EPOCH.fullmatch(text):
        if len(text) > _MAX_EPOCH_DIGITS or int(text) > _MAX_EPOCH_MS:
            raise ValidationError(MOMENT_MESSAGE)
        return int(text)
    short = _YEAR_OR_MONTH.fullmatch(text)
    if short:
        text = f"{short.group(1)}-{short.group(2) or '01'}-01"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValidationError(MOMENT_MESSAGE) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH_START) // timedelta(milliseconds=1)


def _cast_date(text: str) -> FilterValue:
    return parse_date(text)


def _cast_time(text: str) -> FilterValue:
    return parse_time(text)


def _cast_moment(text: str) -> FilterValue:
    return parse_moment(text)


DATE = AttributeType(name="date", build=build_scalar, storage=StorageKind.DATE, cast=_cast_date)
TIME = AttributeType(name="time", build=build_scalar, storage=StorageKind.TIME, cast=_cast_time)
DATETIME = AttributeType(
    name="datetime", build=build_scalar, storage=StorageKind.DATETIME, cast=_cast_moment
)
TIMESTAMP = AttributeType(
    name="timestamp", build=build_scalar, storage=StorageKind.TIMESTAMP, cast=_cast_moment
)
