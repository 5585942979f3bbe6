"""Validation of components."""

import pytest

from quire.document_service.validate import Problem, ValidationRules
from tests.unit.document_service.validate.notes import (
    CREATE_DRAFT,
    EVERY_RULE,
    PART,
    check,
    check_one,
    no,
    problems_of,
)


@pytest.mark.parametrize("rules", EVERY_RULE)
@pytest.mark.parametrize(("value", "shown"), [("x", '"x"'), (5, "5"), ([], "[]")])
def test_a_component_is_an_object(value: object, shown: str, rules: ValidationRules) -> None:
    (problem,) = check({"item": value}, rules).problems
    assert problem == Problem(("item",), "item " + no("object", shown) + ".", value)


@pytest.mark.parametrize("rules", EVERY_RULE)
@pytest.mark.parametrize(("value", "shown"), [(None, "null"), ("x", '"x"'), ({}, "{}")])
def test_a_list_of_components_is_a_list(value: object, shown: str, rules: ValidationRules) -> None:
    (problem,) = check({"items": value}, rules).problems
    assert problem == Problem(("items",), "items " + no("array", shown) + ".", value)


@pytest.mark.parametrize(
    ("item", "source"),
    [
        (None, ""),
        (1, " (cast from the value `1`)"),
        ("x", ' (cast from the value `"x"`)'),
        ([], " (cast from the value `[]`)"),
        ('{"label":"x"}', ' (cast from the value `"{"label":"x"}"`)'),
    ],
)
def test_an_item_that_is_no_object_counts_as_null(item: object, source: str) -> None:
    checked = check({"items": [item, {"label": "x"}]})
    message = f"items[0] must be a `object` type, but the final value was: `null`{source}."
    assert checked.problems == (Problem(("items", "0"), message, None),)


def test_a_list_has_neither_too_few_items_nor_too_many() -> None:
    least = ("items", "items field must have at least 2 items")
    most = ("items", "items field must have less than or equal to 3 items")
    assert problems_of(check({"items": [{"label": "x"}]})) == [least]
    assert problems_of(check({"items": [{"label": "x"}] * 4})) == [most]
    assert check({"items": [{"label": "x"}] * 4}, CREATE_DRAFT).problems == ()
    assert check({"items": []}).problems == ()


def test_an_empty_list_is_too_short_where_one_is_required() -> None:
    options = {"type": "dynamiczone", "components": [PART], "min": 1, "required": True}
    assert problems_of(check_one(options, {"field": []})) == [
        ("field", "field field must have at least 1 items")
    ]


def test_too_few_items_are_shown_with_their_defaults() -> None:
    (problem,) = check({"items": [{"label": "x"}]}).problems
    assert problem.value == [{"label": "x", "size": 3, "parts": []}]


def test_errors_in_items_have_the_index_in_their_path() -> None:
    checked = check({"items": [{"label": "x"}, {"label": "too long"}]})
    assert problems_of(checked) == [
        ("items.1.label", "items[1].label must be at most 5 characters"),
    ]
