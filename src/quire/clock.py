"""The current time, and conversions of timestamps."""

import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

CYCLE_YEARS, CYCLE_DAYS = 400, 146_097
"""The Gregorian calendar repeats: years outside of Python's dates are mapped to years inside."""

MAX_MS = 8_640_000_000_000_000
"""The latest time of JavaScript's Date; the earliest one is as far before 1970."""

_CYCLE_START = date(2000, 1, 1)
_DAY_MS = 86_400_000

Clock = Callable[[], int]
"""Returns the present as epoch milliseconds. Passed in, so that tests can set the time."""


def now_ms() -> int:
    """Return the present as whole milliseconds since 1970-01-01T00:00:00Z."""
    return time.time_ns() // 1_000_000


def iso_from_ms(milliseconds: int) -> str:
    """Write epoch milliseconds as ``YYYY-MM-DDTHH:mm:ss.sssZ``, as JavaScript does.

    Years outside 0..9999 have a sign and six digits. Raises ValueError beyond `MAX_MS`.
    """
    seconds, fraction = divmod(milliseconds, 1000)
    try:
        moment = datetime.fromtimestamp(seconds, tz=UTC)
    except (OverflowError, ValueError, OSError):
        return _iso_beyond_datetime(milliseconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{fraction:03d}Z".rjust(24, "0")


def iso_or_none(milliseconds: int) -> str | None:
    """Write stored epoch milliseconds as `iso_from_ms` does; ``None`` beyond `MAX_MS`."""
    return iso_from_ms(milliseconds) if abs(milliseconds) <= MAX_MS else None


def _iso_beyond_datetime(milliseconds: int) -> str:
    """Write a timestamp in a year that `datetime` does not support."""
    if abs(milliseconds) > MAX_MS:
        message = f"{milliseconds} ms is beyond the range of moments"
        raise ValueError(message)
    days, of_day = divmod(milliseconds, _DAY_MS)
    since = days + (date(1970, 1, 1) - _CYCLE_START).days
    cycles, within = divmod(since, CYCLE_DAYS)
    day = _CYCLE_START + timedelta(days=within)
    year = day.year + cycles * CYCLE_YEARS
    shown = f"{year:04}" if year == 0 else f"{year:+07}"
    time_of_day = datetime.fromtimestamp(of_day // 1000, tz=UTC)
    return f"{shown}{day:-%m-%d}{time_of_day:T%H:%M:%S}.{of_day % 1000:03d}Z"


def ms_from_iso(text: str) -> int:
    """Parse the result of `iso_from_ms`. Raises ValueError for other texts."""
    digits = 7 if text[:1] in {"+", "-"} else 4
    cycles, year = divmod(int(text[:digits]) - _CYCLE_START.year, CYCLE_YEARS)
    moment = datetime.fromisoformat(f"{year + _CYCLE_START.year}{text[digits:]}")
    since = moment - datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=cycles * CYCLE_DAYS)
    return since // timedelta(milliseconds=1)
