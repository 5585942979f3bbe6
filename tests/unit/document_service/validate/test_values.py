"""Values of a payload after validation."""

import pytest

from quire.document_service.entry_values import (
    EntryValues,
    RelationChange,
    RelationTarget,
)
from quire.document_service.validate import ValidationRules
from tests.unit.document_service.validate.notes import (
    EVERY_RULE,
    ITEM,
    PART,
    TAG,
    UPDATE,
    check,
)


def test_scalars_are_kept_as_their_columns_take_them() -> None:
    data = {
        "title": "x y",
        "count": "7",
        "big": "12",
        "flag": "true",
        "kind": "b",
        "day": "2024-02-29T10:00:00Z",
        "at": "1970-01-01T00:00:01Z",
        "extra": {"a": [1]},
        "pin": "secret",
    }
    checked = check(data)
    assert checked.problems == ()
    assert checked.values.scalars == {
        **data,
        "count": 7,
        "big": 12,
        "flag": True,
        "day": "2024-02-29",
        "at": 1000,
    }


def test_a_new_entry_gets_defaults_and_empty_lists() -> None:
    values = check({}).values
    assert values == EntryValues(
        scalars={"big": 7, "kind": "a"}, components={"items": (), "zone": ()}
    )


def test_an_update_touches_nothing_but_what_is_given() -> None:
    assert check({}, UPDATE).values == EntryValues()
    assert check({"flag": 1}, UPDATE).values == EntryValues(scalars={"flag": True})


@pytest.mark.parametrize("rules", EVERY_RULE)
def test_a_null_clears_a_scalar_and_is_not_replaced_by_the_default(rules: ValidationRules) -> None:
    values = check({"title": None, "kind": None, "extra": None}, rules).values
    assert (values.scalars["title"], values.scalars["kind"], values.scalars["extra"]) == (
        None,
        None,
        None,
    )


@pytest.mark.parametrize("name", ["publishedAt", "locale", "createdAt", "id", "documentId", "nope"])
def test_what_the_server_decides_is_passed_over(name: str) -> None:
    assert check({name: 5}, UPDATE) == check({}, UPDATE)


def test_relations_and_files_are_changes() -> None:
    data = {
        "tag": "x",
        "tags": {"connect": [5]},
        "cover": [1, 2],
        "anything": [{"__type": TAG, "id": 5}],
    }
    assert check(data, UPDATE).values.relations == {
        "tag": RelationChange(set=(RelationTarget(document_id="x"),)),
        "tags": RelationChange(connect=(RelationTarget(id=5),)),
        "cover": RelationChange(set=(RelationTarget(id=1),)),
        "anything": RelationChange(set=(RelationTarget(id=5, uid=TAG),)),
    }


def test_a_relation_of_which_nothing_is_said_is_left_out() -> None:
    assert check({"tag": {}, "tags": True}, UPDATE).values == EntryValues()


def test_components_hold_values_of_their_own() -> None:
    data = {
        "item": {"label": "x", "part": {"text": "y", "tag": 5}},
        "items": [{"label": "a"}, {"label": "b", "size": None}],
        "zone": [{"__component": PART, "text": "z"}],
    }
    values = check(data).values.components
    (item,) = values["item"]
    assert (item.uid, item.id) == (ITEM, None)
    assert item.values.scalars == {"label": "x", "size": 3}
    (inner,) = item.values.components["part"]
    assert inner.values.relations == {"tag": RelationChange(set=(RelationTarget(id=5),))}
    assert [one.values.scalars for one in values["items"]] == [
        {"label": "a", "size": 3},
        {"label": "b", "size": None},
    ]
    (zoned,) = values["zone"]
    assert (zoned.uid, zoned.values.scalars) == (PART, {"text": "z"})


def test_null_and_the_empty_list_clear_components() -> None:
    values = check({"item": None, "items": [], "zone": []}, UPDATE).values
    assert values.components == {"item": (), "items": (), "zone": ()}


def test_a_component_with_an_id_is_changed_by_what_is_given_alone() -> None:
    data = {"item": {"id": "5", "day": "2024-01-01"}}
    values = check(data, UPDATE).values
    (item,) = values.components["item"]
    assert item.id == 5
    assert item.values == EntryValues(scalars={"day": "2024-01-01"})


def test_a_component_without_an_id_is_new_and_gets_defaults() -> None:
    (item,) = check({"item": {"key": "k"}}, UPDATE).values.components["item"]
    assert (item.id, item.values.scalars) == (None, {"size": 3, "key": "k"})


def test_the_ids_of_components_count_for_nothing_in_a_new_entry() -> None:
    (item,) = check({"item": {"id": 5, "label": "x"}}).values.components["item"]
    assert item.id is None
    assert item.values.scalars["size"] == 3


@pytest.mark.parametrize("given", ["abc", 1.5, True, [], {}])
def test_what_can_be_no_id_names_no_component(given: object) -> None:
    (item,) = check({"item": {"id": given}}, UPDATE).values.components["item"]
    assert item.id == 0


def test_a_zone_holds_components_that_it_lists() -> None:
    (item,) = check({"zone": [{"__component": ITEM, "label": "x"}]}).values.components["zone"]
    assert item.uid == ITEM
