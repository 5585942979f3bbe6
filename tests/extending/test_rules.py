"""Rules of a project's code, in the content API."""

from pathlib import Path
from typing import Any

import pytest

from tests.databases.kind import Kind
from tests.extending.project import open_extended, titles
from tests.unit.admin_api.office import Office

CHEAP = """
@rule(PAPER, on=["find"])
def cheap_papers(who):
    return {"price": {"$lte": 10}}
"""


async def make(office: Office, collection: str, /, **data: object) -> Any:  # noqa: ANN401 - a document
    reply = await office.ask("POST", f"/api/{collection}?status=published", {"data": data})
    assert reply.status == 201, reply.json
    return reply.data


async def two_papers(office: Office) -> tuple[Any, Any, Any]:
    """Make a cheap paper, a dear one, and the writer of both."""
    writer = await make(office, "writers", name="Ada")
    cheap = await make(office, "papers", title="Cheap", price=5, writer=writer["documentId"])
    dear = await make(office, "papers", title="Dear", price=50, writer=writer["documentId"])
    return cheap, dear, writer


async def test_a_rule_on_find_hides_rows_from_every_read(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CHEAP) as office:
        cheap, dear, _ = await two_papers(office)
        for query in (
            "",
            "status=draft",
            "status=published",
            "_q=Dear",
            "filters[title]=Dear",
            "filters[$or][0][title]=Dear&filters[$or][1][id][$notNull]=true",
            "filters[$not][price][$lte]=10",
            "locale=*",
            f"filters[documentId]={dear['documentId']}",
            f"filters[id]={dear['id']}",
            "sort=price:desc",
        ):
            reply = await office.ask("GET", f"/api/papers?{query}")
            assert {one["title"] for one in reply.data} <= {"Cheap"}, query
            assert reply.json["meta"]["pagination"]["total"] <= 1, query
        assert (await office.ask("GET", f"/api/papers/{cheap['documentId']}")).status == 200
        for status in ("draft", "published"):
            path = f"/api/papers/{dear['documentId']}?status={status}"
            assert (await office.ask("GET", path)).status == 404


async def test_a_hidden_row_is_neither_populated_nor_counted_nor_found_through_relations(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, CHEAP) as office:
        await two_papers(office)
        (writer,) = (await office.ask("GET", "/api/writers?populate=papers")).data
        assert {one["title"] for one in writer["papers"]} == {"Cheap"}
        (writer,) = (await office.ask("GET", "/api/writers?populate=*")).data
        assert {one["title"] for one in writer["papers"]} == {"Cheap"}
        query = "populate[papers][filters][price][$gt]=10"
        (writer,) = (await office.ask("GET", f"/api/writers?{query}")).data
        assert writer["papers"] == []
        counted = (await office.ask("GET", "/api/writers?populate[papers][count]=true")).data
        cheap = (await office.ask("GET", "/api/writers?populate=papers")).data
        assert counted[0]["papers"]["count"] == len(cheap[0]["papers"])
        deep = "populate[writer][populate][papers]=true"
        (paper,) = (await office.ask("GET", f"/api/papers?{deep}")).data
        assert {one["title"] for one in paper["writer"]["papers"]} == {"Cheap"}
        for query in (
            "filters[papers][title]=Dear",
            "filters[papers][title][$startsWith]=D",
            "filters[papers][price][$gt]=10",
            "filters[$or][0][papers][title]=Dear",
        ):
            reply = await office.ask("GET", f"/api/writers?{query}")
            assert reply.data == [], query
        everyone = await office.ask("GET", "/api/writers?filters[$not][papers][price][$gt]=10")
        assert len(everyone.data) == 1


async def test_sorting_does_not_reveal_hidden_rows(tmp_path: Path, kind: Kind) -> None:
    code = """
    @rule(WRITER, on=["find"])
    def known_writers(who):
        return {"name": "Ada"}
    """
    async with open_extended(tmp_path, kind, code) as office:
        hidden = await make(office, "writers", name="Zoe")
        assert hidden["name"] == "Zoe"
        reply = await office.ask("GET", "/api/papers?sort=writer.name")
        assert (reply.status, reply.error) == (400, "Invalid key writer")


async def test_a_row_hidden_on_find_is_not_there_for_writes_either(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, CHEAP) as office:
        _, dear, _ = await two_papers(office)
        path = f"/api/papers/{dear['documentId']}"
        hidden = await office.ask("PUT", path, {"data": {"title": "Mine", "price": 1}})
        missing = await office.ask("PUT", "/api/papers/nowhere", {"data": {"title": "Mine"}})
        assert hidden.json == missing.json
        assert hidden.status == 404
        assert (await office.ask("DELETE", path)).status == 404
        batch = {
            "operations": [
                {"action": "publish", "type": "papers", "documentId": dear["documentId"]}
            ]
        }
        assert (await office.ask("POST", "/api/_batch", batch)).status == 404
        batch = {
            "operations": [{"action": "delete", "type": "papers", "documentId": dear["documentId"]}]
        }
        assert (await office.ask("POST", "/api/_batch", batch)).status == 404
        writer = await office.ask("GET", "/api/writers?filters[papers][title]=Cheap")
        assert len(writer.data) == 1


