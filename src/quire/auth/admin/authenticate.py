"""Authenticates an administrator by an ``Authorization`` header.

Results are cached by a hash of the header until a table that they were read from changes, and never
beyond the expiry of the token: changes of roles, permissions, sessions and accounts count from the
next request on.
"""

from msgspec import Struct

from quire.access.admin_ability import AdminAbility
from quire.access.admin_grants import ability_of, super_ability
from quire.access.principal import Administrator
from quire.auth.admin.user_rows import AdminUser, AdminUserRows
from quire.auth.authenticator import bearer_token
from quire.auth.sessions import Sessions
from quire.clock import Clock
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.versioned_cache import VersionedCache
from quire.errors import RejectedCredentialError
from quire.schema.model import Schema

_NO_CREDENTIAL = "the request has no bearer token"
_NO_SESSION = "the access token is invalid or has expired, or its session has ended"


class _VerifiedAdministrator(Struct, frozen=True):
    administrator: Administrator
    until: int


class AdminAuthenticator:
    """Verifies the access tokens of administrators."""

    def __init__(
        self,
        database: Database,
        schema: Schema,
        admin_users: AdminUserRows,
        sessions: Sessions | None,
        *,
        clock: Clock,
        cache_size: int,
    ) -> None:
        """Without ``sessions`` nobody can sign in, because there is no signing secret."""
        self._database = database
        self._schema = schema
        self._admin_users = admin_users
        self._sessions = sessions
        self._clock = clock
        tables = admin_users.tables
        self._tables = tables if sessions is None else tables | sessions.tables
        self._known: VersionedCache[bytes, _VerifiedAdministrator] = VersionedCache(
            database.versions, cache_size
        )

    async def administrator(
        self, header: bytes | None, credential: bytes | None, version: int | None
    ) -> Administrator:
        """Return the administrator who sends a request.

        ``credential`` is the fingerprint of the header, ``version`` the present content version.
        Raises RejectedCredentialError unless it is a valid access token of an active administrator.
        """
        cached_entry = None if credential is None else self._known.get(credential, version)
        if cached_entry is not None and cached_entry.until > self._clock():
            return cached_entry.administrator
        token = None if header is None else bearer_token(header)
        if token is None:
            raise RejectedCredentialError(_NO_CREDENTIAL)
        verified = await self._database.read(lambda: self._find(token), snapshot=True)
        if credential is not None:
            self._known.keep(credential, version, verified, self._tables)
        return verified.administrator

    def _find(self, token: str) -> Program[_VerifiedAdministrator]:
        """Return the administrator of a token. Raises RejectedCredentialError."""
        session = None
        if self._sessions is not None:
            session = yield from self._sessions.user_of(token, self._clock())
        if session is None:
            raise RejectedCredentialError(_NO_SESSION)
        admin_user = yield from self._admin_users.admin_user(session[0])
        if admin_user is None or not admin_user.may_sign_in:
            reason = f"the administrator {session[0]} was deleted, deactivated or blocked"
            raise RejectedCredentialError(reason)
        administrator = Administrator(
            id=admin_user.id,
            document_id=str(admin_user.row.document_id),
            email=admin_user.email,
            session_id=session[1],
            ability=(yield from self.ability_of(admin_user)),
        )
        return _VerifiedAdministrator(administrator, session[2])

    def ability_of(self, admin_user: AdminUser) -> Program[AdminAbility]:
        """Compute the ability of an administrator."""
        if admin_user.is_super_admin:
            return super_ability(self._schema, user_id=admin_user.id, role_ids=admin_user.role_ids)
        permissions = yield from self._admin_users.permissions(admin_user.role_ids)
        return ability_of(
            self._schema,
            [permission.grant for permission in permissions],
            user_id=admin_user.id,
            role_ids=admin_user.role_ids,
        )
