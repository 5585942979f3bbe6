"""The tokens that end users get when they have shown who they are."""

from dataclasses import dataclass
from datetime import timedelta

from quire.auth.tokens import issue_jwt
from quire.clock import Clock
from quire.errors import UnimplementedError

NO_SECRET = "JWT_SECRET is not set, so nobody can sign in"  # noqa: S105 - a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """What an end user is given."""

    jwt: str


class Issuer:
    """Makes the tokens of end users."""

    def __init__(self, *, clock: Clock, secret: str | None, lifetime: timedelta) -> None:
        self._clock = clock
        self._secret = secret
        self._lifetime = lifetime

    def issue(self, user_id: int) -> Issued:
        """Make the token of an end user. Raises UnimplementedError where no secret is set."""
        if self._secret is None:
            raise UnimplementedError(NO_SECRET)
        return Issued(jwt=issue_jwt(user_id, self._secret, self._lifetime, self._clock()))
