"""Cloning documents."""

import pytest

from quire.document_service.commands import CloneDocument
from quire.errors import NotFoundError, ValidationError
from tests.unit.document_service.press import BADGE, PERSON, STORY, TOPIC, Press


def test_the_drafts_of_all_locales_are_copied_to_a_new_document(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow", publish=True)
    story = press.create(STORY, name="Alps", topics=[topic], boxes=[{"name": "b"}], publish=True)
    press.update(STORY, story, locale="fr", name="Alpes")
    written = press.do(CloneDocument(uid=STORY, document_id=story))
    (copy,) = {entry.document_id for entry in written}
    assert copy != story
    assert press.versions(STORY, copy) == ["en", "fr"]
    draft = press.draft(STORY, copy)
    assert draft["name"] == "Alps"
    assert press.linked(STORY, "topics", draft) == ["Snow"]
    assert [box["name"] for box in press.components(STORY, "boxes", draft)] == ["b"]
    assert press.draft(STORY, copy, "fr")["name"] == "Alpes"


def test_data_stand_in_the_place_of_values(press: Press) -> None:
    story = press.create(STORY, name="Alps", rating=3)
    written = press.do(CloneDocument(uid=STORY, document_id=story, data={"name": "Andes"}))
    draft = press.draft(STORY, written[0].document_id)
    assert (draft["name"], draft["rating"]) == ("Andes", 3)


def test_what_can_belong_to_one_only_stays_where_it_is(press: Press) -> None:
    badge = press.create(BADGE, name="Gold")
    story = press.create(STORY, name="Alps", badge=badge)
    written = press.do(CloneDocument(uid=STORY, document_id=story))
    assert press.linked(STORY, "badge", press.draft(STORY, written[0].document_id)) == []
    assert press.linked(STORY, "badge", press.draft(STORY, story)) == ["Gold"]


def test_what_has_no_drafts_keeps_both_versions_of_what_it_leads_to(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow", publish=True)
    admin_user = press.create(PERSON, name="Ann", favourites=[topic])
    row = press.draft(PERSON, admin_user)
    written = press.do(CloneDocument(uid=PERSON, document_id=admin_user, data={"name": "Bob"}))
    copy = press.draft(PERSON, written[0].document_id)
    assert press.linked(PERSON, "favourites", row) == ["Snow", "Snow*"]
    assert press.linked(PERSON, "favourites", copy) == ["Snow", "Snow*"]


def test_values_that_are_unique_have_to_be_given_anew(press: Press) -> None:
    admin_user = press.create(PERSON, name="Ann")
    with pytest.raises(ValidationError, match="unique"):
        press.do(CloneDocument(uid=PERSON, document_id=admin_user))
    press.do(CloneDocument(uid=PERSON, document_id=admin_user, data={"name": "Bob"}))
    assert [row["name"] for row in press.rows("persons")] == ["Ann", "Bob"]


def test_there_is_nothing_to_copy_of_an_unknown_document(press: Press) -> None:
    with pytest.raises(NotFoundError):
        press.do(CloneDocument(uid=STORY, document_id="nobody"))
