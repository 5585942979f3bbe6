"""Timestamps without time zone, as Strapi stores them in PostgreSQL.

A ``timestamp without time zone`` holds local time, to the microsecond. The driver returns it as
microseconds since the beginning of 2000, the database's own form; which time that was depends on
the zone of the process that wrote it. All servers of one database have to use the same zone.
"""

import os.path
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from quire.errors import ConfigurationError

_START = datetime(2000, 1, 1)  # noqa: DTZ001 - a time on the wall has no zone
_START_MS = 946_684_800_000
_START_UTC = datetime(2000, 1, 1, tzinfo=UTC)
_UTC_NAMES = frozenset({"", "UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z", "Zulu", "UCT", "Universal"})
_SYSTEM_ZONE = Path("/etc/localtime")
_INFINITIES = frozenset({-(2**63), 2**63 - 1})
"""What the database calls ``-infinity`` and ``infinity``."""


class WallClock:
    """Converts times to local time, and back.

    ``zone`` is ``None`` for UTC, which is an addition.
    """

    def __init__(self, zone: ZoneInfo | None = None) -> None:
        self._zone = zone

    def stored(self, milliseconds: int) -> int:
        """Return epoch milliseconds as the database stores them: microseconds since 2000."""
        if self._zone is not None:
            milliseconds += self._offset_at(milliseconds)
        return (milliseconds - _START_MS) * 1000

    def epoch_ms(self, timestamp: int) -> int | None:
        """Return the epoch milliseconds of a stored timestamp, ``None`` for an infinite one."""
        if timestamp in _INFINITIES:
            return None
        milliseconds = timestamp // 1000 + _START_MS
        if self._zone is not None:
            milliseconds -= self._offset_of(milliseconds)
        return milliseconds

    def _offset_at(self, milliseconds: int) -> int:
        """Return the UTC offset at a time, in milliseconds."""
        moment = _START_UTC + _clamp(milliseconds)
        return _milliseconds(moment.astimezone(self._zone).utcoffset())

    def _offset_of(self, milliseconds: int) -> int:
        """Return the UTC offset of a local time; of two possible ones the first."""
        moment = _START + _clamp(milliseconds)
        return _milliseconds(moment.replace(tzinfo=self._zone).utcoffset())


def wall_clock(name: str | None) -> WallClock:
    """Return the clock of a zone by its name, such as ``Europe/Berlin``; else of the system's.

    Raises ConfigurationError for an unknown zone.
    """
    if name is None:
        name = _system_zone()
    if name in _UTC_NAMES:
        return WallClock()
    try:
        return WallClock(ZoneInfo(name))
    except (LookupError, OSError, ValueError):
        raise ConfigurationError(
            f"TZ (database.timezone) names no time zone that is known here: {name!r}. "
            'Write one as "Europe/Berlin", or "UTC".'
        ) from None


def _system_zone() -> str:
    """Return the name of the zone of this machine."""
    target = os.path.realpath(_SYSTEM_ZONE)
    _, separator, name = target.partition("/zoneinfo/")
    return name.removeprefix("posix/").removeprefix("right/") if separator else "UTC"


_MIN_TIMESTAMP = timedelta(days=-730_000)
_MAX_TIMESTAMP = timedelta(days=2_921_937)


def _clamp(milliseconds: int) -> timedelta:
    """Return the time since 2000, limited to the years for which zones have rules."""
    days = (milliseconds - _START_MS) // 86_400_000
    if days <= _MIN_TIMESTAMP.days:
        return _MIN_TIMESTAMP
    if days >= _MAX_TIMESTAMP.days:
        return _MAX_TIMESTAMP
    return timedelta(milliseconds=milliseconds - _START_MS)


def _milliseconds(offset: timedelta | None) -> int:
    return 0 if offset is None else offset // timedelta(milliseconds=1)
