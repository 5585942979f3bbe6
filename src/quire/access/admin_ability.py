"""The permissions of an administrator, as a value: actions, types, fields, locales and entries.

Everything is denied unless granted. Each role grants by *rules*; a rule applies as a whole: the
fields of one rule are never combined with the entries of another.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from quire.access.ability import NO_PROJECT_RULES, ProjectRules
from quire.access.admin_actions import HAS_SAME_ROLE, IS_CREATOR

Subject = str | None


class Creator(Struct, frozen=True, kw_only=True):
    """The creator of an entry: an administrator by id, with the ids of their present roles."""

    id: int
    role_ids: frozenset[int] = frozenset()


class GrantRule(Struct, frozen=True, kw_only=True):
    """A grant of an action on a subject.

    ``fields`` are dotted paths, ``None`` for every field; ``locales`` are codes, ``None`` for every
    locale. Without ``conditions`` it applies to every entry, else to those for which one condition
    is true.
    """

    fields: frozenset[str] | None = None
    locales: frozenset[str] | None = None
    conditions: frozenset[str] = frozenset()

    def covers_field(self, path: str) -> bool:
        """Tell whether a field is granted, by itself, with its component, or by one of its parts.

        A component is granted if any part of it is; the parts of a component that is granted as a
        whole are granted too.
        """
        if self.fields is None or path in self.fields:
            return True
        prefix = f"{path}."
        return any(
            granted.startswith(prefix) or path.startswith(f"{granted}.") for granted in self.fields
        )

    def covers_locale(self, locale: str | None) -> bool:
        """Tell whether entries in a locale are granted; those without one are not localized."""
        return self.locales is None or locale is None or locale in self.locales


class CreatorFilter(Struct, frozen=True, kw_only=True):
    """A condition on the creator of an entry.

    An entry passes when its creator is ``creator_id``, or has one of ``role_ids``.
    """

    creator_id: int | None = None
    role_ids: frozenset[int] = frozenset()

    def passes(self, creator: Creator | None) -> bool:
        """Tell whether an entry with this creator passes; one without a creator does not."""
        if creator is None:
            return False
        return creator.id == self.creator_id or not self.role_ids.isdisjoint(creator.role_ids)

    def query(self) -> Mapping[str, object]:
        """Return the condition as a filter of the query language."""
        alternatives: list[Mapping[str, object]] = []
        if self.creator_id is not None:
            alternatives.append({"createdBy": {"id": {"$eq": self.creator_id}}})
        if self.role_ids:
            alternatives.append({"createdBy": {"roles": {"id": {"$in": sorted(self.role_ids)}}}})
        return {"$or": alternatives}


class AdminAbility:
    """All rules of one administrator. Equal to another ability that grants the same."""

    __slots__ = ("_hash", "_rules", "project_rules", "role_ids", "super_admin", "user_id")

    def __init__(
        self,
        rules: Mapping[tuple[str, Subject], tuple[GrantRule, ...]],
        *,
        user_id: int,
        role_ids: frozenset[int],
        super_admin: bool = False,
        project_rules: ProjectRules = NO_PROJECT_RULES,
    ) -> None:
        """``rules`` are by action and subject; a super admin's have neither fields nor locales.

        ``project_rules`` are the bound rules of the project's code, which apply in addition.
        """
        self._rules = rules
        self.user_id = user_id
        self.role_ids = role_ids
        self.super_admin = super_admin
        self.project_rules = project_rules
        bound_rules = frozenset(project_rules.rules.items())
        self._hash = hash((user_id, role_ids, super_admin, frozenset(rules.items()), bound_rules))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Compare the principal and the grants."""
        return (
            isinstance(other, AdminAbility)
            and self._hash == other._hash
            and self.user_id == other.user_id
            and self.role_ids == other.role_ids
            and self._rules == other._rules
            and self.project_rules == other.project_rules
        )

    def narrowed(self, rules: ProjectRules) -> "AdminAbility":
        """Return the ability with bound rules of the project's code."""
        if rules == self.project_rules:
            return self
        return AdminAbility(
            self._rules,
            user_id=self.user_id,
            role_ids=self.role_ids,
            super_admin=self.super_admin,
            project_rules=rules,
        )

    def __repr__(self) -> str:
        return f"AdminAbility(user {self.user_id}, {len(self._rules)} grants)"

    def rules(self, action: str, subject: Subject = None) -> tuple[GrantRule, ...]:
        """Return the rules that grant an action on a subject; none when it is not granted."""
        return self._rules.get((action, subject), ())

    def allows(self, action: str, subject: Subject = None) -> bool:
        """Tell whether an action may be taken at all, on some entry in some locale."""
        return (action, subject) in self._rules

    def subjects(self, action: str) -> frozenset[str]:
        """Return the content types on which an action is granted."""
        return frozenset(s for a, s in self._rules if a == action and s is not None)

    def allows_field(self, action: str, subject: str, path: str) -> bool:
        """Tell whether some rule grants an action on a field, whatever its conditions."""
        return any(rule.covers_field(path) for rule in self.rules(action, subject))

    def rules_on(
        self, action: str, subject: str, *, locale: str | None, creator: Creator | None
    ) -> tuple[GrantRule, ...]:
        """Return the rules that apply to one entry: its locale, and its creator."""
        return tuple(
            rule
            for rule in self.rules(action, subject)
            if rule.covers_locale(locale) and self._satisfies_conditions(rule, creator)
        )

    def row_filter(self, rule: GrantRule) -> CreatorFilter | None:
        """Return the filter of a rule's conditions, ``None`` without conditions."""
        if not rule.conditions:
            return None
        return CreatorFilter(
            creator_id=self.user_id if IS_CREATOR in rule.conditions else None,
            role_ids=self.role_ids if HAS_SAME_ROLE in rule.conditions else frozenset(),
        )

    def covers(self, other: "Iterable[tuple[str, Subject, GrantRule]]") -> bool:
        """Tell whether everything that ``other`` grants is granted here, at least as widely."""
        return self.super_admin or all(
            any(_grants_at_least(own_rule, rule) for own_rule in self.rules(action, subject))
            for action, subject, rule in other
        )

    def _satisfies_conditions(self, rule: GrantRule, creator: Creator | None) -> bool:
        row_filter = self.row_filter(rule)
        return row_filter is None or row_filter.passes(creator)


def _grants_at_least(rule: GrantRule, other: GrantRule) -> bool:
    """Tell whether a rule grants all that another one does."""
    if rule.conditions and not (other.conditions and other.conditions <= rule.conditions):
        return False
    if rule.locales is not None and (other.locales is None or not other.locales <= rule.locales):
        return False
    if rule.fields is None:
        return True
    if other.fields is None:
        return False
    return all(
        path in rule.fields or any(path.startswith(f"{granted}.") for granted in rule.fields)
        for path in other.fields
    )
