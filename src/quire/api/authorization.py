"""May this caller do this? Asked once per action, before anything else is looked at."""

from collections.abc import Collection

from quire.access.ability import NOTHING
from quire.access.principal import Anonymous, Principal
from quire.errors import ForbiddenError, UnauthorizedError


class Authorizer:
    """Refuses what a caller may not do.

    ``closed`` are content types that nobody may reach, because code that guards them elsewhere does
    not run here.
    """

    def __init__(self, closed: Collection[str]) -> None:
        self._closed = closed

    def require(self, principal: Principal, action: str | None, uid: str | None) -> None:
        """Let a caller through to an action of a content type, or to what needs no permission.

        Raises ForbiddenError; UnauthorizedError where visitors may do nothing at all.
        """
        if uid in self._closed:
            raise ForbiddenError
        if action is None or principal.ability.allows(action):
            return
        if isinstance(principal, Anonymous) and principal.ability == NOTHING:
            raise UnauthorizedError
        raise ForbiddenError
