"""An administrator can grant only permissions that they hold.

The same applies to managing other administrators: otherwise the permission to edit roles or users
would include all others.
"""

from collections.abc import Collection, Iterable

from quire.access.admin_ability import AdminAbility
from quire.access.admin_grants import Grant, granted_by
from quire.auth.admin.user_rows import AdminUser, AdminUserRows, StoredAdminRole
from quire.database.program import Program
from quire.errors import ForbiddenError
from quire.schema.model import Schema

EXCEEDS_OWN_PERMISSIONS = "This goes beyond what you may do yourself"


class GrantLimits:
    """Limits administrators to their own permissions."""

    def __init__(self, schema: Schema, admin_users: AdminUserRows) -> None:
        self._schema = schema
        self._admin_users = admin_users

    def require_roles(
        self, ability: AdminAbility, roles: Collection[StoredAdminRole]
    ) -> Program[None]:
        """Check that roles grant no more than an administrator holds. Raises ForbiddenError."""
        if ability.super_admin or not roles:
            return
        if any(role.is_super_admin for role in roles):
            raise ForbiddenError(EXCEEDS_OWN_PERMISSIONS)
        permissions = yield from self._admin_users.permissions([role.id for role in roles])
        self.require_grants(ability, [permission.grant for permission in permissions])

    def require_admin_user(self, ability: AdminAbility, admin_user: AdminUser) -> Program[None]:
        """Check that another administrator has no more permissions. Raises ForbiddenError."""
        yield from self.require_roles(ability, admin_user.roles)

    def require_grants(self, ability: AdminAbility, grants: Iterable[Grant]) -> None:
        """Check that permissions grant no more than an administrator holds.

        Raises ForbiddenError.
        """
        if not ability.covers(granted_by(self._schema, grants)):
            raise ForbiddenError(EXCEEDS_OWN_PERMISSIONS)
