"""Permissions of administrators: by action, type, field, locale and entry."""

from quire.access.admin_ability import AdminAbility, Creator, GrantRule
from quire.access.admin_actions import (
    ACTIONS,
    CREATE,
    DELETE,
    HAS_SAME_ROLE,
    IS_CREATOR,
    READ,
    UPDATE,
    PermissionSection,
)
from quire.access.admin_grants import Grant, ability_of, super_ability
from tests.library.model import BOOK, PERSON, library_schema

SCHEMA = library_schema()
ROLES = frozenset({7})


def ability(*grants: Grant) -> AdminAbility:
    return ability_of(SCHEMA, grants, user_id=1, role_ids=ROLES)


def grant(action: str, subject: str | None = BOOK, *conditions: str, **properties: object) -> Grant:
    return Grant(action=action, subject=subject, properties=properties, conditions=conditions)


def test_nothing_is_granted_by_itself() -> None:
    nobody = ability()

    assert not any(nobody.allows(action.uid, BOOK) for action in ACTIONS)
    assert not nobody.rules(READ, BOOK)


def test_what_makes_no_sense_grants_nothing() -> None:
    somebody = ability(
        grant("plugin::unheard.of", None),
        grant(READ, "api::nowhere.nowhere"),
        grant(READ, None),
        grant("admin::users.read", BOOK),
        grant(UPDATE, BOOK, "no::such-condition"),
    )

    assert not somebody.allows("plugin::unheard.of")
    assert not somebody.allows(READ, "api::nowhere.nowhere")
    assert not somebody.allows(READ)
    assert not somebody.allows("admin::users.read")
    assert not somebody.allows(UPDATE, BOOK)


def test_a_field_is_granted_by_name_or_with_the_component_around_it() -> None:
    rule = GrantRule(fields=frozenset({"title", "seo", "links.label"}))

    assert rule.covers_field("title")
    assert rule.covers_field("seo.title")
    assert rule.covers_field("links")
    assert not rule.covers_field("links.to")
    assert not rule.covers_field("titles")
    assert GrantRule().covers_field("anything")
    assert not GrantRule(fields=frozenset()).covers_field("title")


def test_fields_that_are_no_list_grant_none() -> None:
    somebody = ability(grant(READ, BOOK, fields="title", locales=None))

    assert not somebody.allows_field(READ, BOOK, "title")


def test_a_type_in_several_locales_grants_none_where_locales_are_missing() -> None:
    none, some, every = (
        ability(grant(READ, BOOK, **properties)).rules(READ, BOOK)[0]
        for properties in ({}, {"locales": ["fr"]}, {"locales": None})
    )

    assert not none.covers_locale("fr")
    assert (some.covers_locale("fr"), some.covers_locale("en")) == (True, False)
    assert every.covers_locale("xx")


def test_a_type_without_locales_needs_none() -> None:
    rule = ability(grant(READ, PERSON)).rules(READ, PERSON)[0]

    assert rule.covers_locale(None)


def test_a_condition_narrows_to_the_entries_of_whoever_made_them() -> None:
    somebody = ability(grant(DELETE, BOOK, IS_CREATOR, locales=["en"]))

    def held(creator: Creator | None) -> bool:
        return bool(somebody.rules_on(DELETE, BOOK, locale="en", creator=creator))

    assert held(Creator(id=1))
    assert not held(Creator(id=2, role_ids=ROLES))
    assert not held(None)


def test_of_several_conditions_one_suffices() -> None:
    somebody = ability(grant(DELETE, BOOK, IS_CREATOR, HAS_SAME_ROLE, locales=["en"]))
    rule = somebody.rules(DELETE, BOOK)[0]
    wanted = somebody.row_filter(rule)

    assert wanted is not None
    assert wanted.passes(Creator(id=2, role_ids=ROLES))
    assert not wanted.passes(Creator(id=2, role_ids=frozenset({8})))
    assert wanted.query() == {
        "$or": [
            {"createdBy": {"id": {"$eq": 1}}},
            {"createdBy": {"roles": {"id": {"$in": [7]}}}},
        ]
    }


def test_what_two_roles_grant_is_not_mixed() -> None:
    somebody = ability(
        grant(UPDATE, BOOK, IS_CREATOR, fields=["title"], locales=["en"]),
        grant(UPDATE, BOOK, fields=["rating"], locales=["en"]),
    )
    foreign = somebody.rules_on(UPDATE, BOOK, locale="en", creator=Creator(id=2))
    own = somebody.rules_on(UPDATE, BOOK, locale="en", creator=Creator(id=1))

    assert not any(rule.covers_field("title") for rule in foreign)
    assert any(rule.covers_field("rating") for rule in foreign)
    assert any(rule.covers_field("title") for rule in own)


def test_super_admins_may_do_everything_that_there_is() -> None:
    boss = super_ability(SCHEMA, user_id=1, role_ids=ROLES)

    for action in ACTIONS:
        subject = BOOK if action.section is PermissionSection.CONTENT else None
        assert boss.allows(action.uid, subject)
    assert not boss.allows("plugin::unheard.of")
    assert not boss.allows(CREATE, "admin::user")
    assert boss.allows(READ, "admin::user")


def test_whoever_may_list_administrators_may_look_at_them_as_content() -> None:
    assert ability(grant("admin::users.read", None)).allows(READ, "admin::user")


def test_nobody_covers_more_than_they_have() -> None:
    own = ability(
        grant(READ, BOOK, fields=["title", "seo"], locales=["en"]),
        grant(UPDATE, BOOK, IS_CREATOR, fields=["title"], locales=["en"]),
    )

    def covers(
        action: str,
        *,
        fields: frozenset[str] | None = None,
        locales: frozenset[str] | None = None,
        conditions: frozenset[str] = frozenset(),
    ) -> bool:
        rule = GrantRule(fields=fields, locales=locales, conditions=conditions)
        return own.covers([(action, BOOK, rule)])

    english = frozenset({"en"})
    assert covers(READ, fields=frozenset({"title"}), locales=english)
    assert covers(READ, fields=frozenset({"seo.title"}), locales=english)
    assert not covers(READ, fields=None, locales=english)
    assert not covers(READ, fields=frozenset({"title"}), locales=None)
    assert not covers(READ, fields=frozenset({"rating"}), locales=english)
    assert not covers(UPDATE, fields=frozenset({"title"}), locales=english)
    owned = frozenset({IS_CREATOR})
    assert covers(UPDATE, fields=frozenset({"title"}), locales=english, conditions=owned)
    assert not covers(DELETE, locales=english)
    boss = super_ability(SCHEMA, user_id=1, role_ids=ROLES)
    assert boss.covers([(UPDATE, BOOK, GrantRule())])


def test_equal_grants_make_equal_abilities() -> None:
    first, second = (ability(grant(READ, BOOK, locales=["en"])) for _ in range(2))

    assert first == second
    assert hash(first) == hash(second)
    assert first != ability(grant(READ, BOOK, locales=["fr"]))
