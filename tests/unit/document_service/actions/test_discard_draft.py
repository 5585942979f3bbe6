"""Replacing drafts by the published version."""

import pytest

from quire.errors import NotFoundError
from tests.unit.document_service.press import STORY, TOPIC, Press


def test_the_draft_is_created_again_of_what_is_published(press: Press) -> None:
    story = press.create(STORY, name="Alps", pin="secret", boxes=[{"name": "box"}], publish=True)
    press.update(STORY, story, name="Andes", pin=None, boxes=[])
    before, live = press.draft(STORY, story), press.live(STORY, story)
    (written,) = press.discard(STORY, story)
    draft = press.draft(STORY, story)
    assert written.entry_id == draft["id"] > before["id"]
    differing = {name for name in draft if draft[name] != live[name]}
    assert differing == {"id", "published_at"}
    assert [box["name"] for box in press.components(STORY, "boxes", draft)] == ["box"]
    assert press.live(STORY, story) == live
    assert press.counted() == [2, 0]


def test_the_draft_is_linked_with_drafts(press: Press) -> None:
    snow, ice = (press.create(TOPIC, name=name, publish=True) for name in ("Snow", "Ice"))
    story = press.create(STORY, name="Alps", topics=[ice, snow], publish=True)
    press.update(STORY, story, topics=[])
    press.discard(STORY, story)
    assert press.linked(STORY, "topics", press.draft(STORY, story)) == ["Ice", "Snow"]
    assert press.linked(STORY, "topics", press.live(STORY, story)) == ["Ice*", "Snow*"]


def test_drafts_that_were_linked_with_the_old_draft_are_linked_with_the_new_one(
    press: Press,
) -> None:
    topic = press.create(TOPIC, name="Snow", publish=True)
    review = press.create("api::review.review", name="Fine", topic=topic, publish=True)
    press.discard(TOPIC, topic)
    uid = "api::review.review"
    assert press.linked(uid, "topic", press.draft(uid, review)) == ["Snow"]
    assert press.linked(uid, "topic", press.live(uid, review)) == ["Snow*"]


def test_there_is_nothing_to_go_back_to_before_it_is_published(press: Press) -> None:
    story = press.create(STORY, name="Alps")
    with pytest.raises(NotFoundError):
        press.discard(STORY, story)


def test_a_draft_that_was_linked_with_itself_is_so_again(press: Press) -> None:
    story = press.create(STORY, name="Alps")
    press.update(STORY, story, related=[story], publish=True)
    press.update(STORY, story, related=[])
    press.discard(STORY, story)
    assert press.linked(STORY, "related", press.draft(STORY, story)) == ["Alps"]
    assert press.linked(STORY, "related", press.live(STORY, story)) == ["Alps*"]
