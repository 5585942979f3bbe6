"""Lists of entries by their status, as in Strapi: filters and orders."""

from collections.abc import AsyncIterator

import pytest

from tests.databases.kind import Kind
from tests.unit.admin_api.office import Office, SharedOffices
from tests.unit.admin_api.test_content_manager import PAPERS, paper, titles
from tests.unit.kiosk import PAPER, WRITER

WRITERS = f"/content-manager/collection-types/{WRITER}"
STATUS = "filters[$and][0][__status][$eq]"


@pytest.fixture
async def office(kind: Kind, shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend(kind) as lent:
        yield lent


async def three_papers(office: Office, **data: object) -> None:
    """Make one that is published, one that is modified, and one that is a draft."""
    for title, changes in (("Published", 0), ("Modified", 1), ("Draft", None)):
        document_id = await paper(office, None, title=title, **data)
        if changes is None:
            continue
        path = f"{PAPERS}/{document_id}"
        assert (
            await office.ask("POST", f"{path}/actions/publish", {}, token=office.boss)
        ).status == 200
        if changes:
            change = {"title": f"{title} again"}
            assert (await office.ask("PUT", path, change, token=office.boss)).status == 200


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (f"{STATUS}=draft", ["Draft"]),
        (f"{STATUS}=published", ["Published", "Modified"]),
        (f"{STATUS}=published-modified", ["Modified"]),
        (f"{STATUS}=published-unmodified", ["Published"]),
        ("publicationStatusFilter=published-modified", ["Modified"]),
        (f"{STATUS}=published&filters[$and][1][title][$startsWith]=P", ["Published"]),
        ("filters[title][$startsWith]=M&publicationStatusFilter=published-modified", ["Modified"]),
        ("sort=status:ASC", ["Draft", "Modified again", "Published"]),
        ("sort=status:DESC", ["Published", "Modified again", "Draft"]),
        ("sort[status]=desc&pageSize=2", ["Published", "Modified again"]),
        ("sort[0]=status:desc&sort[1]=title:asc", ["Draft", "Modified again", "Published"]),
        ("sort=status&page=2&pageSize=2", ["Published"]),
        ("sort=status:DESC&status=draft", ["Published", "Modified again", "Draft"]),
    ],
)
async def test_a_list_is_filtered_and_sorted_by_status(
    office: Office, query: str, expected: list[str]
) -> None:
    await three_papers(office)
    assert await titles(office, office.boss, query) == expected
    path = f"/admin/x/export/{PAPER}?{query}"
    if "pageSize" not in query and "status=draft" not in query:
        exported = await office.ask("POST", path, {"format": "json"}, token=office.boss)
        assert [entry["title"] for entry in exported.data] == expected


@pytest.mark.parametrize(("query", "count"), [("", 2), ("publicationFilter=modified", 1)])
async def test_related_entries_are_counted_in_the_publication_state(
    office: Office, query: str, count: int
) -> None:
    made = await office.ask("POST", WRITERS, {"name": "Ada"}, token=office.boss)
    await three_papers(office, writer=made.data["documentId"])
    reply = await office.ask("GET", f"{WRITERS}?{query}", token=office.boss)
    assert [entry["papers"] for entry in reply.json["results"]] == [{"count": count}]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (f"{PAPERS}?sort=status:up", "Invalid order. order can only be one of asc|desc|ASC|DESC"),
        (
            f"{WRITERS}?sort=status:ASC",
            "Invalid key status",
        ),
        (f"{PAPERS}?publicationStatusFilter=published-modified&status=x", "Invalid status"),
    ],
)
async def test_what_is_no_status_is_refused(office: Office, target: str, message: str) -> None:
    reply = await office.ask("GET", target, token=office.boss)
    assert (reply.status, reply.error) == (400, message)


async def test_entries_without_drafts_are_never_modified(office: Office) -> None:
    made = await office.ask("POST", WRITERS, {"name": "Ada"}, token=office.boss)
    assert made.status == 201
    for state in ("modified", "unmodified"):
        target = f"{WRITERS}?publicationStatusFilter=published-{state}"
        reply = await office.ask("GET", target, token=office.boss)
        assert reply.json["results"] == []
