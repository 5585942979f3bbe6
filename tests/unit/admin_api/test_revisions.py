"""Earlier states of entries are stored, shown with permission, and can be restored."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.databases.kind import Kind
from tests.databases.kinds import rows_of
from tests.unit.admin_api.office import Office, SharedOffices, open_office
from tests.unit.admin_api.test_content_manager import PAPERS, editor, grant, paper
from tests.unit.kiosk import PAPER, WRITER

REVISIONS = f"/admin/x/revisions/{PAPER}"
WRITERS = f"/content-manager/collection-types/{WRITER}"
JsonObject = dict[str, Any]


@pytest.fixture
async def office(kind: Kind, shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend(kind) as lent:
        yield lent


async def put(office: Office, document_id: str, query: str = "", **data: object) -> JsonObject:
    reply = await office.ask("PUT", f"{PAPERS}/{document_id}?{query}", data, token=office.boss)
    assert reply.status == 200, reply.json
    shown: JsonObject = reply.data
    return shown


async def revisions(office: Office, document_id: str, query: str = "") -> list[JsonObject]:
    reply = await office.ask("GET", f"{REVISIONS}/{document_id}?{query}", token=office.boss)
    assert reply.status == 200, reply.json
    listed: list[JsonObject] = reply.data
    return listed


async def shown(office: Office, document_id: str, number: int, query: str = "") -> JsonObject:
    """A revision by its place in the list."""
    one = (await revisions(office, document_id, query))[number]
    path = f"{REVISIONS}/{document_id}/{one['id']}?{query}"
    reply = await office.ask("GET", path, token=office.boss)
    assert reply.status == 200, reply.json
    found: JsonObject = reply.data
    return found


async def restore(office: Office, document_id: str, number: int) -> JsonObject:
    one = (await revisions(office, document_id))[number]
    path = f"{REVISIONS}/{document_id}/{one['id']}/restore"
    reply = await office.ask("POST", path, {}, token=office.boss)
    assert reply.status == 200, reply.json
    found: JsonObject = reply.json
    return found


async def titles(office: Office, document_id: str, query: str = "") -> list[str]:
    count = len(await revisions(office, document_id, query))
    return [
        (await shown(office, document_id, number, query))["data"]["title"]
        for number in range(count)
    ]


async def test_every_change_is_kept_with_who_made_it(office: Office) -> None:
    document_id = await paper(office, title="Tide")
    await put(office, document_id, title="Ebb", price=4)
    await office.ask("POST", f"{PAPERS}/{document_id}/actions/publish", {}, token=office.boss)

    listed = await revisions(office, document_id)
    last = await shown(office, document_id, 1)

    assert [one["status"] for one in listed] == ["published", "draft", "draft"]
    assert {one["createdBy"]["email"] for one in listed} == {"boss@example.com"}
    assert [one["createdAt"] for one in listed] == sorted(
        (one["createdAt"] for one in listed), reverse=True
    )
    assert await titles(office, document_id) == ["Ebb", "Ebb", "Tide"]
    assert (last["data"]["price"], last["fields"]) == (4, {})


async def test_a_revision_shows_how_the_current_draft_differs(office: Office) -> None:
    document_id = await paper(office, title="Tide", lines=[{"text": "a"}])
    await put(office, document_id, title="Ebb", lines=[{"text": "a"}])

    first = await shown(office, document_id, -1)

    assert first["fields"] == {"title": {"revision": "Tide", "draft": "Ebb"}}


async def test_a_draft_becomes_what_it_was(office: Office) -> None:
    writer = (await office.ask("POST", WRITERS, {"name": "Nemo"}, token=office.boss)).data
    signed = {"connect": [{"documentId": writer["documentId"]}]}
    lines = [{"text": "a", "hint": "b"}, {"text": "c"}]
    document_id = await paper(office, title="Tide", price=3, lines=lines, writer=signed)
    await put(office, document_id, title="Ebb", price=None, lines=[], writer={"set": []})

    response = await restore(office, document_id, -1)

    entry = (
        await office.ask("GET", f"{PAPERS}/{document_id}?populate=writer", token=office.boss)
    ).data
    assert (entry["title"], entry["price"]) == ("Tide", 3)
    assert [(one["text"], one["hint"]) for one in entry["lines"]] == [("a", "b"), ("c", None)]
    assert entry["writer"]["name"] == "Nemo"
    assert response["missing"] == []
    assert (await shown(office, document_id, 0))["fields"] == {}
    assert await titles(office, document_id) == ["Tide", "Ebb", "Tide"]


async def test_passwords_are_in_no_revision_and_stay_what_they_are(office: Office) -> None:
    document_id = await paper(office, title="Tide", lock="Open-sesame-1")
    await put(office, document_id, title="Ebb", lock="Open-sesame-2")
    with rows_of(office.app.settings.project) as rows:
        [(before,)] = rows.execute("SELECT lock FROM paper_rows")
        kept = str(rows.execute("SELECT data FROM quire_revisions"))

    await restore(office, document_id, -1)

    with rows_of(office.app.settings.project) as rows:
        assert list(rows.execute("SELECT lock FROM paper_rows")) == [(before,)]
    assert "lock" not in kept
    assert "sesame" not in kept
    assert str(before) not in kept


async def test_what_a_revision_led_to_may_be_gone(office: Office) -> None:
    writer = (await office.ask("POST", WRITERS, {"name": "Nemo"}, token=office.boss)).data
    signed = {"connect": [{"documentId": writer["documentId"]}]}
    document_id = await paper(office, title="Tide", writer=signed)
    await put(office, document_id, title="Ebb")
    await office.ask("DELETE", f"{WRITERS}/{writer['documentId']}", token=office.boss)

    token = await editor(office, *(grant(verb, ["title"]) for verb in ("read", "update")))
    oldest = (await revisions(office, document_id))[-1]
    path = f"{REVISIONS}/{document_id}/{oldest['id']}/restore"
    by_editor = await office.ask("POST", path, {}, token=token)
    response = await restore(office, document_id, -1)

    assert (by_editor.status, by_editor.json["missing"]) == (200, [])
    assert response["data"]["title"] == "Tide"
    assert response["missing"] == [{"field": "writer", "documentId": writer["documentId"]}]


async def test_what_others_have_changed_is_kept_before_it_is_changed_again(office: Office) -> None:
    document_id = await paper(office, title="Tide")
    programmed = {"data": {"title": "By a program"}}
    path = f"/api/papers/{document_id}?status=draft"
    assert (await office.ask("PUT", path, programmed)).status == 200
    await put(office, document_id, title="Ebb")

    assert await titles(office, document_id) == ["Ebb", "By a program", "Tide"]
    assert (await revisions(office, document_id))[1]["createdAt"] < (
        await revisions(office, document_id)
    )[0]["createdAt"]


async def test_each_locale_has_revisions_of_its_own(office: Office) -> None:
    document_id = await paper(office, title="Tide")
    await put(office, document_id, "locale=fr", title="Marée")
    await put(office, document_id, "locale=fr", title="Jusant")

    assert await titles(office, document_id, "locale=fr") == ["Jusant", "Marée"]
    assert await titles(office, document_id) == ["Tide"]
    french = (await revisions(office, document_id, "locale=fr"))[0]["id"]
    path = f"{REVISIONS}/{document_id}/{french}"
    assert (await office.ask("GET", path, token=office.boss)).status == 404


async def test_nobody_sees_more_of_a_revision_than_of_the_entry(office: Office) -> None:
    document_id = await paper(office, title="Tide", margin="for the boss", lines=[{"text": "a"}])
    await put(office, document_id, title="Ebb")
    reads = grant("read", ["title", "lines.text"])
    own = await editor(office, reads)
    mine = grant("read", None, "admin::is-creator")
    nothing = await editor(office, mine, email="mine@example.com")
    french = await editor(office, grant("read", None, locales=["fr"]), email="fr@example.com")
    (last, first) = (one["id"] for one in await revisions(office, document_id))
    path = f"{REVISIONS}/{document_id}/{first}"

    seen = (await office.ask("GET", path, token=own)).data

    assert seen["data"] == {"title": "Tide", "lines": [{"text": "a"}]}
    assert seen["fields"].keys() == {"title"}
    for token in (nothing, french):
        for target in (f"{REVISIONS}/{document_id}", path, f"{REVISIONS}/{document_id}/{last}"):
            assert (await office.ask("GET", target, token=token)).status == 403
    for token in (own, nothing, french):
        refused = await office.ask("POST", f"{path}/restore", {}, token=token)
        assert refused.status == 403


async def test_what_one_may_not_change_is_not_restored(office: Office) -> None:
    document_id = await paper(office, title="Tide", price=3)
    await put(office, document_id, title="Ebb", price=9)
    token = await editor(office, grant("read", None), grant("update", ["title"]))
    first = (await revisions(office, document_id))[-1]["id"]

    path = f"{REVISIONS}/{document_id}/{first}/restore"
    response = await office.ask("POST", path, {}, token=token)

    assert (response.data["title"], response.data["price"]) == ("Tide", 9)


async def test_a_revision_is_of_one_document(office: Office) -> None:
    document_id, other = await paper(office, title="Tide"), await paper(office, title="Ebb")
    own = (await revisions(office, document_id))[0]["id"]
    for target in (f"{other}/{own}", f"{document_id}/0", f"{document_id}/x", f"none/{own}"):
        assert (await office.ask("GET", f"{REVISIONS}/{target}", token=office.boss)).status == 404


async def test_restoring_names_the_author_of_a_later_change(office: Office) -> None:
    document_id = await paper(office, title="Tide")
    known = (await put(office, document_id, title="Ebb"))["updatedAt"]
    await put(office, document_id, title="Flood")
    first = (await revisions(office, document_id))[-1]["id"]

    path = f"{REVISIONS}/{document_id}/{first}/restore"
    headers = {"if-match": f'"{known}"'}
    reply = await office.ask("POST", path, {}, token=office.boss, headers=headers)

    assert reply.status == 412


async def test_discarding_and_bulk_changes_are_kept_too(office: Office) -> None:
    document_id = await paper(office, title="Tide")
    await office.ask("POST", f"{PAPERS}/{document_id}/actions/publish", {}, token=office.boss)
    bulk = {"documentIds": [document_id], "data": {"title": "Ebb"}}
    await office.ask("POST", f"/admin/x/bulk-edit/{PAPER}", bulk, token=office.boss)
    await office.ask("POST", f"{PAPERS}/{document_id}/actions/discard", {}, token=office.boss)

    assert await titles(office, document_id) == ["Tide", "Ebb", "Tide", "Tide"]


async def test_revisions_go_with_their_document(office: Office) -> None:
    document_id, other = await paper(office, title="Tide"), await paper(office, title="Ebb")
    await put(office, document_id, "locale=fr", title="Marée")
    await office.ask("DELETE", f"{PAPERS}/{document_id}?locale=fr", token=office.boss)
    assert len(await revisions(office, document_id)) == 1
    await office.ask("DELETE", f"{PAPERS}/{document_id}?locale=*", token=office.boss)

    assert (await office.ask("GET", f"{REVISIONS}/{document_id}", token=office.boss)).status == 404
    assert len(await revisions(office, other)) == 1


async def test_so_many_are_kept_as_is_set(kind: Kind, tmp_path: Path) -> None:
    async with open_office(tmp_path, kind=kind, settings={"admin.revisions": 2}) as office:
        document_id = await paper(office, title="1")
        for title in ("2", "3", "4"):
            await put(office, document_id, title=title)
        assert await titles(office, document_id) == ["4", "3"]


async def test_none_are_kept_where_none_are_wanted(kind: Kind, tmp_path: Path) -> None:
    async with open_office(tmp_path, kind=kind, settings={"admin.revisions": 0}) as office:
        document_id = await paper(office, title="Tide")
        await put(office, document_id, title="Ebb")
        assert await revisions(office, document_id) == []
        path = f"{REVISIONS}/{document_id}/1"
        assert (await office.ask("GET", path, token=office.boss)).status == 404
