"""Changes roles of administrators and their permissions."""

from collections.abc import Collection, Mapping, Sequence

from quire.access.admin_ability import AdminAbility
from quire.access.admin_grants import Grant
from quire.auth.admin.grant_limits import GrantLimits
from quire.auth.admin.user_rows import (
    ADMIN_PERMISSION_UID,
    ADMIN_ROLE_UID,
    AdminUserRows,
    StoredAdminRole,
    StoredPermission,
)
from quire.clock import Clock
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.builtin_type_table import BaseRow, ContentTables
from quire.database.stores.row_conditions import eq
from quire.errors import ApplicationError, NotFoundError
from quire.schema.name_words import kebab_case

NOT_FOUND = "role.notFound"
NAME_IN_USE = "The name must be unique and a role with name `{}` already exists."
NO_EDITING = "Super admin can't be edited."
NO_PERMISSIONS = "Super admin permissions can't be edited."
NO_DELETING = "You cannot delete the super admin role"
IN_USE = "Some roles are still assigned to some users"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class InUseError(ApplicationError):
    """A role that cannot be deleted; the message says why."""


class AdminRoles:
    """Writes roles, each change in one transaction."""

    def __init__(
        self,
        database: Database,
        tables: ContentTables,
        admin_users: AdminUserRows,
        limits: GrantLimits,
        *,
        clock: Clock,
    ) -> None:
        self._database = database
        self._roles = tables.table_for(ADMIN_ROLE_UID, StoredAdminRole)
        self._permissions = tables.table_for(ADMIN_PERMISSION_UID, BaseRow)
        self._admin_users = admin_users
        self._limits = limits
        self._clock = clock

    async def create(self, name: str, description: str | None) -> StoredAdminRole:
        """Create a role without permissions. Raises ApplicationError for a name that is in use."""

        def program() -> Program[StoredAdminRole]:
            yield from self._require_free(name, None)
            now = self._clock()
            values = {"name": name, "description": description, "code": _code(name, now)}
            role_id = yield from self._roles.create(values, now=now)
            return (yield from self.existing(role_id))

        return await self._database.write(program())

    async def change(
        self, role_id: int, values: Mapping[str, object], ability: AdminAbility
    ) -> StoredAdminRole:
        """Change name or description of a role.

        Raises NotFoundError, ApplicationError, and ForbiddenError for a role beyond ``ability``.
        """

        def program() -> Program[StoredAdminRole]:
            role = yield from self.existing(role_id)
            if role.is_super_admin:
                raise ApplicationError(NO_EDITING)
            yield from self._limits.require_roles(ability, [role])
            if isinstance(values.get("name"), str):
                yield from self._require_free(str(values["name"]), role_id)
            yield from self._roles.change(role_id, values, now=self._clock())
            return (yield from self.existing(role_id))

        return await self._database.write(program())

    async def delete(self, ids: Collection[int], ability: AdminAbility) -> list[StoredAdminRole]:
        """Delete roles with their permissions, all of them or none; returns the existing ones.

        Raises InUseError for roles with users and for that of super admins, and ForbiddenError for
        those beyond ``ability``.
        """

        def program() -> Program[list[StoredAdminRole]]:
            roles = yield from self._admin_users.roles(ids)
            if any(role.is_super_admin for role in roles):
                raise InUseError(NO_DELETING)
            role_ids = [role.id for role in roles]
            members = yield from self._admin_users.members(role_ids)
            if any(members.values()):
                raise InUseError(IN_USE)
            yield from self._limits.require_roles(ability, roles)
            permissions = yield from self._admin_users.permissions(role_ids)
            yield from self._permissions.delete_ids([row.id for row in permissions])
            yield from self._roles.delete_ids(role_ids)
            return roles

        return await self._database.write(program())

    async def grant(
        self, role_id: int, grants: Sequence[Grant], ability: AdminAbility
    ) -> list[StoredPermission]:
        """Set the permissions of a role; existing permissions keep their rows.

        Raises NotFoundError, ApplicationError for the role of super admins, and ForbiddenError for
        permissions beyond ``ability``.
        """

        def program() -> Program[list[StoredPermission]]:
            role = yield from self.existing(role_id)
            require_editable(role)
            yield from self._limits.require_roles(ability, [role])
            permissions = yield from self._admin_users.permissions([role_id])
            kept_permissions = [row for row in permissions if row.grant in grants]
            kept_grants = [row.grant for row in kept_permissions]
            new_grants = [grant for grant in grants if grant not in kept_grants]
            self._limits.require_grants(ability, new_grants)
            removed_ids = [row.id for row in permissions if row.grant not in grants]
            yield from self._permissions.delete_ids(removed_ids)
            for grant in new_grants:
                kept_permissions += [(yield from self._add(role_id, grant))]
            return kept_permissions

        return await self._database.write(program())

    def existing(self, role_id: int) -> Program[StoredAdminRole]:
        """Return a role. Raises NotFoundError."""
        roles = yield from self._admin_users.roles([role_id])
        if not roles:
            raise NotFoundError(NOT_FOUND)
        return roles[0]

    def _add(self, role_id: int, grant: Grant) -> Program[StoredPermission]:
        values = {
            "action": grant.action,
            "actionParameters": {},
            "subject": grant.subject,
            "properties": dict(grant.properties),
            "conditions": list(grant.conditions),
        }
        row_id = yield from self._permissions.create(values, now=self._clock())
        yield from self._permissions.link("role", row_id, [role_id], creating=True)
        return StoredPermission(id=row_id, grant=grant, action_parameters={})

    def _require_free(self, name: str, except_id: int | None) -> Program[None]:
        role_ids = yield from self._roles.ids(eq("name", name))
        if any(role_id != except_id for role_id in role_ids):
            raise ApplicationError(NAME_IN_USE.format(name))


def require_editable(role: StoredAdminRole) -> None:
    """Check that a role is not that of super admins. Raises ApplicationError."""
    if role.is_super_admin:
        raise ApplicationError(NO_PERMISSIONS)


def _code(name: str, now: int) -> str:
    """Return the code of a new role: its name in kebab case, and the time."""
    number, digits = now, ""
    while number:
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return f"{kebab_case(name)}-{digits}"
