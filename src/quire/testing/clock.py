"""The clock of a project under test."""

from datetime import UTC, datetime, time, timedelta

from quire.clock import now_ms

_SECOND_MS = 1000


class ProjectClock:
    """The present time of a project under test; it runs unless it is frozen."""

    def __init__(self, start: int) -> None:
        """``start`` is epoch milliseconds."""
        self._present = start
        self._since: int | None = now_ms()
        """When the clock was set, by the machine's time; ``None`` while it is frozen."""

    def __call__(self) -> int:
        """Return the present as epoch milliseconds."""
        return self._present if self._since is None else self._present + now_ms() - self._since

    @property
    def now(self) -> datetime:
        """The present, in UTC."""
        return datetime.fromtimestamp(self() / _SECOND_MS, UTC)

    def freeze(self, at: datetime | str | None = None) -> None:
        """Stop the clock, at the present or at another time.

        A text is in the form of ISO 8601; a time without a time zone is in UTC.
        """
        self._present = self() if at is None else _milliseconds(at)
        self._since = None

    def go_to(self, moment: datetime | str) -> None:
        """Set the clock forward to a time, or to the next time of day (``"03:00"``), in UTC.

        Raises ValueError for a time in the past.
        """
        if isinstance(moment, str) and len(moment) <= len("03:00:00"):
            moment = _next_moment(self.now, time.fromisoformat(moment))
        step = _milliseconds(moment) - self()
        if step < 0:
            message = "the clock does not go back"
            raise ValueError(message)
        self._present += step

    def advance(
        self, *, days: float = 0, hours: float = 0, minutes: float = 0, seconds: float = 0
    ) -> None:
        """Set the clock forward; a frozen one stays frozen. Raises ValueError for less than 0."""
        step = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
        if step < timedelta():
            message = "the clock does not go back"
            raise ValueError(message)
        self._present += step // timedelta(milliseconds=1)


def _next_moment(now: datetime, time_of_day: time) -> datetime:
    moment = now.replace(
        hour=time_of_day.hour,
        minute=time_of_day.minute,
        second=time_of_day.second,
        microsecond=0,
    )
    return moment if moment > now else moment + timedelta(days=1)


def _milliseconds(moment: datetime | str) -> int:
    parsed_moment = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    aware_moment = (
        parsed_moment if parsed_moment.tzinfo is not None else parsed_moment.replace(tzinfo=UTC)
    )
    return int(aware_moment.timestamp() * _SECOND_MS)
