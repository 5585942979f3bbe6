"""Documents that are published by the same statements are as if they were published in turn."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from quire.database.tables.table_map import LinkEdge
from quire.schema.model import Schema
from tests.databases.store import Store
from tests.unit.document_service.press import (
    BADGE,
    BOX,
    LABEL,
    MARK,
    NOTE,
    PERSON,
    REVIEW,
    STORY,
    TOPIC,
    Press,
    press_schema,
)

STORIES = 7
OWN_MOMENTS = frozenset({"published_at"})
"""All documents that are published together have one moment of publication."""


@pytest.fixture
def other_press(open_store: Callable[[Schema], Store]) -> Press:
    return Press(open_store(press_schema()))


def fill(press: Press, chance: random.Random) -> list[str]:
    """Make stories with all that they can have, some of them published and changed since."""
    people = [press.create(PERSON, name=f"p{number}") for number in range(3)]
    labels = [press.create(LABEL, name=f"l{number}") for number in range(3)]
    topics = [press.create(TOPIC, name=f"t{number}", publish=number < 3) for number in range(4)]
    badges = [press.create(BADGE, name=f"b{number}", publish=True) for number in range(STORIES)]
    stories: list[str] = []
    for number in range(STORIES):
        stories.append(press.create(STORY, publish=chance.random() < 0.4, **_story(chance, number)))
        press.update(STORY, stories[-1], badge=badges[number])
        for _ in range(2):
            press.update(STORY, stories[-1], **_links(chance, people, labels, topics))
    for number, story in enumerate(stories):
        if chance.random() < 0.5:
            others = chance.sample(stories, chance.randrange(3))
            press.update(STORY, story, related=[other for other in others if other != story])
        press.create(
            NOTE,
            name=f"n{number}",
            about=[{"id": press.draft(STORY, story)["id"], "__type": STORY}],
        )
    for number, topic in enumerate(topics):
        press.create(
            REVIEW,
            name=f"r{number}",
            topic=topic,
            boxes=[{"name": "x", "topic": topic}],
            publish=number % 2 == 0,
        )
    return stories


def _story(chance: random.Random, number: int) -> dict[str, Any]:
    boxes = [
        {"name": f"box {number} {place}", "picture": chance.choice((None, 1, 2))}
        for place in range(chance.randrange(4))
    ]
    return {
        "name": f"s{number}",
        "rating": chance.randrange(9),
        "code": f"code {number}",
        "cover": chance.choice((None, 1)),
        "pictures": chance.sample((1, 2, 3), chance.randrange(4)),
        "box": {"name": "box", "key": f"key {number}", "mark": {"name": "inner"}},
        "boxes": boxes,
        "facts": [{"name": "fact"}],
    }


def _links(
    chance: random.Random, people: list[str], labels: list[str], topics: list[str]
) -> dict[str, Any]:
    zone = [
        {"__component": BOX, "name": "in zone", "topic": chance.choice(topics)},
        {"__component": MARK, "name": "mark", "person": chance.choice(people)},
    ]
    return {
        "author": chance.choice((None, *people)),
        "topics": chance.sample(topics, chance.randrange(len(topics) + 1)),
        "labels": chance.sample(labels, chance.randrange(len(labels) + 1)),
        "zone": chance.sample(zone, chance.randrange(3)),
    }


def contents(press: Press) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of all tables, without ids that depend on the order of insertion.

    Components are named by their places in entries, whose ids do not depend on it.
    """
    places = _places(press)
    component_columns = {
        (table, column): uid
        for uid in press.schema.components
        for table, column in _references(press, uid)
    }
    found: dict[str, list[dict[str, Any]]] = {}
    for table in press.table_names:
        rows = []
        for row in press.rows(table):
            shown = {name: value for name, value in row.items() if name not in OWN_MOMENTS}
            for name in shown:
                uid = component_columns.get((table, name))
                if name == "cmp_id":
                    uid = row["component_type"]
                if name == "related_id" and row["related_type"] in press.schema.components:
                    uid = row["related_type"]
                if uid is not None:
                    shown[name] = places[uid, row[name]]
            rows.append(shown if _has_own_ids(press, table) else {**shown, "id": 0})
        found[table] = sorted(rows, key=repr)
    return found


def _places(press: Press) -> dict[tuple[str, int], str]:
    """Name each component by the attributes that lead to it from the row of an entry."""
    owners: dict[tuple[str, int], tuple[str, int, str]] = {}
    for uid, table in press.tables.tables.items():
        if table.components_table not in press.table_names:
            continue
        for row in press.rows(table.components_table):
            place = f"{row['field']}[{row['order']}]"
            owners[row["component_type"], row["cmp_id"]] = (uid, row["entity_id"], place)

    def place_of(uid: str, row_id: int) -> str:
        if uid not in press.schema.components:
            return f"{uid} {row_id}"
        owner, owner_id, place = owners[uid, row_id]
        return f"{place_of(owner, owner_id)}.{place}"

    return {component: place_of(*component) for component in owners}


def _references(press: Press, uid: str) -> Iterator[tuple[str, str]]:
    """Yield the columns that hold ids of a component."""
    table = press.tables[uid]
    yield table.name, "id"
    yield table.components_table, "entity_id"
    for edge in table.join_edges:
        if isinstance(edge, LinkEdge):
            yield edge.table, edge.source_column


def _has_own_ids(press: Press, table: str) -> bool:
    return any(table == press.tables[uid].name for uid in press.tables.tables)


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
