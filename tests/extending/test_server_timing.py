"""Responses in development name the functions of the project that were called."""

import re
from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.extending.project import write_code
from tests.unit.admin_api.office import Reply, office_project, run_office

CODE = """
@policy(PAPER, on=["create"])
def open_today(context):
    return True

@rule(PAPER, on=["find"])
def visible(who):
    return True

@prepare(PAPER, on=["create"])
async def look_up(write):
    await asyncio.sleep(0)

@before_write(PAPER, on=["create"])
def shout(write):
    write.set(title=write.data["title"].upper())

@after_write(PAPER, on=["publish"])
async def count_all(write):
    await documents(PAPER).count()

@computed(PAPER, needs=["title"])
def length(paper) -> int:
    return len(paper.title)

@around(PAPER, on=["create"])
async def wrap(call, proceed):
    return await proceed(call)

@route.get("/papers/number", public=True)
async def number() -> int:
    return await documents(PAPER).count()
"""
FUNCTION = re.compile(r'(\w+);desc="function";dur=\d+\.\d+')


def functions_of(reply: Reply) -> set[str]:
    """Return the functions in the header."""
    return {*FUNCTION.findall(reply.headers.get("server-timing", ""))}


@pytest.mark.parametrize("environment", ["development", "production"])
async def test_a_response_names_the_functions_that_were_called(
    tmp_path: Path, kind: Kind, environment: str
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE)
        async with run_office(project, settings={"environment": environment}) as office:
            made = await office.ask("POST", "/api/papers", {"data": {"title": "Sea"}})
            assert (made.status, made.data["title"], made.data["length"]) == (201, "SEA", 3)
            number = await office.ask("GET", "/api/papers/number")
            assert number.status == 200
            if environment == "production":
                assert "server-timing" not in made.headers
                return
            writing = {"open_today", "look_up", "shout", "count_all", "length", "wrap"}
            assert functions_of(made) >= writing
            assert {"number"} <= functions_of(number)
            assert functions_of(number).isdisjoint(writing)


RESTRICTED = """
@rule(PAPER, on=["update"])
def cheap(who):
    return True

@policy(PAPER, on=["update"])
def open_late(context):
    return True
"""


async def test_rules_and_policies_of_a_write_are_named(tmp_path: Path, kind: Kind) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, RESTRICTED)
        async with run_office(project, settings={"environment": "development"}) as office:
            made = await office.ask("POST", "/api/papers", {"data": {"title": "Sea"}})
            path = f"/api/papers/{made.data['documentId']}"
            # For the first query of its kind, all rules are evaluated before the transaction.
            for title in ("Lake", "Bay"):
                changed = await office.ask("PUT", path, {"data": {"title": title}})
                assert functions_of(changed) == {"cheap", "open_late"}
