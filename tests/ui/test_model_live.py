from collections.abc import Callable, Iterator
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any, NamedTuple

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.ui.models import Entry, add_field, apply_changes, content_type, update
from tests.ui.site import Site

FORM = "/admin/content/api::memo.memo"
PAUSE = 0.005
"""Seconds between two requests of a client, which leave some of the machine to the others."""


class Change(NamedTuple):
    """A change of the model, and where the API and the form show it.

    ``entry`` is written to the entry before. ``control`` is there in the form afterwards, or is not
    where ``gone``.
    """

    types: tuple[Entry, ...]
    in_api: Callable[[Entry], object]
    control: Callable[[Page], Locator]
    gone: bool = False
    components: tuple[Entry, ...] = ()
    entry: Entry | None = None


def test_thirty_changes_are_in_the_api_and_in_forms_while_no_request_fails(  # noqa: PLR0915 - one run
    studio: Site, builder: Page, record_property: Callable[[str, object], None]
) -> None:
    create = {"action": "create", "name": "title", "properties": {"type": "string"}}
    update(studio, content_type("memo", create, action="create"))
    french = {"code": "fr", "name": "French (fr)", "isDefault": False}
    studio.api("POST", "/i18n/locales", french)
    token = studio.api("POST", "/admin/api-tokens", {"name": "reader", "type": "full-access"})
    headers = {"authorization": f"Bearer {token['data']['accessKey']}"}
    client = httpx.Client(base_url=studio.address, headers=headers)
    made = client.post("/api/memos", json={"data": {"title": "Kept"}}).raise_for_status().json()
    document = made["data"]["documentId"]
    ended, refused, answered = Event(), list[str](), list[int]()

    def read() -> None:
        with httpx.Client(base_url=studio.address, headers=headers) as reading:
            while not ended.is_set():
                response = reading.get("/api/memos")
                answered.append(response.status_code)
                if response.status_code != 200:
                    refused.append(response.text)
                sleep(PAUSE)

    readers = [Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    seen: list[tuple[float, float]] = []
    try:
        for number, change in enumerate(thirty_changes(), 1):
            if change.entry is not None:
                path = f"/api/memos/{document}"
                client.put(path, json={"data": change.entry}).raise_for_status()
            update(studio, *change.types, components=change.components)
            began = monotonic()
            [shown] = client.get("/api/memos").json()["data"]
            in_api = monotonic() - began
            assert change.in_api(shown), f"change {number} is not in the API: {shown}"
            builder.goto(f"{FORM}/{document}")
            expect(builder.get_by_role("textbox", name="Title")).to_be_visible()
            expect(change.control(builder)).to_have_count(0 if change.gone else 1)
            seen.append((in_api, monotonic() - began))
        assert len(seen) == 30
        builder.goto("/admin/model/api::memo.memo")
        builder.get_by_role("button", name="Add field", exact=True).click()
        add_field(builder, "", "last")
        apply_changes(builder)
        builder.get_by_role("link", name="Create entry").click()
        expect(builder.get_by_role("textbox", name="Last")).to_be_visible()
    finally:
        ended.set()
        for reader in readers:
            reader.join()
    assert refused == []
    assert len(answered) > 30
    [kept] = client.get("/api/memos").json()["data"]
    assert kept["title"] == "Kept"
    client.close()
    for name, times in zip(("api", "form"), zip(*seen, strict=True), strict=True):
        record_property(f"longest_until_in_{name}", f"{max(times):.3f} s")
        print(f"in the {name} after {max(times):.3f} s at most")  # noqa: T201 - for -s


def thirty_changes() -> Iterator[Change]:
    """Changes of every kind, ten in each of three rounds."""

    def field(name: str, action: str = "create", **properties: object) -> Entry:
        return {"action": action, "name": name, "properties": properties}

    def memo(*attributes: Entry, **more: Any) -> tuple[Entry, ...]:  # noqa: ANN401 - JSON
        return (content_type("memo", *attributes, **more),)

    def has(name: str) -> Callable[[Entry], object]:
        return lambda one: name in one

    def lacks(name: str) -> Callable[[Entry], object]:
        return lambda one: name not in one

    def is_now(name: str, value: object) -> Callable[[Entry], object]:
        return lambda one: one[name] == value

    def named(role: Any, name: str) -> Callable[[Page], Locator]:  # noqa: ANN401 - an ARIA role
        return lambda page: page.get_by_role(role, name=name, exact=True)

    part = {
        "uid": "shared.part",
        "category": "shared",
        "displayName": "Part",
        "attributes": [field("label", type="string")],
    }
    host = {"type": "relation", "relation": "manyToOne", "target": "api::author.author"}
    localized = {"pluginOptions": {"i18n": {"localized": True}}}
    drafts = {"draftAndPublish": True}
    for name in ("alpha", "beta", "gamma"):
        later = f"{name}s"
        box = named("textbox", later.capitalize())
        yield Change(
            memo(field(name, type="string")),
            has(name),
            named("textbox", name.capitalize()),
        )
        renamed = {**field(later, "update", type="string"), "formerName": name}
        yield Change(memo(renamed), is_now(later, "12"), box, entry={name: "12"})
        yield Change(
            memo(field(later, "update", type="integer")),
            is_now(later, 12),
            box,
        )
        yield Change(
            memo(field(later, "update", type="integer", max=10)),
            is_now(later, 12),
            box,
        )
        yield Change(
            memo({"action": "delete", "name": later}),
            lacks(later),
            box,
            gone=True,
        )
        yield Change(
            memo(field("part", type="component", component="shared.part")),
            lambda _: True,
            lambda page: page.get_by_text("Part", exact=True),
            components=({**part, "action": "create"},),
        )
        yield Change(
            memo(field("host", **host, targetAttribute=f"{name}Memos")),
            lambda _: True,
            lambda page: page.get_by_text("Host", exact=True),
        )
        publish = named("button", "Publish")
        yield Change(memo(**drafts), lambda one: one["publishedAt"], publish)
        yield Change(
            memo(**drafts, **localized),
            lambda one: one["locale"],
            named("combobox", "Locale"),
        )
        yield Change(
            memo(
                {"action": "delete", "name": "host"},
                {"action": "delete", "name": "part"},
                pluginOptions={},
            ),
            lacks("host"),
            publish,
            gone=True,
            components=({"action": "delete", "uid": "shared.part"},),
        )
