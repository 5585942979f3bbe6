"""Dates and times: ``date``, ``time``, ``datetime`` and ``timestamp``.

A ``datetime`` is an ISO string in JSON, a ``timestamp`` the string of its epoch milliseconds; both
are stored as timestamps. Without an offset they are UTC.
"""

import re
from datetime import UTC, date, datetime, timedelta

from quire.clock import CYCLE_DAYS, CYCLE_YEARS, MAX_MS
from quire.errors import ValidationError
from quire.javascript.text import type_of
from quire.schema.attributes.base import (
    Accept,
    AttributeType,
    ScalarAttribute,
    StorageKind,
    build_scalar,
)
from quire.schema.attributes.json_schema import JsonForm, JsonSchema, Pointers, scalar_form
from quire.schema.attributes.validation import Acceptor, ValueRules

_DATE = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(\.[0-9]{1,3})?")
_EPOCH = re.compile(r"-?[0-9]{1,16}")
_ISO = re.compile(
    r"""
    (?P<year>[0-9]{4} | [+-][0-9]{6})
    (?:
        -? (?P<month>[0-9]{2}) (?: -? (?P<day>[0-9]{2}) )?
      | -? W (?P<week>[0-9]{2}) (?: -? (?P<weekday>[1-7]) )?
      | -? (?P<ordinal>[0-9]{3})
    )?
    (?:
        [T ]
        (?:
            (?P<hour>[0-9]{2})
            (?: :? (?P<minute>[0-5][0-9])
                (?: :? (?P<second>[0-5][0-9]) (?: [.,] (?P<fraction>[0-9]+) )? )?
            )?
        )?
        (?P<offset> Z | [+-][0-9]{2} (?: :? [0-5][0-9] )? )?
      | Z
    )?
    """,
    re.VERBOSE,
)
_EPOCH_START = datetime(1970, 1, 1, tzinfo=UTC)
_HOURS = 24

DATE_MESSAGE = "Invalid format, expected yyyy-MM-dd"
TIME_MESSAGE = "Invalid time format, expected HH:mm:ss.SSS"
MOMENT_MESSAGE = "Invalid format, expected a timestamp or an ISO date"


def parse_date(text: str) -> str:
    """Return the ``yyyy-MM-dd`` at the start of a text; a time part is cut off.

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

    Digits that are a date in ISO's basic form (``2024``, ``202405``, ``20240521``) count as such.
    Raises ValidationError for anything else.
    """
    match = _ISO.fullmatch(text)
    moment = None if match is None else _iso_moment(match)
    if moment is not None:
        return moment
    if _EPOCH.fullmatch(text) and abs(int(text)) <= MAX_MS:
        return int(text)
    raise ValidationError(MOMENT_MESSAGE)


def _iso_moment(match: re.Match[str]) -> int | None:
    """Return the epoch milliseconds of an ISO date, ``None`` for an invalid one."""
    # Years outside of Python's dates have the calendar of one inside.
    cycles, year = divmod(int(match["year"]) - 2000, CYCLE_YEARS)
    try:
        day = _iso_day(match, year + 2000)
    except ValueError:
        return None
    hours, minutes, seconds = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    milliseconds = int((match["fraction"] or "")[:3].ljust(3, "0"))
    # 24:00 is the end of the day.
    if hours > _HOURS or (hours == _HOURS and (minutes or seconds)):
        return None
    time = timedelta(hours=hours, minutes=minutes, seconds=seconds, milliseconds=milliseconds)
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    since = (midnight - _EPOCH_START) + time - _offset(match["offset"])
    moment = (since + timedelta(days=cycles * CYCLE_DAYS)) // timedelta(milliseconds=1)
    return moment if abs(moment) <= MAX_MS else None


def _iso_day(match: re.Match[str], year: int) -> date:
    """Return the day of an ISO date in a year. Raises ValueError for an invalid one."""
    if match["week"]:
        return date.fromisocalendar(year, int(match["week"]), int(match["weekday"] or 1))
    if match["ordinal"]:
        day = date(year, 1, 1) + timedelta(days=int(match["ordinal"]) - 1)
        if day.year != year:
            raise ValueError(match["ordinal"])
        return day
    return date(year, int(match["month"] or 1), int(match["day"] or 1))


def _offset(text: str | None) -> timedelta:
    if text is None or text == "Z":
        return timedelta()
    digits = text[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -offset if text.startswith("-") else offset


def _accept_date(value: object) -> object:
    if not isinstance(value, str):
        raise ValidationError(DATE_MESSAGE)
    return parse_date(value)


def _accept_time(value: object) -> object:
    if not isinstance(value, str):
        message = f"Expected a string, got a {type_of(value)}"
        raise ValidationError(message)
    return parse_time(value)


def _accept_moment(value: object) -> object:
    """Accept epoch milliseconds or the text of a timestamp."""
    if isinstance(value, str):
        return parse_moment(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValidationError(MOMENT_MESSAGE)
    # Infinity fails the first comparison.
    if abs(value) > MAX_MS or value % 1:
        raise ValidationError(MOMENT_MESSAGE)
    return int(value)


def _same_for_drafts(accept: Acceptor) -> Accept:
    """Use the same rules for drafts and published entries."""
    acceptance = ValueRules(draft=accept, full=accept)

    def accept_moments(attribute: ScalarAttribute) -> ValueRules:  # noqa: ARG001 - an `Accept`
        return acceptance

    return accept_moments


_MOMENT: JsonSchema = {"type": "string", "format": "date-time"}
_MILLISECONDS: JsonSchema = {"type": "string", "pattern": "^-?[0-9]+$"}


def _moment_written(attribute: ScalarAttribute, pointers: Pointers) -> JsonSchema:  # noqa: ARG001
    return {"type": ["string", "integer"], "format": "date-time"}


_TIME_OF_DAY: JsonSchema = {"type": "string", "pattern": r"^\d{2}:\d{2}:\d{2}(\.\d{1,3})?$"}


DATE = AttributeType(
    name="date",
    build=build_scalar,
    json=scalar_form({"type": "string", "format": "date"}),
    storage=StorageKind.DATE,
    cast=parse_date,
    accept=_same_for_drafts(_accept_date),
)
TIME = AttributeType(
    name="time",
    build=build_scalar,
    json=JsonForm(
        response=scalar_form(_TIME_OF_DAY).response,
        request=scalar_form(_TIME_OF_DAY).request,
        operand=_TIME_OF_DAY,
    ),
    storage=StorageKind.TIME,
    cast=parse_time,
    accept=_same_for_drafts(_accept_time),
)
DATETIME = AttributeType(
    name="datetime",
    build=build_scalar,
    json=JsonForm(response=scalar_form(_MOMENT).response, request=_moment_written),
    storage=StorageKind.DATETIME,
    cast=parse_moment,
    accept=_same_for_drafts(_accept_moment),
)
TIMESTAMP = AttributeType(
    name="timestamp",
    build=build_scalar,
    json=JsonForm(
        response=scalar_form(_MILLISECONDS).response, request=_moment_written, operand=_MOMENT
    ),
    storage=StorageKind.TIMESTAMP,
    cast=parse_moment,
    accept=_same_for_drafts(_accept_moment),
)
