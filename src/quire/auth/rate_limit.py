"""A limit on calls from one place within an interval."""

from dataclasses import dataclass

from quire.clock import Clock
from quire.errors import RateLimitError

_MAX_KEYS = 10_000


@dataclass(slots=True)
class _Window:
    ends_at: int
    calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What is left of a limit; ``resets_at`` is in epoch seconds."""

    limit: int
    remaining: int
    resets_at: int

    @property
    def headers(self) -> dict[str, str]:
        """The headers that tell a client."""
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.resets_at),
        }


class RateLimiter:
    """Counts calls by key in windows of fixed length, in the memory of one process."""

    def __init__(self, *, limit: int, interval_ms: int, clock: Clock) -> None:
        self._limit = limit
        self._interval = interval_ms
        self._clock = clock
        self._windows: dict[str, _Window] = {}

    def count(self, key: str) -> Allowance:
        """Count a call. Raises RateLimitError when it is one too many."""
        now = self._clock()
        window = self._windows.get(key)
        if window is None or window.ends_at <= now:
            self._make_room(now)
            window = self._windows[key] = _Window(now + self._interval)
        window.calls += 1
        allowance = Allowance(
            limit=self._limit,
            remaining=max(self._limit - window.calls, 0),
            resets_at=-(-window.ends_at // 1000),
        )
        if window.calls > self._limit:
            raise RateLimitError(headers=allowance.headers)
        return allowance

    def _make_room(self, now: int) -> None:
        if len(self._windows) < _MAX_KEYS:
            return
        self._windows = {k: w for k, w in self._windows.items() if w.ends_at > now}
        while len(self._windows) >= _MAX_KEYS:
            del self._windows[next(iter(self._windows))]
