"""Events of files, as subscribers receive them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quire.uploads.folders import delete
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.unit.events import record_events
from tests.unit.uploads.desk import Desk, open_desk


@pytest.fixture
async def desk(own_recorded: Path) -> AsyncIterator[Desk]:
    """A separate one: it does not stop recording its events."""
    async with open_desk(own_recorded) as desk:
        yield desk


async def upload(desk: Desk, target: str, *files: FilePart, said: str = "{}") -> None:
    headers = {"Authorization": f"Bearer {desk.token}", "Content-Type": FORM_TYPE}
    body = form(files, [("fileInfo", said)])
    response = await desk.client.request("POST", f"/api/{target}", headers, body)
    assert response.status < 300, response.content


async def test_files_that_come_change_and_go_are_reported(desk: Desk) -> None:
    listener = record_events(desk.app)
    note = FilePart("note.txt", b"x", "text/plain")
    await upload(desk, "upload", note)
    await upload(desk, "upload?id=9", said='{"caption": "c"}')
    await upload(desk, "upload?id=12", note)
    await desk.send("DELETE", "upload/files/3")
    await desk.write(lambda unit: delete(unit, files=(9, 999), folders=()))

    payloads = listener.payloads()
    reported = [(payload["event"], payload["media"]["name"]) for payload in payloads]
    assert reported == [
        ("media.create", "note.txt"),
        ("media.update", "red.png"),
        ("media.update", "note.txt"),
        ("media.delete", "data.csv"),
        ("media.delete", "red.png"),
    ]
    assert set(payloads[0]) == {"event", "createdAt", "media"}
    shown = payloads[0]["media"]
    assert not {"related", "folder", "folderPath"} & set(shown)


async def test_nothing_is_told_of_what_was_refused(desk: Desk) -> None:
    listener = record_events(desk.app)
    headers = {"Authorization": f"Bearer {desk.token}", "Content-Type": FORM_TYPE}
    damaged = form([FilePart("a.png", b"\x89PNG\r\n\x1a\n" + bytes(99), "image/png")])
    response = await desk.client.request("POST", "/api/upload", headers, damaged)
    gone = await desk.client.request("DELETE", "/api/upload/files/999", headers)

    assert (response.status, gone.status, listener.payloads()) == (400, 404, [])
