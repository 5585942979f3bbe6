"""Nobody grants more than they have.

Who may make or change end users and roles could otherwise make themselves anything. Programs with
an API token are told what they may do by an administrator, one action at a time, and are trusted
with it; visitors and end users are not.
"""

from collections.abc import Collection, Iterable

from quire.access.ability import rules_of, without_project_rules
from quire.access.principal import ApiToken, Principal
from quire.errors import ForbiddenError

_OWN_ACCOUNT = ("plugin::users-permissions.auth.", "plugin::users-permissions.user.me")
"""Actions that everybody takes on their own account alone."""


def require_grantable(principal: Principal | None, actions: Collection[str]) -> None:
    """Refuse to give actions to somebody, or to act on somebody who has them.

    Raises ForbiddenError when one of them is beyond the principal itself, who may do it not at all
    or on some rows only.
    """
    if principal is None or isinstance(principal, ApiToken):
        return
    # Rules of the project hold for whoever is given the action, too.
    ability = without_project_rules(principal.ability)
    narrowed = rules_of(ability)
    for action in _beyond_oneself(actions):
        if action in narrowed or not ability.allows(action):
            raise ForbiddenError


def _beyond_oneself(actions: Iterable[str]) -> Iterable[str]:
    return (action for action in actions if not action.startswith(_OWN_ACCOUNT))
