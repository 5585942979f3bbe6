"""Required values."""

import pytest

from quire.document_service.validate import ABSENT, Problem, ValidationRules
from tests.unit.document_service.validate.notes import (
    CREATE_DRAFT,
    PART,
    STRICT,
    TAG,
    UPDATE,
    UPDATE_DRAFT,
    check,
    check_one,
    no,
    problems_of,
)


@pytest.mark.parametrize(
    "type_name", ["string", "integer", "boolean", "json", "date", "blocks", "biginteger"]
)
def test_what_is_required_is_missed_in_a_new_entry_alone(type_name: str) -> None:
    options = {"type": type_name, "required": True}
    (problem,) = check_one(options, {}).problems
    assert problem == Problem(("field",), "field must be defined.", ABSENT)
    for rules in (UPDATE, CREATE_DRAFT, UPDATE_DRAFT):
        assert check_one(options, {}, rules).problems == ()


@pytest.mark.parametrize(
    ("type_name", "created", "updated"),
    [
        ("string", no("string", "null") + ".", no("string", "null") + "."),
        ("integer", no("number", "NaN") + ".", no("number", "NaN") + "."),
        ("blocks", no("array", "null") + ".", no("array", "null") + "."),
        ("boolean", "must be defined.", "cannot be null."),
        ("json", "must be defined.", "cannot be null."),
        ("datetime", "must be defined.", "cannot be null."),
        ("biginteger", "must be defined.", "cannot be null."),
    ],
)
def test_a_null_is_no_value(type_name: str, created: str, updated: str) -> None:
    options = {"type": type_name, "required": True}
    data = {"field": None}
    assert check_one(options, data).problems == (Problem(("field",), f"field {created}", None),)
    assert check_one(options, data, UPDATE).problems == (
        Problem(("field",), f"field {updated}", None),
    )
    assert check_one(options, data, CREATE_DRAFT).problems == ()


def test_a_default_takes_the_place_of_what_is_missing() -> None:
    checked = check_one({"type": "boolean", "required": True, "default": False}, {})
    assert (checked.problems, checked.values.scalars) == ((), {"field": False})


@pytest.mark.parametrize("value", ["", 0, False, [], {}])
def test_what_is_empty_is_there(value: object) -> None:
    assert check_one({"type": "json", "required": True}, {"field": value}).problems == ()


def test_a_required_component_is_missed() -> None:
    options = {"type": "component", "component": PART, "required": True}
    assert problems_of(check_one(options, {})) == [("field", "field must be defined.")]
    null = "field must be a `object` type, but the final value was: `null`."
    assert problems_of(check_one(options, {"field": None})) == [("field", null)]
    assert check_one(options, {"field": None}, CREATE_DRAFT).problems == ()


@pytest.mark.parametrize(
    "options",
    [
        {"type": "component", "component": PART, "repeatable": True, "required": True},
        {"type": "dynamiczone", "components": [PART], "required": True},
    ],
)
def test_a_required_list_of_components_is_missed_in_drafts_as_well(
    options: dict[str, object],
) -> None:
    assert problems_of(check_one(options, {}, CREATE_DRAFT)) == [
        ("field", "field must be defined.")
    ]
    assert check_one(options, {"field": []}).problems == ()


@pytest.mark.parametrize("options", [{"type": "media"}, {"type": "relation", "target": TAG}])
@pytest.mark.parametrize("data", [{}, {"field": None}, {"field": []}])
def test_a_required_relation_is_missed_only_when_relations_are_strict(
    options: dict[str, object], data: dict[str, object]
) -> None:
    options = {**options, "required": True, "relation": "oneToOne"}
    assert check_one(options, data).problems == ()
    assert problems_of(check_one(options, data, STRICT)) == [("field", "field must be defined.")]
    draft = ValidationRules(draft=True, creating=True, strict_relations=True)
    assert check_one(options, data, draft).problems == ()
    assert check_one(options, {"field": 5}, STRICT).problems == ()


def test_what_is_required_of_a_new_component_is_missed_in_a_new_entry_alone() -> None:
    assert problems_of(check({"item": {}})) == [("item.label", "item.label must be defined.")]
    assert check({"item": {}}, UPDATE).problems == ()
    null = "item.label must be a `string` type, but the final value was: `null`."
    assert problems_of(check({"item": {"label": None}}, UPDATE)) == [("item.label", null)]
