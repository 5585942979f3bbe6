"""The rows of relation targets."""

from collections.abc import Mapping

import pytest

from quire.document_service.commands import CreateDocument
from quire.errors import ValidationError
from tests.unit.document_service.press import LABEL, PERSON, STORY, TOPIC, Press


def test_a_draft_is_linked_with_drafts(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow", publish=True)
    story = press.create(STORY, name="Alps", topics=[topic])
    assert press.linked(STORY, "topics", press.draft(STORY, story)) == ["Snow"]


def test_an_entry_without_drafts_is_linked_with_the_draft_and_with_what_is_public(
    press: Press,
) -> None:
    topic = press.create(TOPIC, name="Snow", publish=True)
    ann = press.create(PERSON, name="Ann", favourites=[topic])
    assert press.linked(PERSON, "favourites", press.draft(PERSON, ann)) == ["Snow", "Snow*"]


@pytest.mark.parametrize(("status", "shown"), [("draft", "Snow"), ("published", "Snow*")])
def test_an_entry_without_drafts_can_be_linked_with_one_of_them(
    press: Press, status: str, shown: str
) -> None:
    topic = press.create(TOPIC, name="Snow", publish=True)
    connect = [{"documentId": topic, "status": status}]
    ann = press.create(PERSON, name="Ann", favourites={"connect": connect})
    assert press.linked(PERSON, "favourites", press.draft(PERSON, ann)) == [shown]


def test_both_rows_leave_together(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow", publish=True)
    ann = press.create(PERSON, name="Ann", favourites=[topic])
    press.update(PERSON, ann, favourites={"disconnect": [topic]})
    assert press.linked(PERSON, "favourites", press.draft(PERSON, ann)) == []


def test_components_are_linked_as_the_entry_they_belong_to(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow", publish=True)
    box = {"name": "b", "topic": topic}
    ann = press.create(PERSON, name="Ann", box=box)
    story = press.create(STORY, name="Alps", box=box, publish=True)

    def shown(uid: str, row: dict[str, object]) -> list[str]:
        return press.linked("shared.box", "topic", press.components(uid, "box", row)[0])

    assert shown(PERSON, press.draft(PERSON, ann)) == ["Snow", "Snow*"]
    assert shown(STORY, press.draft(STORY, story)) == ["Snow"]
    assert shown(STORY, press.live(STORY, story)) == ["Snow*"]


def test_a_localized_entry_is_linked_with_entries_of_its_locale(press: Press) -> None:
    label = press.create(LABEL, name="news")
    press.update(LABEL, label, locale="fr", name="actualités")
    story = press.create(
        STORY, name="Alpes", locale="fr", labels=[{"documentId": label, "locale": "en"}]
    )
    assert press.linked(STORY, "labels", press.draft(STORY, story, "fr")) == ["actualités"]


def test_an_entry_without_locales_is_linked_with_the_locale_it_names_or_the_default_one(
    press: Press,
) -> None:
    story = press.create(STORY, name="Alps")
    press.update(STORY, story, locale="fr", name="Alpes")
    ann = press.create(PERSON, name="Ann", stories=[story])
    bob = press.create(PERSON, name="Bob", stories=[{"documentId": story, "locale": "fr"}])
    assert press.linked(PERSON, "stories", press.draft(PERSON, ann)) == ["Alps"]
    assert press.linked(PERSON, "stories", press.draft(PERSON, bob)) == ["Alpes"]


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("topics", 'Document with id "nobody", locale "null" not found'),
        ("labels", 'Document with id "nobody", locale "fr" not found'),
    ],
)
def test_a_document_that_is_not_there_is_named_with_the_locale_that_was_looked_in(
    press: Press, attribute: str, message: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        press.do(CreateDocument(uid=STORY, data={attribute: ["nobody"]}, locale="fr"))
    assert str(caught.value) == message


def test_documents_to_take_away_and_to_stand_beside_have_to_exist_too(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow")
    beside = {"documentId": topic, "position": {"before": "nobody"}}
    for change in ({"disconnect": ["nobody"]}, {"connect": [beside]}):
        with pytest.raises(ValidationError, match='Document with id "nobody"'):
            press.create(STORY, name="Alps", topics=change)


def test_a_relation_in_a_column_knows_rows_alone(press: Press) -> None:
    ann = press.create(PERSON, name="Ann")
    with pytest.raises(ValidationError, match="do not exist"):
        press.create(PERSON, name="Bob", spouse=ann)
    bob = press.create(PERSON, name="Bob", spouse=press.draft(PERSON, ann)["id"])
    assert press.linked(PERSON, "spouse", press.draft(PERSON, bob)) == ["Ann"]


def connect(*items: Mapping[str, object], strict: bool = True) -> dict[str, object]:
    return {"connect": list(items), "options": {"strict": strict}}


def test_anchors_that_are_not_linked_are_an_error_unless_told_otherwise(press: Press) -> None:
    snow, ice, wind = (press.create(TOPIC, name=name) for name in ("Snow", "Ice", "Wind"))
    story = press.create(STORY, name="Alps", topics=[snow])
    item = {"documentId": ice, "position": {"before": wind}}
    with pytest.raises(ValidationError, match="needs to be connected first"):
        press.update(STORY, story, topics=connect(item))
    press.update(STORY, story, topics=connect(item, strict=False))
    assert press.linked(STORY, "topics", press.draft(STORY, story)) == ["Snow", "Ice"]


def test_a_new_entry_has_lost_no_anchors_so_they_are_always_an_error(press: Press) -> None:
    snow, ice = (press.create(TOPIC, name=name) for name in ("Snow", "Ice"))
    item = {"documentId": snow, "position": {"before": ice}}
    with pytest.raises(ValidationError, match="needs to be connected first"):
        press.create(STORY, name="Alps", topics=connect(item, strict=False))


def test_rows_do_not_stand_beside_documents(press: Press) -> None:
    snow, ice = (press.create(TOPIC, name=name) for name in ("Snow", "Ice"))
    story = press.create(STORY, name="Alps", topics=[snow])
    row = press.draft(TOPIC, ice)["id"]
    item = {"id": row, "position": {"before": snow}}
    with pytest.raises(ValidationError) as caught:
        press.update(STORY, story, topics=connect(item))
    assert str(caught.value) == (
        f'There was a problem connecting relation with id {row} at position {{"before":"{snow}"}}.'
        f" The relation with id {snow} needs to be connected first."
    )


def test_nothing_goes_to_two_places(press: Press) -> None:
    snow = press.create(TOPIC, name="Snow")
    row = press.draft(TOPIC, snow)["id"]
    items = ({"documentId": snow}, {"documentId": snow, "position": {"start": True}})
    with pytest.raises(ValidationError) as caught:
        press.create(STORY, name="Alps", topics=connect(*items))
    assert str(caught.value) == (
        f"The relation with id {row} is already connected."
        " You cannot connect the same relation twice."
    )


def test_the_error_about_an_anchor_names_the_locale_that_was_assumed(press: Press) -> None:
    stories = [press.create(STORY, name=name) for name in ("Alps", "Andes")]
    item: dict[str, object] = {"documentId": stories[0], "position": {"before": stories[1]}}
    with pytest.raises(ValidationError, match='"locale":"en"'):
        press.create(PERSON, name="Ann", stories=connect(item))
    topics = [press.create(TOPIC, name=name) for name in ("Snow", "Ice")]
    item = {"documentId": topics[0], "position": {"before": topics[1]}}
    with pytest.raises(ValidationError) as caught:
        press.create(STORY, name="Alps", topics=connect(item))
    assert "locale" not in str(caught.value)
