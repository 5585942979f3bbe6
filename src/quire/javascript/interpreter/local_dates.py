"""Formats dates for the locales of some countries, in a named time zone.

``toLocaleString``, ``toLocaleDateString`` and ``toLocaleTimeString`` with the locales of `_FORMS`,
and ``new Date`` of a text in the American form.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from datetime import time as clock_time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from quire.javascript.interpreter.values import DateValue, UnsupportedError
from quire.javascript.scope import UNDEFINED

_AMERICAN = re.compile(
    r"(\d{1,2})/(\d{1,2})/(\d{4})(?:, (\d{1,2}):(\d{2})(?::(\d{2}))? (AM|PM))?",
)
_ZONE = re.compile(r"UTC|[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_-]+)+")
_HALF_DAY = 12
_YEARS = range(1000, 10_000)
"""Years that all forms write in four digits."""


def _american_day(moment: datetime) -> str:
    return f"{moment.month}/{moment.day}/{moment.year}"


def _american_time(moment: datetime) -> str:
    half = "AM" if moment.hour < _HALF_DAY else "PM"
    return f"{(moment.hour - 1) % _HALF_DAY + 1}:{moment:%M:%S} {half}"


def _british_day(moment: datetime) -> str:
    return f"{moment:%d/%m/%Y}"


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _time(moment: datetime) -> str:
    return f"{moment:%H:%M:%S}"


_DATE_TIME, _DAY, _TIME = "toLocaleString", "toLocaleDateString", "toLocaleTimeString"
_FORMS: Mapping[tuple[str, str], Callable[[datetime], str]] = {
    ("en-US", _DATE_TIME): lambda moment: f"{_american_day(moment)}, {_american_time(moment)}",
    ("en-US", _DAY): _american_day,
    ("en-US", _TIME): _american_time,
    ("en-GB", _DATE_TIME): lambda moment: f"{_british_day(moment)}, {_time(moment)}",
    ("en-GB", _DAY): _british_day,
    ("en-GB", _TIME): _time,
    ("en-CA", _DAY): _day,
    ("sv-SE", _DATE_TIME): lambda moment: f"{_day(moment)} {_time(moment)}",
    ("sv-SE", _DAY): _day,
    ("sv-SE", _TIME): _time,
}
LOCAL_METHODS = frozenset({_DATE_TIME, _DAY, _TIME})


def is_known_form(method: str, locale: object, zone: object) -> bool:
    """Whether a format is supported; ``zone`` is `UNDEFINED` for that of the process."""
    if not isinstance(locale, str) or (locale, method) not in _FORMS:
        return False
    return zone is UNDEFINED or (isinstance(zone, str) and _zone(zone) is not None)


def local_text(method: str, value: DateValue, arguments: Sequence[object]) -> str:
    """Return the result of a date method. Raises UnsupportedError for other forms."""
    locale = arguments[0] if arguments else UNDEFINED
    options = arguments[1] if len(arguments) > 1 else UNDEFINED
    zone = UNDEFINED
    if isinstance(options, dict):
        zone = options.get("timeZone", UNDEFINED)
        if options.keys() - {"timeZone"}:
            raise UnsupportedError("a date with options")
    elif options is not UNDEFINED:
        raise UnsupportedError("a date with options")
    if not is_known_form(method, locale, zone):
        raise UnsupportedError("a date of another locale")
    moment = value.moment().astimezone(_zone(zone) if isinstance(zone, str) else None)
    if moment.year not in _YEARS:
        raise UnsupportedError("a date out of range")
    return _FORMS[str(locale), method](moment)


def _zone(name: str) -> ZoneInfo | None:
    if _ZONE.fullmatch(name) is None:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError):
        return None


def american_parts(text: str) -> list[object] | None:
    """Return the parts of a date in the American form, for ``new Date(…)``, ``None`` for others."""
    match = _AMERICAN.fullmatch(text)
    if match is None:
        return None
    month, day, year, hour, minute, second, half = match.groups()
    hours = int(hour or _HALF_DAY)
    if not 1 <= hours <= _HALF_DAY:
        return None
    hours = hours % _HALF_DAY + (_HALF_DAY if half == "PM" else 0)
    try:
        day_date = date(int(year), int(month), int(day))
        time_of_day = clock_time(hours, int(minute or 0), int(second or 0))
    except ValueError:
        return None
    if day_date.year not in _YEARS:
        return None
    return [
        *(day_date.year, day_date.month - 1, day_date.day),
        *(time_of_day.hour, time_of_day.minute, time_of_day.second),
    ]
