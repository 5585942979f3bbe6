"""Deleting documents."""

import pytest

from quire.document_service.commands import AllLocales, DeleteDocument
from quire.errors import PreconditionFailedError
from tests.unit.document_service.press import NOTE, PERSON, STORY, TOPIC, Press


def test_all_versions_of_the_default_locale_go_and_the_others_stay(press: Press) -> None:
    story = press.create(STORY, name="Alps", publish=True)
    press.update(STORY, story, locale="fr", name="Alpes", publish=True)
    deleted = press.delete(STORY, story)
    assert [entry.locale for entry in deleted] == ["en", "en"]
    assert press.versions(STORY, story) == ["fr", "fr*"]


def test_some_locales_can_be_deleted_or_every_one(press: Press) -> None:
    story = press.create(STORY, name="Alps")
    for locale in ("fr", "de", "es"):
        press.update(STORY, story, locale=locale, name="Alpes")
    press.do(DeleteDocument(uid=STORY, document_id=story, locales=("fr", "es")))
    assert press.versions(STORY, story) == ["de", "en"]
    press.delete(STORY, story, AllLocales.LOCALE)
    assert press.versions(STORY, story) == []


def test_nothing_that_belonged_to_the_document_is_left(press: Press) -> None:
    ann = press.create(PERSON, name="Ann")
    topic = press.create(TOPIC, name="Snow", publish=True)
    box = {"name": "box", "picture": 1, "topic": topic, "mark": {"name": "m", "person": ann}}
    story = press.create(
        STORY,
        name="Alps",
        publish=True,
        author=ann,
        topics=[topic],
        box=box,
        boxes=[box, box],
        zone=[{"__component": "shared.box", **box}],
        facts=[{"name": "fact"}],
        cover=1,
        pictures=[1, 2],
    )
    press.delete(STORY, story)
    assert press.counted() == [0, 0]
    joining = [name for name in press.table_names if name.endswith(("_lnk", "_cmps", "_mph"))]
    assert joining
    assert [name for name in joining if press.rows(name)] == []


def test_those_who_were_linked_with_it_are_left_without(press: Press) -> None:
    topic = press.create(TOPIC, name="Snow", publish=True)
    row = press.draft(TOPIC, topic)
    story = press.create(STORY, name="Alps", topics=[topic], publish=True)
    note = press.create(NOTE, name="read", about=[{"__type": TOPIC, "id": row["id"]}])
    press.delete(TOPIC, topic)
    assert press.linked(STORY, "topics", press.draft(STORY, story)) == []
    assert press.linked(STORY, "topics", press.live(STORY, story)) == []
    assert press.linked(NOTE, "about", press.draft(NOTE, note)) == []


def test_where_there_is_nothing_nothing_is_deleted(press: Press) -> None:
    assert press.delete(STORY, "nobody") == []
    assert press.events == []


def test_what_has_changed_since_is_not_deleted(press: Press) -> None:
    story = press.create(STORY, name="Alps")
    with pytest.raises(PreconditionFailedError):
        press.do(DeleteDocument(uid=STORY, document_id=story, expected=frozenset({"other"})))
    assert press.versions(STORY, story) == ["en"]
