"""Documents that are published by the same statements are as if they were published in turn."""

import random
from typing import Any

import pytest

from tests.unit.document_service.filled_press import contents, fill
from tests.unit.document_service.press import STORY, TOPIC, Press


@pytest.mark.parametrize("seed", range(4))
def test_all_rows_are_as_after_publishing_in_turn(
    press: Press, other_press: Press, seed: int
) -> None:
    stories = fill(press, random.Random(seed))
    assert fill(other_press, random.Random(seed)) == stories
    assert press.publish_in_bulk(STORY, stories)
    for story in stories:
        other_press.publish(STORY, story)
    expected = contents(other_press)
    for table, rows in contents(press).items():
        assert rows == expected[table], table


def test_they_take_no_more_statements_than_two(press: Press) -> None:
    counts = []
    for number in (2, 12):
        stories = [
            press.create(
                STORY, name=f"s{place}", code=f"{number} {place}", cover=1, boxes=[{"name": "x"}]
            )
            for place in range(number)
        ]
        assert press.publish_in_bulk(STORY, stories)
        counts.append(len(press.statements))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("broken", [{"name": None}, {"boxes": [{"name": None}]}, {"code": "taken"}])
def test_none_is_published_where_one_cannot_be(press: Press, broken: dict[str, Any]) -> None:
    press.create(STORY, name="first", code="taken", publish=True)
    stories = [press.create(STORY, name=f"s{number}", code=f"{number}") for number in range(3)]
    press.update(STORY, stories[1], **broken)
    before = contents(press)
    assert not press.publish_in_bulk(STORY, stories)
    assert contents(press) == before


def test_two_of_them_cannot_have_one_unique_value(press: Press) -> None:
    stories = [press.create(STORY, name=f"s{number}", code="same") for number in range(2)]
    assert not press.publish_in_bulk(STORY, stories)


def test_documents_keep_their_own_unique_values(press: Press) -> None:
    stories = [press.create(STORY, name=f"s{number}", code=f"{number}") for number in range(3)]
    assert press.publish_in_bulk(STORY, stories)
    assert press.publish_in_bulk(STORY, stories)


def test_every_document_has_to_have_a_draft(press: Press) -> None:
    story = press.create(STORY, name="s")
    assert not press.publish_in_bulk(STORY, [story, "documentunknown"])
    assert press.versions(STORY, story) == ["en"]


def test_events_have_their_entries(press: Press) -> None:
    topics = [press.create(TOPIC, name=name, publish=True) for name in ("Snow", "Ice")]
    stories = [
        press.create(STORY, name=f"s{number}", topics=topics[number:]) for number in range(3)
    ]
    press.listening = True
    assert press.publish_in_bulk(STORY, stories)
    in_bulk = press.events
    for event in in_bulk:
        press.publish(STORY, event.document_id)
        (in_turn,) = press.events
        assert (event.name, event.document_id) == (in_turn.name, in_turn.document_id)
        assert event.entry is not None
        assert in_turn.entry is not None
        differing = {name for name in event.entry if event.entry[name] != in_turn.entry[name]}
        assert differing == {"id", "publishedAt"}
        assert event.entry["id"] == event.entry_id
    assert [event.document_id for event in in_bulk] == stories
    assert [len(event.entry["topics"]) for event in in_bulk if event.entry] == [2, 1, 0]
