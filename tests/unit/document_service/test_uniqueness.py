"""Values that must be unique among published entries."""

import pytest

from quire.errors import ValidationError
from tests.unit.document_service.press import PERSON, STORY, Press

TAKEN = "This attribute must be unique"


def test_what_is_public_is_taken(press: Press) -> None:
    press.create(STORY, name="Alps", code="A", publish=True)
    with pytest.raises(ValidationError, match=TAKEN):
        press.create(STORY, name="Andes", code="A", publish=True)


def test_drafts_may_repeat_what_is_public_and_one_another(press: Press) -> None:
    press.create(STORY, name="Alps", code="A", publish=True)
    stories = [press.create(STORY, name=name, code="A") for name in ("Andes", "Ural")]
    assert [press.draft(STORY, story)["code"] for story in stories] == ["A", "A"]


def test_a_repeated_value_is_found_when_it_is_published(press: Press) -> None:
    press.create(STORY, name="Alps", code="A", publish=True)
    story = press.create(STORY, name="Andes", code="A")
    with pytest.raises(ValidationError, match=TAKEN):
        press.publish(STORY, story)
    assert press.versions(STORY, story) == ["en"]


def test_a_document_may_repeat_itself(press: Press) -> None:
    story = press.create(STORY, name="Alps", code="A", publish=True)
    press.update(STORY, story, code="A", publish=True)
    press.publish(STORY, story)
    assert press.live(STORY, story)["code"] == "A"


def test_a_document_keeps_a_published_value_that_another_one_has_as_well(press: Press) -> None:
    """Such rows are older than the rule, or from another program."""
    alps = press.create(STORY, name="Alps", code="A", publish=True)
    andes = press.create(STORY, name="Andes", code="B", publish=True)
    press.store.execute("UPDATE storys SET code = 'A'")

    press.update(STORY, alps, name="High Alps", publish=True)
    assert press.live(STORY, alps)["name"] == "High Alps"
    press.update(STORY, andes, code="B", publish=True)
    with pytest.raises(ValidationError, match=TAKEN):
        press.update(STORY, andes, code="A", publish=True)


def test_a_value_that_only_the_draft_has_is_not_kept(press: Press) -> None:
    press.create(STORY, name="Alps", code="A", publish=True)
    andes = press.create(STORY, name="Andes", code="B", publish=True)
    press.update(STORY, andes, code="A")
    with pytest.raises(ValidationError, match=TAKEN):
        press.publish(STORY, andes)


def test_a_value_published_in_another_locale_is_not_kept(press: Press) -> None:
    press.create(STORY, name="Alps", locale="fr", code="A", publish=True)
    andes = press.create(STORY, name="Andes", code="A", publish=True)
    with pytest.raises(ValidationError, match=TAKEN):
        press.update(STORY, andes, locale="fr", name="Andes", code="A", publish=True)


def test_what_is_not_public_any_more_is_free(press: Press) -> None:
    story = press.create(STORY, name="Alps", code="A", publish=True)
    press.unpublish(STORY, story)
    press.create(STORY, name="Andes", code="A", publish=True)
    with pytest.raises(ValidationError, match=TAKEN):
        press.publish(STORY, story)


def test_every_locale_is_by_itself(press: Press) -> None:
    press.create(STORY, name="Alps", code="A", publish=True)
    story = press.create(STORY, name="Andes", locale="fr", code="A", publish=True)
    assert press.live(STORY, story, "fr")["code"] == "A"


@pytest.mark.parametrize("value", [None, ""])
def test_nothing_may_be_repeated(press: Press, value: str | None) -> None:
    for name in ("Alps", "Andes"):
        press.create(STORY, name=name, code=value, publish=True)
    assert [row["code"] for row in press.rows("storys")] == [value] * 4


def test_entries_without_drafts_are_public_at_once(press: Press) -> None:
    ann = press.create(PERSON, name="Ann")
    bob = press.create(PERSON, name="Bob")
    with pytest.raises(ValidationError, match=TAKEN):
        press.update(PERSON, bob, name="Ann")
    press.update(PERSON, ann, name="Ann")


def test_values_in_components_are_looked_for_in_the_same_place(press: Press) -> None:
    press.create(STORY, name="Alps", boxes=[{"name": "b", "key": "K"}], publish=True)
    with pytest.raises(ValidationError, match=TAKEN):
        press.create(STORY, name="Andes", boxes=[{"name": "b", "key": "K"}], publish=True)
    press.create(STORY, name="Ural", box={"name": "b", "key": "K"}, publish=True)


def test_no_two_components_of_a_list_may_have_the_same_value(press: Press) -> None:
    boxes = [{"name": "b", "key": "K"}, {"name": "c", "key": "K"}]
    with pytest.raises(ValidationError):
        press.create(STORY, name="Alps", boxes=boxes, publish=True)
