"""Accounts of administrators: registration and sign-in.

Passwords are hashed and compared before a transaction begins, because that is slow by design. A
change of the password ends all sessions.
"""

import hashlib
import hmac
import uuid
from collections.abc import Mapping

from msgspec import Struct

from quire.access.admin_actions import SUPER_ADMIN_CODE
from quire.auth.admin.second_factor import SecondFactors
from quire.auth.admin.user_rows import ADMIN_ROLE_UID, AdminUser, AdminUserRows, StoredAdminRole
from quire.auth.passwords import hash_in_background, verify_password
from quire.auth.sessions import Sessions, Tokens
from quire.clock import Clock
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.builtin_type_table import BaseRow, ContentTables
from quire.database.stores.row_conditions import eq
from quire.errors import ApplicationError, ForbiddenError, ValidationError
from quire.schema.model import ADMIN_USER_UID

INVALID_CREDENTIALS = "Invalid credentials"
NOT_ACTIVE = "User not active"
NO_SECOND_FIRST = "You cannot register a new super admin"
NO_SUPER_ADMIN_ROLE = "Cannot register the first admin because the super admin role doesn't exist."
BAD_INVITATION = "Invalid registration info"
NO_LINK = "The first administrator is made with the link that the server printed when it started."
_FIRST_ADMINISTRATOR = b"first administrator"


class AdminDevice(Struct, frozen=True, kw_only=True):
    """The client that signs in; ``remember`` makes the session persistent."""

    id: str
    name: str | None = None
    remember: bool = False


class SignInResult(Struct, frozen=True, kw_only=True):
    """The result of a sign-in."""

    admin_user: AdminUser
    tokens: Tokens


