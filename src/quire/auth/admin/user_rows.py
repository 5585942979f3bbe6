"""Administrators and their roles, as rows.

What tells of a secret (passwords, tokens) is read only where it is compared, and shown nowhere.
"""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from quire.access.admin_grants import Grant
from quire.access.administration import SUPER_ADMIN_CODE
from quire.database.program import Program
from quire.database.stores.core_store import read_setting
from quire.database.stores.system_rows import Record, SystemRows
from quire.schema.model import ADMIN_USER_UID, LOCALE_UID

ADMIN_ROLE_UID = "admin::role"
ADMIN_PERMISSION_UID = "admin::permission"
DEFAULT_LOCALE = "plugin_i18n_default_locale"

PUBLIC_FIELDS = (
    "documentId",
    "firstname",
    "lastname",
    "username",
    "email",
    "isActive",
    "blocked",
    "preferedLanguage",
    "createdAt",
    "updatedAt",
    "publishedAt",
    "locale",
)
"""What is shown of an administrator, in this order."""

ROLE_FIELDS = (
    "documentId",
    "name",
    "code",
    "description",
    "createdAt",
    "updatedAt",
    "publishedAt",
    "locale",
)
"""What is shown of a role, in this order."""

_PERMISSION_FIELDS = ("action", "actionParameters", "subject", "properties", "conditions")


class AdminUser(Struct, frozen=True, kw_only=True):
    """An administrator; ``fields`` are those of `PUBLIC_FIELDS`, ``password`` is its hash."""

    id: int
    fields: Record
    roles: tuple[Record, ...]
    password: str | None = None

    @property
    def email(self) -> str:
        """The address that they sign in with."""
        return str(self.fields["email"] or "")

    @property
    def may_sign_in(self) -> bool:
        """Whether the account is active and not blocked."""
        return self.fields["isActive"] is True and self.fields["blocked"] is not True

    @property
    def role_ids(self) -> frozenset[int]:
        """The ids of the roles."""
        return frozenset(_id(role) for role in self.roles)

    @property
    def is_super_admin(self) -> bool:
        """Whether one of the roles is that of super admins."""
        return any(role["code"] == SUPER_ADMIN_CODE for role in self.roles)


class StoredPermission(Struct, frozen=True, kw_only=True):
    """A permission as stored, with what is shown of it."""

    id: int
    grant: Grant
    action_parameters: object


class AdminUserRows:
    """The programs that look up administrators, roles and permissions."""

    def __init__(self, rows: SystemRows) -> None:
        self._rows = rows

    def exist(self) -> Program[bool]:
        """Tell whether there is any administrator."""
        return (yield from self._rows.count(ADMIN_USER_UID)) > 0

    def admin_user(self, admin_user_id: int) -> Program[AdminUser | None]:
        """Return an administrator by id."""
        found = yield from self.admin_users([admin_user_id])
        return found[0] if found else None

    def admin_users(self, ids: Collection[int]) -> Program[list[AdminUser]]:
        """Return administrators by their ids, in the order of these."""
        fields = (*PUBLIC_FIELDS, "password")
        rows = yield from self._rows.listed(ADMIN_USER_UID, fields, ids)
        return (yield from self._with_roles(rows))

    def every(self) -> Program[list[AdminUser]]:
        """Return all administrators, by their ids."""
        rows = yield from self._rows.all(ADMIN_USER_UID, (*PUBLIC_FIELDS, "password"))
        return (yield from self._with_roles(rows))

    def by_email(self, email: str) -> Program[list[AdminUser]]:
        """Return the administrators with an e-mail, which is compared in lower case."""
        return (yield from self._by("email", email.lower()))

    def by_registration_token(self, token: str) -> Program[AdminUser | None]:
        """Return who was invited with a token."""
        found = yield from self._by("registrationToken", token)
        return found[0] if found else None

    def by_reset_token(self, token: str) -> Program[tuple[AdminUser, int | None] | None]:
        """Return to whom a token was sent to choose a new password, and until when it holds."""
        found = yield from self._by("resetPasswordToken", token)
        if not found:
            return None
        ends = yield from self._rows.by(
            ADMIN_USER_UID, ("resetPasswordTokenExpiresAt",), "id", found[0].id
        )
        until = ends[0]["resetPasswordTokenExpiresAt"] if ends else None
        return found[0], until if isinstance(until, int) else None

    def roles(self, ids: Collection[int] | None = None) -> Program[list[Record]]:
        """Return roles by their ids, all of them without ``ids``."""
        if ids is None:
            return (yield from self._rows.all(ADMIN_ROLE_UID, ROLE_FIELDS))
        return (yield from self._rows.listed(ADMIN_ROLE_UID, ROLE_FIELDS, ids))

    def members(self, role_ids: Collection[int]) -> Program[dict[int, list[int]]]:
        """Return the ids of the administrators of each role."""
        return (yield from self._rows.linked(ADMIN_ROLE_UID, "users", role_ids))

    def permissions(self, role_ids: Collection[int]) -> Program[list[StoredPermission]]:
        """Return the permissions of roles, by their ids."""
        linked = yield from self._rows.linked(ADMIN_ROLE_UID, "permissions", role_ids)
        ids = {row_id for several in linked.values() for row_id in several}
        rows = yield from self._rows.listed(ADMIN_PERMISSION_UID, _PERMISSION_FIELDS, ids)
        return [_permission(row) for row in rows]

    def locales(self) -> Program[list[str]]:
        """Return the codes of the locales, by their ids."""
        rows = yield from self.locale_rows()
        return [str(row["code"]) for row in rows]

    def locale_rows(self) -> Program[list[Record]]:
        """Return the locales with ``name`` and ``code``, by their ids."""
        return (yield from self._rows.all(LOCALE_UID, ("name", "code")))

    def default_locale(self) -> Program[str | None]:
        """Return the code of the default locale."""
        stored = yield from read_setting(self._rows.store.writes, DEFAULT_LOCALE)
        return stored if isinstance(stored, str) else None

    def _by(self, attribute: str, value: str) -> Program[list[AdminUser]]:
        fields = (*PUBLIC_FIELDS, "password")
        rows = yield from self._rows.by(ADMIN_USER_UID, fields, attribute, value)
        return (yield from self._with_roles(rows))

    def _with_roles(self, rows: Sequence[Record]) -> Program[list[AdminUser]]:
        ids = [_id(row) for row in rows]
        linked = yield from self._rows.linked(ADMIN_USER_UID, "roles", ids)
        wanted = {role_id for several in linked.values() for role_id in several}
        roles = {_id(role): role for role in (yield from self.roles(wanted))}
        return [
            AdminUser(
                id=_id(row),
                fields=row,
                roles=tuple(roles[role_id] for role_id in linked[_id(row)] if role_id in roles),
                password=None if row["password"] is None else str(row["password"]),
            )
            for row in rows
        ]


def _permission(row: Record) -> StoredPermission:
    properties, conditions = row["properties"], row["conditions"]
    listed = conditions if isinstance(conditions, list) else []
    return StoredPermission(
        id=_id(row),
        grant=Grant(
            action=str(row["action"]),
            subject=None if row["subject"] is None else str(row["subject"]),
            properties=properties if isinstance(properties, Mapping) else {},
            conditions=tuple(str(condition) for condition in listed),
        ),
        action_parameters=row["actionParameters"],
    )


def _id(row: Record) -> int:
    return int(str(row["id"]))
