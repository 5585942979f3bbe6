"""Validation of stored entries, as when they are published."""

import pytest

from quire.document_service.validate import Problem, ValidationRules, check_stored
from quire.schema.load import build_schema
from tests.library.model import component, content_type, relation
from tests.unit.document_service.validate.notes import (
    ITEM,
    MARK,
    PART,
    check,
    check_note,
    problems_of,
)

STORED: dict[str, object] = {
    "title": "Title",
    "slug": "a-b",
    "count": 5,
    "big": 2**60,
    "flag": True,
    "kind": "a",
    "day": "2024-02-29",
    "at": 1000,
    "code": "c",
    "extra": {"a": [1]},
    "pin": "$2a$10$" + "x" * 53,
    "item": {"id": 4, "label": "x", "size": 3, "key": None, "day": None, "part": None, "parts": []},
    "items": [],
    "zone": [{"id": 5, "__component": PART, "text": "z"}],
}


def test_a_sound_entry_has_no_problems_and_its_unique_values_are_looked_up() -> None:
    checked = check_note(STORED)
    assert (checked.problems, checked.final_error) == ((), None)
    assert [one.attribute for one in checked.uniques] == ["slug", "at", "code"]


def test_a_component_that_the_zone_lists_no_more_does_not_keep_an_entry_from_being_published() -> (
    None
):
    removed = [{"id": 5, "__component": MARK, "name": "z"}]
    assert check_note({**STORED, "zone": removed}).problems == ()


def test_values_are_what_is_stored() -> None:
    values = check_note(STORED).values
    scalars = {name: value for name, value in STORED.items() if name in values.scalars}
    assert values.scalars == scalars
    assert values.relations == {}


def test_a_stored_draft_is_held_to_all_rules() -> None:
    item = {**dict(STORED["item"]), "label": None}  # type: ignore[call-overload]  # a dict
    checked = check_note({**STORED, "title": "x", "count": 0, "item": item})
    assert problems_of(checked) == [
        ("title", "title must be at least 2 characters"),
        ("count", "count must be greater than or equal to 1"),
        ("item.label", "item.label must be a `string` type, but the final value was: `null`."),
    ]


def test_too_few_items_are_shown_as_they_are_stored() -> None:
    items = [{"id": 7, "label": "x", "size": 3, "parts": []}]
    (problem,) = check_note({**STORED, "items": items}).problems
    message = "items field must have at least 2 items"
    assert problem == Problem(("items",), message, items)


def test_the_hash_of_a_secret_is_not_held_to_the_rules_of_the_secret() -> None:
    assert check({"pin": STORED["pin"]}).problems != ()
    assert check_note({"pin": STORED["pin"]}).problems == ()


def test_items_of_a_stored_list_share_no_values() -> None:
    items = [{"id": n, "__component": ITEM, "label": "x", "key": "k"} for n in (1, 2)]
    checked = check_note({**STORED, "zone": items})
    assert [path for path, _ in problems_of(checked)] == ["zone.0.key", "zone.1.key"]


@pytest.mark.parametrize(("tags", "missed"), [([], True), (None, True), ([{"id": 1}], False)])
def test_strict_relations_are_looked_for_where_they_are_given(
    tags: object, *, missed: bool
) -> None:
    attributes = {"tags": relation("manyToMany", "api::one.one", required=True)}
    schema = build_schema([content_type("one", attributes)])
    rules = ValidationRules(draft=False, creating=True, strict_relations=True)
    checked = check_stored(schema, schema.content_types["api::one.one"], {"tags": tags}, rules)
    assert bool(checked.problems) is missed
    assert checked.values.relations == {}


def test_passwords_of_stored_components_are_not_shown() -> None:
    lock = {"pin": {"type": "password"}, "name": {"type": "string"}}
    inner = {"type": "component", "component": PART, "repeatable": False}
    locks = {"type": "component", "component": ITEM, "repeatable": True, "min": 3}
    schema = build_schema(
        (
            content_type("one", {"locks": locks}),
            component(ITEM, {**lock, "inner": inner, "more": {**inner, "repeatable": True}}),
            component(PART, lock),
        )
    )
    hashed = {"id": 7, "pin": "$2a$10$abc", "name": "Door"}
    stored = {"locks": [{**hashed, "inner": hashed, "more": [hashed]}, {"id": 8, "inner": None}]}
    rules = ValidationRules(draft=False, creating=True)
    checked = check_stored(schema, schema.content_types["api::one.one"], stored, rules)
    shown = {"id": 7, "name": "Door"}
    (problem,) = checked.problems
    assert problem.value == [
        {**shown, "inner": shown, "more": [shown]},
        {"id": 8, "inner": None},
    ]