class AdminAccounts:
    """Signs administrators in and out, and lets them register."""

    def __init__(
        self,
        database: Database,
        tables: ContentTables,
        admin_users: AdminUserRows,
        sessions: Sessions,
        factors: SecondFactors,
        *,
        clock: Clock,
        registration_key: str | None,
    ) -> None:
        """Without ``registration_key`` anybody may register as the first administrator."""
        self._database = database
        self._users = tables.table_for(ADMIN_USER_UID, BaseRow)
        self._roles = tables.table_for(ADMIN_ROLE_UID, BaseRow)
        self._admin_users = admin_users
        self._sessions = sessions
        self._factors = factors
        self._clock = clock
        self._registration_key = registration_key

    async def exist(self) -> bool:
        """Tell whether there is any administrator."""
        return await self._database.read(self._admin_users.exist)

    async def first_token(self) -> str | None:
        """Return the registration token of the first administrator.

        ``None`` when there is an administrator already, or no token is needed. It is the same in
        every process, and becomes invalid with the first administrator.
        """
        if self._registration_key is None or await self.exist():
            return None
        role = await self._database.read(self._super_admin_role)
        text = _FIRST_ADMINISTRATOR + str(role.document_id if role else "").encode()
        return hmac.new(self._registration_key.encode(), text, hashlib.sha256).hexdigest()

    async def identified(self, email: str, password: str) -> AdminUser:
        """Return the administrator with an e-mail and a password.

        Raises ApplicationError for wrong ones, and for inactive accounts.
        """
        admin_users = await self._database.read(lambda: self._admin_users.by_email(email))
        admin_user = admin_users[0] if admin_users else None
        matches = await verify_password(password, admin_user.row.password if admin_user else None)
        if admin_user is None or not matches:
            raise ApplicationError(INVALID_CREDENTIALS)
        if not admin_user.may_sign_in:
            raise ApplicationError(NOT_ACTIVE)
        return admin_user

    async def sign_in(
        self, admin_user: AdminUser, device: AdminDevice, code: str | None
    ) -> SignInResult:
        """Start a session of an administrator whose password was checked.

        With a second factor, a code is needed as well. Raises SecondFactorError without one, and
        ApplicationError for a wrong one and if the account has been changed since.
        """

        def program() -> Program[SignInResult]:
            present = yield from self._admin_users.admin_user(admin_user.id)
            # A change of the password has ended all sessions, so none may begin with the old one.
            if present is None or present.row.password != admin_user.row.password:
                raise ApplicationError(INVALID_CREDENTIALS)
            if not present.may_sign_in:
                raise ApplicationError(NOT_ACTIVE)
            yield from self._factors.require(admin_user, code)
            return SignInResult(
                admin_user=admin_user,
                tokens=(yield from self._start_session(admin_user.id, device)),
            )

        return await self._database.write(program())

    async def begin(self, admin_user: AdminUser, device: AdminDevice) -> SignInResult:
        """Start a session of an administrator who is fully authenticated."""
        tokens = await self._database.write(self._start_session(admin_user.id, device))
        return SignInResult(admin_user=admin_user, tokens=tokens)

    async def refresh(self, token: str) -> Tokens | None:
        """Exchange a refresh token; ``None`` when it is invalid."""
        return await self._database.write(self._sessions.rotate(token, self._clock()))

    async def sign_out(self, user_id: int, session_id: str, device_id: str | None = None) -> None:
        """End all sessions of an administrator, or with a device those of the caller's device.

        As in Strapi, the session says which device that is, and ``device_id`` only where it does
        not.
        """

        def program() -> Program[None]:
            device = device_id
            if device is not None:
                device = (yield from self._sessions.device_of(user_id, session_id)) or device
            yield from self._sessions.end_all(user_id, device_id=device)

        await self._database.write(program())

    async def invited(self, token: str) -> AdminUser | None:
        """Return the administrator who was invited with a token."""
        return await self._database.read(lambda: self._admin_users.by_registration_token(token))

    async def register(
        self, token: str, info: Mapping[str, object], password: str, device: AdminDevice
    ) -> SignInResult:
        """Set the password of an invited administrator, and sign them in.

        This uses up the invitation. Raises ValidationError for an invalid one.
        """
        if await self.invited(token) is None:
            raise ValidationError(BAD_INVITATION)
        password_hash = await hash_in_background(password)

        def program() -> Program[SignInResult]:
            admin_user = yield from self._admin_users.by_registration_token(token)
            if admin_user is None:
                raise ValidationError(BAD_INVITATION)
            values = {
                **info,
                "password": password_hash,
                "registrationToken": None,
                "isActive": True,
            }
            yield from self._users.change(admin_user.id, values, now=self._clock())
            return (yield from self._sign_in(admin_user.id, device))

        return await self._database.write(program())

    async def register_first(
        self, info: Mapping[str, object], password: str, device: AdminDevice, token: str | None
    ) -> SignInResult:
        """Create the first administrator, a super admin, and sign them in.

        Raises ApplicationError when there is one already, and ForbiddenError without the
        registration token.
        """
        if await self.exist():
            raise ApplicationError(NO_SECOND_FIRST)
        await self._require_first_token(token)
        password_hash = await hash_in_background(password)

        def program() -> Program[SignInResult]:
            role = yield from self._super_admin_role()
            if role is None:
                raise ApplicationError(NO_SUPER_ADMIN_ROLE)
            # This write comes first, so that concurrent registrations wait for each other here.
            unchanged_values = {"code": SUPER_ADMIN_CODE}
            yield from self._roles.update(unchanged_values, eq("id", role.id))
            if (yield from self._admin_users.exist()):
                raise ApplicationError(NO_SECOND_FIRST)
            values = {**info, "password": password_hash, "isActive": True, "blocked": False}
            now = self._clock()
            user_id = yield from self._users.create(values, now=now)
            yield from self._users.link("roles", user_id, [role.id], creating=True)
            return (yield from self._sign_in(user_id, device))

        return await self._database.write(program())

    async def _require_first_token(self, token: str | None) -> None:
        expected_token = await self.first_token()
        value = "" if token is None else token
        if expected_token is not None and not hmac.compare_digest(
            value.encode(), expected_token.encode()
        ):
            raise ForbiddenError(NO_LINK)

    def _super_admin_role(self) -> Program[StoredAdminRole | None]:
        roles = yield from self._admin_users.super_admin_roles()
        return roles[0] if roles else None

    def _sign_in(self, user_id: int, device: AdminDevice) -> Program[SignInResult]:
        admin_user = yield from self._admin_users.admin_user(user_id)
        if admin_user is None:
            raise LookupError(f"there is no administrator {user_id}")
        return SignInResult(
            admin_user=admin_user, tokens=(yield from self._start_session(user_id, device))
        )

    def _start_session(self, user_id: int, device: AdminDevice) -> Program[Tokens]:
        now = self._clock()
        return (
            yield from self._sessions.begin(
                user_id,
                device_id=device.id,
                device_name=device.name,
                remember=device.remember,
                now=now,
            )
        )


def new_device_id() -> str:
    """Return a new device id."""
    return str(uuid.uuid4())
