"""Checks a caller's permission for an action, before anything else."""

from collections.abc import Collection

from quire.access.ability import NOTHING, Ability
from quire.access.principal import Anonymous, Principal
from quire.errors import ForbiddenError, UnauthorizedError


class Authorizer:
    """Rejects forbidden actions.

    ``closed`` are content types and actions that are disabled, because JavaScript that guards them
    does not run here, or because no route has them.
    """

    def __init__(self, closed: Collection[str]) -> None:
        self._closed = closed

    def allows(self, ability: Ability, action: str | None, uid: str | None) -> bool:
        """Tell whether an ability allows an action; ``None`` needs no permission."""
        return not self._is_closed(action, uid) and (action is None or ability.allows(action))

    def _is_closed(self, action: str | None, uid: str | None) -> bool:
        return uid in self._closed or action in self._closed

    def require(self, principal: Principal, action: str | None, uid: str | None) -> None:
        """Check the permission for an action of a content type.

        Raises ForbiddenError; UnauthorizedError if visitors have no permissions at all.
        """
        if self.allows(principal.ability, action, uid):
            return
        if self._is_closed(action, uid):
            raise ForbiddenError
        if isinstance(principal, Anonymous) and principal.ability == NOTHING:
            raise UnauthorizedError
        raise ForbiddenError
