"""Issues the tokens of end users.

There are two modes. A *long-lived* token is valid by itself until it expires. With *refresh*, an
access token is valid for minutes, and only while its session exists; a refresh token, which can be
used once, gets the next pair.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from msgspec import Struct

from quire.auth.jwt_and_api_tokens import issue_jwt
from quire.auth.sessions import PERSISTENT_SESSION, SessionLifetimes, Sessions, Tokens
from quire.clock import Clock
from quire.database.program import Program
from quire.database.stores.auth_rows import Accounts
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import UnauthorizedError, UnimplementedError, ValidationError
from quire.settings import UserSessionSettings

T = TypeVar("T")

ORIGIN = "users-permissions"
NO_SECRET = "JWT_SECRET is not set, so nobody can sign in"  # noqa: S105 - a sentence
WRONG_CREDENTIALS = "Invalid identifier or password"
INVALID_REFRESH = "Invalid refresh token"


class ClientDevice(Struct, frozen=True, kw_only=True):
    """The client of a sign-in, as far as known."""

    id: str | None = None
    name: str | None = None


class IssuedTokens(Struct, frozen=True, kw_only=True):
    """The tokens of an end user; ``refresh`` exists if there are sessions."""

    jwt: str
    refresh: str | None = None


class TokenIssuer:
    """Makes the tokens of end users; long-lived ones without ``sessions``."""

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

    async def issue(
        self,
        user_id: int,
        device: ClientDevice,
        *,
        is_login: bool = True,
        password: str | None = None,
    ) -> IssuedTokens:
        """Make the tokens of an end user, after a login or a password change.

        ``password`` is the hash of the password that the user has signed in with, ``None`` for
        other ways to sign in. Raises UnimplementedError without a secret, and ValidationError where
        the user was deleted or blocked, or has got another password, since it was checked.
        """
        if self._secret is None:
            raise UnimplementedError(NO_SECRET)
        sessions = self.sessions
        if sessions is None:
            return IssuedTokens(jwt=issue_jwt(user_id, self._secret, self._lifetime, self.clock()))

        def act(unit: UnitOfWork) -> Program[Tokens]:
            user = yield from self._accounts.user(user_id)
            # Each of these changes has ended all sessions, so none may begin after it.
            if user is None or user.blocked or (password is not None and user.password != password):
                raise ValidationError(WRONG_CREDENTIALS)
            return (
                yield from sessions.begin(
                    user_id,
                    device_id=device.id,
                    device_name=device.name,
                    remember=True,
                    now=unit.tick(),
                    is_login=is_login,
                )
            )

        tokens = await self._write(act)
        return IssuedTokens(jwt=tokens.access, refresh=tokens.refresh)

    async def refresh(self, sessions: Sessions, token: str) -> IssuedTokens:
        """Exchange a refresh token for new ones.

        Raises UnauthorizedError for an invalid one, and when its user was deleted or blocked.
        """

        def act(unit: UnitOfWork) -> Program[IssuedTokens | None]:
            now = unit.tick()
            tokens = yield from sessions.rotate(token, now)
            if tokens is None:
                return None
            session = yield from sessions.user_of(tokens.access, now)
            user = None if session is None else (yield from self._accounts.user(session[0]))
            if user is None or user.blocked:
                if session is not None:
                    yield from sessions.end_all(session[0])
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
    """Return the lifetimes of the tokens and sessions of end users."""
    return SessionLifetimes(
        access=settings.access_expires_in,
        idle={PERSISTENT_SESSION: settings.idle},
        longest={PERSISTENT_SESSION: settings.longest},
    )
