"""Creating documents."""

import pytest

from quire.document_service.commands import CreateDocument
from quire.errors import ValidationError
from tests.unit.document_service.press import PERSON, START_MS, STORY, TOPIC, Press


def test_a_new_document_is_a_draft(press: Press) -> None:
    story = press.create(STORY, name="Alps")
    assert press.versions(STORY, story) == ["en"]


def test_a_new_document_can_be_published_at_once(press: Press) -> None:
    (written,) = press.do(CreateDocument(uid=STORY, data={"name": "Alps"}, publish=True))
    assert press.versions(STORY, written.document_id) == ["en", "en*"]
    assert written.published
    assert written.entry_id == press.live(STORY, written.document_id)["id"]


def test_a_type_without_drafts_has_one_row_that_is_public(press: Press) -> None:
    admin_user = press.create(PERSON, name="Ann")
    row = press.draft(PERSON, admin_user)
    assert row["published_at"] == row["created_at"] == row["updated_at"]


def test_a_document_is_made_and_changed_last_at_the_same_moment(press: Press) -> None:
    row = press.draft(STORY, press.create(STORY, name="Alps"))
    assert row["created_at"] == row["updated_at"] > START_MS
    assert row["published_at"] is None


def test_a_document_is_made_in_the_default_locale_or_the_one_that_is_asked_for(
    press: Press,
) -> None:
    assert press.versions(STORY, press.create(STORY, name="Alps")) == ["en"]
    assert press.versions(STORY, press.create(STORY, name="Alpes", locale="fr")) == ["fr"]


def test_a_type_without_locales_has_none_whatever_is_asked_for(press: Press) -> None:
    assert press.draft(TOPIC, press.create(TOPIC, name="Snow", locale="fr"))["locale"] is None


def test_a_document_id_can_be_chosen_beforehand(press: Press) -> None:
    (written,) = press.do(CreateDocument(uid=TOPIC, data={"name": "Snow"}, document_id="chosen"))
    assert written.document_id == "chosen"


def test_a_password_is_stored_as_its_hash(press: Press) -> None:
    story = press.create(STORY, name="Alps", pin="secret")
    assert press.draft(STORY, story)["pin"] == "hash of secret"


def test_lists_keep_their_order(press: Press) -> None:
    topics = [press.create(TOPIC, name=name) for name in ("Snow", "Ice", "Wind")]
    story = press.create(STORY, name="Alps", topics=topics[::-1], pictures=[3, 1, 2])
    row = press.draft(STORY, story)
    assert press.linked(STORY, "topics", row) == ["Wind", "Ice", "Snow"]
    assert press.linked(STORY, "pictures", row) == ["three", "one", "two"]


def test_what_cannot_be_published_is_not_made_at_all(press: Press) -> None:
    with pytest.raises(ValidationError):
        press.create(STORY, publish=True, code="A", boxes=[{"name": "box"}])
    assert press.rows("storys") == press.rows("storys_cmps") == []
    assert press.counted() == [0, 0]


def test_a_draft_need_not_be_complete(press: Press) -> None:
    assert press.draft(STORY, press.create(STORY))["name"] is None
