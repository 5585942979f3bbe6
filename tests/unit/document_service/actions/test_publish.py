"""Publishing documents."""

import pytest

from quire.document_service.commands import AllLocales
from quire.errors import NotFoundError, ValidationError
from tests.unit.document_service.press import PERSON, STORY, TOPIC, Press


def test_the_draft_stays_as_it_is(press: Press) -> None:
    story = press.create(STORY, name="Alps")
    before = press.draft(STORY, story)
    press.publish(STORY, story)
    assert press.draft(STORY, story) == before


def test_the_published_row_says_what_the_draft_says(press: Press) -> None:
    story = press.create(STORY, name="Alps", rating=3, pin="secret", cover=1, pictures=[2, 1])
    press.publish(STORY, story)
    draft, live = press.draft(STORY, story), press.live(STORY, story)
    differing = {name for name in draft if draft[name] != live[name]}
    assert differing == {"id", "published_at"}
    assert press.linked(STORY, "cover", live) == ["one"]
    assert press.linked(STORY, "pictures", live) == ["two", "one"]


def test_the_published_row_is_created_again_every_time(press: Press) -> None:
    story = press.create(STORY, name="Alps", publish=True)
    before = press.live(STORY, story)
    press.publish(STORY, story)
    after = press.live(STORY, story)
    assert after["id"] > before["id"]
    assert after["published_at"] > before["published_at"]


def test_every_version_has_components_of_its_own(press: Press) -> None:
    ann = press.create(PERSON, name="Ann")
    box = {"name": "box", "picture": 1, "mark": {"name": "mark", "person": ann}}
    story = press.create(STORY, name="Alps", boxes=[box], publish=True)
    (draft,) = press.components(STORY, "boxes", press.draft(STORY, story))
    (live,) = press.components(STORY, "boxes", press.live(STORY, story))
    assert (draft["name"], live["name"]) == ("box", "box")
    assert draft["id"] != live["id"]
    assert press.linked("shared.box", "picture", live) == ["one"]
    assert press.counted() == [2, 2]
    press.publish(STORY, story)
    assert press.counted() == [2, 2]


def test_a_published_entry_is_linked_with_published_entries(press: Press) -> None:
    snow, ice = press.create(TOPIC, name="Snow", publish=True), press.create(TOPIC, name="Ice")
    story = press.create(STORY, name="Alps", topics=[ice, snow], publish=True)
    assert press.linked(STORY, "topics", press.draft(STORY, story)) == ["Ice", "Snow"]
    assert press.linked(STORY, "topics", press.live(STORY, story)) == ["Snow*"]


def test_what_is_not_public_yet_is_linked_in_its_place_when_it_is(press: Press) -> None:
    topics = [press.create(TOPIC, name=name) for name in ("Snow", "Ice", "Wind")]
    press.publish(TOPIC, topics[0])
    press.publish(TOPIC, topics[2])
    story = press.create(STORY, name="Alps", topics=topics, publish=True)
    press.publish(TOPIC, topics[1])
    assert press.linked(STORY, "topics", press.live(STORY, story)) == ["Snow*", "Ice*", "Wind*"]


def test_a_document_can_be_linked_with_itself(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow")
    press.update(TOPIC, topic, parent=topic)
    for _ in range(2):
        press.publish(TOPIC, topic)
        live = press.live(TOPIC, topic)
        assert press.linked(TOPIC, "parent", live) == ["Snow*"]
        assert press.linked(TOPIC, "children", live) == ["Snow*"]
    assert press.linked(TOPIC, "parent", press.draft(TOPIC, topic)) == ["Snow"]


def test_rows_of_other_tables_with_the_same_ids_are_not_mistaken_for_the_published_one(
    press: Press,
) -> None:
    """Rows are identified by table and id: ids repeat between tables."""
    topic = press.create(TOPIC, name="Snow", publish=True)
    story = press.create(STORY, name="Alps", topics=[topic], publish=True)
    for _ in range(3):
        press.publish(TOPIC, topic)
        press.publish(STORY, story)
        assert press.linked(TOPIC, "stories", press.live(TOPIC, topic)) == ["Alps*"]
        assert press.linked(STORY, "topics", press.live(STORY, story)) == ["Snow*"]


def test_there_is_nothing_to_publish_without_a_draft(press: Press) -> None:
    story = press.create(STORY, name="Alps")
    with pytest.raises(NotFoundError):
        press.publish(STORY, story, "fr")
    with pytest.raises(NotFoundError):
        press.publish(STORY, "nobody")


def test_a_draft_that_is_not_complete_is_refused_and_what_is_published_stays(
    press: Press,
) -> None:
    story = press.create(STORY, name="Alps", publish=True, boxes=[{"name": "box"}])
    press.update(STORY, story, name=None)
    before, counted = press.live(STORY, story), press.counted()
    with pytest.raises(ValidationError):
        press.publish(STORY, story)
    assert press.live(STORY, story) == before
    assert press.counted() == counted


def test_all_locales_can_be_published_together(press: Press) -> None:
    story = press.create(STORY, name="Alps")
    press.update(STORY, story, locale="fr", name="Alpes")
    written = press.publish(STORY, story, AllLocales.LOCALE)
    assert [entry.locale for entry in written] == ["en", "fr"]
    assert press.versions(STORY, story) == ["en", "en*", "fr", "fr*"]
