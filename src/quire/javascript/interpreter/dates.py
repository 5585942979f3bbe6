"""Dates: reading and changing their parts.

Local time is that of this process, as Strapi uses that of its own process (``TZ``).
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from quire.javascript.interpreter.local_dates import LOCAL_METHODS, american_parts, local_text
from quire.javascript.interpreter.values import DateValue, UnsupportedError, number, number_of

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})")
_PARTS = ("FullYear", "Month", "Date", "Hours", "Minutes", "Seconds", "Milliseconds")
"""The parts of a date; a method that sets one also takes the following ones of its group."""
_GROUPS = ((0, 3), (3, 7))
_MONTHS = 12
_CENTURY = 100
_START = (1970, 0, 1, 0, 0, 0, 0)

Method = Callable[[DateValue, Sequence[object]], object]


def parsed_date(value: object) -> DateValue:
    """Return ``new Date(value)``. Raises UnsupportedError for texts in another form."""
    if isinstance(value, DateValue):
        return DateValue(value.milliseconds)
    if not isinstance(value, str):
        return DateValue(number_of(value))
    american = american_parts(value)
    if american is not None:
        return date_of_parts(american)
    if not (_DATE.fullmatch(value) or _MOMENT.fullmatch(value)):
        raise UnsupportedError("a date in another form")
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        raise UnsupportedError("a date that does not exist") from None
    moment = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    return DateValue(number(round(moment.timestamp() * 1000)))


def date_of_parts(arguments: Sequence[object]) -> DateValue:
    """Return ``new Date(year, month, …)``, in local time."""
    parts: list[float] = [number_of(value) for value in arguments[: len(_PARTS)]]
    if 0 <= parts[0] < _CENTURY:
        parts[0] += 1900
    return DateValue(_milliseconds([*parts, *_START[len(parts) :]], is_local=True))


def _get_time(date: DateValue, _arguments: Sequence[object]) -> object:
    return number(date.milliseconds)


def _to_iso(date: DateValue, _arguments: Sequence[object]) -> object:
    return date.text()


def _set_time(date: DateValue, arguments: Sequence[object]) -> object:
    date.milliseconds = number_of(arguments[0]) if arguments else math.nan
    return number(date.milliseconds)


def _parts_of(date: DateValue, *, is_local: bool) -> list[float]:
    moment = date.moment()
    local_moment = moment.astimezone() if is_local else moment
    return [
        *(local_moment.year, local_moment.month - 1, local_moment.day),
        *(
            local_moment.hour,
            local_moment.minute,
            local_moment.second,
            local_moment.microsecond // 1000,
        ),
    ]


def _milliseconds(parts: Sequence[float], *, is_local: bool) -> float:
    """Return the time of parts that may exceed their usual range, such as the 32nd of a month.

    Raises UnsupportedError for a time that Python cannot represent.
    """
    if not all(map(math.isfinite, parts)):
        return math.nan
    year, month, day, hours, minutes, seconds, milliseconds = (math.trunc(part) for part in parts)
    try:
        first = datetime(
            year + month // _MONTHS, month % _MONTHS + 1, 1, tzinfo=None if is_local else UTC
        )
        moment = first + timedelta(
            days=day - 1, hours=hours, minutes=minutes, seconds=seconds, milliseconds=milliseconds
        )
        return number(round(moment.timestamp() * 1000))
    except (OverflowError, ValueError, OSError):
        raise UnsupportedError("a date out of range") from None


def _getter(index: int, *, is_local: bool) -> Method:
    def get(date: DateValue, _arguments: Sequence[object]) -> object:
        if math.isnan(date.milliseconds):
            return math.nan
        return number(_parts_of(date, is_local=is_local)[index])

    return get


def _setter(index: int, *, is_local: bool) -> Method:
    end = next(end for start, end in _GROUPS if start <= index < end)

    def change(date: DateValue, arguments: Sequence[object]) -> object:
        if math.isnan(date.milliseconds):
            raise UnsupportedError("changes an invalid date")
        parts = _parts_of(date, is_local=is_local)
        values = [number_of(value) for value in arguments[: end - index]] or [math.nan]
        parts[index : index + len(values)] = values
        date.milliseconds = _milliseconds(parts, is_local=is_local)
        return number(date.milliseconds)

    return change


def _day(*, is_local: bool) -> Method:
    def get(date: DateValue, _arguments: Sequence[object]) -> object:
        if math.isnan(date.milliseconds):
            return math.nan
        moment = date.moment()
        return (moment.astimezone() if is_local else moment).isoweekday() % 7

    return get


def _methods() -> Mapping[str, Method]:
    methods: dict[str, Method] = {}
    for zone, is_local in (("", True), ("UTC", False)):
        methods[f"get{zone}Day"] = _day(is_local=is_local)
        for index, name in enumerate(_PARTS):
            methods[f"get{zone}{name}"] = _getter(index, is_local=is_local)
            methods[f"set{zone}{name}"] = _setter(index, is_local=is_local)
    return methods


DATE_METHODS: Mapping[str, Method] = {
    **_methods(),
    **{name: partial(local_text, name) for name in LOCAL_METHODS},
    "getTime": _get_time,
    "setTime": _set_time,
    "toISOString": _to_iso,
    "toJSON": _to_iso,
    "valueOf": _get_time,
}
CHANGING_DATE_METHODS = frozenset(name for name in DATE_METHODS if name.startswith("set"))
"""Methods that change their date."""
