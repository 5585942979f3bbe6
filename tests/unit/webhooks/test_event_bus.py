"""Listeners hear of everything, in order, and harm neither each other nor whoever acted."""

import pytest
from structlog.testing import capture_logs

from quire.webhooks.event_bus import Event, EventBus, EventName


def event(name: EventName = EventName.CREATE, at: int = 1_700_000_000_000) -> Event:
    return Event(
        name=name,
        uid="api::note.note",
        model="note",
        document_id="a1",
        locale=None,
        entry_id=1,
        published=True,
        fields=(),
        at=at,
        origin="api",
        entry={"id": 1},
    )


async def test_every_listener_hears_of_every_event_in_order() -> None:
    bus, heard = EventBus(), list[tuple[str, EventName]]()

    async def first(told: Event) -> None:
        heard.append(("first", told.name))

    async def second(told: Event) -> None:
        heard.append(("second", told.name))

    bus.subscribe(first)
    bus.subscribe(second)
    await bus.emit([event(EventName.CREATE), event(EventName.PUBLISH)])

    assert heard == [
        ("first", EventName.CREATE),
        ("second", EventName.CREATE),
        ("first", EventName.PUBLISH),
        ("second", EventName.PUBLISH),
    ]


async def test_a_listener_that_fails_is_logged_and_the_others_hear_all_the_same() -> None:
    bus, heard = EventBus(), list[Event]()

    async def failing(told: Event) -> None:
        raise ZeroDivisionError

    async def listening(told: Event) -> None:
        heard.append(told)

    bus.subscribe(failing)
    bus.subscribe(listening)
    with capture_logs() as logs:
        await bus.emit([event(), event(EventName.DELETE)])

    assert [told.name for told in heard] == [EventName.CREATE, EventName.DELETE]
    assert [(log["event"], log["event_name"]) for log in logs] == [
        ("a listener failed", "entry.create"),
        ("a listener failed", "entry.delete"),
    ]


async def test_the_bus_knows_whether_anybody_listens() -> None:
    bus = EventBus()

    async def listen(told: Event) -> None:
        raise AssertionError(told)

    assert not bus.has_listeners
    bus.subscribe(listen)
    assert bus.has_listeners


@pytest.mark.parametrize(
    ("at", "written"), [(0, "1970-01-01T00:00:00.000Z"), (5, "1970-01-01T00:00:00.005Z")]
)
def test_the_payload_is_what_webhooks_send(at: int, written: str) -> None:
    assert event(EventName.DRAFT_DISCARD, at).payload() == {
        "event": "entry.draft-discard",
        "createdAt": written,
        "model": "note",
        "uid": "api::note.note",
        "entry": {"id": 1},
    }
