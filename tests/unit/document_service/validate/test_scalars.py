"""Validation of scalar values."""

import pytest

from quire.document_service.validate import Problem, ValidationRules
from quire.errors import ValidationError
from tests.unit.document_service.validate.notes import (
    CREATE_DRAFT,
    EVERY_RULE,
    check,
    check_one,
    no,
    problems_of,
)


def test_a_problem_has_the_path_the_sentence_and_the_value() -> None:
    (problem,) = check({"title": 5}).problems
    message = "title must be a `string` type, but the final value was: `5`."
    assert problem == Problem(("title",), message, 5)


def test_all_problems_are_reported_in_the_order_of_the_schema() -> None:
    checked = check({"item": {"label": 5}, "kind": "z", "count": 50, "title": "x"})
    assert problems_of(checked) == [
        ("title", "title must be at least 2 characters"),
        ("count", "count must be less than or equal to 9"),
        ("kind", "kind must be one of the following values: a, b, "),
        ("item.label", "item.label " + no("string", "5") + "."),
    ]


def test_drafts_keep_types_maxima_and_choices_alone() -> None:
    data = {"title": "x", "count": 0, "slug": "Not so", "item": {}, "code": "x"}
    assert check(data, CREATE_DRAFT).problems == ()
    assert problems_of(check({"title": "x" * 10, "count": 50}, CREATE_DRAFT)) == [
        ("title", "title must be at most 9 characters"),
        ("count", "count must be less than or equal to 9"),
    ]


def test_errors_inside_of_a_value_have_its_path_before_theirs() -> None:
    checked = check_one({"type": "blocks"}, {"field": [{"type": "paragraph"}]})
    assert problems_of(checked) == [
        ("field.0.children", "field[0].children is a required field"),
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"day": "zz"}, "Invalid format, expected yyyy-MM-dd"),
        ({"at": "zz"}, "Invalid format, expected a timestamp or an ISO date"),
        ({"day": "zz", "at": "zz"}, "Invalid format, expected yyyy-MM-dd"),
        ({"day": "2024-02-30", "item": {"label": "x", "day": 5}}, "Invalid format, expected"),
    ],
)
@pytest.mark.parametrize("rules", EVERY_RULE)
def test_a_wrong_date_is_an_error_of_its_own_that_of_components_first(
    data: dict[str, object], message: str, rules: ValidationRules
) -> None:
    checked = check(data, rules)
    assert checked.problems == ()
    assert isinstance(checked.final_error, ValidationError)
    assert checked.final_error.message.startswith(message)


def test_a_payload_that_is_no_object_is_refused_as_a_whole() -> None:
    checked = check([{"title": "x"}])
    message = (
        "this must be a `object` type, but the final value was: `null` "
        '(cast from the value `[\n  {\n    "title": "\\"x\\""\n  }\n]`).'
    )
    assert checked.problems == (Problem((), message, None),)
