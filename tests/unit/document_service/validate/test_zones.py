"""Validation of dynamic zones."""

import pytest

from quire.document_service.validate import ValidationRules
from tests.unit.document_service.validate.notes import (
    EVERY_RULE,
    ITEM,
    MARK,
    PART,
    UPDATE,
    check,
    no,
    problems_of,
)

WITHOUT = "Cannot build relations store from dynamiczone, component identifier is undefined"
LISTED = f"must be one of the following values: {ITEM}, {PART}"


def test_a_null_is_no_list() -> None:
    assert problems_of(check({"zone": None})) == [("zone", "zone " + no("array", "null") + ".")]


@pytest.mark.parametrize(
    ("zone", "problems"),
    [
        ("x", [("zone", "zone " + no("array", '"x"') + "."), ("", WITHOUT)]),
        ({}, [("zone", "zone " + no("array", "{}") + "."), ("", WITHOUT)]),
        (
            [{"text": "x"}],
            [("zone.0.__component", "zone[0].__component is a required field"), ("", WITHOUT)],
        ),
        (
            [{"__component": "nope"}],
            [
                ("zone.0.__component", f"zone[0].__component {LISTED}"),
                ("", "Invalid relations"),
            ],
        ),
        (
            [{"__component": MARK, "name": "x"}],
            [("zone.0.__component", f"zone[0].__component {LISTED}")],
        ),
        (
            [{"__component": 5}],
            [
                ("zone.0.__component", f"zone[0].__component {LISTED}"),
                ("", "Invalid relations"),
            ],
        ),
        (
            [{"__component": ""}],
            [("zone.0.__component", f"zone[0].__component {LISTED}"), ("", WITHOUT)],
        ),
        (
            [{"__component": None}],
            [
                ("zone.0.__component", "zone[0].__component " + no("string", "null") + "."),
                ("zone.0.__component", f"zone[0].__component {LISTED}"),
                ("", WITHOUT),
            ],
        ),
        (
            [None],
            [("zone.0", "zone[0] " + no("object", "null") + "."), ("", "Invalid relations")],
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("rules", EVERY_RULE)
def test_an_item_names_a_component(
    zone: object, problems: list[tuple[str, str]], rules: ValidationRules
) -> None:
    assert problems_of(check({"zone": zone}, rules)) == problems


def test_that_relations_cannot_be_told_is_said_once_and_shows_the_entry() -> None:
    checked = check({"tag": "", "zone": [{}], "items": [{"label": "x"}] * 2})
    last = checked.problems[-1]
    assert (last.path, last.message) == ((), "Invalid relations")
    item = {"label": "x", "size": 3, "parts": []}
    shown = {"tag": "", "zone": [{}], "items": [item, item], "big": "7", "kind": "a"}
    assert last.value == shown


def test_a_relation_without_an_identity_is_reported_with_other_problems() -> None:
    checked = check({"tags": {"connect": [{"nope": 1}]}, "title": 5}, UPDATE)
    assert problems_of(checked) == [
        ("title", "title " + no("string", "5") + "."),
        ("", "Invalid relations"),
    ]
