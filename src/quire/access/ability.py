"""What a principal may do, as a value that is computed once and asked many times.

Everything is denied unless granted. Actions are named as in the routes:
``api::article.article.find``, ``plugin::users-permissions.user.me``. Two abilities that grant the
same are equal and hash alike, so what was worked out for one request serves the next.
"""

from dataclasses import dataclass

_READING = ("find", "findOne")


@dataclass(frozen=True, slots=True)
class FullAccess:
    """Everything in the content API (full-access API tokens)."""

    def allows(self, action: str) -> bool:  # noqa: ARG002 - every action
        """Grant every action."""
        return True


@dataclass(frozen=True, slots=True)
class ReadOnly:
    """Actions named exactly ``find`` or ``findOne`` (read-only API tokens)."""

    def allows(self, action: str) -> bool:
        """Grant reading, by the last part of the action's name."""
        return action.rpartition(".")[2] in _READING


class Granted:
    """Exactly the listed actions (roles of end users, custom API tokens).

    The hash is kept, because abilities are keys of caches that every request looks into.
    """

    __slots__ = ("_hash", "actions")

    def __init__(self, actions: frozenset[str]) -> None:
        """Grant ``actions`` and nothing else."""
        self.actions = actions
        self._hash = hash(actions)

    def __hash__(self) -> int:
        """Equal grants hash alike."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Compare by what is granted."""
        return isinstance(other, Granted) and self.actions == other.actions

    def __repr__(self) -> str:
        """Say how much is granted, for logs and failing tests."""
        return f"Granted({len(self.actions)} actions)"

    def allows(self, action: str) -> bool:
        """Grant what is listed."""
        return action in self.actions


Ability = FullAccess | ReadOnly | Granted

NOTHING = Granted(frozenset())
"""The ability of somebody who may do nothing."""


def can_find(ability: Ability, uid: str) -> bool:
    """Tell whether documents of a content type may be read, alone or through a relation."""
    return ability.allows(f"{uid}.find")
