"""The number of statements of typical writes.

A number may be lowered here at any time; raising one wants a reason.
"""

import pytest

from tests.unit.document_service.press import PERSON, STORY, TOPIC, Press


@pytest.fixture
def story(press: Press) -> str:
    return press.create(STORY, name="Alps")


def test_making_a_draft_is_one_insert(press: Press) -> None:
    press.create(STORY, name="Alps", rating=3)
    assert len(press.statements) == 1


def test_making_an_entry_with_a_unique_value_looks_for_it_once(press: Press) -> None:
    press.create(PERSON, name="Ann")
    assert len(press.statements) == 2


def test_changing_a_draft_finds_its_document_and_changes_one_row(press: Press, story: str) -> None:
    press.update(STORY, story, name="Andes")
    assert len(press.statements) == 2


def test_changing_an_entry_without_drafts_looks_for_its_unique_value_besides(press: Press) -> None:
    ann = press.create(PERSON, name="Ann")
    press.update(PERSON, ann, name="Anne")
    assert len(press.statements) == 3


def test_publishing_reads_the_draft_and_each_of_its_relations_once(
    press: Press, story: str
) -> None:
    press.update(STORY, story, publish=True, name="Andes")
    assert len(press.statements) == 13


def test_publishing_again_looks_at_what_leads_to_the_old_version_besides(
    press: Press, story: str
) -> None:
    press.update(STORY, story, publish=True)
    press.update(STORY, story, publish=True, name="Andes")
    assert len(press.statements) == 18


def test_deleting_a_document_takes_all_of_its_versions_at_once(press: Press, story: str) -> None:
    press.publish(STORY, story)
    press.delete(STORY, story)
    assert len(press.statements) == 5


def test_nothing_is_looked_for_among_media_where_a_type_has_none(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow", publish=True)
    press.publish(TOPIC, topic)
    assert not [sql for sql in press.statements if "files_related_mph" in sql]


@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
def test_publishing_long_lists_takes_no_more_statements_than_short_ones(
    press: Press, *, again: bool
) -> None:
    topics = [press.create(TOPIC, name=f"t{number}", publish=True) for number in range(12)]
    counts = []
    for chosen in (topics[:2], topics):
        story = press.create(STORY, name="Alps", topics=chosen, pictures=[1, 2, 3])
        for _ in range(1 + again):
            press.publish(STORY, story)
        counts.append(len(press.statements))
    assert counts[0] == counts[1]


def test_linking_many_takes_no_more_statements_than_linking_few(press: Press, story: str) -> None:
    topics = [press.create(TOPIC, name=f"t{number}") for number in range(12)]
    counts = []
    for chosen in (topics[:2], topics):
        press.update(STORY, story, topics=[])
        press.update(STORY, story, topics=chosen)
        counts.append(len(press.statements))
    assert counts[0] == counts[1]
