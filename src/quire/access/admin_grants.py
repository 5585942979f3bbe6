"""Builds the ability of an administrator from stored permissions."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from quire.access.admin_ability import AdminAbility, GrantRule, Subject
from quire.access.admin_actions import (
    ACTIONS,
    ADMIN_ACTIONS,
    CONDITIONS,
    FIELDS,
    LOCALES,
    READ,
    AdminAction,
    PermissionSection,
    subjects_of,
)
from quire.schema.model import ADMIN_USER_UID, LOCALE_UID, ROLE_UID, Schema

ALIASES: Mapping[str, str] = {
    "admin::users.read": ADMIN_USER_UID,
    "admin::roles.read": "admin::role",
    "plugin::i18n.locale.read": LOCALE_UID,
    "plugin::users-permissions.roles.read": ROLE_UID,
}
"""Actions that include reading the entries of a type in the content manager."""


class Grant(Struct, frozen=True, kw_only=True):
    """A stored permission."""

    action: str
    subject: Subject
    properties: Mapping[str, object]
    conditions: tuple[str, ...] = ()


GrantedAction = tuple[str, Subject, GrantRule]
"""An action, its subject, and its restrictions."""


def granted_by(schema: Schema, grants: Iterable[Grant]) -> list[GrantedAction]:
    """Return the grants of permissions. Invalid permissions grant nothing.

    These are unknown actions, missing types, and conditions of which none is known. As in Strapi,
    neither do permissions with an empty list of fields.
    """
    granted_actions: list[GrantedAction] = []
    for grant in grants:
        action = ADMIN_ACTIONS.get(grant.action)
        rule = None if action is None else _rule(schema, action, grant)
        if rule is None:
            continue
        granted_actions.append((grant.action, grant.subject, rule))
        if grant.action in ALIASES:
            granted_actions.append(
                (READ, ALIASES[grant.action], GrantRule(conditions=rule.conditions))
            )
    return granted_actions


def ability_of(
    schema: Schema, grants: Iterable[Grant], *, user_id: int, role_ids: frozenset[int]
) -> AdminAbility:
    """Return the ability of roles with these permissions."""
    rules: dict[tuple[str, Subject], tuple[GrantRule, ...]] = {}
    for action, subject, rule in granted_by(schema, grants):
        subject_rules = rules.get((action, subject), ())
        if rule not in subject_rules:
            rules[action, subject] = (*subject_rules, rule)
    return AdminAbility(rules, user_id=user_id, role_ids=role_ids)


def super_ability(schema: Schema, *, user_id: int, role_ids: frozenset[int]) -> AdminAbility:
    """Return the ability of a super admin: everything."""
    rules: dict[tuple[str, Subject], tuple[GrantRule, ...]] = {}
    everything = (GrantRule(),)
    for action in ACTIONS:
        if action.section is not PermissionSection.CONTENT:
            rules[action.uid, None] = everything
        for content_type in subjects_of(schema, action):
            rules[action.uid, content_type.uid] = everything
    return AdminAbility(rules, user_id=user_id, role_ids=role_ids, super_admin=True)


def _rule(schema: Schema, action: AdminAction, grant: Grant) -> GrantRule | None:
    conditions = frozenset(grant.conditions).intersection(CONDITIONS)
    if grant.conditions and not conditions:
        return None
    if action.section is not PermissionSection.CONTENT:
        return GrantRule(conditions=conditions) if grant.subject is None else None
    content_type = schema.content_types.get(grant.subject or "")
    if content_type is None:
        return None
    fields = _parse_names(grant.properties, FIELDS) if FIELDS in action.properties else None
    if fields is not None and not fields:
        return None
    locales: frozenset[str] | None = None
    if content_type.localized:
        # Here a missing list means none, and only null means all.
        has_no_locales = LOCALES not in grant.properties
        locales = frozenset() if has_no_locales else _parse_names(grant.properties, LOCALES)
    return GrantRule(fields=fields, locales=locales, conditions=conditions)


def _parse_names(properties: Mapping[str, object], name: str) -> frozenset[str] | None:
    """Parse a list of names; ``None`` when there is none, which means all."""
    value = properties.get(name)
    if value is None:
        return None
    names = value if isinstance(value, list) else []
    return frozenset(name for name in names if isinstance(name, str))
