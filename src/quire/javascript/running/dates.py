"""Dates: what code reads of them, in UTC alone, since the time zone of a server is not known."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from quire.javascript.running.values import DateValue, UnsupportedError, number, number_of
from quire.javascript.scope import UNDEFINED

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})")


def parsed_date(value: object) -> DateValue:
    """Return ``new Date(value)``. Raises UnsupportedError for texts in another form."""
    if isinstance(value, DateValue):
        return DateValue(value.milliseconds)
    if not isinstance(value, str):
        return DateValue(number_of(value))
    if not (_DATE.fullmatch(value) or _MOMENT.fullmatch(value)):
        raise UnsupportedError("a date in another form")
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        raise UnsupportedError("a date that does not exist") from None
    moment = found if found.tzinfo else found.replace(tzinfo=UTC)
    return DateValue(number(round(moment.timestamp() * 1000)))


def _get_time(date: DateValue, _given: Sequence[object]) -> object:
    return number(date.milliseconds)


def _to_iso(date: DateValue, _given: Sequence[object]) -> object:
    return date.text()


def _part(read: Callable[[datetime], int]) -> Callable[[DateValue, Sequence[object]], object]:
    return lambda date, _given: read(date.moment())


def _set_time(date: DateValue, given: Sequence[object]) -> object:
    date.milliseconds = number_of(given[0] if given else UNDEFINED)
    return date.milliseconds


DATE_METHODS: Mapping[str, Callable[[DateValue, Sequence[object]], object]] = {
    "getTime": _get_time,
    "getUTCDate": _part(lambda moment: moment.day),
    "getUTCDay": _part(lambda moment: moment.isoweekday() % 7),
    "getUTCFullYear": _part(lambda moment: moment.year),
    "getUTCHours": _part(lambda moment: moment.hour),
    "getUTCMinutes": _part(lambda moment: moment.minute),
    "getUTCMonth": _part(lambda moment: moment.month - 1),
    "setTime": _set_time,
    "toISOString": _to_iso,
    "toJSON": _to_iso,
    "valueOf": _get_time,
}
