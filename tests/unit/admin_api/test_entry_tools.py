"""Quire's extra routes: one response per screen, with the permissions of the caller."""

from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from tests.databases.kind import Kind
from tests.unit.admin_api.office import Office, SharedOffices
from tests.unit.admin_api.test_admin_users import clerk
from tests.unit.admin_api.test_content_manager import EXPLORER, PAPERS, editor, grant, paper
from tests.unit.kiosk import PAPER, WRITER

OWN = "/admin/x"
WRITERS = f"/content-manager/collection-types/{WRITER}"
PERSONAL = "admin::is-creator"


@pytest.fixture
async def office(kind: Kind, shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend(kind) as lent:
        yield lent


async def publish(office: Office, document_id: str) -> None:
    path = f"{PAPERS}/{document_id}/actions/publish"
    assert (await office.ask("POST", path, {}, token=office.boss)).status == 200


async def test_home_shows_what_the_role_may_read(office: Office) -> None:
    await publish(office, await paper(office, title="Tide"))
    await paper(office, title="Ebb")
    own = (await office.ask("GET", f"{OWN}/home", token=office.boss)).data
    assert {one["title"] for one in own["edited"]} == {"Tide", "Ebb"}
    assert [one["title"] for one in own["published"]] == ["Tide"]
    assert own["documents"] == {"draft": 1, "published": 1, "modified": 0}
    assert {"uid": PAPER, "displayName": "paper", "kind": "collectionType", "count": 2} in own[
        "types"
    ]
    assert own["failingWebhooks"] == []

    token = await editor(office, grant("read", ["name"], uid=WRITER))
    seen = (await office.ask("GET", f"{OWN}/home", token=token)).data
    assert [one["uid"] for one in seen["types"]] == [WRITER]
    assert (seen["edited"], seen["failingWebhooks"]) == ([], None)


async def test_a_draft_and_what_is_published_differ_field_by_field(office: Office) -> None:
    document_id = await paper(office, title="Tide", lines=[{"text": "a"}])
    await publish(office, document_id)
    path = f"{OWN}/difference/{PAPER}/{document_id}"
    assert (await office.ask("GET", path, token=office.boss)).data["fields"] == {}

    changed = {"title": "Ebb", "price": 9, "lines": [{"text": "a"}, {"text": "b"}]}
    await office.ask("PUT", f"{PAPERS}/{document_id}", changed, token=office.boss)
    fields = (await office.ask("GET", path, token=office.boss)).data["fields"]
    assert fields["title"] == {"draft": "Ebb", "published": "Tide"}
    assert set(fields) == {"title", "price", "lines"}
    assert [line["text"] for line in fields["lines"]["draft"]] == ["a", "b"]

    token = await editor(office, grant("read", ["title"]))
    seen = await office.ask("GET", path, token=token)
    assert set(seen.data["fields"]) == {"title"}
    assert (await office.ask("GET", f"{path}?locale=fr", token=office.boss)).status == 404


async def test_references_list_the_entries_that_refer_to_a_document(office: Office) -> None:
    made = await office.ask("POST", WRITERS, {"name": "Nemo"}, token=office.boss)
    writer = made.data["documentId"]
    signed = await paper(office, title="Signed", writer={"connect": [{"documentId": writer}]})
    await paper(office, title="Unsigned")

    path = f"{OWN}/references/{WRITER}/{writer}"
    (found,) = (await office.ask("GET", path, token=office.boss)).data
    assert (found["uid"], found["attribute"], found["count"]) == (PAPER, "writer", 1)
    (entry,) = found["entries"]
    assert (entry["documentId"], entry["title"]) == (signed, "Signed")
    entry_path = f"{OWN}/entry/{WRITER}/{writer}"
    shown = (await office.ask("GET", entry_path, token=office.boss)).data
    assert (shown["entry"]["name"], shown["references"]) == ("Nemo", 1)


async def test_references_reveal_nothing_of_unreadable_entries(office: Office) -> None:
    made = await office.ask("POST", WRITERS, {"name": "Nemo"}, token=office.boss)
    writer = made.data["documentId"]
    await paper(office, title="Signed", writer={"connect": [{"documentId": writer}]})
    path = f"{OWN}/references/{WRITER}/{writer}"
    for number, grants in enumerate(
        (
            [grant("read", ["name"], uid=WRITER)],
            [grant("read", ["name"], uid=WRITER), grant("read", ["title"])],
            [grant("read", ["name"], uid=WRITER), grant("read", ["writer"], PERSONAL)],
        )
    ):
        token = await editor(office, *grants, email=f"reader{number}@example.com")
        assert (await office.ask("GET", path, token=token)).data == []
    token = await editor(office, grant("read", None), email="papers@example.com")
    assert (await office.ask("GET", path, token=token)).status == 403


async def test_what_prevents_publishing_a_draft_is_reported_by_locale(office: Office) -> None:
    document_id = await paper(office, title="Tide")
    await office.ask("PUT", f"{PAPERS}/{document_id}?locale=fr", {"title": None}, token=office.boss)
    path = f"{OWN}/publish-check/{PAPER}/{document_id}"
    ready = await office.ask("POST", path, {}, token=office.boss)
    assert (ready.status, ready.data["locale"], ready.data["problems"]) == (200, "en", [])
    french = (await office.ask("POST", f"{path}?locale=fr", {}, token=office.boss)).data
    assert [one["path"] for one in french["problems"]] == [["title"]]
    assert all(one["message"] for one in french["problems"])

    kept = (await office.ask("GET", f"{PAPERS}/{document_id}", token=office.boss)).data
    assert kept["status"] == "draft"
    assert (await office.ask("GET", f"{OWN}/home", token=office.boss)).data["published"] == []
    assert (await office.ask("POST", f"{path}x", {}, token=office.boss)).status == 404
    token = await editor(office, grant("read", ["title"]), grant("update", ["title"]))
    assert (await office.ask("POST", path, {}, token=token)).status == 403


async def test_a_bulk_edit_is_shown_before_it_is_made(office: Office) -> None:
    ids = [await paper(office, title="One", price=1), await paper(office, title="Two", price=2)]
    body = {"documentIds": ids, "data": {"price": 2}, "preview": True}
    shown = await office.ask("POST", f"{OWN}/bulk-edit/{PAPER}", body, token=office.boss)
    assert shown.status == 200, shown.json
    assert shown.data["preview"] is True
    assert shown.data["changes"] == [
        {"documentId": ids[0], "fields": {"price": {"from": 1, "to": 2}}},
        {"documentId": ids[1], "fields": {}},
    ]
    path = f"{PAPERS}/{ids[0]}"
    assert (await office.ask("GET", path, token=office.boss)).data["price"] == 1

    made = await office.ask(
        "POST", f"{OWN}/bulk-edit/{PAPER}", {**body, "preview": False}, token=office.boss
    )
    assert made.data == {**shown.data, "preview": False}
    assert (await office.ask("GET", path, token=office.boss)).data["price"] == 2


async def test_a_bulk_edit_is_made_as_a_whole_and_with_the_permissions_of_each_entry(
    office: Office,
) -> None:
    token = await editor(
        office,
        grant("create", ["title"]),
        grant("read", ["title", "price"]),
        grant("update", ["title", "price"], PERSONAL),
    )
    own, other = await paper(office, token, title="Own"), await paper(office, title="Other")
    path = f"{OWN}/bulk-edit/{PAPER}"
    body = {"documentIds": [own, other], "data": {"title": "Mine"}}
    assert (await office.ask("POST", path, body, token=token)).status == 403
    assert (await office.ask("GET", f"{PAPERS}/{own}", token=token)).data["title"] == "Own"

    long = {"documentIds": [own], "data": {"title": "x" * 50}}
    refused = await office.ask("POST", path, long, token=token)
    assert refused.status == 400
    assert refused.json["error"]["details"]["documentId"] == own
    margin = {"documentIds": [own], "data": {"margin": "no"}}
    assert (await office.ask("POST", path, margin, token=token)).data["changes"] == [
        {"documentId": own, "fields": {}}
    ]


async def test_views_belong_to_who_made_them(office: Office) -> None:
    view = {"uid": PAPER, "name": "Cheap", "state": {"filters": {"price": {"$lt": 2}}}}
    made = await office.ask("POST", f"{OWN}/views", view, token=office.boss)
    assert made.status == 201, made.json
    path = f"{OWN}/views/{made.data['id']}"
    token = await editor(office, grant("read", ["title"]))
    assert (await office.ask("GET", f"{OWN}/views", token=token)).data == []
    assert (await office.ask("PUT", path, {"name": "Mine"}, token=token)).status == 404

    shared = await office.ask("PUT", path, {"shared": True}, token=office.boss)
    assert shared.data["shared"] is True
    (seen,) = (await office.ask("GET", f"{OWN}/views?uid={PAPER}", token=token)).data
    assert (seen["name"], seen["own"], seen["state"]) == ("Cheap", False, view["state"])
    assert (await office.ask("PUT", path, {"name": "Mine"}, token=token)).status == 403
    assert (await office.ask("DELETE", path, token=token)).status == 403

    stranger = await editor(office, grant("read", None, uid=WRITER), email="w@example.com")
    assert (await office.ask("GET", f"{OWN}/views", token=stranger)).data == []
    assert (await office.ask("POST", f"{OWN}/views", view, token=stranger)).status == 403
    assert (await office.ask("DELETE", path, token=office.boss)).status == 200
    assert (await office.ask("GET", f"{OWN}/views", token=office.boss)).data == []


@pytest.mark.parametrize("state", [None, [], "x", {"a": "x" * 20_000}])
async def test_the_state_of_a_view_is_a_small_object(office: Office, state: object) -> None:
    view = {"uid": PAPER, "name": "Cheap", "state": state}
    assert (await office.ask("POST", f"{OWN}/views", view, token=office.boss)).status == 400


async def test_a_refusal_is_explained_permission_by_permission(office: Office) -> None:
    document_id = await paper(office)
    await editor(
        office,
        grant("read", ["title"], locales=["en"]),
        grant("update", ["title"], PERSONAL, locales=["en"]),
    )
    listed = (await office.ask("GET", "/admin/users", token=office.boss)).data["results"]
    user = next(one["id"] for one in listed if one["email"] == "ed@example.com")

    async def why(query: str, verb: str = "read") -> tuple[bool, str, list[list[str]]]:
        path = f"{OWN}/explain?user={user}&action={EXPLORER}{verb}&subject={quote(PAPER)}{query}"
        reply = await office.ask("GET", path, token=office.boss)
        assert reply.status == 200, reply.json
        misses = [one["misses"] for one in reply.data["permissions"]]
        return reply.data["allowed"], reply.data["because"], misses

    assert await why("") == (True, "granted", [[]])
    assert await why("&field=title&locale=en") == (True, "granted", [[]])
    assert await why("&field=price&locale=fr") == (False, "narrower", [["field", "locale"]])
    assert await why(f"&documentId={document_id}", "update") == (
        False,
        "narrower",
        [["condition"]],
    )
    assert await why("", "delete") == (False, "no-permission", [])

    _, clerks = await clerk(office, "admin::users.read", email="clerk@example.com")
    path = f"{OWN}/explain?user={user}&action={EXPLORER}read"
    assert (await office.ask("GET", path, token=clerks)).status == 403
    assert (
        await office.ask("GET", f"{OWN}/explain?user=1&action=x", token=office.boss)
    ).status == 400


async def test_a_conflict_names_who_was_first(office: Office) -> None:
    document_id = await paper(office)
    path = f"{PAPERS}/{document_id}"
    known = (await office.ask("GET", path, token=office.boss)).data["updatedAt"]
    token = await editor(office, grant("read", None), grant("update", None))
    assert (await office.ask("PUT", path, {"title": "Ebb"}, token=token)).status == 200

    match = {"if-match": f'"{known}"'}
    late = await office.ask("PUT", path, {"title": "Tide"}, token=office.boss, headers=match)
    assert late.status == 412
    details = late.json["error"]["details"]
    assert details["updatedBy"]["email"] == "ed@example.com"
    assert details["updatedAt"] > known
