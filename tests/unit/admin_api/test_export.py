"""Export of readable entries, as JSON and CSV."""

import csv
import io
from collections.abc import AsyncIterator

import pytest

from tests.databases.kind import Kind
from tests.unit.admin_api.office import Office, SharedOffices
from tests.unit.admin_api.test_content_manager import PAPERS, editor, grant, paper
from tests.unit.kiosk import PAPER, WRITER

EXPORT = f"/admin/x/export/{PAPER}"


@pytest.fixture
async def office(kind: Kind, shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend(kind) as lent:
        yield lent


async def table(office: Office, query: str = "", token: str | None = None) -> list[list[str]]:
    response = await office.send(
        "POST", f"{EXPORT}?{query}", {"format": "csv"}, token=token or office.boss
    )
    assert response.status == 200, response.content
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert response.headers["content-disposition"] == 'attachment; filename="papers.csv"'
    return list(csv.reader(io.StringIO(response.content.decode())))


async def test_an_export_has_all_of_each_entry(office: Office) -> None:
    writer = f"/content-manager/collection-types/{WRITER}"
    nemo = (await office.ask("POST", writer, {"name": "Nemo"}, token=office.boss)).data
    signed = {"connect": [{"documentId": nemo["documentId"]}]}
    await paper(office, title="Tide", lines=[{"text": "a", "hint": "b"}], writer=signed)

    (entry,) = (await office.ask("POST", EXPORT, {}, token=office.boss)).data

    assert (entry["title"], entry["margin"]) == ("Tide", "ask twice")
    assert [line["hint"] for line in entry["lines"]] == ["b"]
    assert entry["writer"]["name"] == "Nemo"
    assert "lock" not in entry


async def test_what_is_exported_is_what_the_list_shows(office: Office) -> None:
    ids = [await paper(office, title=title) for title in ("Ebb", "Flood", "Neap")]
    french = f"{PAPERS}/{ids[0]}?locale=fr"
    await office.ask("PUT", french, {"title": "Jusant"}, token=office.boss)

    async def titles(query: str, body: object = None) -> list[str]:
        reply = await office.ask("POST", f"{EXPORT}?{query}", body or {}, token=office.boss)
        return [entry["title"] for entry in reply.data]

    assert await titles("sort=title:DESC&pageSize=2") == ["Neap", "Flood"]
    assert await titles("filters[title][$contains]=oo") == ["Flood"]
    assert await titles("sort=title", {"documentIds": ids[1:]}) == ["Flood", "Neap"]
    chosen = {"documentIds": ids[:2]}
    assert await titles("filters[title][$contains]=oo", chosen) == ["Flood"]
    assert await titles("locale=fr") == ["Jusant"]
    assert sorted(await titles("locale=*")) == ["Ebb", "Flood", "Jusant", "Neap"]
    assert await titles("status=published") == []


async def test_tables_can_be_put_one_after_the_other(office: Office) -> None:
    for title in ("Ebb", "Flood"):
        await paper(office, title=title)
    first = await table(office, "sort=title&pageSize=1")
    second = await table(office, "sort=title&pageSize=1&page=2")

    names, *rows = [*first, *second]
    assert [dict(zip(names, row, strict=True))["title"] for row in rows] == ["Ebb", "Flood"]


async def test_h090_a_cell_is_no_formula(office: Office) -> None:
    await paper(office, title="=HYPERLINK(1)", price=-2.5, lines=[{"text": '"a", b'}])
    names, row = await table(office)
    cells = dict(zip(names, row, strict=True))

    assert cells["title"] == "'=HYPERLINK(1)"
    assert cells["price"] == "-2.5"
    assert '\\"a\\", b' in cells["lines"]


async def test_nobody_exports_what_they_may_not_read(office: Office) -> None:
    await paper(office, title="Tide")
    own = await editor(office, grant("read", ["title", "lines.text"]))
    other = await editor(office, grant("read", ["name"], uid=WRITER), email="w@example.com")
    nothing = await editor(
        office, grant("read", None, "admin::is-creator"), email="mine@example.com"
    )

    (entry,) = (await office.ask("POST", EXPORT, {}, token=own)).data
    names, _ = await table(office, token=own)

    assert entry["title"] == "Tide"
    assert not {"margin", "price", "writer"} & entry.keys()
    assert not {"margin", "price", "writer"} & set(names)
    assert (await office.ask("POST", EXPORT, {}, token=other)).status == 403
    assert (await office.ask("POST", EXPORT, {}, token=nothing)).data == []


@pytest.mark.whatever_the_database("no statement is run")
async def test_an_export_says_what_it_does_not_understand(office: Office) -> None:
    bodies: tuple[object, ...] = (
        {"format": "xml"},
        {"documentIds": []},
        {"documentIds": "x"},
        {"other": 1},
    )
    for body in bodies:
        assert (await office.ask("POST", EXPORT, body, token=office.boss)).status == 400


async def test_who_exported_what_is_noted(office: Office) -> None:
    await office.ask("POST", EXPORT, {}, token=office.boss)
    path = "/admin/x/audit?action=POST%20/admin/x/export/:uid"
    (row,) = (await office.ask("GET", path, token=office.boss)).data
    assert (row["actor"], row["target"]) == ("boss@example.com", PAPER)
