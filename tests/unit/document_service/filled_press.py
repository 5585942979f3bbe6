"""A filled newspaper, and the rows of all its tables in a form that can be compared."""

import random
from collections.abc import Collection, Iterator
from typing import Any

from quire.database.tables.table_map import LinkEdge
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
)

STORIES = 7
OWN_MOMENTS = frozenset({"published_at"})
"""All documents that are published together have one moment of publication."""


def fill(press: Press, chance: random.Random) -> list[str]:
    """Make stories with all that they can have, some of them published and changed since."""
    people = [press.create(PERSON, name=f"p{number}") for number in range(3)]
    labels = [press.create(LABEL, name=f"l{number}") for number in range(3)]
    topics = [press.create(TOPIC, name=f"t{number}", publish=number < 3) for number in range(4)]
    badges = [press.create(BADGE, name=f"b{number}", publish=True) for number in range(STORIES)]
    stories: list[str] = []
    for number in range(STORIES):
        stories.append(
            press.create(STORY, publish=chance.random() < 0.4, **story_data(chance, number))
        )
        press.update(STORY, stories[-1], badge=badges[number])
        for _ in range(2):
            press.update(STORY, stories[-1], **story_links(chance, people, labels, topics))
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


def story_data(chance: random.Random, number: int) -> dict[str, Any]:
    """Draw the values of a story."""
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


def story_links(
    chance: random.Random, people: list[str], labels: list[str], topics: list[str]
) -> dict[str, Any]:
    """Draw the relations of a story, and its dynamic zone."""
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


def contents(
    press: Press, excluded: Collection[str] = OWN_MOMENTS
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of all tables, without ids that depend on the order of insertion.

    ``excluded`` columns are left out.

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
            shown = {name: value for name, value in row.items() if name not in excluded}
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
