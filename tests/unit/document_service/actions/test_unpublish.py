"""Unpublishing documents."""

import pytest

from quire.document_service.commands import AllLocales
from quire.errors import NotFoundError
from tests.unit.document_service.press import PERSON, STORY, TOPIC, Press


def test_the_published_row_goes_with_all_that_belongs_to_it(press: Press) -> None:
    box = {"name": "box", "picture": 1, "mark": {"name": "mark"}}
    story = press.create(STORY, name="Alps", boxes=[box], cover=1, publish=True)
    before = press.draft(STORY, story)
    (written,) = press.unpublish(STORY, story)
    assert press.versions(STORY, story) == ["en"]
    assert press.draft(STORY, story) == before
    assert written.entry_id == before["id"]
    assert press.counted() == [1, 1]
    assert len(press.rows("files_related_mph")) == 2


def test_nobody_is_linked_with_what_is_not_public_any_more(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow", publish=True)
    story = press.create(STORY, name="Alps", topics=[topic], publish=True)
    ann = press.create(PERSON, name="Ann", favourites=[topic])
    press.unpublish(TOPIC, topic)
    assert press.linked(STORY, "topics", press.live(STORY, story)) == []
    assert press.linked(STORY, "topics", press.draft(STORY, story)) == ["Snow"]
    assert press.linked(PERSON, "favourites", press.draft(PERSON, ann)) == ["Snow"]


def test_one_locale_is_taken_away_or_all_of_them(press: Press) -> None:
    story = press.create(STORY, name="Alps")
    press.update(STORY, story, locale="fr", name="Alpes")
    press.publish(STORY, story, AllLocales.LOCALE)
    press.unpublish(STORY, story, "fr")
    assert press.versions(STORY, story) == ["en", "en*", "fr"]
    press.unpublish(STORY, story, AllLocales.LOCALE)
    assert press.versions(STORY, story) == ["en", "fr"]


def test_a_draft_stays_a_draft(press: Press) -> None:
    story = press.create(STORY, name="Alps")
    press.unpublish(STORY, story)
    assert press.versions(STORY, story) == ["en"]
    assert press.events == []


def test_an_unknown_document_cannot_be_taken_away(press: Press) -> None:
    with pytest.raises(NotFoundError):
        press.unpublish(STORY, "nobody")
