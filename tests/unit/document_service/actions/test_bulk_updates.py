"""Documents that are changed by the same statements are as if they were changed in turn."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from quire.document_service.commands import UpdateDocument
from quire.errors import AppError
from tests.unit.document_service.filled_press import (
    OWN_MOMENTS,
    contents,
    fill,
    story_data,
    story_links,
)
from tests.unit.document_service.press import (
    BADGE,
    LABEL,
    PERSON,
    REVIEW,
    STORY,
    TOPIC,
    Press,
)

TIMES = OWN_MOMENTS | {"updated_at"}
"""Other languages get shared values after all documents are changed, not after each of them."""


class Changes:
    """Draws changes of the documents of a newspaper; of equal newspapers equal ones."""

    def __init__(self, press: Press, seed: object, *, linked: bool = True) -> None:
        """Without ``linked``, stories get no links to each other."""
        self.press = press
        self.linked = linked
        self.chance = random.Random(f"{seed}")
        self.ids = {
            uid: list(dict.fromkeys(row["document_id"] for row in press.rows(table.name)))
            for uid, table in press.tables.tables.items()
            if uid in press.schema.content_types
        }

    def commands(
        self, uid: str, *, publish: bool = False, locale: str | None = None
    ) -> list[UpdateDocument]:
        """Draw a change for most documents of a type."""
        return [
            UpdateDocument(
                uid=uid,
                document_id=document,
                data=self._some_of(self._data(uid, document, number, locale)),
                publish=publish,
                locale=locale,
            )
            for number, document in enumerate(self.ids[uid])
            if self.chance.random() < 0.8
            and self.press.entry(uid, document, locale=locale) is not None
        ]

    def _some_of(self, data: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in data.items() if self.chance.random() < 0.7}

    def _data(self, uid: str, document: str, number: int, locale: str | None) -> dict[str, Any]:
        chance = self.chance
        name = {"name": f"changed {number}"}
        if uid == STORY:
            return self._story(document, number, locale)
        if uid == TOPIC:
            others = [other for other in self.ids[TOPIC] if other != document]
            return {
                **name,
                "stories": self._many(self.ids[STORY]),
                "parent": chance.choice((None, *others)),
                "children": chance.choice(([], *([other] for other in others))),
            }
        if uid == BADGE:
            return {**name, "story": self._one(self.ids[STORY])}
        if uid == PERSON:
            return {
                **name,
                "stories": self._many(self.ids[STORY]),
                "favourites": self._many(self.ids[TOPIC]),
                "box": chance.choice((None, {"name": "box", "topic": self.ids[TOPIC][0]})),
                "spouse": chance.choice((None, 1, 2)),
            }
        if uid == REVIEW:
            return {
                **name,
                "topic": self._one(self.ids[TOPIC]),
                "pinned": chance.choice((None, 1, 2)),
                "boxes": [*self._kept(uid, document, "boxes", locale), {"name": "new"}],
            }
        return name

    def _story(self, document: str, number: int, locale: str | None) -> dict[str, Any]:
        data = story_data(self.chance, number)
        data |= story_links(self.chance, self.ids[PERSON], self.ids[LABEL], self.ids[TOPIC])
        for name in ("boxes", "zone"):
            data[name] = self._kept(STORY, document, name, locale) + data[name]
        others = [other for other in self.ids[STORY] if other != document and self.linked]
        return data | {
            "pin": f"pin {number}",
            "badge": self._one(self.ids[BADGE]),
            "topics": self._many(self.ids[TOPIC]),
            "author": self._one(self.ids[PERSON]),
            "pictures": self.chance.choice((data["pictures"], {"connect": [{"id": 3}]})),
            "related": self._few(others),
            "relatedBy": self._few(others),
        }

    def _few(self, ids: Sequence[str]) -> list[str]:
        return self.chance.sample(ids, min(len(ids), self.chance.randrange(2)))

    def _one(self, ids: Sequence[str]) -> object:
        return self.chance.choice((None, *ids, self._connected(ids)))

    def _many(self, ids: Sequence[str]) -> object:
        some = self.chance.sample(ids, self.chance.randrange(3))
        return self.chance.choice((some, self._connected(ids)))

    def _connected(self, ids: Sequence[str]) -> dict[str, Any]:
        first, second = self.chance.sample(ids, 2)
        return {"connect": [first], "disconnect": [second]}

    def _kept(self, uid: str, document: str, name: str, locale: str | None) -> list[dict[str, Any]]:
        """Return some present components in the form of a request, changed or not."""
        components = self.press.components(uid, name, self.press.draft(uid, document, locale))
        kept = [
            {
                "id": component["id"],
                **({"name": f"changed {place}"} if self.chance.random() < 0.5 else {}),
                **({"__component": component["uid"]} if name == "zone" else {}),
            }
            for place, component in enumerate(components)
        ]
        return self.chance.sample(kept, self.chance.randrange(len(kept) + 1))


def same_newspapers(press: Press, other_press: Press, seed: int) -> None:
    """Fill two newspapers in the same way; stories have a second language."""
    for one in (press, other_press):
        stories = fill(one, random.Random(seed))
        for number, story in enumerate(stories[::2]):
            one.update(STORY, story, name=f"h{number}", locale="fr", publish=number % 2 == 0)


def error_of(press: Press, commands: Sequence[UpdateDocument], *, together: bool) -> str | None:
    """Change documents; returns the error, if there is one."""
    try:
        press.update_all(commands) if together else press.do(*commands)
    except AppError as error:
        return str(error)
    return None


@pytest.mark.parametrize("uid", [STORY, TOPIC, BADGE, PERSON, REVIEW, LABEL])
@pytest.mark.parametrize("seed", range(2))
def test_all_rows_are_as_after_changes_in_turn(
    press: Press, other_press: Press, uid: str, seed: int
) -> None:
    same_newspapers(press, other_press, seed)
    locale = "fr" if uid == STORY and seed % 2 else None
    for step in range(2):
        commands, same_commands = (
            Changes(one, f"{seed} {step}").commands(uid, locale=locale)
            for one in (press, other_press)
        )
        error = error_of(press, commands, together=True)
        assert error == error_of(other_press, same_commands, together=False)
        excluded = TIMES if uid == STORY else OWN_MOMENTS
        expected = contents(other_press, excluded)
        for table, rows in contents(press, excluded).items():
            assert rows == expected[table], table


@pytest.mark.parametrize("seed", range(3))
def test_all_rows_are_as_after_changing_and_publishing_in_turn(
    press: Press, other_press: Press, seed: int
) -> None:
    fill(press, random.Random(seed))
    fill(other_press, random.Random(seed))
    for one in (press, other_press):
        for story in Changes(one, seed).ids[STORY]:
            one.update(STORY, story, related=[], relatedBy=[])
    commands, same_commands = (
        Changes(one, seed, linked=False).commands(STORY, publish=True)
        for one in (press, other_press)
    )
    # Drafts and published stories are in one list of their author, in the order of the writes.
    assert not press.update_in_bulk(commands)
    commands, same_commands = (
        [
            UpdateDocument(
                uid=STORY,
                document_id=command.document_id,
                data={name: value for name, value in dict_of(command).items() if name != "author"},
                publish=True,
            )
            for command in some
        ]
        for some in (commands, same_commands)
    )
    assert press.update_in_bulk(commands)
    other_press.do(*same_commands)
    expected = contents(other_press, TIMES)
    for table, rows in contents(press, TIMES).items():
        assert rows == expected[table], table


@pytest.mark.parametrize("seed", range(2))
def test_batches_are_published_before_the_next_ones_are_changed(
    press: Press, other_press: Press, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("update_documents", "publish"):
        monkeypatch.setattr(f"quire.document_service.actions.{module}.DRAFTS_AT_ONCE", 1)
    fill(press, random.Random(seed))
    fill(other_press, random.Random(seed))
    commands, same_commands = (
        [
            UpdateDocument(
                uid=STORY,
                document_id=command.document_id,
                data={name: value for name, value in dict_of(command).items() if name != "author"},
                publish=True,
            )
            for command in Changes(one, seed).commands(STORY, publish=True)
        ]
        for one in (press, other_press)
    )
    assert press.update_in_bulk(commands)
    other_press.do(*same_commands)
    expected = contents(other_press, TIMES)
    for table, rows in contents(press, TIMES).items():
        assert rows == expected[table], table


def dict_of(command: UpdateDocument) -> dict[str, Any]:
    assert isinstance(command.data, dict)
    return command.data


@pytest.mark.parametrize("publish", [False, True])
def test_they_take_no_more_statements_than_two(press: Press, *, publish: bool) -> None:
    people = [press.create(PERSON, name=f"p{number}") for number in range(2)]
    topics = [press.create(TOPIC, name=f"t{number}", publish=True) for number in range(2)]
    counts = []
    for number in (2, 12):
        stories = [
            press.create(STORY, name=f"s{place}", author=people[0], boxes=[{"name": "x"}] * 2)
            for place in range(number)
        ]
        drafts = [press.draft(STORY, story) for story in stories]
        second_boxes = [press.components(STORY, "boxes", draft)[1]["id"] for draft in drafts]
        commands = [
            UpdateDocument(
                uid=STORY,
                document_id=story,
                publish=publish,
                data={
                    "name": f"new {place}",
                    "code": f"{number} {place}",
                    **({} if publish else {"author": {"connect": [people[1]]}}),
                    "topics": topics,
                    "pictures": [1, 2],
                    "boxes": [
                        {"id": second_boxes[place]},
                        {"name": "new", "mark": {"name": "inner"}},
                    ],
                },
            )
            for place, story in enumerate(stories)
        ]
        assert press.update_in_bulk(commands)
        counts.append(len(press.statements))
    assert counts[0] == counts[1]


def test_none_is_changed_where_one_cannot_be(press: Press) -> None:
    people = [press.create(PERSON, name=f"p{number}") for number in range(3)]
    before = contents(press)
    for data in ({"name": None}, {"name": "p0"}, {"favourites": ["documentunknown"]}):
        changes = [{"name": "new"}, data]
        commands = [
            UpdateDocument(uid=PERSON, document_id=person, data=change)
            for person, change in zip(people, changes, strict=False)
        ]
        if data.get("name") == "p0":
            commands.reverse()
        assert not press.update_in_bulk(commands)
        assert contents(press) == before


def test_two_of_them_cannot_get_one_unique_value(press: Press) -> None:
    people = [press.create(PERSON, name=f"p{number}") for number in range(2)]
    commands = [
        UpdateDocument(uid=PERSON, document_id=person, data={"name": "same"}) for person in people
    ]
    assert not press.update_in_bulk(commands)


def test_every_document_has_to_be_as_expected(press: Press) -> None:
    topics = [press.create(TOPIC, name=f"t{number}") for number in range(2)]
    expected = frozenset({"1970-01-01T00:00:00.000Z"})
    commands = [
        UpdateDocument(uid=TOPIC, document_id=topic, data={"name": "new"}, expected=expected)
        for topic in topics
    ]
    assert not press.update_in_bulk(commands)


def test_events_are_as_after_changes_in_turn(press: Press, other_press: Press) -> None:
    for one in (press, other_press):
        fill(one, random.Random(0))
        one.listening = True
    commands = Changes(press, 1).commands(REVIEW)
    assert len(commands) > 1
    assert press.update_in_bulk(commands)
    other_press.do(*commands)
    assert press.events == other_press.events
