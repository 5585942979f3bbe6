"""The principals: anonymous visitor, end user, API token, administrator."""

from msgspec import Struct

from quire.access.ability import Ability
from quire.access.admin_ability import AdminAbility


class Anonymous(Struct, frozen=True):
    """A request without credentials; it has the permissions of the public role."""

    ability: Ability


class EndUser(Struct, frozen=True):
    """A user of the users-permissions plugin, signed in with a JWT.

    ``session_id`` is the session that the JWT belongs to, where there are sessions.
    """

    id: int
    document_id: str
    role_id: int | None
    ability: Ability
    session_id: str | None = None


class ApiToken(Struct, frozen=True):
    """A program that holds an API token. ``last_used_at`` is epoch milliseconds."""

    id: int
    type: str
    last_used_at: int | None
    ability: Ability


class Administrator(Struct, frozen=True, kw_only=True):
    """Somebody who is signed in to the admin API; ``session_id`` is that of the sign-in."""

    id: int
    document_id: str
    email: str
    session_id: str
    ability: AdminAbility


Principal = Anonymous | EndUser | ApiToken
"""Who may ask the content API."""
