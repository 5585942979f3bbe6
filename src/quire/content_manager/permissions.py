"""Permissions of an administrator on the entries of a content type.

A rule applies as a whole. If several apply to an entry, the granted fields add up; fields that only
some of them grant must not be observable through entries that the others allow. So lists are
filtered, sorted and searched by fields that are granted for every entry in them, and each entry
shows the fields that are granted for it.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from quire.access.admin_ability import AdminAbility, Creator, GrantRule
from quire.access.admin_actions import CREATE, DELETE, HAS_SAME_ROLE, PUBLISH, READ, UPDATE
from quire.errors import ForbiddenError, PolicyError
from quire.schema.model import ADMIN_USER_UID, ContentType

ALWAYS = frozenset(
    {
        "id",
        "documentId",
        "locale",
        "createdAt",
        "updatedAt",
        "publishedAt",
        "createdBy",
        "updatedBy",
        "localizations",
        "status",
        "__component",
    }
)
"""Fields that are shown of every readable entry."""

_ACTIONS = (CREATE, READ, UPDATE, DELETE, PUBLISH)
CREATOR_FIELDS = ("id", "firstname", "lastname", "username", "email", "isActive")
"""Fields of creators that are shown, and may be queried."""


class EntryOrigin(Struct, frozen=True):
    """What rules check of an entry: its locale and its creator."""

    locale: str | None
    creator: Creator | None


class TypePermissions(Struct, frozen=True):
    """The permissions of one administrator for one action on the entries of one content type."""

    ability: AdminAbility
    action: str
    content_type: ContentType

    def require(self) -> None:
        """Check that the action is granted at all. Raises PolicyError."""
        if not self.ability.allows(self.action, self.content_type.uid):
            raise PolicyError

    def asks_for_roles(self) -> bool:
        """Tell whether some rule on the type checks the roles of creators."""
        uid = self.content_type.uid
        rules = (rule for action in _ACTIONS for rule in self.ability.rules(action, uid))
        return any(HAS_SAME_ROLE in rule.conditions for rule in rules)

    def rules(self, locales: Iterable[str] | None) -> tuple[GrantRule, ...]:
        """Return the rules that grant something in one of these locales; ``None`` means any."""
        granted_rules = self.ability.rules(self.action, self.content_type.uid)
        if locales is None or not self.content_type.localized:
            return granted_rules
        return tuple(
            rule for rule in granted_rules if any(rule.covers_locale(code) for code in locales)
        )

    def rules_for_entry(self, entry: EntryOrigin) -> tuple[GrantRule, ...]:
        """Return the rules that apply to one entry."""
        return self.ability.rules_on(
            self.action, self.content_type.uid, locale=entry.locale, creator=entry.creator
        )

    def require_on(self, entry: EntryOrigin) -> tuple[GrantRule, ...]:
        """Return the rules that apply to one entry. Raises ForbiddenError if there are none."""
        rules = self.rules_for_entry(entry)
        if not rules:
            raise ForbiddenError
        return rules

    def rules_for_new_entry(self, locale: str | None) -> tuple[GrantRule, ...]:
        """Return the rules for new entries in a locale.

        The principal becomes their creator. A rule without locales allows creating entries in any
        locale, and seeing none: the first roles of a project are like that. Raises ForbiddenError
        if there are no rules.
        """
        creator = Creator(id=self.ability.user_id, role_ids=self.ability.role_ids)
        rules = self.ability.rules_on(
            self.action, self.content_type.uid, locale=None, creator=creator
        )
        rules_in_locale = tuple(
            rule for rule in rules if rule.covers_locale(locale) or rule.locales == frozenset()
        )
        if not rules_in_locale:
            raise ForbiddenError
        return rules_in_locale

    def row_filter(self, locales: Iterable[str] | None) -> Mapping[str, object] | None:
        """Return the condition on readable rows, as a filter of the query language.

        ``None`` allows every row. ``locales`` are those of the rows, if known.
        """
        codes = None if locales is None else tuple(locales)
        alternatives: list[Mapping[str, object]] = []
        for rule in self.rules(codes):
            filters: list[Mapping[str, object]] = []
            has_locales = rule.locales is not None and self.content_type.localized
            if has_locales and (codes is None or len(codes) != 1):
                filters.append({"locale": {"$in": sorted(rule.locales or ())}})
            conditions = self.ability.row_filter(rule)
            if conditions is not None:
                filters.append(conditions.query())
            if not filters:
                return None
            alternatives.append({"$and": filters})
        # Without any rule no row is readable: no row is without an id.
        return {"$or": alternatives} if alternatives else {"id": {"$null": True}}

    def grants_on_readable(self, path: str, locales: Iterable[str] | None) -> bool:
        """Tell whether a field is granted for every readable entry."""
        rules = self.rules(locales)
        if any(_applies_to_all(rule, locales) for rule in rules):
            return self.grants_on_all(path, locales)
        groups: dict[tuple[object, object], list[GrantRule]] = {}
        for rule in rules:
            groups.setdefault((rule.conditions, rule.locales), []).append(rule)
        return bool(groups) and all(covers(group, path) for group in groups.values())

    def grants_on_all(self, path: str, locales: Iterable[str] | None) -> bool:
        """Tell whether a field is granted for every existing entry in these locales."""
        rules = [rule for rule in self.rules(locales) if _applies_to_all(rule, locales)]
        return bool(rules) and covers(rules, path)


def covers(rules: Iterable[GrantRule], path: str) -> bool:
    """Tell whether one of the rules grants a field."""
    first = path.partition(".")[0]
    return first in ALWAYS or any(rule.covers_field(path) for rule in rules)


def read_permissions(ability: AdminAbility, content_type: ContentType) -> TypePermissions:
    """Return a principal's permissions to read a content type."""
    return TypePermissions(ability, READ, content_type)


def may_follow(ability: AdminAbility, target: ContentType) -> bool:
    """Tell whether a principal may read anything of related entries of a type."""
    return target.uid == ADMIN_USER_UID or ability.allows(READ, target.uid)


def _applies_to_all(rule: GrantRule, locales: Iterable[str] | None) -> bool:
    """Tell whether a rule applies to all entries in these locales."""
    if rule.conditions:
        return False
    if rule.locales is None:
        return True
    return locales is not None and all(code in rule.locales for code in locales)
