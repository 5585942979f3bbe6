"""The principal in the code of a project, and which packages may act as the system."""

import sys
from typing import Literal

from msgspec import Struct

AS_SYSTEM = "as_system"
_FORBIDDEN = "__quire_forbids_as_system__"


def allow_as_system(package: str, *, allowed: bool) -> None:
    """Allow or forbid a package, by the name of its top-level module, to call `as_system`."""
    setattr(sys.modules[package], _FORBIDDEN, not allowed)


def may_act_as_system(module: str) -> bool:
    """Tell whether code of a module may call `as_system`."""
    package = sys.modules.get(module.partition(".")[0])
    return getattr(package, _FORBIDDEN, False) is not True


class Principal(Struct, frozen=True, kw_only=True):
    """The principal: a visitor, an end user, an API token, an administrator, or the system.

    ``kind`` is ``nobody`` if the server itself writes, and ``system`` within `as_system` and for
    what is written there. ``id`` is the row of the user, token or administrator: each of the three
    has a table of its own, so that a user and a token may have the same one. ``document_id`` is
    that of an end user.
    """

    kind: Literal["anonymous", "user", "token", "admin", "system", "nobody"]
    id: int | None = None
    document_id: str | None = None

    @property
    def user_id(self) -> int | None:
        """The ``id`` of an end user, ``None`` for any other kind of principal."""
        return self.id if self.kind == "user" else None
