"""Attributes that exist only under a condition."""

from tests.unit.document_service.validate.notes import (
    check_one,
    problems_of,
)

VISIBLE = {"conditions": {"visible": {"==": [{"var": "on"}, True]}}}


def test_what_is_hidden_need_not_be_there() -> None:
    options = {"type": "string", "required": True, **VISIBLE}
    assert check_one(options, {"on": False}).problems == ()
    assert problems_of(check_one(options, {"on": True})) == [("field", "field must be defined.")]


def test_what_is_hidden_keeps_the_rules_of_drafts_alone() -> None:
    options = {"type": "integer", "min": 2, **VISIBLE}
    assert check_one(options, {"field": 1, "on": False}).problems == ()
    assert check_one(options, {"field": 1}).values.scalars == {"field": 1}
    assert problems_of(check_one(options, {"field": 1, "on": True})) == [
        ("field", "field must be greater than or equal to 2")
    ]
    assert len(check_one(options, {"field": "abc", "on": False}).problems) == 1
