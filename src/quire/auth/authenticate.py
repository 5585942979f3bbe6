"""From an ``Authorization`` header to a principal with its ability.

What was verified is remembered by the hash of the header for as long as nothing in the database
changes, and never beyond the credential's own expiry. Refusals are not remembered.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from quire.access.ability import NOTHING, Ability, FullAccess, Granted, ReadOnly
from quire.access.principal import Anonymous, ApiToken, EndUser, Principal
from quire.auth.tokens import hash_api_token, read_jwt
from quire.clock import Clock
from quire.database.accounts import Accounts, TokenRow
from quire.database.cache import BoundedCache
from quire.database.connection import Database
from quire.database.program import Program
from quire.errors import UnauthorizedError

T = TypeVar("T")

EXPIRED = "Token expired"
INVALID_CREDENTIALS = "Invalid credentials"
_HOUR_MS = 3_600_000
_PARTS = 2


@dataclass(frozen=True, slots=True)
class _Verified:
    """A principal, and when its credential ends (epoch milliseconds)."""

    principal: Principal
    expires_at: int | None


class Authenticator:
    """Verifies credentials against the database of a project."""

    def __init__(
        self,
        database: Database,
        accounts: Accounts,
        *,
        clock: Clock,
        api_token_salt: str | None,
        jwt_secret: str | None,
        cache_size: int,
    ) -> None:
        self._database = database
        self._accounts = accounts
        self._clock = clock
        self._salt = api_token_salt
        self._jwt_secret = jwt_secret
        self._verified: BoundedCache[bytes, _Verified] = BoundedCache(cache_size)
        self._anonymous: Anonymous | None = None
        self._version: int | None = None
        self._touched: dict[int, int] = {}

    def known(self, header: bytes | None, version: int | None) -> Principal | None:
        """Return who asks, if that was found out before and still holds.

        ``version`` is the database's token of the present content.
        """
        if version is None or version != self._version:
            self._forget(version)
            return None
        if header is None:
            return self._anonymous
        known = self._verified.get(_key(header))
        if known is None:
            return None
        now = self._clock()
        if known.expires_at is not None and known.expires_at <= now:
            return None
        principal = known.principal
        if isinstance(principal, ApiToken) and self._is_note_due(principal, now):
            return None
        return principal

    async def principal(self, header: bytes | None, version: int | None) -> Principal:
        """Find out who asks. ``version`` is the database's token of the present content.

        Raises UnauthorizedError for bearer tokens that are unknown, expired or of a user who may
        not sign in. Anything that is no bearer token counts as no credentials at all.
        """
        if version is None or version != self._version:
            self._forget(version)
        token = None if header is None else bearer_token(header)
        if header is None or token is None:
            return self._anonymous or await self._public()
        verified = await self._verify(token)
        self._verified[_key(header)] = verified
        if isinstance(verified.principal, ApiToken):
            await self._note_use(verified.principal)
        return verified.principal

    def _forget(self, version: int | None) -> None:
        self._verified.clear()
        self._anonymous = None
        self._version = version

    async def _run(self, make: Callable[[], Program[T]]) -> T:
        return await self._database.read(make)

    async def _public(self) -> Anonymous:
        role_id = await self._run(lambda: self._accounts.role_of_type("public"))
        principal = Anonymous(await self._role_ability(role_id))
        if self._version is not None:
            self._anonymous = principal
        return principal

    async def _role_ability(self, role_id: int | None) -> Ability:
        if role_id is None:
            return NOTHING
        return Granted(await self._run(lambda: self._accounts.role_actions(role_id)))

    async def _verify(self, token: str) -> _Verified:
        row = await self._find_api_token(token)
        if row is not None:
            return await self._api_token(row)
        claims = read_jwt(token, self._jwt_secret, self._clock()) if self._jwt_secret else None
        if claims is None:
            raise UnauthorizedError
        user_id, expiry = claims
        return await self._end_user(user_id, expiry * 1000)

    async def _find_api_token(self, token: str) -> TokenRow | None:
        if self._salt is None:
            return None
        access_key = hash_api_token(token, self._salt)
        return await self._run(lambda: self._accounts.api_token(access_key))

    async def _api_token(self, row: TokenRow) -> _Verified:
        if row.expires_at is not None and row.expires_at <= self._clock():
            raise UnauthorizedError(EXPIRED)
        principal = ApiToken(
            id=row.id,
            type=row.type,
            last_used_at=row.last_used_at,
            ability=await self._token_ability(row),
        )
        return _Verified(principal, row.expires_at)

    async def _token_ability(self, row: TokenRow) -> Ability:
        match row.type:
            case "full-access":
                return FullAccess()
            case "read-only":
                return ReadOnly()
            case _:
                return Granted(await self._run(lambda: self._accounts.token_actions(row.id)))

    async def _end_user(self, user_id: int, expires_at: int) -> _Verified:
        user = await self._run(lambda: self._accounts.user(user_id))
        if user is None or user.blocked:
            raise UnauthorizedError(INVALID_CREDENTIALS)
        if not user.confirmed and await self.confirmation_required():
            raise UnauthorizedError(INVALID_CREDENTIALS)
        ability = await self._role_ability(user.role_id)
        principal = EndUser(
            id=user.id, document_id=user.document_id, role_id=user.role_id, ability=ability
        )
        return _Verified(principal, expires_at)

    async def confirmation_required(self) -> bool:
        """Tell whether end users must confirm their e-mail before they sign in."""
        key = "plugin_users-permissions_advanced"
        advanced = await self._run(lambda: self._accounts.stored(key))
        return isinstance(advanced, dict) and advanced.get("email_confirmation") is True

    def _is_note_due(self, token: ApiToken, now: int) -> bool:
        last = max(token.last_used_at or 0, self._touched.get(token.id, 0))
        return now - last >= _HOUR_MS

    async def _note_use(self, token: ApiToken) -> None:
        """Write down when a token was last used, at most once per hour."""
        now = self._clock()
        if self._is_note_due(token, now):
            self._touched[token.id] = now
            await self._database.write(self._accounts.touch_token(token.id, now))


def _key(header: bytes) -> bytes:
    """Return what a header is remembered by; the credential itself is not kept."""
    return hashlib.blake2b(header, digest_size=16).digest()


def bearer_token(header: bytes) -> str | None:
    """Return the token of a header that says ``Bearer <token>``, and of no other."""
    parts = header.decode("latin-1").split()
    if len(parts) != _PARTS or parts[0].lower() != "bearer":
        return None
    return parts[1]
