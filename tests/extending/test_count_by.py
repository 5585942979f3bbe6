"""Counts of documents for each of some values, in one statement."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.databases.kind import Kind
from tests.extending.project import module, open_extended
from tests.unit.admin_api.office import Office

CODE = """
@rule(WRITER, on=["find"])
def only_known_writers(who):
    return who.kind == "system" or {"name": {"$ne": "Secret"}}

@around(PAPER, on=["count"])
async def without_cheap_papers(call, proceed):
    result = await proceed(call.narrow({"price": {"$gt": 0.05}}))
    fired.append((call.action, result.count))
    return result

@route.post("/counts", public=True)
async def counts(body: dict, system: bool = True) -> list:
    papers = documents(body.pop("uid", PAPER))
    try:
        if system:
            with as_system("count"):
                found = await papers.count_by(**body)
        else:
            found = await papers.count_by(**body)
    except ValueError as error:
        raise Conflict(str(error))
    return list(found.items())
"""


@pytest_asyncio.fixture(loop_scope="session")
async def office(tmp_path: Path, kind: Kind) -> AsyncIterator[Office]:
    async with open_extended(tmp_path, kind, CODE) as opened:
        yield opened


async def make(office: Office, type_: str, query: str = "", **data: object) -> str:
    reply = await office.ask("POST", f"/api/{type_}?{query}", {"data": data})
    assert reply.status == 201, reply.json
    return str(reply.data["documentId"])


async def counts(office: Office, *, system: bool = True, **arguments: Any) -> Any:  # noqa: ANN401 - the response
    reply = await office.ask("POST", f"/api/counts?system={str(system).lower()}", arguments)
    return [number for _, number in reply.json] if reply.status == 200 else reply.error


async def test_documents_are_counted_by_their_values_and_targets(office: Office) -> None:
    ada, bo, cy = [await make(office, "writers", name=name) for name in ("Ada", "Bo", "Cy")]
    first = await make(office, "papers", title="A", price=2.5, writer=ada, sold=True)
    await make(office, "papers", title="A", price=2.5, writer=ada)
    await make(office, "papers", title="B", price=0.1, writer=bo, sold=True)
    await make(office, "papers", "status=draft", title="B", price=3, writer=bo)
    french = {"data": {"title": "F", "writer": bo}}
    assert (await office.ask("PUT", f"/api/papers/{first}?locale=fr", french)).status == 200
    writers: dict[str, Any] = {"field": "writer", "values": [cy, bo, ada, "missing", None]}

    assert await counts(office, **writers) == [0, 1, 2, 0, 0]
    assert await counts(office, **writers, status="draft") == [0, 2, 2, 0, 0]
    assert await counts(office, **writers, locale="fr") == [0, 1, 0, 0, 0]
    assert await counts(office, **writers, locale="*") == [0, 2, 2, 0, 0]
    assert await counts(office, **writers, excluding=[first]) == [0, 1, 1, 0, 0]
    assert await counts(office, **writers, filters={"sold": True}) == [0, 1, 1, 0, 0]
    everywhere: dict[str, Any] = {
        "filters": {"$or": [{"title": "A"}, {"title": "B"}]},
        "excluding": [first],
    }
    assert await counts(office, **writers, **everywhere) == [0, 1, 1, 0, 0]

    assert await counts(office, field="title", values=["B", "A", "C"]) == [1, 2, 0]
    assert await counts(office, field="price", values=[0.1, 2.5, 3, 2.501]) == [1, 2, 0, 0]
    assert await counts(office, field="price", values=["0.1", "2.5"]) == [1, 2]
    assert await counts(office, field="sold", values=[True, False]) == [2, 0]
    assert await counts(office, field="documentId", values=[first, ada]) == [1, 0]
    assert await counts(office, field="title", values=["A", "B", "A"]) == [2, 1]
    assert await counts(office, field="title", values=[]) == []
    # The French version of the first paper is by another writer.
    papers: dict[str, Any] = {
        "uid": "api::writer.writer",
        "field": "papers",
        "values": [first, "missing"],
    }
    assert await counts(office, **papers) == [2, 0]


async def test_many_values_are_counted_at_once(office: Office) -> None:
    await make(office, "papers", title="number 1499", price=1)
    values = [f"number {number}" for number in range(1500)]
    found = await counts(office, field="title", values=values, excluding=values)
    assert (len(found), found[1499], sum(found)) == (1500, 1, 1)


async def test_counts_are_those_of_the_caller(office: Office) -> None:
    known, secret = [await make(office, "writers", name=name) for name in ("Known", "Other")]
    for writer in (known, secret):
        await make(office, "papers", title="Seen", price=1, writer=writer)
        await make(office, "papers", title="Cheap", price=0.01, writer=writer)
    renamed = await office.ask("PUT", f"/api/writers/{secret}", {"data": {"name": "Secret"}})
    assert renamed.status == 200, renamed.json
    module().fired.clear()

    both: dict[str, Any] = {"field": "writer", "values": [known, secret]}
    assert await counts(office, **both) == [1, 1]
    assert await counts(office, **both, system=False) == [1, 0]
    assert module().fired == [("count", 2), ("count", 1)]
    assert await counts(office, field="margin", values=["x"]) == [0]
    assert await counts(office, field="margin", values=["x"], system=False) == "Invalid key margin"
    masthead: dict[str, Any] = {"uid": "api::masthead.masthead", "field": "motto", "values": ["x"]}
    assert await counts(office, **masthead, system=False) == "Forbidden"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"field": "titel", "values": ["A"]},
            'api::paper.paper has no field "titel"; did you mean "title"?',
        ),
        (
            {"field": "lines", "values": []},
            "documents are not counted by lines: it is component",
        ),
        ({"field": "lock", "values": ["x"]}, "Invalid key lock"),
        ({"field": "price", "values": ["dear"]}, "Invalid number 'dear'"),
        (
            {"field": "title", "values": list(range(10_001))},
            "count_by takes up to 10000 values (extensions.rows)",
        ),
    ],
)
async def test_counts_of_wrong_arguments_name_the_mistake(
    office: Office, arguments: dict[str, Any], message: str
) -> None:
    assert await counts(office, **arguments) == message
