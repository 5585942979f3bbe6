"""Rate limits of the routes for accounts."""

from collections.abc import Callable, Mapping
from functools import wraps

from quire.auth.rate_limit import Allowance, RateLimiter, rate_limit_key
from quire.content_api.http_messages import Handler, Request, Response
from quire.errors import AppError

_ADDRESS_FACTOR = 5
"""How many limits one address has on a route that counts each e-mail separately."""
_ACCOUNT_FACTOR = 10
"""How many limits of wrong passwords one account has, from all addresses."""
_MAX_EMAIL_LENGTH = 320


class CallLimits:
    """Counts calls; without a limiter there are no limits."""

    def __init__(self, limiter: RateLimiter | None) -> None:
        self._limiter = limiter

    def limited(
        self,
        handler: Handler,
        route: str,
        *,
        by_email: bool = False,
        key: Callable[[Request], str] | None = None,
    ) -> Handler:
        """Return a handler that counts its calls, and whose responses have the remaining number.

        With ``by_email`` each e-mail in a body is counted separately, and all of one address too.
        ``key`` returns the key of a call instead of its address.
        """
        limiter = self._limiter
        if limiter is None:
            return handler

        def count(request: Request) -> Allowance:
            if key is not None:
                return limiter.count(f"{route} {key(request)}")
            address = rate_limit_key(request.client[0]) if request.client else ""
            if by_email:
                limiter.count(f"{route} {address}", times=_ADDRESS_FACTOR)
                return limiter.count(f"{route} {address} {_email(request)}")
            return limiter.count(f"{route} {address}")

        @wraps(handler)
        async def count_and_handle(request: Request) -> Response:
            if request.allowance is None:
                request.allowance = count(request)
            allowance = request.allowance
            try:
                response = await handler(request)
            except AppError as error:
                error.headers = {**allowance.headers, **error.headers}
                raise
            limit_headers = _encode_headers(allowance.headers)
            return Response(
                response.status,
                response.body,
                response.content_type,
                (*response.headers, *limit_headers),
            )

        return count_and_handle

    def check_wrong_passwords(self, account: str) -> None:
        """Reject a password check for an account with too many wrong passwords.

        Raises RateLimitError. Calls over the limit of their address are not counted here, so nobody
        can lock others out from a single address.
        """
        if self._limiter is not None:
            self._limiter.check(f"account {account}", times=_ACCOUNT_FACTOR)

    def count_wrong_password(self, account: str) -> None:
        """Count a wrong password of an account."""
        if self._limiter is not None:
            self._limiter.count(f"account {account}", times=_ACCOUNT_FACTOR)


def _email(request: Request) -> str:
    email = request.body_fields.get("email")
    return email.lower()[:_MAX_EMAIL_LENGTH] if isinstance(email, str) else ""


def _encode_headers(headers: Mapping[str, str]) -> tuple[tuple[bytes, bytes], ...]:
    return tuple((name.lower().encode(), value.encode()) for name, value in headers.items())
