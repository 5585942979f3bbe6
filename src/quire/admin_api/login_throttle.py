"""Limits of sign-in attempts: by e-mail and client address, by address, and by e-mail."""

from quire.auth.rate_limit import RateLimiter
from quire.auth.shared_counters import SharedCounters
from quire.clock import Clock
from quire.settings import AdminRateLimit

_LONGEST_EMAIL = 320
_ADDRESS_FACTOR, _ACCOUNT_FACTOR = 5, 20


class LoginThrottle:
    """Counts attempts at a route with a password or a token."""

    def __init__(self, limit: AdminRateLimit, calls: SharedCounters, clock: Clock) -> None:
        interval = int(limit.interval.total_seconds() * 1000)
        self._enabled = limit.enabled
        self._account_and_place, self._place, self._account = (
            RateLimiter(
                calls, f"admin {name}", limit=limit.max * factor, interval_ms=interval, clock=clock
            )
            for name, factor in (("", 1), ("place", _ADDRESS_FACTOR), ("account", _ACCOUNT_FACTOR))
        )

    def count(self, route: str, network: str, email: object = None) -> None:
        """Count an attempt. Raises RateLimitError when the limit is exceeded."""
        if not self._enabled:
            return
        account = email.lower()[:_LONGEST_EMAIL] if isinstance(email, str) else ""
        self._account_and_place.count(f"{route} {network} {account}")
        self._place.count(f"{route} {network}")
        if account:
            self._account.count(f"{route} {account}")

    def count_code(self, email: str) -> None:
        """Count a code of a second factor, by account only.

        The caller knows the password, so nobody can lock others out. Raises RateLimitError.
        """
        if self._enabled:
            self._account_and_place.count(f"code {email.lower()[:_LONGEST_EMAIL]}")
