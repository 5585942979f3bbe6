"""The pytest plug-in, used in a project."""

from pathlib import Path
from textwrap import dedent

import pytest

from tests.databases.kind import Kind
from tests.databases.kinds import SQLITE
from tests.extending.project import schema_in, write_code
from tests.extending.pytest_runs import run_failing, run_pytest
from tests.postgresql.databases import url_of
from tests.unit.kiosk import MANIFEST
from tests.unit.schema.trees import write_tree

SCOPE = "asyncio_default_fixture_loop_scope=function"
CODE = """
from msgspec import Struct

class ShopSettings(Struct):
    key: str

shop = settings("shop", ShopSettings)

@before_write(PAPER, on=["create"])
def in_capitals(write):
    write.set(title=write.data["title"].upper())

@after_write(PAPER, on=["create"])
async def count_papers(write):
    with as_system("count"):
        await documents(PAPER).count(status="draft")

@after_write("plugin::users-permissions.user", on=["create"])
def welcome(write):
    fired.append(write.document_id)

class PaperRecord(Shape[Document]):
    title: str

@after_commit(PAPER, on=["create"], shape=PaperRecord, status="draft")
async def index(changes):
    titles = [one.document.title for one in changes]
    sent = {"titles": titles}
    await http.post("https://search.example/bulk", json=sent, headers={"x-key": shop.key})

@job()
async def send() -> None:
    fired.append("send")

@schedule("0 3 * * *")
async def nightly() -> None:
    fired.append("nightly")
    await mail.send("ann@example.org", subject="Nightly", text="All is well")

@route.get("/papers/key")
def key() -> str:
    return shop.key
"""

TESTS = """
import pytest
from datetime import timedelta
from src.api.paper.paper import shop
from quire.testing import Client, Project

CREATE, KEY = "api::paper.paper.create", "api::paper.paper.key"
TITLE = {"data": {"title": "Tides"}}


async def create(client: Client) -> dict:
    response = await client.post("/api/papers?status=draft", json=TITLE)
    assert response.status_code == 201, response.text
    return response.json()["data"]


@pytest.mark.parametrize("number", [1, 2])
async def test_each_test_has_a_database_of_its_own(project: Project, number: int) -> None:
    ann = await project.user("ann", actions=[CREATE])
    assert (await create(ann))["title"] == "TIDES"
    assert project.fired == {"in_capitals": 1, "count_papers": 1}
    admin = await project.admin()
    listed = await admin.get("/content-manager/collection-types/api::paper.paper")
    assert listed.json()["pagination"]["total"] == 1
    users = await admin.get("/content-manager/collection-types/plugin::users-permissions.user")
    assert [one["id"] for one in users.json()["results"]] == [ann.id]


async def test_permissions_are_those_that_were_granted(project: Project) -> None:
    visitor = project.visitor
    assert (await project.post("/api/papers", json=TITLE)).status_code == 403
    await project.grant("public", [CREATE])
    await create(visitor)
    assert (await project.get("/api/papers/key")).status_code == 403
    ann = await project.user("ann", actions=[KEY])
    assert (await ann.get("/api/papers/key")).json() == shop.key == "for tests"
    assert (await ann.get("/api/users/me")).status_code == 200
    everything = await project.token()
    assert (await everything.get("/api/papers")).status_code == 200
    reading = await project.token(type="read-only")
    assert (await reading.get("/api/papers")).status_code == 200
    assert (await reading.post("/api/papers", json=TITLE)).status_code == 403
    narrow = await project.token(actions=[CREATE])
    await create(narrow)
    assert (await narrow.get("/api/papers")).status_code == 403


async def test_mistakes_of_tests_are_named(project: Project) -> None:
    with pytest.raises(LookupError, match='did you mean "api::paper.paper.create"'):
        await project.user("ann", actions=["api::paper.paper.craete"])
    with pytest.raises(LookupError, match="there is no role of the type"):
        await project.user("ann", role="editors")
    with pytest.raises(LookupError, match='did you mean "strapi-editor"'):
        await project.admin(role="strapi-editr")


async def test_administrators_have_the_role_that_is_named(project: Project) -> None:
    editor = await project.admin(role="strapi-editor")
    me = (await editor.get("/admin/users/me")).json()["data"]
    assert (me["id"], me["roles"][0]["code"]) == (editor.id, "strapi-editor")


async def test_statements_are_counted_without_those_of_authentication(project: Project) -> None:
    reading = await project.token(type="read-only")
    with project.statements(at_most=2):
        await reading.get("/api/papers")
    writing = await project.token()
    with pytest.raises(AssertionError, match="statements, at most 1:"):
        with project.statements(at_most=1):
            await create(writing)


async def test_the_clock_is_the_one_of_the_project(project: Project) -> None:
    project.clock.freeze("2030-01-01T00:00")
    token = await project.token()
    assert (await create(token))["createdAt"] == "2030-01-01T00:00:00.000Z"
    ann = await project.user("ann")
    project.clock.advance(days=1)
    assert (await create(token))["createdAt"] == "2030-01-02T00:00:00.000Z"
    assert (await ann.get("/api/users/me")).status_code == 200
    project.clock.advance(days=400)
    assert (await ann.get("/api/users/me")).status_code == 401
    with pytest.raises(ValueError, match="does not go back"):
        project.clock.advance(days=-1)


async def test_jobs_deliveries_and_schedules_run_when_a_test_drains(project: Project) -> None:
    token = await project.token()
    await create(token)
    assert project.fired["send"] == project.fired["index"] == 0
    with project.http.expect("POST", "/bulk", json={"ok": True}) as sent:
        await project.drain()
    assert sent.json == {"titles": ["TIDES"]}
    assert sent.request.headers["x-key"] == "for tests"
    assert (project.fired["index"], project.fired["nightly"]) == (1, 0)
    project.clock.freeze("2030-01-01T22:00")
    await project.drain()
    nights = project.fired["nightly"]
    project.mails.clear()
    await project.until("03:00")
    assert project.fired["nightly"] == nights + 1
    assert [(one.to, one.text) for one in project.mails] == [(("ann@example.org",), "All is well")]
    assert project.clock.now.isoformat() == "2030-01-02T03:00:00+00:00"


async def test_what_fails_or_is_not_expected_fails_the_test(project: Project) -> None:
    token = await project.token()
    await create(token)
    with pytest.raises(AssertionError, match="index failed, attempt 1: .*is not expected"):
        await project.drain()
    with pytest.raises(AssertionError, match="DELETE …/bulk was not sent"):
        with project.http.expect("DELETE", "/bulk"):
            pass


def test_a_plain_function_may_look_at_the_fixture(project: Project) -> None:
    assert project.fired == {}
"""


