"""The time until a changed content type is in the API and in the content form.

``python -m bench.ui changes`` makes thirty changes of every kind, and takes the time from the
answer that says that a change is applied: to the first response of the API that has it, and until
the form of an entry, opened again, shows it.
"""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import httpx
from playwright.sync_api import Browser, expect

from tests.ui.model_changes import Change, make_memos, thirty_changes
from tests.ui.models import content_type, update
from tests.ui.site import Site, serve_empty

_FORM = "/admin/content/api::memo.memo"
_ENTRIES = "/api/memos"
_TIMEOUT_S = 30


@dataclass(frozen=True, slots=True)
class Delay:
    """Seconds from an applied change to where it is seen."""

    in_api: float
    in_form: float


def measure_model_changes(browser: Browser) -> list[Delay]:
    """Return the delays of thirty changes.

    Raises AssertionError when a change is not seen, and httpx.HTTPStatusError when a request fails.
    """
    with TemporaryDirectory() as folder, serve_empty(Path(folder)) as site:
        site.register()
        name = {"action": "create", "name": "name", "properties": {"type": "string"}}
        update(site, content_type("author", name, action="create"))
        make_memos(site)
        token = site.api("POST", "/admin/api-tokens", {"name": "bench", "type": "full-access"})
        headers = {"authorization": f"Bearer {token['data']['accessKey']}"}
        context = browser.new_context(base_url=site.address, storage_state=site.session())
        page = context.new_page()
        with httpx.Client(base_url=site.address, headers=headers, timeout=60) as client:
            made = client.post(_ENTRIES, json={"data": {"title": "Kept"}}).raise_for_status()
            document = made.json()["data"]["documentId"]
            delays: list[Delay] = []
            for change in thirty_changes():
                _apply(site, client, change, document)
                applied = perf_counter()
                while not change.in_api(client.get(_ENTRIES).raise_for_status().json()["data"][0]):
                    if perf_counter() - applied > _TIMEOUT_S:
                        raise AssertionError(f"change {len(delays) + 1} is not in the API")
                in_api = perf_counter() - applied
                page.goto(f"{_FORM}/{document}")
                expect(page.get_by_role("textbox", name="Title")).to_be_visible()
                expect(change.control(page)).to_have_count(0 if change.gone else 1)
                delays.append(Delay(in_api, perf_counter() - applied))
        context.close()
    return delays


def _apply(site: Site, client: httpx.Client, change: Change, document: str) -> None:
    if change.entry is not None:
        client.put(f"{_ENTRIES}/{document}", json={"data": change.entry}).raise_for_status()
    update(site, *change.types, components=change.components)
