"""Administrators and their roles, as rows.

Secrets (password hashes, tokens) are read only where they are compared, and never shown.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import Struct

from quire.access.admin_actions import SUPER_ADMIN_CODE
from quire.access.admin_grants import Grant
from quire.database.program import Program
from quire.database.stores.builtin_type_table import ContentTables
from quire.database.stores.core_store import read_setting
from quire.database.stores.row_conditions import Condition, eq
from quire.errors import UnauthorizedError
from quire.schema.model import ADMIN_USER_UID, LOCALE_UID

ADMIN_ROLE_UID = "admin::role"
ADMIN_PERMISSION_UID = "admin::permission"
DEFAULT_LOCALE = "plugin_i18n_default_locale"


class StoredAdminRole(Struct, frozen=True, kw_only=True, rename="camel"):
    """A role of administrators as stored; times are epoch milliseconds."""

    id: int
    document_id: str | None = None
    name: str | None = None
    code: str | None = None
    description: str | None = None
    created_at: int | None = None
    updated_at: int | None = None
    published_at: int | None = None
    locale: str | None = None

    @property
    def is_super_admin(self) -> bool:
        """Whether it is the role of super admins."""
        return self.code == SUPER_ADMIN_CODE


class AdminUserRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """An administrator as stored; ``password`` is the hash of it."""

    id: int
    document_id: str | None = None
    firstname: str | None = None
    lastname: str | None = None
    username: str | None = None
    email: str | None = None
    password: str | None = None
    is_active: bool | None = None
    blocked: bool | None = None
    prefered_language: str | None = None
    created_at: int | None = None
    updated_at: int | None = None
    published_at: int | None = None
    locale: str | None = None


class _PermissionRow(Struct, frozen=True, kw_only=True, rename="camel"):
    id: int
    action: str = ""
    action_parameters: Any = None
    subject: str | None = None
    properties: Mapping[str, object] = {}
    conditions: tuple[str, ...] = ()


class _LocaleRow(Struct, frozen=True, kw_only=True):
    id: int
    name: str | None = None
    code: str | None = None


class AdminUser(Struct, frozen=True, kw_only=True):
    """An administrator with their roles."""

    row: AdminUserRow
    roles: tuple[StoredAdminRole, ...]

    @property
    def id(self) -> int:
        """The id of the row."""
        return self.row.id

    @property
    def email(self) -> str:
        """The address that they sign in with."""
        return self.row.email or ""

    @property
    def may_sign_in(self) -> bool:
        """Whether the account is active and not blocked."""
        return self.row.is_active is True and self.row.blocked is not True

    @property
    def role_ids(self) -> frozenset[int]:
        """The ids of the roles."""
        return frozenset(role.id for role in self.roles)

    @property
    def is_super_admin(self) -> bool:
        """Whether one of the roles is that of super admins."""
        return any(role.is_super_admin for role in self.roles)


class StoredPermission(Struct, frozen=True, kw_only=True):
    """A stored permission, with its shown fields."""

    id: int
    grant: Grant
    action_parameters: object


class AdminUserRows:
    """The programs that look up administrators, roles and permissions."""

    def __init__(self, tables: ContentTables) -> None:
        self._users = tables.table_for(ADMIN_USER_UID, AdminUserRow)
        self._roles = tables.table_for(ADMIN_ROLE_UID, StoredAdminRole)
        self._permissions = tables.table_for(ADMIN_PERMISSION_UID, _PermissionRow)
        self._locales = tables.table_for(LOCALE_UID, _LocaleRow)
        self._writes = tables.store.writes

    def require(self, user_id: int) -> Program[AdminUser]:
        """Return the administrator of a request. Raises UnauthorizedError if they were deleted."""
        admin_user = yield from self.admin_user(user_id)
        if admin_user is None:
            raise UnauthorizedError
        return admin_user

    @property
    def tables(self) -> frozenset[str]:
        """The tables that administrators and their permissions are read from."""
        users, roles = self._users.tables("roles"), self._roles.tables("permissions")
        return users | roles | self._permissions.tables()

    def exist(self) -> Program[bool]:
        """Tell whether there is any administrator."""
        return (yield from self._users.count()) > 0

    def admin_user(self, admin_user_id: int) -> Program[AdminUser | None]:
        """Return an administrator by id."""
        admin_users = yield from self.admin_users([admin_user_id])
        return admin_users[0] if admin_users else None

    def admin_users(self, ids: Collection[int]) -> Program[list[AdminUser]]:
        """Return administrators by their ids, in the order of the ids."""
        return (yield from self._with_roles((yield from self._users.by_ids(ids))))

    def all(self) -> Program[list[AdminUser]]:
        """Return all administrators, by their ids."""
        return (yield from self._select_users())

    def by_email(self, email: str) -> Program[list[AdminUser]]:
        """Return the administrators with an e-mail, which is compared in lower case."""
        return (yield from self._select_users(eq("email", email.lower())))

    def by_registration_token(self, token: str) -> Program[AdminUser | None]:
        """Return the administrator who was invited with a token."""
        admin_users = yield from self._select_users(eq("registrationToken", token))
        return admin_users[0] if admin_users else None

    def by_reset_token(self, token: str) -> Program[tuple[AdminUser, int | None] | None]:
        """Return the administrator with a password reset token, and its expiry."""
        admin_users = yield from self._select_users(eq("resetPasswordToken", token))
        if not admin_users:
            return None
        condition = eq("id", admin_users[0].id)
        expiry_times = yield from self._users.values("resetPasswordTokenExpiresAt", condition)
        expires_at = expiry_times[0] if expiry_times else None
        return admin_users[0], expires_at if isinstance(expires_at, int) else None

    def roles(self, ids: Collection[int]) -> Program[list[StoredAdminRole]]:
        """Return roles by their ids."""
        return (yield from self._roles.by_ids(ids))

    def super_admin_roles(self) -> Program[list[StoredAdminRole]]:
        """Return the super admin role; there is one in a consistent database."""
        return (yield from self._roles.select(eq("code", SUPER_ADMIN_CODE)))

    def members(self, role_ids: Collection[int]) -> Program[dict[int, list[int]]]:
        """Return the ids of the administrators of each role."""
        return (yield from self._roles.linked("users", role_ids))

    def permissions(self, role_ids: Collection[int]) -> Program[list[StoredPermission]]:
        """Return the permissions of roles, by their ids."""
        ids_by_role = yield from self._roles.linked("permissions", role_ids)
        ids = {row_id for permission_ids in ids_by_role.values() for row_id in permission_ids}
        return [_permission(row) for row in (yield from self._permissions.by_ids(ids))]

    def locales(self) -> Program[list[str]]:
        """Return the codes of the locales, by their ids."""
        return [str(row.code) for row in (yield from self._locales.select())]

    def named_locales(self) -> Program[dict[str | None, str | None]]:
        """Return the names of the locales by code, in the order of their ids."""
        return {row.code: row.name for row in (yield from self._locales.select())}

    def default_locale(self) -> Program[str | None]:
        """Return the code of the default locale."""
        locale = yield from read_setting(self._writes, DEFAULT_LOCALE)
        return locale if isinstance(locale, str) else None

    def _select_users(self, *where: Condition) -> Program[list[AdminUser]]:
        return (yield from self._with_roles((yield from self._users.select(*where))))

    def _with_roles(self, rows: Sequence[AdminUserRow]) -> Program[list[AdminUser]]:
        ids_by_user = yield from self._users.linked("roles", [row.id for row in rows])
        role_ids = {role_id for user_role_ids in ids_by_user.values() for role_id in user_role_ids}
        roles = {role.id: role for role in (yield from self.roles(role_ids))}
        return [
            AdminUser(row=row, roles=tuple(roles[i] for i in ids_by_user[row.id] if i in roles))
            for row in rows
        ]


def _permission(row: _PermissionRow) -> StoredPermission:
    return StoredPermission(
        id=row.id,
        grant=Grant(
            action=row.action,
            subject=row.subject,
            properties=row.properties,
            conditions=row.conditions,
        ),
        action_parameters=row.action_parameters,
    )
