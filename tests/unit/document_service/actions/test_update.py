"""Updating documents."""

import pytest

from quire.document_service.commands import UpdateDocument
from quire.errors import NotFoundError, PreconditionFailedError, ValidationError
from tests.unit.document_service.press import NOTE, PERSON, STORY, TOPIC, Press


def test_what_is_not_given_stays(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow")
    story = press.create(
        STORY, name="Alps", rating=3, topics=[topic], boxes=[{"name": "box"}], cover=1
    )
    press.update(STORY, story, name="Andes")
    row = press.draft(STORY, story)
    assert (row["name"], row["rating"]) == ("Andes", 3)
    assert press.linked(STORY, "topics", row) == ["Snow"]
    assert press.linked(STORY, "cover", row) == ["one"]
    assert [box["name"] for box in press.components(STORY, "boxes", row)] == ["box"]


def test_a_draft_is_changed_in_place_and_what_is_published_stays(press: Press) -> None:
    story = press.create(STORY, name="Alps", publish=True)
    before, live = press.draft(STORY, story), press.live(STORY, story)
    press.update(STORY, story, name="Andes")
    after = press.draft(STORY, story)
    assert after["id"] == before["id"]
    assert after["created_at"] == before["created_at"]
    assert after["updated_at"] > before["updated_at"]
    assert press.live(STORY, story) == live


def test_a_change_can_be_published_at_once(press: Press) -> None:
    story = press.create(STORY, name="Alps", publish=True)
    before = press.live(STORY, story)
    written = press.update(STORY, story, publish=True, name="Andes")
    live = press.live(STORY, story)
    assert live["name"] == "Andes"
    assert written.entry_id == live["id"] != before["id"]


def test_an_entry_without_drafts_is_public_anew_with_every_change(press: Press) -> None:
    admin_user = press.create(PERSON, name="Ann")
    before = press.draft(PERSON, admin_user)
    press.update(PERSON, admin_user, name="Anne")
    after = press.draft(PERSON, admin_user)
    assert after["id"] == before["id"]
    assert after["published_at"] == after["updated_at"] > before["updated_at"]


def test_there_is_nothing_to_change_of_an_unknown_document(press: Press) -> None:
    with pytest.raises(NotFoundError):
        press.update(STORY, "nobody", name="Alps")


def test_that_a_target_is_missing_is_said_before_that_the_document_is(press: Press) -> None:
    with pytest.raises(ValidationError, match='Document with id "snow"'):
        press.update(STORY, "nobody", topics=["snow"])


def test_a_published_entry_without_a_draft_keeps_what_is_not_given(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow", publish=True)
    story = press.create(STORY, name="Alps", publish=True, rating=3, topics=[topic])
    press.store.execute(f"DELETE FROM storys WHERE id = {press.draft(STORY, story)['id']}")
    press.update(STORY, story, name="Andes")
    draft = press.draft(STORY, story)
    assert (draft["name"], draft["rating"]) == ("Andes", 3)
    assert press.linked(STORY, "topics", draft) == ["Snow"]
    assert press.live(STORY, story)["name"] == "Alps"


def test_a_change_of_something_that_has_changed_since_is_refused(press: Press) -> None:
    story = press.create(STORY, name="Alps")
    command = UpdateDocument(
        uid=STORY, document_id=story, data={"name": "Andes"}, expected=frozenset({"other"})
    )
    with pytest.raises(PreconditionFailedError):
        press.do(command)
    assert press.draft(STORY, story)["name"] == "Alps"


def test_a_list_that_is_set_is_replaced_by_it(press: Press) -> None:
    topics = [press.create(TOPIC, name=name) for name in ("Snow", "Ice", "Wind")]
    story = press.create(STORY, name="Alps", topics=topics[:2])
    press.update(STORY, story, topics=[topics[2], topics[0]])
    assert press.linked(STORY, "topics", press.draft(STORY, story)) == ["Wind", "Snow"]
    press.update(STORY, story, topics=[])
    assert press.linked(STORY, "topics", press.draft(STORY, story)) == []


def test_what_belongs_to_one_is_taken_from_whoever_had_it(press: Press) -> None:
    story = press.create(STORY, name="Alps")
    other = press.create(STORY, name="Andes")
    ann = press.create(PERSON, name="Ann", stories=[story, other])
    bob = press.create(PERSON, name="Bob", stories=[story])
    assert press.linked(PERSON, "stories", press.draft(PERSON, ann)) == ["Andes"]
    assert press.linked(PERSON, "stories", press.draft(PERSON, bob)) == ["Alps"]


def test_of_several_connected_where_there_is_one_place_the_first_is_linked(press: Press) -> None:
    ann, bob = (press.create(PERSON, name=name) for name in ("Ann", "Bob"))
    story = press.create(STORY, name="Alps")
    press.update(STORY, story, author={"connect": [bob, ann]})
    assert press.linked(STORY, "author", press.draft(STORY, story)) == ["Bob"]


def test_all_of_several_connected_have_to_exist(press: Press) -> None:
    ann = press.create(PERSON, name="Ann")
    with pytest.raises(ValidationError, match='Document with id "nobody"'):
        press.create(STORY, name="Alps", author={"connect": [ann, "nobody"]})
    with pytest.raises(ValidationError, match=r"1 relation\(s\) of type api::person.person"):
        press.create(STORY, name="Alps", author={"connect": [ann, {"id": 99}]})


def test_the_first_type_of_which_rows_are_missing_is_named_alone(press: Press) -> None:
    with pytest.raises(ValidationError) as caught:
        press.create(STORY, name="Alps", topics=[99], author=99)
    assert "api::person.person" in str(caught.value)
    assert "api::topic.topic" not in str(caught.value)


def test_links_to_rows_of_any_type_keep_their_types(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow")
    ann = press.create(PERSON, name="Ann")
    row = press.draft(TOPIC, topic)
    note = press.create(
        NOTE,
        name="read me",
        about=[
            {"__type": PERSON, "id": press.draft(PERSON, ann)["id"]},
            {"__type": TOPIC, "id": row["id"]},
        ],
    )
    assert press.linked(NOTE, "about", press.draft(NOTE, note)) == ["Ann", "Snow"]
