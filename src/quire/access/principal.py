"""The principals: anonymous visitor, end user, API token, administrator."""

from msgspec import Struct

from quire.access.ability import Ability, FullAccess
from quire.access.admin_ability import AdminAbility


class Anonymous(Struct, frozen=True, cache_hash=True):
    """A request without credentials; it has the permissions of the public role."""

    ability: Ability


class EndUser(Struct, frozen=True, cache_hash=True):
    """A signed-in user of the users-permissions plugin.

    ``role_name`` is only known in development. ``session_id`` is the session of the JWT, if there
    are sessions.
    """

    id: int
    document_id: str
    role_id: int | None
    ability: Ability
    role_name: str | None = None
    session_id: str | None = None


class ApiToken(Struct, frozen=True, cache_hash=True):
    """A program that holds an API token. ``last_used_at`` is epoch milliseconds."""

    id: int
    type: str
    last_used_at: int | None
    ability: Ability


class Administrator(Struct, frozen=True, kw_only=True):
    """A signed-in administrator; ``session_id`` is that of the sign-in."""

    id: int
    document_id: str
    email: str
    session_id: str
    ability: AdminAbility


Principal = Anonymous | EndUser | ApiToken
"""Principals of the content API."""

FULL_ACCESS_PRINCIPAL: Principal = ApiToken(
    id=0, type="full-access", last_used_at=None, ability=FullAccess()
)
"""A caller with all permissions, without a token."""


def describe_grantee(principal: Principal) -> str:
    """Return which role or token has the permissions of a principal, for the log."""
    match principal:
        case Anonymous():
            return "the public role"
        case ApiToken(id=id_):
            return f"the API token {id_}"
        case EndUser(role_id=None, id=id_):
            return f"the end user {id_}, who has no role,"
        case EndUser(role_id=role_id, role_name=name):
            return f"the role {role_id if name is None else name}"
