"""The settings in ``[extensions]`` limit the Python code of a project."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.extending.background import changes_of, delivered, ended
from tests.extending.project import titles, write_code
from tests.unit.admin_api.office import Office, office_project, run_office

CODE = """
import asyncio

@after_write(PAPER, on=["create"])
async def busy(write):
    title = write.data["title"]
    if title == "reads":
        for _ in range(40):
            await documents(WRITER).count()
    if title == "writes":
        for number in range(40):
            await documents(WRITER).create({"name": f"w {number}"})
    if title == "stays":
        try:
            for number in range(40):
                await documents(WRITER).create({"name": f"w {number}"})
        except Exception as error:
            fired.append(type(error).__name__)
    if title == "block":
        try:
            async with transaction():
                for number in range(40):
                    await documents(WRITER).create({"name": f"w {number}"})
        except Exception as error:
            fired.append(type(error).__name__)
    if title == "sleeps":
        await asyncio.sleep(60)
    if title.startswith("copy"):
        await documents(PAPER).create({"title": f"{title}y"})

@route.get("/papers/many", public=True)
async def many(size: int) -> int:
    with as_system("to count"):
        return len(await documents(PAPER).find(page_size=size))

@route.post("/papers/block", public=True)
async def block() -> int:
    with as_system("to fill"):
        async with transaction():
            for number in range(40):
                await documents(WRITER).create({"name": f"w {number}"})
    return 1
"""


@asynccontextmanager
async def limited(folder: Path, kind: Kind) -> AsyncIterator[Office]:
    async with office_project(folder, kind) as project:
        write_code(project, CODE)
        settings = {
            "extensions.statements": 30,
            "extensions.levels": 3,
            "extensions.rows": 5,
            "extensions.hook_seconds": 5,
        }
        async with run_office(project, settings=settings) as office:
            yield office


async def test_what_exceeds_a_limit_is_named_in_the_log_and_leaves_nothing(
    tmp_path: Path, kind: Kind, capsys: pytest.CaptureFixture[str]
) -> None:
    async with limited(tmp_path, kind) as office:
        for title, status, message in (
            ("reads", 500, "busy (src/api/paper/paper.py:"),
            ("writes", 500, "has run more than 30 statements in one transaction"),
            ("sleeps", 503, "a hook took too long"),
            ("copy", 500, "more than 3 levels deep"),
        ):
            body = {"data": {"title": title}}
            reply = await office.ask("POST", "/api/papers?status=draft", body)
            assert reply.status == status, title
            captured = capsys.readouterr()
            assert message in captured.out + captured.err
            assert message not in str(reply.json)
        assert await titles(office) == []
        assert (await office.ask("POST", "/api/papers/block")).status == 500
        assert (await office.ask("GET", "/api/writers")).data == []


async def test_a_hook_goes_on_with_nothing_more_when_it_has_reached_the_limit(
    tmp_path: Path, kind: Kind
) -> None:
    async with limited(tmp_path, kind) as office:
        body = {"data": {"title": "stays"}}
        assert (await office.ask("POST", "/api/papers?status=draft", body)).status == 201
        assert 0 < len((await office.ask("GET", "/api/writers")).data) < 30


async def test_a_block_that_reaches_the_limit_is_rolled_back(tmp_path: Path, kind: Kind) -> None:
    async with limited(tmp_path, kind) as office:
        body = {"data": {"title": "block"}}
        assert (await office.ask("POST", "/api/papers?status=draft", body)).status == 201
        assert (await office.ask("GET", "/api/writers")).data == []


async def test_one_find_returns_no_more_than_the_limit(tmp_path: Path, kind: Kind) -> None:
    async with limited(tmp_path, kind) as office:
        assert (await office.ask("GET", "/api/papers/many?size=5")).status == 200
        assert (await office.ask("GET", "/api/papers/many?size=6")).status == 500


BACKGROUND = """
@route.get("/papers/slow", public=True)
async def slow() -> int:
    await asyncio.sleep(60)
    return 1

@route.get("/papers/patient", public=True, timeout=60)
async def patient() -> int:
    await asyncio.sleep(1.1)
    return 1

@job(retries=0)
async def late(text: str) -> None:
    await asyncio.sleep(60)

@route.post("/late/:length", public=True)
async def enqueue(length: int) -> None:
    await late.enqueue("x" * length)

class Title(Shape):
    title: str

@after_commit(PAPER, on=["create"], shape=Title, retries=0)
async def index(changes):
    await asyncio.sleep(60)
"""


async def test_routes_jobs_and_deliveries_have_limits_of_their_own(
    tmp_path: Path, kind: Kind, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {
        "extensions.route_seconds": 1,
        "extensions.job_seconds": 1,
        "extensions.delivery_seconds": 1,
        "extensions.argument_bytes": 100,
    }
    async with office_project(tmp_path, kind) as project:
        write_code(project, BACKGROUND)
        async with run_office(project, settings=settings) as office:
            assert (await office.ask("GET", "/api/papers/slow")).status == 503
            assert (await office.ask("GET", "/api/papers/patient")).status == 200

            assert (await office.ask("POST", "/api/late/100")).status == 500
            assert "more than 100 (extensions.argument_bytes)" in capsys.readouterr().out
            assert (await office.ask("POST", "/api/late/10")).status == 204
            (job,) = await ended(office)
            assert (job.state, job.message) == ("failed", "It took longer than 1 seconds")

            body = {"data": {"title": "Tides"}}
            assert (await office.ask("POST", "/api/papers?status=draft", body)).status == 201
            await delivered(office)
            (change,) = await changes_of(office)
            assert change.message == "It took longer than 1 seconds"
