"""Abilities: the permissions of a principal, as immutable values.

Everything is denied unless granted. Actions have the names of Strapi's permissions:
``api::article.article.find``, ``plugin::users-permissions.user.me``. Abilities are part of the keys
of all caches of reads and responses. Therefore two that grant the same are equal, whoever has them,
and two that differ in anything that changes a response must not be equal.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from quire.access.row_rules import BoundRules, join_rules
from quire.errors import ProjectCodeError

_READ_ACTIONS = ("find", "findOne")


class FullAccess(Struct, frozen=True):
    """Everything in the content API (full-access API tokens)."""

    def allows(self, action: str) -> bool:  # noqa: ARG002 - every action
        """Grant every action."""
        return True


class Unsanitized(Struct, frozen=True):
    """Everything, including private attributes: for reads of a project's code as the system."""

    def allows(self, action: str) -> bool:  # noqa: ARG002 - every action
        """Grant every action."""
        return True


class ReadOnly(Struct, frozen=True):
    """Actions named exactly ``find`` or ``findOne`` (read-only API tokens)."""

    def allows(self, action: str) -> bool:
        """Grant reading, by the last part of the action's name."""
        return action.rpartition(".")[2] in _READ_ACTIONS


class Granted(Struct, frozen=True, cache_hash=True, dict=True):
    """Exactly the listed actions (roles of end users, custom API tokens).

    ``bound_rules`` restrict some of them to rows that match a filter (`quire.access.row_rules`).
    The hash is cached, because abilities are cache keys of every request.
    """

    actions: frozenset[str]
    bound_rules: BoundRules = frozenset()

    def __repr__(self) -> str:
        return f"Granted({len(self.actions)} actions)"

    @cached_property
    def rules(self) -> Mapping[str, str]:
        """The rules by action."""
        return dict(self.bound_rules)

    def allows(self, action: str) -> bool:
        """Grant the listed actions."""
        return action in self.actions


class FailedRule(Struct, frozen=True):
    """A rule whose function has failed: its name, and its file and line."""

    function: str
    place: str


class ProjectRules(Struct, frozen=True, kw_only=True):
    """Rules of a project's code, bound for one principal; by action, as those of roles are.

    ``volatile`` are the actions whose rules have read the clock: their ``rules`` are valid only
    now. ``actions`` are those whose rules were evaluated, for a read that depends on no others;
    ``None`` means all. ``failed`` are the rules for an administrator that have failed, by action;
    no row satisfies them.
    """

    rules: Mapping[str, str] = {}
    volatile: frozenset[str] = frozenset()
    actions: frozenset[str] | None = None
    failed: Mapping[str, FailedRule] = {}

    def require(self, *actions: str) -> None:
        """Raise ProjectCodeError if a rule on one of these actions has failed."""
        for action in actions if self.failed else ():
            rule = self.failed.get(action)
            if rule is not None:
                raise ProjectCodeError(rule.function, rule.place)

    def require_reads(self, uid: str) -> None:
        """Raise ProjectCodeError if a rule on reading a content type has failed."""
        self.require(*(f"{uid}.{action}" for action in _READ_ACTIONS))

    def failed_reads(self, uids: Iterable[str]) -> dict[str, ProjectCodeError]:
        """Return the errors of `require_reads`, by the uids of content types."""
        errors: dict[str, ProjectCodeError] = {}
        for uid in uids if self.failed else ():
            try:
                self.require_reads(uid)
            except ProjectCodeError as error:
                errors[uid] = error
        return errors

    def narrow(self, uid: str, *actions: str) -> bool:
        """Tell whether there is a rule on one of these actions on a content type."""
        names = {f"{uid}.{action}" for action in actions}
        return not (names.isdisjoint(self.rules) and names.isdisjoint(self.volatile))

    def lasting(self) -> frozenset[tuple[str, str]]:
        """Return the rules that do not depend on the time."""
        return frozenset(rule for rule in self.rules.items() if rule[0] not in self.volatile)

    def with_condition(self, uid: str, condition: str, *, volatile: bool) -> "ProjectRules":
        """Return the rules for one call, with a condition on what it reads of a type.

        The condition holds for the root of the call's plan: see `rule_of_call`.
        """
        name = rule_of_call(uid)
        rules = {**self.rules, name: condition}
        volatile_actions = self.volatile | {name} if volatile else self.volatile
        return replace(self, rules=rules, volatile=volatile_actions)


