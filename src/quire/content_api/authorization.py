"""Checks a caller's permission for an action, before anything else is looked at."""

from collections.abc import Collection

from quire.access.ability import NOTHING, Ability
from quire.access.principal import Anonymous, Principal
from quire.errors import ForbiddenError, UnauthorizedError


class Authorizer:
    """Refuses what a caller may not do.

    ``closed`` are content types and actions that nobody may reach, because code that guards them
    elsewhere does not run here, or because no route leads to them.
    """

    def __init__(self, closed: Collection[str]) -> None:
        self._closed = closed

    def allows(self, ability: Ability, action: str | None, uid: str | None) -> bool:
        """Tell whether an ability is enough for an action, or for what needs no permission."""
        return not self._is_closed(action, uid) and (action is None or ability.allows(action))

    def _is_closed(self, action: str | None, uid: str | None) -> bool:
        return uid in self._closed or action in self._closed

    def require(self, principal: Principal, action: str | None, uid: str | None) -> None:
        """Let a caller through to an action of a content type, or to what needs no permission.

        Raises ForbiddenError; UnauthorizedError where visitors may do nothing at all.
        """
        if self.allows(principal.ability, action, uid):
            return
        if self._is_closed(action, uid):
            raise ForbiddenError
        if isinstance(principal, Anonymous) and principal.ability == NOTHING:
            raise UnauthorizedError
        raise ForbiddenError