def make_project(folder: Path, code: str = CODE, tests: str = TESTS) -> Path:
    """Write a project with code and tests."""
    schema_in(folder)
    write_code(folder, code)
    (folder / ".env").write_text("SHOP_KEY=in use\nDATABASE_FILENAME=/nowhere/in-use.db\n")
    (folder / ".env.test").write_text("SHOP_KEY=for tests\n")
    (folder / "tests").mkdir()
    (folder / "tests" / "test_papers.py").write_text(dedent(tests))
    return folder


def test_the_fixture_runs_the_project_on_each_kind_of_database(kind: Kind, tmp_path: Path) -> None:
    url = "sqlite" if kind is SQLITE else url_of("postgres")
    folder = make_project(tmp_path)
    before = {path for path in folder.rglob("*") if "__pycache__" not in path.parts}

    assert run_pytest(folder, f"--quire-database={url}") == {"passed": 10}

    assert {path for path in folder.rglob("*") if "__pycache__" not in path.parts} == before


@pytest.mark.whatever_the_database("it is about the plug-ins of pytest")
def test_tests_may_be_run_by_a_plug_in_of_their_own(kind: Kind, tmp_path: Path) -> None:
    options = ("-p", "asyncio", "-o", "asyncio_mode=auto", "-o", SCOPE)
    assert run_pytest(make_project(tmp_path), *options) == {"passed": 10}


@pytest.mark.whatever_the_database("it does not start")
def test_a_project_that_does_not_start_ends_the_run(kind: Kind, tmp_path: Path) -> None:
    folder = make_project(
        tmp_path / "expected", '@before_write(PAPER, on=["crate"])\ndef f(w): ...\n'
    )
    tests = folder / "tests" / "test_papers.py"
    tests.write_text("def test_it(project): ...\n")
    run = run_failing(folder)
    assert 'unknown action "crate" in on; did you mean "create"?' in run
    assert "the project does not start" in run


@pytest.mark.whatever_the_database("it is not opened")
def test_options_that_cannot_be_are_named(kind: Kind, tmp_path: Path) -> None:
    folder = make_project(tmp_path, tests="def test_it(project): ...\n")
    assert 'quire_database: it is "sqlite", or' in run_failing(folder, "--quire-database=mysql")
    assert "set quire_project to its folder" in run_failing(folder, "-o", "quire_project=tests")


@pytest.mark.whatever_the_database("it is no project of Quire")
def test_code_of_other_projects_is_not_imported(kind: Kind, tmp_path: Path) -> None:
    (tmp_path / "src" / "api").mkdir(parents=True)
    (tmp_path / "src" / "api" / "app.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "test_it.py").write_text("def test_it(): ...\n")
    assert run_pytest(tmp_path) == {"passed": 1}


@pytest.mark.whatever_the_database("content is the same in both")
def test_a_project_may_have_its_content(kind: Kind, tmp_path: Path) -> None:
    tests = """
        async def test_it(project):
            assert (await project.get("/api/writers")).status_code == 200
    """
    folder = make_project(tmp_path, code="", tests=tests)
    write_tree(folder, {"content/manifest.json": MANIFEST})
    assert run_pytest(folder, "-o", "quire_content=true") == {"passed": 1}
    assert "assert 403 == 200" in run_failing(folder)
