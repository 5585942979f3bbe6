from threading import Event, Thread
from time import sleep

import httpx
from playwright.sync_api import expect

from tests.ui.conftest import OpenPage, go_on
from tests.ui.model_changes import make_memos, thirty_changes
from tests.ui.models import add_field, apply_changes, update
from tests.ui.site import EMAIL, Site
from tests.ui.tabs import forget

FORM = "/admin/content/api::memo.memo"
PAUSE = 0.005
"""Seconds between two requests of a client, which leave some of the machine to the others."""


def test_thirty_changes_are_in_the_api_and_in_forms_while_no_request_fails(
    studio: Site, open_page: OpenPage
) -> None:
    make_memos(studio)
    token = studio.api("POST", "/admin/api-tokens", {"name": "reader", "type": "full-access"})
    headers = {"authorization": f"Bearer {token['data']['accessKey']}"}
    client = httpx.Client(base_url=studio.address, headers=headers, timeout=60)
    made = client.post("/api/memos", json={"data": {"title": "Kept"}}).raise_for_status().json()
    document = made["data"]["documentId"]
    changing, ended, refused, answered = Event(), Event(), list[str](), list[int]()

    def read() -> None:
        with httpx.Client(base_url=studio.address, headers=headers, timeout=60) as reading:
            while changing.wait() and not ended.is_set():
                response = reading.get("/api/memos")
                answered.append(response.status_code)
                if response.status_code != 200:
                    refused.append(response.text)
                sleep(PAUSE)

    builder = open_page(studio, shown_to=EMAIL)
    readers = [Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    changes = list(thirty_changes())
    assert len(changes) == 30
    try:
        for number, change in enumerate(changes, 1):
            if change.entry is not None:
                path = f"/api/memos/{document}"
                client.put(path, json={"data": change.entry}).raise_for_status()
            changing.set()
            update(studio, *change.types, components=change.components)
            # Whoever is told that a change is applied finds it at once, in the first response.
            [shown] = client.get("/api/memos").json()["data"]
            assert change.in_api(shown), f"change {number} is not in the API: {shown}"
            changing.clear()
            forget(builder)
            go_on(builder, f"{FORM}/{document}")
            expect(builder.get_by_role("textbox", name="Title")).to_be_visible()
            expect(change.control(builder)).to_have_count(0 if change.gone else 1)
        go_on(builder, "/admin/model/api::memo.memo")
        builder.get_by_role("button", name="Add field", exact=True).click()
        add_field(builder, "", "last")
        changing.set()
        apply_changes(builder)
        builder.get_by_role("link", name="Create entry").click()
        expect(builder.get_by_role("textbox", name="Last")).to_be_visible()
    finally:
        ended.set()
        changing.set()
        for reader in readers:
            reader.join()
    assert refused == []
    assert len(answered) > 30
    [kept] = client.get("/api/memos").json()["data"]
    assert kept["title"] == "Kept"
    client.close()
