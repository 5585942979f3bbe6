"""Subscribers receive each event with the entry at the time of the change."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quire.database.program import Program
from quire.document_service.actions.create import create
from quire.document_service.commands import (
    AllLocales,
    CloneDocument,
    Command,
    CreateDocument,
    DeleteDocument,
    DiscardDraft,
    PublishDocument,
    UnpublishDocument,
)
from quire.document_service.unit_of_work import UnitOfWork
from tests.unit.events import EventRecorder, record_events
from tests.unit.kiosk import PAPER, WRITER, Kiosk, open_kiosk


@pytest.fixture
async def kiosk(tmp_path: Path) -> AsyncIterator[Kiosk]:
    async with open_kiosk(tmp_path) as kiosk:
        yield kiosk


@pytest.fixture
def listener(kiosk: Kiosk) -> EventRecorder:
    return record_events(kiosk.app)


async def new_paper(kiosk: Kiosk, listener: EventRecorder, **more: object) -> str:
    """Make a published paper, and say nothing of it."""
    paper = await kiosk.sent("POST", "papers", {"title": "Tide", **more})
    listener.events()
    return str(paper["documentId"])


async def test_a_post_creates_a_draft_and_publishes_it(
    kiosk: Kiosk, listener: EventRecorder
) -> None:
    writer = await kiosk.sent("POST", "writers", {"name": "Ada"})
    [made] = listener.payloads()
    assert (made["event"], made["model"], made["uid"]) == ("entry.create", "writer", WRITER)
    assert made["entry"] == {**writer, "papers": []}

    paper = await kiosk.sent(
        "POST",
        "papers",
        {"title": "Tide", "writer": writer["documentId"], "lines": [{"text": "In"}]},
    )

    created, published = listener.payloads()
    assert [created["event"], published["event"]] == ["entry.create", "entry.publish"]
    assert created["uid"] == published["uid"] == PAPER
    assert created["model"] == published["model"] == "paper"
    assert created["entry"] == {
        **paper,
        "id": paper["id"] - 1,
        "publishedAt": None,
        "writer": writer,
        "lines": [{"id": 1, "text": "In"}],
    }
    assert published["entry"] == {
        **paper,
        "writer": writer,
        "lines": [{"id": 2, "text": "In"}],
    }
    assert created["createdAt"] == paper["createdAt"]
    assert published["createdAt"] == paper["publishedAt"]


async def test_a_post_of_a_draft_creates_it(kiosk: Kiosk, listener: EventRecorder) -> None:
    await kiosk.sent("POST", "papers?status=draft", {"title": "Tide"})

    assert listener.names() == ["entry.create"]


async def test_a_put_updates_the_draft_and_publishes_it(
    kiosk: Kiosk, listener: EventRecorder
) -> None:
    document_id = await new_paper(kiosk, listener)

    paper = await kiosk.sent("PUT", f"papers/{document_id}", {"title": "Ebb"})

    updated, published = listener.payloads()
    assert [updated["event"], published["event"]] == ["entry.update", "entry.publish"]
    assert (updated["entry"]["title"], updated["entry"]["publishedAt"]) == ("Ebb", None)
    assert (published["entry"]["title"], published["entry"]["id"]) == ("Ebb", paper["id"])
    assert updated["createdAt"] == paper["updatedAt"]


async def test_a_put_of_a_draft_updates_it(kiosk: Kiosk, listener: EventRecorder) -> None:
    document_id = await new_paper(kiosk, listener)

    draft = await kiosk.sent("PUT", f"papers/{document_id}?status=draft", {"title": "Ebb"})

    [event] = listener.events()
    assert event.payload()["event"] == "entry.update"
    assert event.entry is not None
    assert (event.entry["id"], event.entry["title"]) == (draft["id"], "Ebb")
    assert (event.document_id, event.locale, event.fields) == (document_id, "en", ("title",))


async def test_a_new_locale_is_created(kiosk: Kiosk, listener: EventRecorder) -> None:
    document_id = await new_paper(kiosk, listener)

    await kiosk.sent("PUT", f"papers/{document_id}?locale=fr", {"title": "Reflux"})

    created, published = listener.events()
    assert [created.name.value, published.name.value] == ["entry.create", "entry.publish"]
    assert [created.locale, published.locale] == ["fr", "fr"]
    assert published.entry is not None
    assert published.entry["title"] == "Reflux"
    assert "localizations" not in published.entry


async def test_a_type_without_drafts_is_only_updated(kiosk: Kiosk, listener: EventRecorder) -> None:
    writer = await kiosk.sent("POST", "writers", {"name": "Ada"})
    await kiosk.sent("PUT", f"writers/{writer['documentId']}", {"name": "Bea"})

    assert listener.names() == ["entry.create", "entry.update"]


async def test_a_delete_is_told_of_every_row_as_it_was_without_what_lies_below(
    kiosk: Kiosk, listener: EventRecorder
) -> None:
    document_id = await new_paper(kiosk, listener, lines=[{"text": "In"}])

    response = await kiosk.send("DELETE", f"papers/{document_id}")

    assert response.status == 204
    draft, live = listener.payloads()
    assert [draft["event"], live["event"]] == ["entry.delete", "entry.delete"]
    assert [draft["entry"]["publishedAt"] is None, live["entry"]["publishedAt"] is None] == [
        True,
        False,
    ]
    for reported in (draft, live):
        assert reported["entry"]["title"] == "Tide"
        assert not {"lines", "writer", "localizations"} & reported["entry"].keys()


async def test_a_delete_of_nothing_is_not_told(kiosk: Kiosk, listener: EventRecorder) -> None:
    assert (await kiosk.send("DELETE", "papers/nowhere")).status == 204

    assert listener.names() == []


async def test_unpublishing_tells_what_was_public(kiosk: Kiosk, listener: EventRecorder) -> None:
    document_id = await new_paper(kiosk, listener, lines=[{"text": "In"}])
    await kiosk.sent("PUT", f"papers/{document_id}?status=draft", {"title": "Ebb"})
    listener.events()

    await kiosk.documents.perform([UnpublishDocument(uid=PAPER, document_id=document_id)])

    [reported] = listener.payloads()
    assert reported["event"] == "entry.unpublish"
    assert (reported["entry"]["title"], reported["entry"]["lines"][0]["text"]) == ("Tide", "In")
    assert reported["entry"]["publishedAt"] is not None


async def test_discarding_tells_what_the_draft_is_now(
    kiosk: Kiosk, listener: EventRecorder
) -> None:
    document_id = await new_paper(kiosk, listener)
    await kiosk.sent("PUT", f"papers/{document_id}?status=draft", {"title": "Ebb"})
    listener.events()

    [[draft]] = await kiosk.documents.perform([DiscardDraft(uid=PAPER, document_id=document_id)])

    [reported] = listener.payloads()
    assert reported["event"] == "entry.draft-discard"
    assert (reported["entry"]["id"], reported["entry"]["title"]) == (draft.entry_id, "Tide")


async def test_every_locale_is_told_by_itself(kiosk: Kiosk, listener: EventRecorder) -> None:
    document_id = await new_paper(kiosk, listener)
    await kiosk.sent("PUT", f"papers/{document_id}?locale=fr&status=draft", {"title": "Reflux"})
    listener.events()

    await kiosk.documents.perform(
        [PublishDocument(uid=PAPER, document_id=document_id, locale=AllLocales.LOCALE)]
    )
    assert [event.locale for event in listener.events()] == ["en", "fr"]
    await kiosk.documents.perform(
        [CloneDocument(uid=PAPER, document_id=document_id, data={"price": 2})]
    )
    assert [(e.name.value, e.locale) for e in listener.events()] == [
        ("entry.create", "en"),
        ("entry.create", "fr"),
    ]


async def test_private_attributes_and_passwords_are_told_to_nobody(
    kiosk: Kiosk, listener: EventRecorder
) -> None:
    await kiosk.sent(
        "POST",
        "papers",
        {
            "title": "Tide",
            "margin": "unseemly",
            "lock": "unlocked",
            "lines": [{"text": "In", "hint": "unsaid"}],
        },
    )

    for reported in listener.payloads():
        assert not {"margin", "lock"} & reported["entry"].keys()
        assert reported["entry"]["lines"][0].keys() == {"id", "text"}


async def test_nothing_is_told_of_what_was_rolled_back(
    kiosk: Kiosk, listener: EventRecorder
) -> None:
    def act(unit: UnitOfWork) -> Program[None]:
        yield from create(unit, CreateDocument(uid=PAPER, data={"title": "Tide"}, publish=True))
        assert [event.name.value for event in unit.events] == ["entry.create", "entry.publish"]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await kiosk.documents.run(act)
    assert (await kiosk.send("POST", "papers", {"title": None})).status == 400

    assert listener.names() == []


async def test_one_thing_after_the_other_is_told_when_all_of_it_is_done(
    kiosk: Kiosk, listener: EventRecorder
) -> None:
    document_id = kiosk.documents.new_id()
    commands: list[Command] = [
        CreateDocument(uid=PAPER, data={"title": "Tide"}, document_id=document_id),
        PublishDocument(uid=PAPER, document_id=document_id),
        DeleteDocument(uid=PAPER, document_id=document_id),
    ]

    await kiosk.documents.perform(commands)

    events = listener.events()
    assert [event.name.value for event in events] == [
        "entry.create",
        "entry.publish",
        "entry.delete",
        "entry.delete",
    ]
    assert [event.at for event in events] == sorted(event.at for event in events)


async def test_entries_are_not_read_when_nobody_listens(kiosk: Kiosk) -> None:
    def act(unit: UnitOfWork) -> Program[None]:
        yield from create(unit, CreateDocument(uid=PAPER, data={"title": "Tide"}, publish=True))
        assert [event.entry for event in unit.events] == [None, None]
        assert not unit.listening

    await kiosk.documents.run(act)
