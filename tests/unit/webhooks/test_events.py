"""Events have the format of webhook payloads."""

import pytest

from quire.webhooks.events import Event, EventName


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
