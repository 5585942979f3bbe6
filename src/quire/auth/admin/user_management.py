"""Invites, changes and deletes administrators.

At least one super admin always remains. A new password ends all sessions.
"""

import secrets
from collections.abc import Collection, Mapping

from msgspec import Struct

from quire.access.admin_ability import AdminAbility
from quire.access.admin_actions import SUPER_ADMIN_CODE
from quire.auth.admin.grant_limits import GrantLimits
from quire.auth.admin.user_rows import ADMIN_ROLE_UID, AdminUser, AdminUserRows, StoredAdminRole
from quire.auth.passwords import hash_in_background
from quire.auth.sessions import Sessions
from quire.clock import Clock
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.builtin_type_table import BaseRow, ContentTables
from quire.database.stores.row_conditions import in_list
from quire.errors import ApplicationError, ConflictError, NotFoundError, ValidationError
from quire.schema.model import ADMIN_USER_UID

EMAIL_TAKEN = "Email already taken"
ANOTHER_HAS_EMAIL = "A user with this email address already exists"
NOT_FOUND = "User does not exist"
NOTHING_TO_DELETE = "User not found"
LAST_SUPER_ADMIN = "You must have at least one user with super admin role."
PASSWORD_CHANGED = "The password was changed meanwhile"  # noqa: S105 - a message
HAS_REGISTERED = "This administrator has registered already"
NO_SUCH_ROLE = "There is no role with the id {}"
_TOKEN_BYTES = 20


class AdminUserChange(Struct, frozen=True, kw_only=True):
    """The requested changes; ``roles`` and ``password`` only if they are given."""

    values: Mapping[str, object]
    roles: Collection[int] | None = None
    password: str | None = None


