"""Limits the calls from one client within an interval."""

from ipaddress import IPv6Address, IPv6Network, ip_address

from msgspec import Struct

from quire.auth.shared_counters import CounterWindow, SharedCounters
from quire.clock import Clock
from quire.errors import RateLimitError

_SITE_BITS = 64
_REPORTED_PART = 5
"""Other machines hear of calls from a fifth of the limit on: most clients never come so far."""


class Allowance(Struct, frozen=True, kw_only=True):
    """The state of a limit; ``resets_at`` is in epoch seconds."""

    limit: int
    remaining: int
    resets_at: int

    @property
    def headers(self) -> dict[str, str]:
        """The response headers of the limit."""
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.resets_at),
        }


class RateLimiter:
    """Counts calls by key in windows of fixed length; ``name`` is the prefix of its keys."""

    def __init__(
        self, calls: SharedCounters, name: str, *, limit: int, interval_ms: int, clock: Clock
    ) -> None:
        self._calls = calls
        self._name = name
        self._limit = limit
        self._interval = interval_ms
        self._clock = clock

    def count(self, key: str, *, times: int = 1) -> Allowance:
        """Count a call. Raises RateLimitError when the limit is exceeded.

        ``times`` multiplies the limit of this key.
        """
        now, limit = self._clock(), self._limit * times
        window = self._calls.add(
            f"{self._name} {key}", now, self._interval, report_from=max(2, limit // _REPORTED_PART)
        )
        return _allow(window, now, limit)

    def check(self, key: str, *, times: int = 1) -> None:
        """Raise RateLimitError when another call would exceed the limit; does not count."""
        now = self._clock()
        window = self._calls.window(f"{self._name} {key}", now, self._interval)
        if window is not None:
            _allow(CounterWindow(window.ends_at, window.calls + 1), now, self._limit * times)


def _allow(window: CounterWindow, now: int, limit: int) -> Allowance:
    allowance = Allowance(
        limit=limit,
        remaining=max(limit - window.calls, 0),
        resets_at=-(-window.ends_at // 1000),
    )
    if window.calls > limit:
        wait = -(-(window.ends_at - now) // 1000)
        raise RateLimitError(headers={**allowance.headers, "Retry-After": str(wait)})
    return allowance


def rate_limit_key(address: str) -> str:
    """Return the key of an address: for IPv6 its network, since one network has many addresses."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if not isinstance(ip, IPv6Address):
        return address
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(IPv6Network((ip, _SITE_BITS), strict=False).network_address)
