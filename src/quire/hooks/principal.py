"""Who acts, as the code of a project sees it."""

from typing import Literal

from msgspec import Struct


class Principal(Struct, frozen=True, kw_only=True):
    """Who acts: a visitor, an end user, an API token, an administrator, or the system.

    ``kind`` is ``nobody`` where the server itself writes, and ``system`` within `as_system` and for
    what is written there. ``id`` is the row of the user, token or administrator, ``document_id``
    that of an end user.
    """

    kind: Literal["anonymous", "user", "token", "admin", "system", "nobody"]
    id: int | None = None
    document_id: str | None = None
