"""Attributes shared by the locales of a document."""

import pytest

from quire.document_service.commands import AllLocales, PublishDocument
from tests.unit.document_service.press import STORY, TOPIC, Press


@pytest.fixture
def story(press: Press) -> str:
    """Return a document in English and French, both of them drafts."""
    facts = [{"name": "high"}, {"name": "cold"}]
    document = press.create(STORY, name="Alps", rating=3, cover=1, facts=facts)
    press.update(STORY, document, locale="fr", name="Alpes")
    return document


def facts(press: Press, row: dict[str, object]) -> list[object]:
    return [fact["name"] for fact in press.components(STORY, "facts", row)]


def test_a_new_locale_begins_with_what_the_document_has_already(press: Press, story: str) -> None:
    french = press.draft(STORY, story, "fr")
    assert (french["name"], french["rating"]) == ("Alpes", 3)
    assert press.linked(STORY, "cover", french) == ["one"]
    assert facts(press, french) == ["high", "cold"]


def test_a_new_locale_takes_over_from_the_draft_not_from_what_is_published(press: Press) -> None:
    story = press.create(STORY, name="Alps", rating=3, publish=True)
    press.update(STORY, story, rating=4)
    press.update(STORY, story, locale="fr", name="Alpes", publish=True)
    assert press.draft(STORY, story, "fr")["rating"] == 4
    assert press.live(STORY, story, "fr")["rating"] == 4
    assert press.live(STORY, story)["rating"] == 3


def test_what_a_new_locale_gives_counts_for_all_of_them(press: Press, story: str) -> None:
    press.update(STORY, story, locale="de", name="Alpen", rating=5)
    assert [press.draft(STORY, story, code)["rating"] for code in ("en", "fr", "de")] == [5, 5, 5]


def test_what_belongs_to_a_locale_is_not_shared(press: Press, story: str) -> None:
    topic = press.create(TOPIC, name="Snow")
    boxes = [{"name": "b"}]
    press.update(STORY, story, name="Andes", topics=[topic], pictures=[1], boxes=boxes, code="A")
    french = press.draft(STORY, story, "fr")
    assert (french["name"], french["code"]) == ("Alpes", None)
    assert press.linked(STORY, "topics", french) == press.linked(STORY, "pictures", french) == []
    assert press.components(STORY, "boxes", french) == []


def test_the_drafts_agree(press: Press, story: str) -> None:
    before = press.draft(STORY, story, "fr")
    press.update(STORY, story, rating=7, cover=2, facts=[{"name": "steep"}])
    french = press.draft(STORY, story, "fr")
    assert french["rating"] == 7
    assert french["updated_at"] > before["updated_at"]
    assert press.linked(STORY, "cover", french) == ["two"]
    assert facts(press, french) == ["steep"]


def test_every_locale_has_components_of_its_own(press: Press, story: str) -> None:
    press.update(STORY, story, facts=[{"name": "steep"}])
    ids = [
        fact["id"]
        for code in ("en", "fr")
        for fact in press.components(STORY, "facts", press.draft(STORY, story, code))
    ]
    assert len(set(ids)) == 2
    assert press.counted() == [0, 2]


def test_entries_that_agree_already_stay_untouched(press: Press, story: str) -> None:
    before = press.draft(STORY, story, "fr")
    press.update(STORY, story, rating=3, cover=1, facts=[{"name": "high"}, {"name": "cold"}])
    assert press.draft(STORY, story, "fr") == before


def test_a_change_of_what_they_share_modifies_all_locales(press: Press, story: str) -> None:
    press.update(STORY, story, locale="de", name="Alpen")
    before = [press.draft(STORY, story, code)["updated_at"] for code in ("fr", "de")]
    press.update(STORY, story, rating=4)
    after = [press.draft(STORY, story, code) for code in ("fr", "de")]
    assert [row["rating"] for row in after] == [4, 4]
    assert all(row["updated_at"] > moment for row, moment in zip(after, before, strict=True))


def test_several_locales_are_published_at_once(press: Press, story: str) -> None:
    press.update(STORY, story, locale="de", name="Alpen")
    written = press.do(PublishDocument(uid=STORY, document_id=story, locales=("fr", "en")))
    assert [one.locale for one in written] == ["en", "fr"]
    assert press.entry(STORY, story, published=True, locale="de") is None


def test_drafts_do_not_reach_the_public(press: Press, story: str) -> None:
    press.publish(STORY, story, AllLocales.LOCALE)
    press.update(STORY, story, rating=7)
    assert press.live(STORY, story, "fr")["rating"] == press.live(STORY, story)["rating"] == 3


def test_what_is_published_with_a_change_is_public_in_all_published_locales(
    press: Press, story: str
) -> None:
    press.publish(STORY, story, AllLocales.LOCALE)
    press.update(STORY, story, rating=7, publish=True)
    assert press.live(STORY, story, "fr")["rating"] == 7
    assert press.draft(STORY, story, "fr")["rating"] == 7
    assert press.live(STORY, story, "fr")["name"] == "Alpes"


def test_going_back_to_what_is_published_brings_the_other_drafts_back_too(
    press: Press, story: str
) -> None:
    press.publish(STORY, story, AllLocales.LOCALE)
    press.update(STORY, story, rating=7, cover=None, facts=[])
    press.discard(STORY, story)
    french = press.draft(STORY, story, "fr")
    assert french["rating"] == 3
    assert press.linked(STORY, "cover", french) == ["one"]
    assert facts(press, french) == ["high", "cold"]
