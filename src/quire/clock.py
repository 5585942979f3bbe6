"""The time of day as content sees it: UTC with milliseconds."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], int]
"""Gives the present as epoch milliseconds. Passed in, so that tests can hold it still."""


def now_ms() -> int:
    """Return the present as whole milliseconds since 1970-01-01T00:00:00Z."""
    return time.time_ns() // 1_000_000


def iso_from_ms(milliseconds: int) -> str:
    """Write epoch milliseconds as ``YYYY-MM-DDTHH:mm:ss.sssZ``.

    Raises OverflowError or ValueError for years outside 1..9999.
    """
    seconds, fraction = divmod(milliseconds, 1000)
    moment = datetime.fromtimestamp(seconds, tz=UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{fraction:03d}Z".rjust(24, "0")


def ms_from_iso(text: str) -> int:
    """Read what `iso_from_ms` writes. Raises ValueError for other texts."""
    since = datetime.fromisoformat(text) - datetime(1970, 1, 1, tzinfo=UTC)
    return since // timedelta(milliseconds=1)
