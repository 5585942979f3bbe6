"""Abilities: denied unless granted, and equal if they grant the same."""

import pytest

from quire.access.ability import (
    NO_PERMISSIONS,
    Ability,
    FullAccess,
    Granted,
    NarrowedAbility,
    ProjectRules,
    ReadOnly,
    can_find,
    narrow_for_call,
    rules_of,
)

BOOKS = "api::book.book"


@pytest.mark.parametrize(
    ("action", "full", "read_only", "granted"),
    [
        (f"{BOOKS}.find", True, True, True),
        (f"{BOOKS}.findOne", True, True, False),
        (f"{BOOKS}.create", True, False, False),
        (f"{BOOKS}.update", True, False, False),
        (f"{BOOKS}.delete", True, False, False),
        ("plugin::upload.content-api.find", True, True, False),
        ("plugin::upload.content-api.findPage", True, False, False),
        ("plugin::upload.content-api.upload", True, False, False),
        ("plugin::i18n.locales.listLocales", True, False, False),
        ("plugin::users-permissions.user.me", True, False, False),
        ("plugin::users-permissions.user.count", True, False, False),
        ("plugin::users-permissions.permissions.getPermissions", True, False, False),
        ("find", True, True, False),
        ("", True, False, False),
    ],
)
def test_an_action_is_allowed_by_what_was_granted(
    action: str, *, full: bool, read_only: bool, granted: bool
) -> None:
    assert FullAccess().allows(action) is full
    assert ReadOnly().allows(action) is read_only
    assert Granted(frozenset({f"{BOOKS}.find"})).allows(action) is granted
    assert not NO_PERMISSIONS.allows(action)


def test_finding_documents_is_the_action_find_of_their_type() -> None:
    assert can_find(Granted(frozenset({f"{BOOKS}.find"})), BOOKS)
    assert not can_find(Granted(frozenset({f"{BOOKS}.findOne"})), BOOKS)


def test_abilities_that_grant_the_same_are_one_key_of_a_cache() -> None:
    first = Granted(frozenset(["a", "b"]))
    second = Granted(frozenset(["b", "a"]))
    assert first == second
    assert hash(first) == hash(second)
    assert {FullAccess(): 1, ReadOnly(): 2}[ReadOnly()] == 2


def test_abilities_that_grant_something_else_are_different() -> None:
    kinds = [FullAccess(), ReadOnly(), Granted(frozenset({"a"})), NO_PERMISSIONS]
    assert len(set(kinds)) == len(kinds)
    actions: object = frozenset({"a"})
    assert Granted(frozenset({"a"})) != actions


def test_an_ability_does_not_print_what_it_grants() -> None:
    assert repr(Granted(frozenset({"a", "b"}))) == "Granted(2 actions)"


def test_an_ability_for_a_call_is_made_once_unless_it_depends_on_the_time() -> None:
    def narrowed(ability: Granted | NarrowedAbility, *, volatile: bool = False) -> Ability:
        return narrow_for_call(ability, BOOKS, '{"title":"Sea"}', volatile=volatile)

    granted = Granted(frozenset({f"{BOOKS}.find"}))
    again = Granted(frozenset({f"{BOOKS}.find"}))
    assert narrowed(granted) is narrowed(again)
    assert narrowed(granted, volatile=True) is not narrowed(again, volatile=True)

    def moving(moment: str) -> NarrowedAbility:
        rule = f"{BOOKS}.find"
        rules = ProjectRules(rules={rule: moment}, volatile=frozenset({rule}))
        return NarrowedAbility(granted, rules)

    first, second = narrowed(moving("one")), narrowed(moving("two"))
    assert [rules_of(one)[f"{BOOKS}.find"] for one in (first, second)] == ["one", "two"]
