"""Incoming links are kept when versions of a document are replaced."""

import pytest

from tests.unit.document_service.press import BADGE, BOX, NOTE, PERSON, REVIEW, STORY, TOPIC, Press


@pytest.fixture
def topic(press: Press) -> str:
    """Return a topic that is public, between two others in every list."""
    return press.create(TOPIC, name="Snow", publish=True)


def links(press: Press, table: str) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in press.rows(table)]


def test_one_way_links_keep_their_rows_and_places(press: Press, topic: str) -> None:
    ice = press.create(TOPIC, name="Ice", publish=True)
    ann = press.create(PERSON, name="Ann", favourites=[ice, topic])
    before = links(press, "persons_favourites_lnk")
    press.publish(TOPIC, topic)
    after = links(press, "persons_favourites_lnk")
    assert [(row[0], row[3]) for row in after] == [(row[0], row[3]) for row in before]
    shown = press.linked(PERSON, "favourites", press.draft(PERSON, ann))
    assert shown == ["Ice", "Ice*", "Snow", "Snow*"]


def test_published_entries_stay_linked_with_what_is_published_again(
    press: Press, topic: str
) -> None:
    review = press.create(REVIEW, name="Fine", topic=topic, publish=True)
    for _ in range(2):
        press.publish(TOPIC, topic)
        assert press.linked(REVIEW, "topic", press.draft(REVIEW, review)) == ["Snow"]
        assert press.linked(REVIEW, "topic", press.live(REVIEW, review)) == ["Snow*"]


def test_two_sided_links_keep_the_places_that_the_other_side_gave_them(
    press: Press, topic: str
) -> None:
    others = [press.create(TOPIC, name=name, publish=True) for name in ("Ice", "Wind")]
    topics = [others[0], topic, others[1]]
    story = press.create(STORY, name="Alps", topics=topics, publish=True)
    press.publish(TOPIC, topic)
    press.publish(TOPIC, others[0])
    live = press.live(STORY, story)
    assert press.linked(STORY, "topics", live) == ["Ice*", "Snow*", "Wind*"]
    assert press.linked(STORY, "topics", press.draft(STORY, story)) == ["Ice", "Snow", "Wind"]


def test_a_document_keeps_its_place_among_those_of_a_linked_one(press: Press, topic: str) -> None:
    stories = [
        press.create(STORY, name=name, topics=[topic], publish=True) for name in ("A1", "B1", "C1")
    ]
    press.publish(STORY, stories[0])
    press.publish(STORY, stories[1])
    assert press.linked(TOPIC, "stories", press.live(TOPIC, topic)) == ["A1*", "B1*", "C1*"]


def test_links_between_one_and_one_survive_from_both_sides(press: Press) -> None:
    badge = press.create(BADGE, name="Gold", publish=True)
    story = press.create(STORY, name="Alps", badge=badge, publish=True)
    for uid, document in ((BADGE, badge), (STORY, story), (BADGE, badge)):
        press.publish(uid, document)
        assert press.linked(STORY, "badge", press.draft(STORY, story)) == ["Gold"]
        assert press.linked(STORY, "badge", press.live(STORY, story)) == ["Gold*"]
        assert press.linked(BADGE, "story", press.live(BADGE, badge)) == ["Alps*"]
    press.discard(STORY, story)
    assert press.linked(BADGE, "story", press.draft(BADGE, badge)) == ["Alps"]


def test_links_among_documents_of_one_type_survive_from_both_ends(press: Press) -> None:
    parent = press.create(TOPIC, name="Weather", publish=True)
    child = press.create(TOPIC, name="Snow", parent=parent, publish=True)
    for document in (parent, child, parent):
        press.publish(TOPIC, document)
        assert press.linked(TOPIC, "children", press.live(TOPIC, parent)) == ["Snow*"]
        assert press.linked(TOPIC, "children", press.draft(TOPIC, parent)) == ["Snow"]
        assert press.linked(TOPIC, "parent", press.live(TOPIC, child)) == ["Weather*"]


def test_components_stay_linked(press: Press, topic: str) -> None:
    review = press.create(
        REVIEW, name="Fine", boxes=[{"name": "b1"}, {"name": "b2", "topic": topic}], publish=True
    )
    press.publish(TOPIC, topic)
    for row, shown in (
        (press.draft(REVIEW, review), "Snow"),
        (press.live(REVIEW, review), "Snow*"),
    ):
        boxes = press.components(REVIEW, "boxes", row)
        assert [press.linked(BOX, "topic", box) for box in boxes] == [[], [shown]]


def test_columns_that_hold_the_row_hold_the_new_one(press: Press, topic: str) -> None:
    row = press.live(TOPIC, topic)
    review = press.create(REVIEW, name="Fine", pinned={"id": row["id"]})
    press.publish(TOPIC, topic)
    assert press.linked(REVIEW, "pinned", press.draft(REVIEW, review)) == ["Snow*"]


def test_links_of_any_type_lead_to_the_new_row(press: Press, topic: str) -> None:
    row = press.live(TOPIC, topic)
    note = press.create(NOTE, name="read", about=[{"__type": TOPIC, "id": row["id"]}])
    press.publish(TOPIC, topic)
    assert press.linked(NOTE, "about", press.draft(NOTE, note)) == ["Snow*"]


def test_those_without_drafts_are_linked_with_what_becomes_public(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow")
    ann = press.create(PERSON, name="Ann", favourites=[topic], box={"name": "b", "topic": topic})
    press.publish(TOPIC, topic)
    row = press.draft(PERSON, ann)
    (box,) = press.components(PERSON, "box", row)
    assert press.linked(PERSON, "favourites", row) == ["Snow", "Snow*"]
    assert press.linked(BOX, "topic", box) == ["Snow", "Snow*"]


def test_published_entries_nobody_has_changed_since_are_linked_with_what_becomes_public(
    press: Press,
) -> None:
    topic = press.create(TOPIC, name="Snow")
    boxes = [{"name": "b", "topic": topic}]
    same = press.create(REVIEW, name="Fine", topic=topic, boxes=boxes, publish=True)
    changed = press.create(REVIEW, name="Poor", publish=True)
    press.update(REVIEW, changed, topic=topic, boxes=boxes)
    press.publish(TOPIC, topic)

    live = press.live(REVIEW, same)
    assert press.linked(REVIEW, "topic", live) == ["Snow*"]
    (box,) = press.components(REVIEW, "boxes", live)
    assert press.linked(BOX, "topic", box) == ["Snow*"]
    assert press.linked(REVIEW, "topic", press.live(REVIEW, changed)) == []


def test_a_draft_that_is_gone_is_found_again_by_those_without_drafts(
    press: Press, topic: str
) -> None:
    ann = press.create(PERSON, name="Ann", favourites=[topic])
    press.discard(TOPIC, topic)
    shown = press.linked(PERSON, "favourites", press.draft(PERSON, ann))
    assert sorted(shown) == ["Snow", "Snow*"]