def rule_of_call(uid: str) -> str:
    """Return the name of the condition of one call beside rules on actions; no action has it."""
    return f"{uid} (call)"


NO_PROJECT_RULES = ProjectRules()


class NarrowedAbility:
    """An ability that is narrowed by rules of a project's code, in addition to those of its role.

    Two are equal if the rules of the same actions were evaluated, their time-independent rules are
    equal, and the same rules are volatile. Results that depend on a volatile rule must not be
    cached.
    """

    __slots__ = ("_hash", "_lasting", "granted", "project_rules", "rules")

    def __init__(self, granted: "FullAccess | ReadOnly | Granted", rules: ProjectRules) -> None:
        """``granted`` is the ability without the rules."""
        self.granted = granted
        self.project_rules = rules
        self.rules = join_rules(rules_of(granted), rules.rules)
        self._lasting = rules.lasting()
        self._hash = hash((granted, self._lasting, rules.volatile, rules.actions))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Compare the grants, and the time-independent rules."""
        return (
            isinstance(other, NarrowedAbility)
            and self._hash == other._hash
            and self.granted == other.granted
            and self._lasting == other._lasting
            and self.project_rules.volatile == other.project_rules.volatile
            and self.project_rules.actions == other.project_rules.actions
        )

    def __repr__(self) -> str:
        return f"NarrowedAbility({self.granted!r}, {len(self.rules)} rules)"

    def allows(self, action: str) -> bool:
        """Grant what the ability without the rules grants."""
        return self.granted.allows(action)


def narrow_for_call(ability: "Ability", uid: str, condition: str, *, volatile: bool) -> "Ability":
    """Return an ability for one call, which reads documents of a type under a condition.

    ``condition`` is a bound rule. Raises TypeError for the ability of the system.
    """
    if isinstance(ability, Unsanitized):
        message = "what the system reads is not narrowed by its ability"
        raise TypeError(message)
    if volatile or project_rules_of(ability).volatile:
        # Not cached: abilities with volatile rules are equal although these were bound at other
        # times, so that a cached one would apply the condition of an earlier request.
        return _narrowed(ability, uid, condition, volatile=volatile)
    return _cached_narrowed(ability, uid, condition)


def _narrowed(
    ability: "FullAccess | ReadOnly | Granted | NarrowedAbility",
    uid: str,
    condition: str,
    *,
    volatile: bool = False,
) -> NarrowedAbility:
    rules = project_rules_of(ability).with_condition(uid, condition, volatile=volatile)
    granted = ability.granted if isinstance(ability, NarrowedAbility) else ability
    return NarrowedAbility(granted, rules)


_cached_narrowed = lru_cache(1000)(_narrowed)
"""Creating an ability hashes all of its grants; most calls of a function have equal conditions."""


_WITH_RULES = (Granted, NarrowedAbility)
"""A union of these types in the function would be created for each call."""


def rules_of(ability: "Ability") -> Mapping[str, str]:
    """Return the bound rules of an ability by action; most have none."""
    return ability.rules if isinstance(ability, _WITH_RULES) else _NO_RULES


def project_rules_of(ability: "Ability") -> ProjectRules:
    """Return the bound rules of a project's code for an ability."""
    return ability.project_rules if isinstance(ability, NarrowedAbility) else NO_PROJECT_RULES


def without_project_rules(ability: "Ability") -> "Ability":
    """Return an ability as roles and tokens grant it."""
    return ability.granted if isinstance(ability, NarrowedAbility) else ability


_NO_RULES: Mapping[str, str] = {}

Ability = FullAccess | Unsanitized | ReadOnly | Granted | NarrowedAbility

NO_PERMISSIONS = Granted(frozenset())
"""The ability without any permission."""


def can_find(ability: Ability, uid: str) -> bool:
    """Tell whether documents of a content type may be read, alone or through a relation."""
    return ability.allows(f"{uid}.find")
