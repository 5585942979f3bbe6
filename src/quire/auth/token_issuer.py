"""Issues the tokens of end users.

There are two ways. A *long-lived* token is valid by itself until it runs out. With *refresh*, a
token holds for minutes, and only while its session is there; a second one, good for once, gets the
next pair.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from msgspec import Struct

from quire.auth.sessions import LONG, SessionLifetimes, Sessions
from quire.auth.tokens import issue_jwt
from quire.clock import Clock
from quire.database.program import Program
from quire.database.stores.accounts import Accounts
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import UnauthorizedError, UnimplementedError
from quire.settings import UserSessionSettings

T = TypeVar("T")

ORIGIN = "users-permissions"
NO_SECRET = "JWT_SECRET is not set, so nobody can sign in"  # noqa: S105 - a sentence
INVALID_REFRESH = "Invalid refresh token"


class ClientDevice(Struct, frozen=True, kw_only=True):
    """Where somebody signs in from, as far as they say."""

    id: str | None = None
    name: str | None = None


class IssuedTokens(Struct, frozen=True, kw_only=True):
    """What an end user is given; ``refresh`` is there where sessions are."""

    jwt: str
    refresh: str | None = None


class TokenIssuer:
    """Makes the tokens of end users; without ``sessions`` long-lived ones."""

    def __init__(
        self,
        documents: DocumentService,
        accounts: Accounts,
        sessions: Sessions | None,
        *,
        clock: Clock,
        secret: str | None,
        lifetime: timedelta,
    ) -> None:
        self._documents = documents
        self._accounts = accounts
        self.sessions = sessions
        self.clock = clock
        self._secret = secret
        self._lifetime = lifetime

    async def issue(self, user_id: int, device: ClientDevice) -> IssuedTokens:
        """Make the tokens of an end user. Raises UnimplementedError where no secret is set."""
        if self._secret is None:
            raise UnimplementedError(NO_SECRET)
        sessions = self.sessions
        if sessions is None:
            return IssuedTokens(jwt=issue_jwt(user_id, self._secret, self._lifetime, self.clock()))
        tokens = await self._write(
            lambda unit: sessions.begin(
                user_id,
                device_id=device.id,
                device_name=device.name,
                remember=True,
                now=unit.tick(),
            )
        )
        return IssuedTokens(jwt=tokens.access, refresh=tokens.refresh)

    async def refresh(self, sessions: Sessions, token: str) -> IssuedTokens:
        """Exchange a refresh token for fresh ones.

        Raises UnauthorizedError for one that is not good, and when its user is gone or blocked.
        """

        def act(unit: UnitOfWork) -> Program[IssuedTokens | None]:
            now = unit.tick()
            tokens = yield from sessions.rotate(token, now)
            if tokens is None:
                return None
            found = yield from sessions.user_of(tokens.access, now)
            user = None if found is None else (yield from self._accounts.user(found[0]))
            if user is None or user.blocked:
                if found is not None:
                    yield from sessions.end_all(found[0])
                return None
            return IssuedTokens(jwt=tokens.access, refresh=tokens.refresh)

        issued = await self._write(act)
        if issued is None:
            raise UnauthorizedError(INVALID_REFRESH)
        return issued

    async def end(self, sessions: Sessions, user_id: int, session_id: str) -> bool:
        """End one session of a user; tell whether there was such a one."""
        return await self._write(lambda _: sessions.end(user_id, session_id))

    async def end_all(self, sessions: Sessions, user_id: int, device_id: str | None = None) -> None:
        """End all sessions of a user, or those of one device."""
        await self._write(lambda _: sessions.end_all(user_id, device_id=device_id))

    async def _write(self, act: Callable[[UnitOfWork], Program[T]]) -> T:
        return await self._documents.run(act)


def lifetimes_of(settings: UserSessionSettings) -> SessionLifetimes:
    """Return how long the tokens and sessions of end users hold."""
    return SessionLifetimes(
        access=settings.access_expires_in,
        idle={LONG: settings.idle},
        longest={LONG: settings.longest},
    )