class AdminUserManagement:
    """Writes administrators, each change in one transaction."""

    def __init__(
        self,
        database: Database,
        tables: ContentTables,
        admin_users: AdminUserRows,
        sessions: Sessions,
        limits: GrantLimits,
        *,
        clock: Clock,
    ) -> None:
        self._database = database
        self._users = tables.table_for(ADMIN_USER_UID, BaseRow)
        self._roles = tables.table_for(ADMIN_ROLE_UID, BaseRow)
        self._admin_users = admin_users
        self._sessions = sessions
        self._limits = limits
        self._clock = clock

    async def invite(
        self, values: Mapping[str, object], roles: Collection[int], ability: AdminAbility
    ) -> tuple[AdminUser, str]:
        """Create an administrator who has no password yet.

        Returns them, and the invitation token. Raises ApplicationError for an e-mail that is in
        use, ValidationError for missing roles, and ForbiddenError for roles beyond ``ability``.
        """
        token = secrets.token_hex(_TOKEN_BYTES)

        def program() -> Program[AdminUser]:
            if (yield from self._admin_users.by_email(str(values["email"]))):
                raise ApplicationError(EMAIL_TAKEN)
            yield from self._require_roles(ability, roles)
            user_values = {
                **values,
                "registrationToken": token,
                "isActive": False,
                "blocked": False,
            }
            now = self._clock()
            admin_user_id = yield from self._users.create(user_values, now=now)
            yield from self._link(admin_user_id, roles, creating=True)
            return (yield from self._get_admin_user(admin_user_id))

        return await self._database.write(program()), token

    async def renew_invitation(
        self, admin_user_id: int, ability: AdminAbility
    ) -> tuple[AdminUser, str]:
        """Replace the invitation of an administrator who has no password yet.

        Returns them, and the invitation token; the former one becomes invalid. Raises
        NotFoundError, ApplicationError for those who have a password, and ForbiddenError for those
        with permissions beyond ``ability``.
        """
        token = secrets.token_hex(_TOKEN_BYTES)

        def program() -> Program[AdminUser]:
            admin_user = yield from self._get_admin_user(admin_user_id)
            yield from self._limits.require_admin_user(ability, admin_user)
            if admin_user.row.password is not None:
                raise ApplicationError(HAS_REGISTERED)
            values = {"registrationToken": token}
            yield from self._users.change(admin_user_id, values, now=self._clock())
            return admin_user

        return await self._database.write(program()), token

    async def change(
        self, admin_user_id: int, change: AdminUserChange, ability: AdminAbility
    ) -> AdminUser:
        """Change an administrator. Raises NotFoundError, and what `invite` raises."""
        password_hash = (
            None if change.password is None else await hash_in_background(change.password)
        )

        def program() -> Program[AdminUser]:
            admin_user = yield from self._get_admin_user(admin_user_id)
            yield from self._limits.require_admin_user(ability, admin_user)
            yield from self._require_own_email(admin_user, change.values.get("email"))
            if change.roles is not None:
                roles = yield from self._require_roles(ability, change.roles)
                if not any(role.is_super_admin for role in roles):
                    yield from self._require_another(admin_user)
                yield from self._link(admin_user_id, change.roles, creating=False)
            if change.values.get("isActive") is False:
                yield from self._require_another(admin_user)
            yield from self._write(admin_user_id, change.values, password_hash)
            return (yield from self._get_admin_user(admin_user_id))

        return await self._database.write(program())

    async def change_self(
        self,
        admin_user_id: int,
        values: Mapping[str, object],
        password: str | None,
        current_hash: str | None,
    ) -> AdminUser:
        """Change the administrator's own profile.

        With a ``password``, ``current_hash`` is that of the password that they have proved to know.
        Raises ApplicationError for an e-mail that is in use, and ConflictError if they have got
        another password meanwhile.
        """
        password_hash = None if password is None else await hash_in_background(password)

        def program() -> Program[AdminUser]:
            admin_user = yield from self._get_admin_user(admin_user_id)
            if password_hash is not None and admin_user.row.password != current_hash:
                raise ConflictError(PASSWORD_CHANGED)
            yield from self._require_own_email(admin_user, values.get("email"), EMAIL_TAKEN)
            yield from self._write(admin_user_id, values, password_hash)
            return (yield from self._get_admin_user(admin_user_id))

        return await self._database.write(program())

    async def delete(self, ids: Collection[int], ability: AdminAbility) -> list[AdminUser]:
        """Delete administrators, all of them or none; returns them.

        Raises NotFoundError, ValidationError when no super admin would be left, and ForbiddenError
        for those with permissions beyond ``ability``.
        """

        def program() -> Program[list[AdminUser]]:
            admin_users = yield from self._admin_users.admin_users(ids)
            if len(admin_users) < len(set(ids)):
                raise NotFoundError(NOTHING_TO_DELETE)
            for admin_user in admin_users:
                yield from self._limits.require_admin_user(ability, admin_user)
            yield from self._require_another(*admin_users)
            for admin_user in admin_users:
                yield from self._sessions.end_all(admin_user.id)
            yield from self._users.delete_ids([admin_user.id for admin_user in admin_users])
            return admin_users

        return await self._database.write(program())

    def _write(
        self, admin_user_id: int, values: Mapping[str, object], password_hash: str | None
    ) -> Program[None]:
        changed_values = dict(values)
        if password_hash is not None:
            changed_values |= {
                "password": password_hash,
                "resetPasswordToken": None,
                "resetPasswordTokenExpiresAt": None,
            }
        if password_hash is not None or changed_values.get("isActive") is True:
            changed_values["registrationToken"] = None  # an unused invitation becomes invalid
        yield from self._users.change(admin_user_id, changed_values, now=self._clock())
        if password_hash is not None:
            yield from self._sessions.end_all(admin_user_id)

    def _link(self, admin_user_id: int, roles: Collection[int], *, creating: bool) -> Program[None]:
        yield from self._users.link("roles", admin_user_id, roles, creating=creating)

    def _get_admin_user(self, admin_user_id: int) -> Program[AdminUser]:
        admin_user = yield from self._admin_users.admin_user(admin_user_id)
        if admin_user is None:
            raise NotFoundError(NOT_FOUND)
        return admin_user

    def _require_roles(
        self, ability: AdminAbility, roles: Collection[int]
    ) -> Program[list[StoredAdminRole]]:
        stored_roles = yield from self._admin_users.roles(roles)
        missing_ids = set(roles).difference(role.id for role in stored_roles)
        if missing_ids:
            raise ValidationError(NO_SUCH_ROLE.format(min(missing_ids)))
        yield from self._limits.require_roles(ability, stored_roles)
        return stored_roles

    def _require_own_email(
        self, admin_user: AdminUser, address: object, message: str = ANOTHER_HAS_EMAIL
    ) -> Program[None]:
        if not isinstance(address, str):
            return
        admin_users = yield from self._admin_users.by_email(address)
        if any(other.id != admin_user.id for other in admin_users):
            raise ApplicationError(message)

    def _require_another(self, *excluded: AdminUser) -> Program[None]:
        """Check that another super admin can sign in. Raises ValidationError."""
        if not any(admin_user.is_super_admin for admin_user in excluded):
            return
        roles = yield from self._admin_users.super_admin_roles()
        role_ids = [role.id for role in roles]
        # This write comes first, so that concurrent removals wait for each other here.
        yield from self._roles.update({"code": SUPER_ADMIN_CODE}, in_list("id", role_ids))
        members = yield from self._admin_users.members(role_ids)
        ids = {admin_user_id for member_ids in members.values() for admin_user_id in member_ids}
        remaining_users = yield from self._admin_users.admin_users(
            ids.difference(user.id for user in excluded)
        )
        if not any(admin_user.may_sign_in for admin_user in remaining_users):
            raise ValidationError(LAST_SUPER_ADMIN)
