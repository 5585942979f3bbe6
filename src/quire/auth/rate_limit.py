"""A limit on calls from one place within an interval."""

from collections import OrderedDict
from ipaddress import IPv6Address, IPv6Network, ip_address

from msgspec import Struct

from quire.clock import Clock
from quire.errors import RateLimitError

_MAX_KEYS = 100_000
_SITE_BITS = 64


class _Window(Struct):
    ends_at: int
    calls: int = 0


class Allowance(Struct, frozen=True, kw_only=True):
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
        self._windows: OrderedDict[str, _Window] = OrderedDict()

    def count(self, key: str, *, times: int = 1) -> Allowance:
        """Count a call. Raises RateLimitError when it is one too many.

        ``times`` makes the limit of this key so many times as large.
        """
        now = self._clock()
        window = self._window(key, now)
        if window is None:
            self._make_room(now)
            window = self._windows[key] = _Window(now + self._interval)
        window.calls += 1
        return self._allow(window, now, self._limit * times)

    def check(self, key: str, *, times: int = 1) -> None:
        """Raise RateLimitError when another call would be one too many; count none."""
        now = self._clock()
        window = self._window(key, now)
        if window is not None and window.calls >= self._limit * times:
            self._allow(_Window(window.ends_at, window.calls + 1), now, self._limit * times)

    def _window(self, key: str, now: int) -> _Window | None:
        window = self._windows.get(key)
        if window is not None and window.ends_at <= now:
            del self._windows[key]
            return None
        return window

    def _allow(self, window: _Window, now: int, limit: int) -> Allowance:
        allowance = Allowance(
            limit=limit,
            remaining=max(limit - window.calls, 0),
            resets_at=-(-window.ends_at // 1000),
        )
        if window.calls > limit:
            wait = -(-(window.ends_at - now) // 1000)
            raise RateLimitError(headers={**allowance.headers, "Retry-After": str(wait)})
        return allowance

    def _make_room(self, now: int) -> None:
        """Drop windows that have ended, and the oldest ones where there are too many.

        All are of one length, so those that were opened first end first.
        """
        windows = self._windows
        while windows:
            oldest = next(iter(windows.values()))
            if oldest.ends_at > now and len(windows) < _MAX_KEYS:
                return
            windows.popitem(last=False)


def place_of(address: str) -> str:
    """Return what an address is counted by: for IPv6 its site, since a site has them in plenty."""
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return address
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(IPv6Network((known, _SITE_BITS), strict=False).network_address)
