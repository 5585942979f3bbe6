"""Components of entries: updated, created and deleted rows."""

from typing import Any

import pytest

from quire.errors import ApplicationError, ForeignComponentError
from tests.unit.document_service.press import BOX, MARK, PERSON, STORY, Press


@pytest.fixture
def story(press: Press) -> str:
    """Return a document with two boxes, each with a picture and a mark in it."""
    boxes = [{"name": name, "picture": 1, "mark": {"name": f"in {name}"}} for name in "ab"]
    return press.create(STORY, name="Alps", boxes=boxes)


def boxes(press: Press, story: str, attribute: str = "boxes") -> list[dict[str, Any]]:
    return press.components(STORY, attribute, press.draft(STORY, story))


def names(found: list[dict[str, Any]]) -> list[str]:
    return [component["name"] for component in found]


def test_a_component_that_is_named_by_its_id_changes_in_place(press: Press, story: str) -> None:
    first, second = boxes(press, story)
    press.update(STORY, story, boxes=[{"id": first["id"], "name": "c"}, {"id": str(second["id"])}])
    assert boxes(press, story) == [{**first, "name": "c"}, second]


def test_what_is_not_given_of_a_component_stays(press: Press, story: str) -> None:
    first, second = boxes(press, story)
    press.update(STORY, story, boxes=[{"id": first["id"]}, {"id": second["id"]}])
    assert press.linked(BOX, "picture", first) == ["one"]
    assert names(press.components(BOX, "mark", first)) == ["in a"]


def test_components_come_in_the_order_of_the_list(press: Press, story: str) -> None:
    first, second = boxes(press, story)
    press.update(STORY, story, boxes=[{"id": second["id"]}, {"name": "c"}, {"id": first["id"]}])
    assert names(boxes(press, story)) == ["b", "c", "a"]


def test_components_that_are_not_mentioned_go_with_all_that_is_in_them(
    press: Press, story: str
) -> None:
    first, _ = boxes(press, story)
    press.update(STORY, story, boxes=[{"id": first["id"]}])
    assert names(boxes(press, story)) == ["a"]
    assert press.counted() == [1, 1]
    assert len(press.rows("files_related_mph")) == 1


def test_components_without_ids_take_the_places_of_those_there_were(
    press: Press, story: str
) -> None:
    before = [box["id"] for box in boxes(press, story)]
    press.update(STORY, story, boxes=[{"name": "a"}, {"name": "b"}])
    after = [box["id"] for box in boxes(press, story)]
    assert set(before).isdisjoint(after)
    assert press.counted() == [2, 0]


def test_attributes_with_components_are_cleared_by_nothing(press: Press, story: str) -> None:
    press.update(STORY, story, boxes=[], box={"name": "single"})
    assert press.counted() == [1, 0]
    press.update(STORY, story, box=None)
    assert press.counted() == [0, 0]


def test_the_components_of_other_attributes_stay(press: Press, story: str) -> None:
    press.update(STORY, story, box={"name": "single"})
    assert names(boxes(press, story)) == ["a", "b"]
    assert names(boxes(press, story, "box")) == ["single"]


def test_a_single_component_changes_in_place_or_is_created_again(press: Press, story: str) -> None:
    press.update(STORY, story, box={"name": "single"})
    (before,) = boxes(press, story, "box")
    press.update(STORY, story, box={"id": before["id"], "name": "changed"})
    assert boxes(press, story, "box") == [{**before, "name": "changed"}]
    press.update(STORY, story, box={"name": "new"})
    (after,) = boxes(press, story, "box")
    assert after["id"] != before["id"]


def test_components_of_other_entries_are_refused(press: Press, story: str) -> None:
    (other,) = boxes(press, press.create(STORY, name="Andes", boxes=[{"name": "other"}]))
    message = "Some of the provided components in boxes are not related to the entity"
    with pytest.raises(ApplicationError, match=message):
        press.update(STORY, story, name="Andes", boxes=[{"id": other["id"]}])
    assert press.draft(STORY, story)["name"] == "Alps"
    assert names(boxes(press, story)) == ["a", "b"]


def test_components_of_the_published_version_are_foreign_to_the_draft(
    press: Press, story: str
) -> None:
    press.publish(STORY, story)
    live, _ = press.components(STORY, "boxes", press.live(STORY, story))
    with pytest.raises(ApplicationError):
        press.update(STORY, story, boxes=[{"id": live["id"]}])


def test_ids_count_for_nothing_in_new_entries(press: Press, story: str) -> None:
    first, _ = boxes(press, story)
    other = press.create(STORY, name="Andes", boxes=[{"id": first["id"], "name": "c"}])
    assert names(boxes(press, other)) == ["c"]
    assert names(boxes(press, story)) == ["a", "b"]


def test_a_zone_tells_components_by_their_kind_and_id(press: Press, story: str) -> None:
    zone = [{"__component": BOX, "name": "a"}, {"__component": MARK, "name": "b"}]
    press.update(STORY, story, zone=zone)
    box, mark = boxes(press, story, "zone")
    press.update(
        STORY,
        story,
        zone=[
            {"__component": MARK, "id": mark["id"], "name": "c"},
            {"__component": BOX, "id": box["id"]},
        ],
    )
    assert boxes(press, story, "zone") == [{**mark, "name": "c"}, box]
    with pytest.raises(ForeignComponentError):
        press.update(STORY, story, zone=[{"__component": BOX, "id": box["id"] + 100}])


def test_components_in_components_follow_the_same_rules(press: Press, story: str) -> None:
    first, second = boxes(press, story)
    (mark,) = press.components(BOX, "mark", first)
    ann = press.create(PERSON, name="Ann")
    kept = {"id": mark["id"], "person": ann}
    press.update(
        STORY,
        story,
        boxes=[{"id": first["id"], "mark": kept}, {"id": second["id"], "mark": None}],
    )
    assert press.components(BOX, "mark", first) == [mark]
    assert press.linked(MARK, "person", mark) == ["Ann"]
    assert press.components(BOX, "mark", second) == []
    assert press.counted() == [2, 1]
