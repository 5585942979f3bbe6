"""Administrators grant no more than they have, and manage nobody who has more.

Who may make administrators or change roles could otherwise make themselves anything.
"""

from collections.abc import Collection, Iterable

from quire.access.admin_ability import AdminAbility
from quire.access.admin_grants import Grant, granted_by
from quire.auth.admin.user_rows import AdminUser, AdminUserRows, StoredAdminRole
from quire.database.program import Program
from quire.errors import ForbiddenError
from quire.schema.model import Schema

BEYOND = "This goes beyond what you may do yourself"


class GrantLimits:
    """Holds administrators to what they may do themselves."""

    def __init__(self, schema: Schema, admin_users: AdminUserRows) -> None:
        self._schema = schema
        self._admin_users = admin_users

    def require_roles(
        self, ability: AdminAbility, roles: Collection[StoredAdminRole]
    ) -> Program[None]:
        """Refuse roles that grant more than somebody has. Raises ForbiddenError."""
        if ability.super_admin or not roles:
            return
        if any(role.is_super_admin for role in roles):
            raise ForbiddenError(BEYOND)
        stored = yield from self._admin_users.permissions([role.id for role in roles])
        self.require_grants(ability, [permission.grant for permission in stored])

    def require_admin_user(self, ability: AdminAbility, admin_user: AdminUser) -> Program[None]:
        """Refuse to act on somebody who may do more. Raises ForbiddenError."""
        yield from self.require_roles(ability, admin_user.roles)

    def require_grants(self, ability: AdminAbility, grants: Iterable[Grant]) -> None:
        """Refuse permissions that grant more than somebody has. Raises ForbiddenError."""
        if not ability.covers(granted_by(self._schema, grants)):
            raise ForbiddenError(BEYOND)
