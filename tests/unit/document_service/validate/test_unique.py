"""Unique values."""

import pytest

from quire.document_service.validate import Problem, UniqueCheck, ValidationRules
from tests.unit.document_service.validate.notes import (
    CREATE_DRAFT,
    ITEM,
    NOTE,
    UPDATE_DRAFT,
    check,
)


def looked_up(name: str, value: object, original: object = None) -> UniqueCheck:
    """Say that a value of a note is to be looked up."""
    return UniqueCheck(
        model_uid=NOTE,
        component_path=(),
        attribute=name,
        value=value,
        path=(name,),
        original=value if original is None else original,
        position=0,
    )


def test_unique_values_are_to_be_looked_up_as_they_are_stored() -> None:
    checked = check({"slug": "x", "code": "c", "at": "1970-01-01T00:00:01Z"})
    assert checked.uniques == (
        UniqueCheck(
            model_uid=NOTE,
            component_path=(),
            attribute="slug",
            value="x",
            path=("slug",),
            original="x",
            position=0,
        ),
        looked_up("at", 1000, "1970-01-01T00:00:01Z"),
        UniqueCheck(
            model_uid=NOTE,
            component_path=(),
            attribute="code",
            value="c",
            path=("code",),
            original="c",
            position=0,
        ),
    )
    assert checked.uniques[2].problem == Problem(("code",), "This attribute must be unique", "c")


@pytest.mark.parametrize("rules", [CREATE_DRAFT, UPDATE_DRAFT])
def test_drafts_may_share_values(rules: ValidationRules) -> None:
    assert check({"code": "c", "slug": "x"}, rules).uniques == ()


@pytest.mark.parametrize("value", [None, ""])
def test_nothing_may_be_shared(value: object) -> None:
    assert check({"code": value, "slug": value}).uniques == ()


def test_json_is_not_compared() -> None:
    assert check({"extra": {"a": 1}}).uniques == ()


def test_what_is_refused_is_not_looked_up() -> None:
    assert check({"code": 5}).uniques == ()


def test_values_of_components_are_looked_up_in_the_component() -> None:
    (found,) = check({"item": {"label": "x", "key": "k"}}).uniques
    assert (found.model_uid, found.attribute, found.path) == (ITEM, "key", ("item", "key"))
    assert found.component_path == (("item", ITEM),)


def test_items_of_a_list_share_no_values() -> None:
    items = [{"label": "a", "key": "k"}, {"label": "b", "key": "k"}, {"label": "c", "key": "j"}]
    checked = check({"items": items})
    assert checked.problems == (
        Problem(("items", "0", "key"), "This attribute must be unique", "k"),
        Problem(("items", "1", "key"), "This attribute must be unique", "k"),
    )
    assert [one.value for one in checked.uniques] == ["j"]
    assert check({"items": items}, CREATE_DRAFT).problems == ()


def test_of_many_items_that_share_values_every_one_is_reported() -> None:
    # Half of them share one value: looking for each in the list of all would take minutes.
    items = [{"label": "a", "key": "k" if i % 2 else str(i)} for i in range(60_000)]
    checked = check({"items": items})
    shared = [problem for problem in checked.problems if problem.value == "k"]
    assert len(shared) == len(checked.uniques) == 30_000


def test_items_of_two_lists_may_share_a_value_here() -> None:
    item = {"__component": ITEM, "label": "a", "key": "k"}
    checked = check({"item": {"label": "b", "key": "k"}, "zone": [item]})
    assert checked.problems == ()
    assert [one.path for one in checked.uniques] == [("item", "key"), ("zone", "0", "key")]
