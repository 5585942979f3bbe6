"""Which rules a read or a write evaluates: those that it depends on, each time."""

from pathlib import Path
from textwrap import dedent
from typing import Any

import orjson
import pytest

from tests.databases.kind import Kind
from tests.extending.project import module, open_extended
from tests.unit.admin_api.office import Office

COUNTED = """
@rule(PAPER, on=["find"])
def cheap_papers(who):
    fired.append("papers")
    return {"price": {"$lte": 10}}


@rule(WRITER, on=["find"])
def known_writers(who):
    fired.append("writers")
    return {"name": {"$ne": "Eve"}}


@policy(WRITER, on=["find"])
def ask(context):
    fired.append("policy")
"""


async def make_papers(office: Office) -> str:
    """Make a cheap paper and a dear one by the same writer; returns the id of the cheap one."""
    writer = await office.ask("POST", "/api/writers", {"data": {"name": "Ada"}})
    papers = [
        await office.ask(
            "POST",
            "/api/papers",
            {"data": {"title": title, "price": price, "writer": writer.data["documentId"]}},
        )
        for title, price in (("Cheap", 5), ("Dear", 50))
    ]
    return str(papers[0].data["documentId"])


@pytest.mark.parametrize(
    ("target", "evaluated"),
    [
        ("/api/papers", ["papers"]),
        ("/api/papers/{id}", ["papers"]),
        ("/api/papers?filters[title]=Cheap", ["papers"]),
        ("/api/papers?populate=writer", ["papers", "writers"]),
        ("/api/papers?populate=*", ["papers", "writers"]),
        ("/api/papers?filters[writer][name]=Ada", ["papers", "writers"]),
        ("/api/papers?filters[$or][0][$not][writer][name]=Eve", ["papers", "writers"]),
        ("/api/writers", ["policy", "writers"]),
        ("/api/writers?populate[papers][count]=true", ["policy", "papers", "writers"]),
    ],
)
async def test_a_read_evaluates_the_rules_that_it_depends_on_each_time(
    tmp_path: Path, kind: Kind, target: str, evaluated: list[str]
) -> None:
    async with open_extended(tmp_path, kind, COUNTED) as office:
        path = target.replace("{id}", await make_papers(office))
        responses = []
        for attempt in range(4):
            module().fired.clear()
            responses.append(await office.ask("GET", path))
            # Which rules that are is unknown until the query has been prepared.
            if attempt:
                assert module().fired == evaluated
        assert [response.status for response in responses] == [200] * 4
        assert all(response.json == responses[0].json for response in responses)
        assert "Dear" not in str(responses[-1].json)


@pytest.mark.parametrize(
    ("query", "data", "evaluated"),
    [
        ("", {"name": "Bob"}, []),
        ("?populate=papers", {"name": "Bob"}, ["papers"]),
        ("", {"papers": {"connect": ["{id}"]}}, ["papers"]),
    ],
)
async def test_a_write_evaluates_no_rules_that_it_does_not_depend_on(
    tmp_path: Path, kind: Kind, query: str, data: dict[str, Any], evaluated: list[str]
) -> None:
    rule, *_ = COUNTED.split("@rule(WRITER")
    async with open_extended(tmp_path, kind, rule) as office:
        paper = await make_papers(office)
        (writer,) = (await office.ask("GET", "/api/writers")).data
        path = f"/api/writers/{writer['documentId']}{query}"
        body = orjson.loads(orjson.dumps({"data": data}).replace(b"{id}", paper.encode()))
        for attempt in range(3):
            module().fired.clear()
            assert (await office.ask("PUT", path, body)).status == 200
            # Which rules that are is unknown until the query has been prepared.
            if attempt:
                assert module().fired == evaluated


async def test_a_write_evaluates_a_rule_once_for_all_of_its_hooks(
    tmp_path: Path, kind: Kind
) -> None:
    rule, *_ = COUNTED.split("@rule(WRITER")
    code = """
    @before_write(WRITER, on=["update"])
    async def count_papers(write):
        await documents(PAPER).count()

    @after_write(WRITER, on=["update"])
    async def update_papers(write):
        papers = await documents(PAPER).find()
        for paper in papers:
            await documents(PAPER).update(paper.documentId, {"price": 7})
        with as_system("count"):
            dear = await documents(PAPER).count()
        fired.append((len(papers), dear))

    @after_write(PAPER, on=["update"])
    async def read_papers(write):
        await documents(PAPER).find()
    """
    async with open_extended(tmp_path, kind, rule + dedent(code)) as office:
        await make_papers(office)
        (writer,) = (await office.ask("GET", "/api/writers")).data
        for attempt in range(3):
            module().fired.clear()
            path = f"/api/writers/{writer['documentId']}"
            assert (await office.ask("PUT", path, {"data": {"name": "Bob"}})).status == 200
            # Which rules the response depends on is unknown until its query has been prepared.
            if attempt:
                assert module().fired == ["papers", (1, 2)]


async def test_a_rule_that_begins_to_apply_holds_for_queries_that_were_prepared_without_it(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    is_open = True

    @rule(PAPER, on=["find"])
    def cheap_papers(who):
        return True if is_open else {"price": {"$lte": 10}}
    """
    async with open_extended(tmp_path, kind, code) as office:
        await make_papers(office)
        targets = (
            "/api/papers",
            "/api/papers?sort=title",
            "/api/writers?populate=papers",
            "/api/writers?filters[papers][title]=Dear&populate=papers",
        )
        for _ in range(3):
            for target in targets:
                assert "Dear" in str((await office.ask("GET", target)).json)
        module().is_open = False
        for _ in range(3):
            for target in targets:
                assert "Dear" not in str((await office.ask("GET", target)).json)
        module().is_open = True
        for target in targets:
            assert "Dear" in str((await office.ask("GET", target)).json)


async def test_a_rule_that_fails_later_denies(tmp_path: Path, kind: Kind) -> None:
    code = """
    limits = {"price": 100}

    @rule(PAPER, on=["find"])
    def cheap_papers(who):
        return {"price": {"$lte": limits["price"]}}
    """
    async with open_extended(tmp_path, kind, code) as office:
        await make_papers(office)
        for _ in range(3):
            assert len((await office.ask("GET", "/api/papers")).data) == 2
        module().limits.clear()
        for _ in range(3):
            assert (await office.ask("GET", "/api/papers")).data == []