async def test_hidden_rows_cannot_be_connected(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CHEAP) as office:
        cheap, dear, _ = await two_papers(office)
        for hidden in (dear["documentId"], dear["id"]):
            body = {"data": {"name": "Eve", "papers": {"connect": [hidden]}}}
            reply = await office.ask("POST", "/api/writers", body)
            assert reply.status == 400, hidden
            assert "Dear" not in str(reply.json)
        body = {"data": {"name": "Bob", "papers": [cheap["documentId"]]}}
        assert (await office.ask("POST", "/api/writers", body)).status == 201


async def test_the_rule_of_an_action_refuses_what_may_be_seen(tmp_path: Path, kind: Kind) -> None:
    code = """
    @rule(PAPER, on=["update", "delete", "publish"])
    def unsold_papers(who):
        return {"sold": {"$ne": True}}

    @rule(PAPER, on=["create"])
    def priced_papers(who):
        return {"price": {"$gt": 0}}
    """
    async with open_extended(tmp_path, kind, code) as office:
        free = await office.ask("POST", "/api/papers", {"data": {"title": "Free", "price": 0}})
        assert free.status == 403
        assert await titles(office) == []
        paper = await make(office, "papers", title="Sold", price=1, sold=False)
        path = f"/api/papers/{paper['documentId']}"
        draft = f"{path}?status=draft"
        # To make it what may not be changed is rejected as well.
        assert (await office.ask("PUT", draft, {"data": {"sold": True}})).status == 403
        assert (await office.ask("PUT", path, {"data": {"title": "Sold again"}})).status == 200


async def test_the_rule_of_publishing_holds_when_a_write_publishes_too(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @rule(PAPER, on=["publish"])
    def priced_papers(who):
        return {"price": {"$gt": 0}}
    """
    async with open_extended(tmp_path, kind, code) as office:
        body = {"data": {"title": "Free"}}
        assert (await office.ask("POST", "/api/papers", body)).status == 403
        draft = await office.ask("POST", "/api/papers?status=draft", body)
        path = f"/api/papers/{draft.data['documentId']}"
        assert (await office.ask("PUT", path, {"data": {"title": "No"}})).status == 403
        assert (
            await office.ask("PUT", f"{path}?status=draft", {"data": {"price": 2}})
        ).status == 200
        assert (await office.ask("PUT", path, {"data": {}})).status == 200
        assert await titles(office, "status=published") == ["Free"]


async def test_several_rules_are_joined(tmp_path: Path, kind: Kind) -> None:
    code = """
    @rule(PAPER, on=["find"])
    def cheap(who):
        return {"price": {"$lte": 10}}

    @rule("api::*", on=["find"])
    def with_a_title(who):
        return True

    @rule(PAPER, on=["find"])
    def not_sold(who):
        return {"sold": {"$ne": True}}
    """
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, "papers", title="A", price=1, sold=False)
        await make(office, "papers", title="B", price=1, sold=True)
        await make(office, "papers", title="C", price=20, sold=False)
        assert await titles(office) == ["A"]


NONE_CONDITIONS = [
    "{'writer': {'id': who.id}}",
    "{'title': who.document_id}",
    "{'title': {'$ne': None}}",
    "{'title': {'$notIn': [None, 'x']}}",
    "{'$not': {'writer': {'id': who.id}}}",
    "{'$not': {'$and': [{'title': None}]}}",
    "{'$not': {'$or': [{'title': None}, {'title': 'x'}]}}",
    "{'$and': [{'title': 'A'}, {'writer': {'id': None}}]}",
    "{'$or': [{'title': None}, {'title': 'x'}]}",
    "{'$and': [None]}",
    "{'writer': None}",
    "{'$not': {'$not': {'title': None}}}",
]


@pytest.mark.parametrize("condition", NONE_CONDITIONS)
async def test_none_in_a_condition_matches_nothing(
    tmp_path: Path, kind: Kind, condition: str
) -> None:
    code = f"""
    @rule(PAPER, on=["find"])
    def own_papers(who):
        return {condition}
    """
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, "papers", title="A")
        assert await titles(office) == []


async def test_what_is_known_decides_beside_none(tmp_path: Path, kind: Kind) -> None:
    code = """
    @rule(PAPER, on=["find"])
    def own_or_sold(who):
        return {"$or": [{"writer": {"id": who.id}}, {"sold": True}]}
    """
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, "papers", title="A")
        await make(office, "papers", title="B", sold=True)
        assert await titles(office) == ["B"]


@pytest.mark.parametrize(
    "body",
    [
        "raise ValueError('the secret of the rule')",
        "return None",
        "return {}",
        "return []",
        "return {'nothing': 1}",
        "return {'title': {'$nothing': 1}}",
        "return {'price': {'$gt': 'much'}}",
        "return {'$and': []}",
        "return {'title': object()}",
        "return 1",
    ],
)
async def test_a_failing_rule_denies_and_reveals_nothing(
    tmp_path: Path, kind: Kind, body: str
) -> None:
    code = f"""
    @rule(PAPER, on=["find", "create"])
    def broken(who):
        {body}
    """
    async with open_extended(tmp_path, kind, code) as office:
        reply = await office.ask("GET", "/api/papers?status=draft")
        assert (reply.status, reply.data) == (200, [])
        reply = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
        assert reply.status == 403
        assert "secret" not in str(reply.json)
