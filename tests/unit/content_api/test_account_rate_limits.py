"""Limits on calls from one address."""

import pytest

from quire.auth.rate_limit import RateLimiter
from quire.auth.shared_counters import SharedCounters
from quire.content_api.account_rate_limits import CallLimits
from quire.content_api.http_messages import NO_CONTENT, Request, Response
from quire.errors import RateLimitError, StaleSchemaError


def posted() -> Request:
    return Request("POST", b"/api/auth/local", b"", {}, ("192.0.2.1", 40_000), None)


async def test_a_request_that_is_answered_anew_is_counted_once() -> None:
    """Tables that change meanwhile make the API begin a request again."""
    limiter = RateLimiter(SharedCounters(), "users", limit=2, interval_ms=60_000, clock=lambda: 0)
    stale = True

    async def handle(request: Request) -> Response:
        if stale:
            raise StaleSchemaError
        return NO_CONTENT

    limited = CallLimits(limiter).limited(handle, "local")
    for _ in range(2):
        stale, request = True, posted()
        with pytest.raises(StaleSchemaError):
            await limited(request)
        stale = False
        assert (await limited(request)).status == 204
    with pytest.raises(RateLimitError):
        await limited(posted())
