"""A principal can grant only permissions that it has.

Otherwise the permission to edit end users and roles would include all others. API tokens are
exempt, because an administrator chooses their actions one by one; visitors and end users are not.
"""

from collections.abc import Collection, Iterable

from quire.access.ability import rules_of, without_project_rules
from quire.access.principal import ApiToken, Principal
from quire.errors import ForbiddenError

_OWN_ACCOUNT = ("plugin::users-permissions.auth.", "plugin::users-permissions.user.me")
"""Actions that concern only the caller's own account."""


def require_grantable(principal: Principal | None, actions: Collection[str]) -> None:
    """Check that a principal may grant actions, or act on a user who has them.

    Raises ForbiddenError when the principal does not have one of them, or on some rows only.
    """
    if principal is None or isinstance(principal, ApiToken):
        return
    # Rules of the project also apply to whoever receives the action.
    ability = without_project_rules(principal.ability)
    row_rules = rules_of(ability)
    for action in _actions_on_others(actions):
        if action in row_rules or not ability.allows(action):
            raise ForbiddenError


def _actions_on_others(actions: Iterable[str]) -> Iterable[str]:
    return (action for action in actions if not action.startswith(_OWN_ACCOUNT))
