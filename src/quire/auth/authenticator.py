"""Authenticates a principal, with its ability, by an ``Authorization`` header.

Results are cached by a hash of the header until a table that they were read from changes, and never
beyond the expiry of the credential. Failures are not cached.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import ClassVar, TypeVar
from unicodedata import is_normalized

import structlog
from msgspec import Struct

from quire.access.ability import NO_PERMISSIONS, Ability, FullAccess, Granted, ReadOnly
from quire.access.principal import Anonymous, ApiToken, EndUser, Principal
from quire.access.row_rules import bind_rules
from quire.auth.jwt_and_api_tokens import hash_api_token, read_claims, read_jwt
from quire.auth.sessions import Sessions
from quire.clock import Clock
from quire.database.interface import Database
from quire.database.outage_log import describe_failure
from quire.database.program import Program
from quire.database.stores.auth_rows import Accounts, TokenRow, UserRow
from quire.database.versioned_cache import VersionedCache, VersionedValue
from quire.errors import AppError, RejectedCredentialError
from quire.metrics.caches import CacheCounter

T = TypeVar("T")

_log = structlog.get_logger("quire.auth")

EXPIRED_MESSAGE = "Token expired"
INVALID_CREDENTIALS = "Invalid credentials"
_HOUR_MS = 3_600_000
_PARTS = 2
_NO_EXPIRY = float("inf")
_NOBODY: Mapping[str, object] = {}
_NO_SESSION = "the token is neither an API token nor one of a session that has not ended"


class _VerifiedPrincipal(Struct, frozen=True):
    """A principal, and until when it is cached (epoch milliseconds).

    That is the expiry of its credential, or the time to record the use of a token again.
    """

    principal: Principal
    until: float


class Authenticator:
    """Verifies credentials against the database of a project.

    With ``reads_role_names`` end users have the names of their roles, for the log.
    """

    reads_role_names: ClassVar[bool] = False

    def __init__(
        self,
        database: Database,
        accounts: Accounts,
        *,
        clock: Clock,
        api_token_salt: str | None,
        jwt_secret: str | None,
        cache_size: int,
        sessions: Sessions | None = None,
        counter: CacheCounter | None = None,
    ) -> None:
        """``counter`` counts the lookups of verified credentials."""
        self._counter = counter or CacheCounter()
        self._database = database
        self._accounts = accounts
        self._clock = clock
        self._salt = api_token_salt
        self._jwt_secret = jwt_secret
        self._sessions = sessions
        tables = accounts.tables if sessions is None else accounts.tables | sessions.tables
        self._tables = tables
        self._verified: VersionedCache[bytes, _VerifiedPrincipal] = VersionedCache(
            database.versions, cache_size
        )
        self._counter.entries = self._verified.__len__
        self._anonymous: VersionedValue[Anonymous] = VersionedValue(database.versions, tables)
        self._touched: dict[int, int] = {}

    def cached_principal(self, credential: bytes | None, version: int | None) -> Principal | None:
        """Return the cached principal of a credential, if it is still valid.

        ``credential`` is the fingerprint of the header, ``None`` without one; ``version`` is the
        present content version.
        """
        principal = self._cached_principal(credential, version)
        if principal is None:
            self._counter.misses += 1
        else:
            self._counter.hits += 1
        return principal

    def _cached_principal(self, credential: bytes | None, version: int | None) -> Principal | None:
        if credential is None:
            return self._anonymous.get(version)
        cached_entry = self._verified.get(credential, version)
        if cached_entry is None or cached_entry.until <= self._clock():
            return None
        return cached_entry.principal

    async def principal(self, header: bytes | None, version: int | None) -> Principal:
        """Return the principal of a request.

        ``version`` is the present content version. Raises RejectedCredentialError for bearer tokens
        that are unknown, expired or of a user who may not sign in. Other headers count as no
        credentials at all.
        """
        token = None if header is None else bearer_token(header)
        if header is None or token is None:
            return await self._anonymous_principal(version)
        principal, expires_at = await self._verify(token)
        if isinstance(principal, ApiToken):
            expires_at = min(expires_at, await self._note_use(principal))
        cached_entry = _VerifiedPrincipal(principal, expires_at)
        self._verified.keep(fingerprint(header), version, cached_entry, self._tables)
        return principal

    async def role_principal(self, role_id: int) -> Principal:
        """Return a principal with the permissions of a role of end users."""
        return Anonymous(await self._role_ability(role_id))

    async def user_principal(self, user_id: int) -> EndUser:
        """Return an end user without a credential.

        Raises RejectedCredentialError for users who may not sign in.
        """
        principal, _ = await self._end_user(user_id, 0)
        return principal

    async def user_principal_by_email(self, email: str) -> EndUser:
        """Return the end user with an e-mail, without a credential; else as `user_principal`."""
        user = await self._run(lambda: self._accounts.user_by_email(email.lower()))
        # As for providers, lower case must not make an e-mail that of somebody else.
        if user is None or not is_normalized("NFC", email):
            reason = "there is no end user with the e-mail"
            raise RejectedCredentialError(reason, INVALID_CREDENTIALS)
        return await self.user_principal(user.id)

    async def jwt_user_id(self, token: str) -> int | None:
        """Return the id of the end user to whom a JWT was issued, ``None`` for invalid ones.

        Whether the user may still sign in is not checked, as in Strapi's service ``jwt``.
        """
        if self._sessions is not None:
            session = await self._find_session(self._sessions, token)
            return None if session is None else session[0]
        claims = self._read_jwt(token)
        return None if claims is None else claims[0]

    async def _run(self, make: Callable[[], Program[T]]) -> T:
        return await self._database.read(make)

    async def _anonymous_principal(self, version: int | None) -> Anonymous:
        cached_principal = self._anonymous.get(version)
        if cached_principal is not None:
            return cached_principal
        role_id = await self._run(lambda: self._accounts.role_of_type("public"))
        principal = Anonymous(await self._role_ability(role_id))
        self._anonymous.set(version, principal)
        return principal

    async def _role_ability(
        self, role_id: int | None, places: Mapping[str, object] = _NOBODY
    ) -> Ability:
        """Return the ability of a role.

        ``places`` are the values of placeholders in its row rules.
        """
        if role_id is None:
            return NO_PERMISSIONS
        actions = await self._run(lambda: self._accounts.role_actions(role_id))
        rules = await self._run(lambda: self._accounts.role_rules(role_id))
        granted_rules = {action: rule for action, rule in rules.items() if action in actions}
        return Granted(actions, bind_rules(granted_rules, places))

    async def _verify(self, token: str) -> tuple[Principal, float]:
        """Return the principal of a token, and its expiry (epoch milliseconds)."""
        row = await self._find_api_token(token)
        if row is not None:
            return await self._api_token(row)
        if self._sessions is not None:
            return await self._session_principal(self._sessions, token)
        claims = self._read_jwt(token)
        if claims is None:
            raise RejectedCredentialError(self._jwt_problem(token))
        user_id, expiry = claims
        return await self._end_user(user_id, expiry * 1000)

    def _read_jwt(self, token: str) -> tuple[int, int] | None:
        return read_jwt(token, self._jwt_secret, self._clock()) if self._jwt_secret else None

    def _jwt_problem(self, token: str) -> str:
        """Return why a token that is no API token is no valid JWT either."""
        if self._jwt_secret and read_claims(token, self._jwt_secret, 0) is not None:
            return "the JWT has expired"
        return "the token is neither an API token nor a JWT of this server"

    async def _find_session(self, sessions: Sessions, token: str) -> tuple[int, str, int] | None:
        now = self._clock()
        return await self._run(lambda: sessions.user_of(token, now))

    async def _session_principal(self, sessions: Sessions, token: str) -> tuple[EndUser, float]:
        session = await self._find_session(sessions, token)
        if session is None:
            raise RejectedCredentialError(_NO_SESSION)
        user_id, session_id, expires_at = session
        return await self._end_user(user_id, expires_at, session_id)

    async def _find_api_token(self, token: str) -> TokenRow | None:
        if self._salt is None:
            return None
        access_key = hash_api_token(token, self._salt)
        return await self._run(lambda: self._accounts.api_token(access_key))

    async def _api_token(self, row: TokenRow) -> tuple[ApiToken, float]:
        if row.expires_at is not None and row.expires_at <= self._clock():
            reason = f"the API token {row.id} has expired"
            raise RejectedCredentialError(reason, EXPIRED_MESSAGE)
        principal = ApiToken(
            id=row.id,
            type=row.type,
            last_used_at=row.last_used_at,
            ability=await self._token_ability(row),
        )
        return principal, _NO_EXPIRY if row.expires_at is None else row.expires_at

    async def _token_ability(self, row: TokenRow) -> Ability:
        match row.type:
            case "full-access":
                return FullAccess()
            case "read-only":
                return ReadOnly()
            case _:
                return Granted(await self._run(lambda: self._accounts.token_actions(row.id)))

    async def _end_user(
        self, user_id: int, expires_at: int, session_id: str | None = None
    ) -> tuple[EndUser, float]:
        user = await self._run(lambda: self._accounts.user(user_id))
        problem = None
        if user is None:
            problem = "was deleted"
        elif user.blocked:
            problem = "is blocked"
        elif not user.confirmed and await self.confirmation_required():
            problem = "has not confirmed the e-mail"
        if user is None or problem is not None:
            reason = f"the end user {user_id} {problem}"
            raise RejectedCredentialError(reason, INVALID_CREDENTIALS)
        ability = await self._role_ability(user.role_id, _placeholder_values(user))
        principal = EndUser(
            id=user.id,
            document_id=user.document_id,
            role_id=user.role_id,
            role_name=await self._role_name(user.role_id),
            ability=ability,
            session_id=session_id,
        )
        return principal, expires_at

    async def _role_name(self, role_id: int | None) -> str | None:
        """Return the name of a role for the log; ``None`` if the log does not need it."""
        if role_id is None or not self.reads_role_names:
            return None
        return await self._run(lambda: self._accounts.role_name(role_id))

    async def confirmation_required(self) -> bool:
        """Tell whether end users must confirm their e-mail before they sign in."""
        key = "plugin_users-permissions_advanced"
        advanced_settings = await self._run(lambda: self._accounts.stored(key))
        return (
            isinstance(advanced_settings, dict)
            and advanced_settings.get("email_confirmation") is True
        )

    async def _note_use(self, token: ApiToken) -> int:
        """Record the last use of a token, at most once per hour.

        Returns when that is due again (epoch milliseconds). If the database is read-only, the
        request continues.
        """
        now = self._clock()
        last = max(token.last_used_at or 0, self._touched.get(token.id, 0))
        if now - last < _HOUR_MS:
            return last + _HOUR_MS
        self._touched[token.id] = now
        try:
            await self._database.write(self._accounts.touch_token(token.id, now))
        except AppError as error:
            fields = describe_failure(error)
            _log.warning("use of a token was not noted", token=token.id, **fields)
        return now + _HOUR_MS


def _placeholder_values(user: UserRow) -> Mapping[str, object]:
    return {
        "$user.id": user.id,
        "$user.documentId": user.document_id,
        "$user.username": user.username,
        "$user.email": user.email,
    }


def fingerprint(header: bytes) -> bytes:
    """Return the cache key of a header; the credential itself is not stored."""
    return hashlib.blake2b(header, digest_size=16).digest()


def bearer_token(header: bytes) -> str | None:
    """Return the token of a header ``Bearer <token>``, ``None`` for any other."""
    parts = header.decode("latin-1").split()
    if len(parts) != _PARTS or parts[0].lower() != "bearer":
        return None
    return parts[1]
