"""Lists of the admin API apply long lists of a filter, and reject other objects."""

from collections.abc import AsyncIterator

import pytest

from tests.databases.kind import Kind
from tests.unit.admin_api.office import BOSS, Office, SharedOffices
from tests.unit.admin_api.test_content_manager import PAPERS, paper, titles
from tests.unit.kiosk import PAPER, WRITER

MANY = 150
LIMIT = 1000
PLACES = [
    ("GET", PAPERS, "title"),
    ("POST", f"/admin/x/export/{PAPER}", "title"),
    ("GET", f"/content-manager/relations/{PAPER}/writer", "name"),
    ("GET", "/admin/users", "email"),
    ("GET", "/admin/roles", "name"),
    ("GET", "/upload/files", "name"),
    ("GET", "/upload/folders", "name"),
]


@pytest.fixture
async def office(kind: Kind, shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend(kind) as lent:
        yield lent


def listed(name: str, *values: str, unknown: int) -> str:
    every = [*(f"x{number}" for number in range(unknown)), *values]
    return "&".join(f"{name}[{index}]={value}" for index, value in enumerate(every))


async def test_a_long_list_of_values_is_compared(office: Office) -> None:
    for title in ("Ebb", "Flood"):
        await paper(office, title=title)
    query = listed("filters[title][$in]", "Ebb", unknown=MANY)
    assert await titles(office, office.boss, query) == ["Ebb"]
    query = listed("filters[title][$notIn]", "Ebb", unknown=MANY)
    assert await titles(office, office.boss, query) == ["Flood"]

    exported = f"/admin/x/export/{PAPER}?{listed('filters[title][$in]', 'Ebb', unknown=MANY)}"
    reply = await office.ask("POST", exported, {}, token=office.boss)
    assert [entry["title"] for entry in reply.data] == ["Ebb"]

    for values, found in (([], []), ([BOSS["email"]], [BOSS["email"]])):
        query = listed("filters[email][$in]", *values, unknown=MANY)
        reply = await office.ask("GET", f"/admin/users?{query}", token=office.boss)
        assert [admin_user["email"] for admin_user in reply.data["results"]] == found


async def test_related_entries_are_filtered_by_a_long_list(office: Office) -> None:
    target = f"/content-manager/collection-types/{WRITER}"
    ids = []
    for name in ("Nemo", "Ahab"):
        made = await office.ask("POST", target, {"name": name}, token=office.boss)
        ids.append(made.data["id"])
    offered = f"/content-manager/relations/{PAPER}/writer"
    query = listed("filters[name][$in]", "Nemo", unknown=MANY)
    reply = await office.ask("GET", f"{offered}?{query}", token=office.boss)
    assert [row["name"] for row in reply.json["results"]] == ["Nemo"]
    query = listed("idsToOmit", str(ids[0]), unknown=MANY)
    reply = await office.ask("GET", f"{offered}?{query}", token=office.boss)
    assert [row["name"] for row in reply.json["results"]] == ["Ahab"]


@pytest.mark.parametrize(("method", "target", "name"), PLACES)
async def test_what_means_nothing_in_a_filter_is_refused(
    office: Office, method: str, target: str, name: str
) -> None:
    async def statuses(query: str) -> int:
        return (await office.ask(method, f"{target}?{query}", {}, token=office.boss)).status

    long = listed(f"filters[{name}][$in]", unknown=LIMIT + 1)
    for query in (
        f"filters[{name}][$in][a]=x",
        f"filters[{name}][$notIn][0][$eq]=x",
        f"filters[{name}][$eq][a]=x",
        f"filters[{name}][constructor]=x",
        "filters[$and][a]=1",
        f"filters[$or][a][{name}]=x",
        long,
    ):
        assert await statuses(query) == 400, query
    assert await statuses(listed(f"filters[{name}][$in]", unknown=LIMIT)) == 200
    reply = await office.ask(method, f"{target}?{long}", {}, token=office.boss)
    assert reply.error == "Cannot filter by a list of more than 1000 values (limits.filter_values)"
