"""What a principal may do, as a value that is computed once and asked many times.

Everything is denied unless granted. Actions are named as in the routes:
``api::article.article.find``, ``plugin::users-permissions.user.me``. Two abilities that grant the
same are equal and hash alike, so what was worked out for one request serves the next.
"""

from collections.abc import Mapping

from msgspec import Struct

from quire.access.rules import BoundRules

_READING = ("find", "findOne")


class FullAccess(Struct, frozen=True):
    """Everything in the content API (full-access API tokens)."""

    def allows(self, action: str) -> bool:  # noqa: ARG002 - every action
        """Grant every action."""
        return True


class Unsanitized(Struct, frozen=True):
    """What code of a project shows as it has read it: everything, private attributes among it."""

    def allows(self, action: str) -> bool:  # noqa: ARG002 - every action
        """Grant every action."""
        return True


class ReadOnly(Struct, frozen=True):
    """Actions named exactly ``find`` or ``findOne`` (read-only API tokens)."""

    def allows(self, action: str) -> bool:
        """Grant reading, by the last part of the action's name."""
        return action.rpartition(".")[2] in _READING


class Granted:
    """Exactly the listed actions (roles of end users, custom API tokens).

    ``rules`` narrow some of them to rows that keep a filter (`quire.access.rules`). The hash is
    kept, because abilities are keys of caches that every request looks into.
    """

    __slots__ = ("_hash", "actions", "rules")

    def __init__(self, actions: frozenset[str], rules: BoundRules = frozenset()) -> None:
        """Grant ``actions`` and nothing else."""
        self.actions = actions
        self.rules: Mapping[str, str] = dict(rules)
        self._hash = hash((actions, rules))

    def __hash__(self) -> int:
        """Equal grants hash alike."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Compare by what is granted."""
        return (
            isinstance(other, Granted)
            and self.actions == other.actions
            and self.rules == other.rules
        )

    def __repr__(self) -> str:
        """Say how much is granted, for logs and failing tests."""
        return f"Granted({len(self.actions)} actions)"

    def allows(self, action: str) -> bool:
        """Grant what is listed."""
        return action in self.actions


def rules_of(ability: "Ability") -> Mapping[str, str]:
    """Return the bound rules of an ability by action; most have none."""
    return ability.rules if isinstance(ability, Granted) else _NO_RULES


_NO_RULES: Mapping[str, str] = {}

Ability = FullAccess | Unsanitized | ReadOnly | Granted

NOTHING = Granted(frozenset())
"""The ability of somebody who may do nothing."""


def can_find(ability: Ability, uid: str) -> bool:
    """Tell whether documents of a content type may be read, alone or through a relation."""
    return ability.allows(f"{uid}.find")
